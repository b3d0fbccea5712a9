"""Export a window as a provider's request or as another program's file, with notes on the result.

A companion is a file next to a request, with data that a request cannot contain: see `inspector.formats`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from inspector.core.conversation import Message, SizeFacts
from inspector.core.text import is_stream, plural, printable_json, slug
from inspector.engine.window import Window, live_calls, problem_at, refusals_in
from inspector.formats import (
    WRITERS,
    Companion,
    Conversation,
    companion_path,
    digest_of,
    fit_text,
    pieces_in,
    writer_titles,
)
from inspector.library.bench.workbench import Preview
from inspector.llm.models import profile
from inspector.llm.providers import PROVIDERS, SEALED, Request, export_notes, provider_titles, with_readable_summary

EXPORT_FORMS: Mapping[str, str] = {name: f"{title} request" for name, title in provider_titles().items()} | (
    writer_titles()
)
"""Export formats and their display names, requests first."""


_KEEPS_ITEMS = frozenset({"openai-responses", "markdown"})
"""Formats that can contain items specific to OpenAI's Responses API."""


@dataclass(frozen=True)
class Export:
    """A window in one of the `EXPORT_FORMS`: a request to a provider, or a file of another program."""

    preview: Preview
    to: str
    model: str = ""
    """Model to request; "" for the recorded one."""

    @property
    def window(self) -> Window:
        return self.preview.after

    @property
    def is_request(self) -> bool:
        return self.to in PROVIDERS

    @cached_property
    def written(self) -> tuple[Message, ...]:
        """Messages of the window in the form that the format can contain."""
        messages = self.window.messages
        return messages if self.to in _KEEPS_ITEMS else tuple(map(with_readable_summary, messages))

    @cached_property
    def conversation(self) -> Conversation:
        """Content of the file, if the format is not a request."""
        window, session = self.window, self.preview.session
        return Conversation(
            title=session.title,
            id=session.id,
            format=session.format,
            messages=self.written,
            context=replace(window.context, model=self.model) if self.model else window.context,
            is_whole=not self.preview.plans and not session.compactions,
            tokens_before=self.preview.recorded.total,
            sizes=self._sizes(),
        )

    @property
    def suggestion(self) -> str:
        """Suggested name of the file."""
        if self.is_request:
            ending = f".{self.to}.json"
        elif name := WRITERS[self.to].file_name(self.conversation):
            return name
        else:
            ending = WRITERS[self.to].suffix
        window, last = self.preview.recorded, len(self.preview.session.turns(self.preview.recorded.agent))
        when = f"turn-{window.turn}" if window.turn <= last else f"after-turn-{last}"
        return f"{slug(self.preview.session.title)}-{when}{ending}"

    @cached_property
    def messages(self) -> int:
        """Number of messages that it contains, or of items if the request consists of these."""
        if self.is_request:
            return len(self.request.get("messages") or self.request["input"])
        return len(self.window.messages)

    @cached_property
    def request(self) -> Request:
        """Request in the form that the provider accepts. Only available if `is_request`."""
        context = self.window.context
        context = replace(context, model=self.model) if self.model else context
        request = PROVIDERS[self.to].request(context, self.written)
        return request | {"model": self.model} if self.model else request

    @cached_property
    def text(self) -> str:
        """Text of the exported file."""
        if not self.is_request:
            return WRITERS[self.to].write(self.conversation)
        return printable_json(self.request) + "\n"

    @staticmethod
    def paths(path: Path, companion: bool = True) -> list[Path]:
        """Return the paths that are written for an export, the export itself first.

        Args:
            path: Path of the export.
            companion: True to write a companion file next to it. Pipes and devices have none.
        """
        return [path, companion_path(path)] if companion and not is_stream(path) else [path]

    def files(self, path: Path, companion: bool = True) -> dict[Path, str]:
        """Return the texts to write, by path.

        Args:
            path: Path of the export.
            companion: True to include the companion file, which only requests have.
        """
        companion = companion and self.is_request
        texts = (self.text, self.companion().text()) if companion else (self.text,)
        return dict(zip(self.paths(path, companion), texts, strict=False))

    def companion(self) -> Companion:
        """Return the data about the window that the request cannot contain."""
        window = self.window
        dialect = PROVIDERS[self.to].wire.name
        live = live_calls(window.messages, window.groups)
        open_calls = [place for caller in live for place in window.groups.open_calls[caller]]
        return Companion(
            digest_of(self.text.encode("utf-8", "backslashreplace")),
            self.to,
            fit_text(self.preview.session.title),
            fit_text(self.model or window.context.model),
            self._sizes(),
            pieces_in(self.request, dialect, self.written, open_calls),
        )

    def _sizes(self) -> SizeFacts:
        """Return the known sizes. Counts for one model are not valid for another one."""
        window, sizes = self.window, self.window.sizes
        unrecorded = window.unrecorded
        if self.model and self.model != window.context.model:
            return SizeFacts(1.0, unrecorded, 0)
        if unrecorded and self.is_request:
            tools = PROVIDERS[self.to].count_tools(self.request.get("tools") or (), sizes.counter)
            unrecorded = max(0, unrecorded - max(0, round(sizes.factor * tools) - sizes.tools))
        return SizeFacts(sizes.factor, unrecorded, sizes.limit)

    def notes(self, companion: bool = True) -> list[str]:
        """Return notes on repairs, content that does not fit and, for a request without a companion, lost data.

        Each note is a sentence.
        """
        if not self.is_request:
            return [*self._sealed_notes(), *WRITERS[self.to].notes(self.conversation)]
        window, provider = self.window, PROVIDERS[self.to]
        mended = [problem_at(window, place, words) for place, words in refusals_in(window, self.to)]
        return [
            *self._excess_notes(),
            *self._sealed_notes(),
            *dict.fromkeys(f"Repaired in the request: {problem}" for problem in mended),
            *export_notes(provider, window, self.request),
            *(() if companion else _losses(window)),
        ]

    def _sealed_notes(self) -> Iterator[str]:
        """Yield a sentence if a text replaces an encrypted summary."""
        if any(new is not old for new, old in zip(self.written, self.window.messages, strict=True)):
            yield f"Only OpenAI can read its summary. It is replaced by “{SEALED}”."

    def _excess_notes(self) -> Iterator[str]:
        """Yield a sentence if the window exceeds that of the requested model."""
        context, model = self.window.context, self.request.get("model")
        is_other = isinstance(model, str) and model != context.model
        excess = max(0, self.window.total - profile(str(model)).limit) if is_other else self.window.excess
        if model and excess:
            yield f"It exceeds the window of {model} by {excess:,} tokens."


def _losses(window: Window) -> Iterator[str]:
    """Yield sentences about data that a request cannot contain and that is lost if it is opened again."""
    losses = list(_facts_beside(window))
    yield from losses
    if losses:
        yield "A file that is written with its sidecar keeps it."


def _facts_beside(window: Window) -> Iterator[str]:
    if window.unrecorded:
        yield (
            f"{window.unrecorded:,} tokens of the prompt and the tools are unrecorded. The request does not "
            "contain them, and is smaller when opened again."
        )
    if abs(window.sizes.factor - 1) >= 0.005:
        yield f"When opened again, it is counted without this session's calibration (×{window.sizes.factor:.2f})."
    kinds = Counter(message.kind for message in window.messages if message.kind in ("summary", "injected"))
    if kinds:
        words = (
            ["1 summary" if kinds["summary"] == 1 else f"{kinds['summary']:,} summaries"] if kinds["summary"] else []
        )
        words += [plural(kinds["injected"], "injected message")] if kinds["injected"] else []
        yield f"A request does not distinguish {' and '.join(words)} from user messages."
