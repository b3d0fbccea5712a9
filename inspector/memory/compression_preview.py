"""What a compression would do to a memory, before it is done: the plan, the fates and the money."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inspector.core.conversation import Message, Usage
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
    """As it stands in the context now."""
    tokens: int
    fate: Fate
    """Its `kind`, such as "kept" or "summarised", and the `reason`."""


@dataclass(frozen=True)
class CompressionPreview:
    """What a compression would do now. Sizes are in tokens, costs in US dollars."""

    plan: Plan
    items: tuple[PreviewItem, ...]
    """Every message of the context, in order."""
    savings: Savings
    """The sizes before and after, what the summary and the broken prompt cache cost, and after how many calls it pays.

    Where no model was asked, the summary is taken to be as large as it should become."""
    threshold: int
    is_due: bool
    """Whether `add_message` would compress now by itself."""
    would_compress: bool
    """Whether `compress()` would change anything."""
    reason: str
    """Why it would not, in one sentence; empty where it would."""
    summary_is_written: bool
    """Whether the summaries in `plan` are those that would stand in the context; False for a stand-in of their size."""

    @property
    def summary(self) -> str:
        """The text that would stand for what leaves; empty where there is none, and where it is not written yet."""
        return "\n\n".join(message.text for message in self.plan.summaries) if self.summary_is_written else ""

    @property
    def counts(self) -> dict[str, int]:
        """How many messages have each kind of fate."""
        return self.plan.counts

    def __str__(self) -> str:
        """All of it in a few lines; safe to print on a terminal."""
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
    """The preview of an attempt.

    `writer` is the price of the model that would write the summary; None where none would. `usages` are what the
    models took that did write it; None where none was asked.
    """
    window, plan = attempt.before, attempt.plan
    if usages is not None:
        calls: Sequence[Usage] = tuple(usage for _, usage in usages)
    else:
        calls = summary_calls(window, plan) if writer else ()
    savings = compute_savings(window, attempt.after, price, calls, writer)
    worthwhile = engine.policy.worthwhile(window.total, attempt.after.total)
    items = (
        PreviewItem(_source_of(message, adapter), tokens, fate)
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


def _source_of(message: Message, adapter: MessageAdapter) -> LLMMessage:
    """What was handed over for a message, or a summary as a message."""
    return adapter.original(message) or message_of(message.raw)
