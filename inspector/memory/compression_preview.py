"""Previews of compressions: the plan, the fates of messages and the costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inspector.core.conversation import Usage
from inspector.core.text import clip, dollars, one_line, plural
from inspector.engine.compression import Attempt, CompressionEngine, Savings, compute_savings, summary_calls
from inspector.engine.window import Fate, Plan
from inspector.llm.models import Price
from inspector.memory.message_adapter import LLMMessage, MessageAdapter, message_of

_PREVIEW = 60
"""Columns of a message that the text of a preview shows."""


@dataclass(frozen=True, slots=True)
class PreviewItem:
    """One message of the context, and what would become of it."""

    message: LLMMessage
    """The message as it is in the current context."""
    tokens: int
    fate: Fate
    """Its `kind`, such as "kept" or "summarised", and the `reason`."""


@dataclass(frozen=True)
class CompressionPreview:
    """A preview of a compression. Sizes are in tokens, costs in US dollars."""

    plan: Plan
    items: tuple[PreviewItem, ...]
    """Every message of the context, in order."""
    savings: Savings
    """Sizes before and after, costs of the summary and of the broken prompt cache, and calls until it breaks even.

    If no model was asked, the summary is assumed to have its target size.
    """
    threshold: int
    is_due: bool
    """True if `add_message` would compress now."""
    would_compress: bool
    """True if `compress()` would change anything."""
    reason: str
    """Why it would not, in one sentence; empty where it would."""
    summary_is_written: bool
    """True if the summaries in `plan` are final; False for placeholders of their size."""

    @property
    def summary(self) -> str:
        """Text of the summary. Empty without one, and if it is not written yet."""
        return "\n\n".join(message.text for message in self.plan.summaries) if self.summary_is_written else ""

    @property
    def counts(self) -> dict[str, int]:
        """Number of messages with each kind of fate."""
        return self.plan.counts

    def __str__(self) -> str:
        """Return a summary of a few lines that is safe to print on a terminal."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        savings = self.savings
        if not self.would_compress:
            yield f"Nothing would change: {one_line(self.reason)}"
            return
        due = "is due" if self.is_due else "is not due yet"
        yield (
            f"{self.plan.strategy} would take {savings.before:,} tokens down to {savings.after:,}, "
            f"{savings.gross:,} fewer; it {due} (threshold {self.threshold:,})."
        )
        yield (
            f"It costs {dollars(savings.compression_cost)} for the summary and {dollars(savings.rewrite_cost)} for "
            f"{savings.rewritten:,} tokens written to the prompt cache again; {savings.break_even}."
        )
        yield "Messages: " + ", ".join(f"{count:,} {kind}" for kind, count in self.counts.items()) + "."
        for item in self.items:
            if item.fate.kind != "kept":
                text = clip(one_line(item.message.text), _PREVIEW)
                size = plural(item.tokens, "token")
                yield f"  {item.fate.kind}: {item.message.role}, {size}: {text} ({one_line(item.fate.reason)})"


def preview_of(
    attempt: Attempt,
    engine: CompressionEngine,
    adapter: MessageAdapter,
    price: Price,
    writer: Price | None,
    usages: Sequence[tuple[str, Usage]] | None,
) -> CompressionPreview:
    """Return the preview of an attempt.

    Args:
        attempt: Plan and windows of the compression.
        engine: Engine of the memory.
        adapter: Maps log messages to added messages.
        price: Price of the agent's model.
        writer: Price of the model that would write the summary, or None.
        usages: Usage of the models that wrote the summary, or None if none was asked.
    """
    window, plan = attempt.before, attempt.plan
    if usages is not None:
        calls: Sequence[Usage] = tuple(usage for _, usage in usages)
    else:
        calls = summary_calls(window, plan) if writer else ()
    savings = compute_savings(window, attempt.after, price, calls, writer)
    worthwhile = engine.policy.worthwhile(window.total, attempt.after.total)
    items = (
        PreviewItem(adapter.original(message) or message_of(message.raw), tokens, fate)
        for message, tokens, fate in zip(window.messages, window.tokens, plan.fates, strict=True)
    )
    return CompressionPreview(
        plan,
        tuple(items),
        savings,
        engine.policy.threshold,
        engine.due,
        worthwhile and not attempt.failure,
        attempt.failure or ("" if worthwhile else engine.no_op_reason(attempt)),
        writer is None or usages is not None,
    )
