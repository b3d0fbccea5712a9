"""Options for the contexts that are put to a model: presets, strategies, drops, pins, edits, and the restored text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Any

import click

from inspector.analysis.asking import (
    PLANS_LABEL,
    RECORDED_LABEL,
    AskedContext,
    preset_context,
    restored_context,
    strategy_context,
    with_edits,
    with_question,
)
from inspector.cli.arguments import strategy_settings
from inspector.cli.command_errors import UsageError
from inspector.cli.commands.stack import ids_of_words
from inspector.cli.options import read_presets_file, set_option
from inspector.cli.policy_options import find_policy
from inspector.engine.window import Window, apply
from inspector.library import OpenSession, Preview, RefusedError, draft_manual_plan

_MAX_EDIT = 1 << 20
"""Bytes of a file with the new text of a message."""


@dataclass(frozen=True)
class ContextOptions:
    """Values of the options of `context_options`."""

    presets: Sequence[str]
    strategies: Sequence[str]
    assignments: Sequence[str]
    presets_file: Path | None
    drops: Sequence[str]
    pins: Sequence[str]
    edits: Sequence[str]
    restores: bool

    def check(self) -> None:
        """Raise UsageError for options that require others."""
        if self.pins and not (self.presets or self.strategies):
            raise UsageError("--pin requires --preset or --strategy: nothing else removes messages.")
        if self.assignments and len(self.strategies) != 1:
            raise UsageError("--set requires one --strategy.")


def context_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for contexts. The command receives them as `contexts`."""

    @wraps(command)
    def with_contexts(
        *args: Any,
        presets: Sequence[str],
        strategies: Sequence[str],
        assignments: Sequence[str],
        presets_file: Path | None,
        drops: Sequence[str],
        pins: Sequence[str],
        edits: Sequence[str],
        restores: bool,
        **rest: Any,
    ) -> Any:
        options = ContextOptions(presets, strategies, assignments, presets_file, drops, pins, edits, restores)
        return command(*args, contexts=options, **rest)

    def many(*names: str, metavar: str, text: str) -> Callable[..., Any]:
        return click.option(*names, multiple=True, metavar=metavar, help=f"{text} May be repeated.")

    for option in (
        click.option("--restore", "restores", is_flag=True, help="Also ask with the text of inspector restore added."),
        many("--edit", "edits", metavar="M=TEXT|FILE", text="Replace the text of a message, also by that of a file."),
        many("--pin", "pins", metavar="M", text="Pin a message before presets and strategies."),
        many("--drop", "drops", metavar="M", text="Drop a message, a number, a range or an id."),
        read_presets_file,
        set_option,
        many("--strategy", "-s", "strategies", metavar="NAME", text="Also ask with a strategy."),
        many("--preset", "presets", metavar="NAME", text="Also ask with the context under a preset."),
    ):
        with_contexts = option(with_contexts)
    return with_contexts


def asked_contexts(
    session: OpenSession, options: ContextOptions, turn: int, agent: str, question: str | None
) -> list[AskedContext]:
    """Return the contexts to ask: as recorded, and as the options change it.

    Args:
        session: Open session.
        options: Values of the options.
        turn: Turn of the contexts.
        agent: Agent of the contexts.
        question: Question at the end of each context; None for the turn's own request.

    Raises:
        UsageError: A message, a preset, a strategy or a file does not exist.
    """
    options.check()
    rows = list(_contexts(session, options, turn, agent))
    if options.restores:
        log = session.bench.session
        rows = [variant for row in rows for variant in (row, restored_context(log, row)) if variant is not None]
    rows = list({row.label: row for row in rows}.values())
    return [replace(row, window=with_question(row.window, question)) for row in rows] if question else rows


def _contexts(session: OpenSession, options: ContextOptions, turn: int, agent: str) -> Iterator[AskedContext]:
    preview = session.bench.preview(turn, agent)
    recorded = preview.recorded
    yield AskedContext(RECORDED_LABEL, recorded, recorded)
    if preview.applied:
        yield AskedContext(PLANS_LABEL, preview.after, recorded)
    if options.drops or options.edits:
        window, words = _changed_by_hand(preview, options)
        yield AskedContext(words, window, recorded)
    pinned = frozenset(ids_of_words(preview, options.pins))
    base = replace(preview.base, pins=preview.base.pins | pinned) if pinned else preview.base
    for name in options.strategies:
        settings = strategy_settings(name, options.assignments)
        yield strategy_context(name, base, recorded, settings, session.bench.services)
    for name in options.presets:
        preset = find_policy(name, options.presets_file)
        log, sizes = session.bench.session, session.bench.sizes
        yield replace(preset_context(log, sizes, preset, recorded, pinned), label=name)


def _changed_by_hand(preview: Preview, options: ContextOptions) -> tuple[Window, str]:
    """Return the window without the dropped messages and with the edited texts, and a name for it."""
    window, words = preview.base, []
    if options.drops:
        ids = ids_of_words(preview, options.drops)
        try:
            window = apply(window, draft_manual_plan(window, ids, "dropped"))
        except RefusedError as error:
            raise UsageError(str(error)) from error
        words.append(f"without {', '.join(options.drops)}")
    if options.edits:
        edits = dict(_edit_of(preview, word) for word in options.edits)
        window = with_edits(window, edits)
        words.append(f"edited {', '.join(word.partition('=')[0] for word in options.edits)}")
    return window, ", ".join(words)


def _edit_of(preview: Preview, word: str) -> tuple[str, str]:
    """Return the id and the new text of an edited message."""
    name, equals, text = word.partition("=")
    if not equals:
        raise UsageError(f"--edit takes M=TEXT or M=FILE, not {word[:40]!r}.")
    ids = ids_of_words(preview, [name.strip()])
    if len(ids) != 1:
        raise UsageError(f"--edit takes one message at a time, not {name[:40]!r}.")
    path = Path(text.removeprefix("@"))
    try:
        is_file = len(text) < 4_000 and "\n" not in text and "\0" not in text and path.is_file()
        if not is_file:
            if text.startswith("@"):
                raise UsageError(f"There is no file {text[1:]!r}.")
            return ids[0], text
        if path.stat().st_size > _MAX_EDIT:
            raise UsageError(f"{path} is too large for the text of a message.")
        return ids[0], path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read as text.") from error
