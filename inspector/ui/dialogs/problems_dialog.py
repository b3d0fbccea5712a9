"""Reasons why a provider would reject the window, and the parts of the file that could not be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.reactive import reactive
from textual.widgets import Static

from inspector.analysis.tool_activity import Actions, row_words
from inspector.core.conversation import Problem, ProviderName
from inspector.engine.window import problems
from inspector.library import TAKEN, Preview
from inspector.llm.providers import DEFAULT_DIALECT, PROVIDERS, api_of, provider_after
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.overlay import Dialog
from inspector.ui.key_remaps import with_keys
from inspector.ui.message_lines import Line, wrap
from inspector.ui.widgets.text_view import TextView
from inspector.ui.workers.latest import LatestOnly

_AROUND = 8
"""Lines of the dialog around its text."""


class ProblemsScreen(Dialog[None]):
    """The window checked against one provider's rules; tab switches to another provider."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("problems")
    AUTO_FOCUS = "#text"

    provider: reactive[ProviderName] = reactive(DEFAULT_DIALECT, init=False, repaint=False)

    def __init__(
        self, preview: Preview, provider: ProviderName | None, judge_by: Callable[[ProviderName | None], None]
    ) -> None:
        """Create the dialog for a window.

        Args:
            preview: Window to check.
            provider: Provider whose rules are checked at first; None for the session's own.
            judge_by: Called with the provider when it changes; None for the session's own.
        """
        super().__init__()
        self.preview = preview
        self.own: ProviderName = api_of(preview.recorded.context)
        self.judge_by = judge_by
        self.set_reactive(ProblemsScreen.provider, provider or self.own)
        self.texts: LatestOnly[list[Line]] = LatestOnly(self, "problems", self.show_result)

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield Static(id="heading", classes="heading", markup=False)
            yield TextView(id="text")
            yield Static(
                with_keys("{switch_view}: check another provider   ↑↓: scroll   {back}: close"),
                classes="hint",
                markup=False,
            )

    def on_mount(self) -> None:
        self.call_after_refresh(self.read)

    def on_resize(self) -> None:
        self.call_after_refresh(self.read)

    def action_provider(self) -> None:
        self.provider = provider_after(self.provider)

    def watch_provider(self) -> None:
        self.judge_by(None if self.provider == self.own else self.provider)
        self.read()

    def read(self) -> None:
        own = ", this session's own provider" if self.provider == self.own else ""
        self.query_one("#heading", Static).update(f"By the rules of {PROVIDERS[self.provider].title}{own}")
        width = max(20, self.query_one(TextView).size.width - 2)
        self.texts.ask(partial(_problem_lines, self.preview, self.provider, width))

    def show_result(self, lines: list[Line]) -> None:
        view = self.query_one(TextView)
        room = self.app.size.height * 9 // 10 - _AROUND
        view.styles.height = max(2, min(len(lines), room))  # as tall as the text, if that fits
        view.show(lines)


def _problem_lines(preview: Preview, provider: ProviderName, width: int) -> list[Line]:
    session = preview.session
    lines: list[Line] = []
    errors = problems(preview.after, provider)
    is_own = provider == api_of(preview.recorded.context)
    if is_own and errors and preview.taken.issuperset(errors):
        lines += [Line("As recorded", "heading"), *wrap(TAKEN, width)]
        lines += _refusal_rows(preview, errors, width)
    elif errors:
        lines.append(Line(f"{PROVIDERS[provider].title} would reject this request", "heading"))
        lines += _refusal_rows(preview, errors, width)
        lines.append(Line("Any strategy, or an export, fixes this.", "dim"))
    else:
        lines.append(Line(f"{PROVIDERS[provider].title} would accept this request.", "added"))
    lines.append(Line(""))
    if session.problems:
        lines.append(Line("Unreadable parts of the file", "heading"))
        lines += [*wrap(session.path, width, "dim"), *_problem_rows(session.problems, width)]
    return lines


def _refusal_rows(preview: Preview, errors: tuple[Problem, ...], width: int) -> Iterator[Line]:
    """Yield the reasons for rejection, each followed by the number and the content of its message."""
    numbers = preview.session.numbers
    messages = {message.id: message for message in preview.after.messages}
    actions = Actions(preview.after.messages)
    for problem in errors:
        yield from wrap(f"- {problem}", width)
        if (message := messages.get(problem.message or "")) is not None:
            place = f"  #{numbers[message.id]:,} · " if message.id in numbers else "  "
            yield Line(place + row_words(message, actions, max(1, width - len(place))), "dim")


def _problem_rows(problems: tuple[Problem, ...], width: int) -> Iterator[Line]:
    for problem in problems:
        yield from wrap(f"- {problem}", width)
