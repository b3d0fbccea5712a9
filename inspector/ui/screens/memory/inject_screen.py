"""A preview of the exact text that a query would add to a window, with the window before and after."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input, Static

from inspector.core.text import clipped, fold, one_line, plural, visible
from inspector.engine.retrieval import explain
from inspector.library import BUDGET, LIMIT, InjectionDraft
from inspector.store import StoreError
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.overlay import Overlay
from inspector.ui.message_lines import Line
from inspector.ui.palette import Palette
from inspector.ui.widgets.bars import SectionBars, WindowBars
from inspector.ui.widgets.key_bar import Key, KeyBar, available
from inspector.ui.widgets.text_view import Spans, TextView
from inspector.ui.workers.latest import LatestOnly

if TYPE_CHECKING:
    from inspector.library import Workbench
    from inspector.ui.screens.memory.memory_finder import Finder

_MAX_CANDIDATES = 50
_STEP, _MIN_BUDGET = 250, 250
"""Step and minimum of the budget, in tokens."""
_Answer = tuple[str, int, int, "InjectionDraft | str"]
"""Query, limit and budget, followed by the draft or an error as a sentence."""


class InjectScreen(Overlay[InjectionDraft | None]):
    """Dismissed with the draft to put into the window, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("inject")
    VERTICAL_BREAKPOINTS = [(0, "-low"), (32, "-tall")]  # noqa: RUF012  as declared in Textual
    AUTO_FOCUS = "#query"

    def __init__(self, bench: Workbench, finder: Finder, agent: str, turn: int, words: str = "") -> None:
        """Create the screen for a window.

        Args:
            bench: Workbench of the session.
            finder: Search of the store.
            agent: Agent of the window.
            turn: Turn of the window.
            words: Initial query; empty for the current request.
        """
        super().__init__()
        self.bench = bench
        self.finder = finder
        self.agent = agent
        self.turn = turn
        self.words = words
        self.limit = LIMIT
        self.budget = BUDGET
        self.draft: InjectionDraft | None = None
        self.drafts: LatestOnly[_Answer] = LatestOnly(self, "injection", self.show_result)

    def compose(self) -> ComposeResult:
        yield Static("Memories that a query would add to this window", classes="bar", markup=False)
        yield Input(self.words, placeholder="words; empty: the current request", id="query")
        yield Static(id="inject-verdict", markup=False)
        yield WindowBars(id="window-bars")
        yield SectionBars(id="section-bars")
        yield TextView(id="text")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.show_keys()
        self.ask()

    def on_resize(self) -> None:
        if self.is_mounted and self.draft is not None:
            self.call_after_refresh(self.show, self.draft)

    @property
    def query_words(self) -> str:
        return self.query_one("#query", Input).value

    @on(Input.Changed, "#query")
    def ask(self) -> None:
        """Compute the results of the query; the previous ones are shown until then."""
        query = partial(_draft, self.finder, self.bench, self.agent, self.turn)
        self.drafts.ask(partial(query, self.query_words, self.limit, self.budget))

    def show_result(self, answer: _Answer) -> None:
        words, limit, budget, draft = answer
        if isinstance(draft, str):
            self.notify(draft, severity="error")
        elif (words, limit, budget) == (self.query_words, self.limit, self.budget):
            self.draft = draft
            self.show(draft)

    def show(self, draft: InjectionDraft) -> None:
        if not self.query(TextView):  # not composed yet, or already removed
            return
        palette = self.palette
        self.query_one("#inject-verdict", Static).update(_verdict(draft, self.size.width - 2, palette))
        self.query_one(WindowBars).preview = draft.preview
        self.query_one(SectionBars).preview = draft.preview
        text = self.query_one(TextView)
        text.show(list(_lines(draft, max(20, text.size.width - 2))))
        self.show_keys()

    def show_keys(self) -> None:
        draft = self.draft
        goes_in = draft is not None and draft.preview.plan is not None
        self.query_one(KeyBar).keys = available(
            (goes_in, Key("open", "insert")),
            (True, Key("down", "to the text")),
            (True, Key("find", "words")),
            (True, Key("less more", f"budget {self.budget:,}")),
            (True, Key("much_less much_more", f"at most {self.limit}")),
            (True, Key("back", "back")),
        )

    def action_to_text(self) -> None:
        self.query_one(TextView).focus()

    def action_to_words(self) -> None:
        self.query_one("#query", Input).focus()

    def action_budget(self, tokens: int) -> None:
        self.budget = max(_MIN_BUDGET, self.budget + tokens)
        self.ask()
        self.show_keys()

    def action_limit(self, more: int) -> None:
        self.limit = min(max(1, self.limit + more), _MAX_CANDIDATES)
        self.ask()
        self.show_keys()

    @on(Input.Submitted, "#query")
    def action_put(self) -> None:
        draft = self.draft
        if draft is None or self.drafts.is_running:
            self.notify("Still searching …")
        elif draft.preview.plan is None:
            self.notify(draft.why_not)
        else:
            self.dismiss(draft)


def _draft(finder: Finder, bench: Workbench, agent: str, turn: int, words: str, limit: int, budget: int) -> _Answer:
    """Return the draft for a query, or an error as a sentence."""
    try:
        draft = finder.draft(bench, agent, turn, words, limit, budget)
    except StoreError as error:
        return words, limit, budget, f"The memory cannot be searched: {error}."
    _ = draft.preview.before.breakdown, draft.preview.after.breakdown
    return words, limit, budget, draft


def _verdict(draft: InjectionDraft, width: int, palette: Palette) -> Text:
    """Return the number of memories and tokens that would be added, in one sentence."""
    if draft.preview.plan is None:
        return Text(clipped(draft.why_not, width), palette.ink("warning"), no_wrap=True)
    count = len(draft.retrieval.results)
    line = Text(no_wrap=True)
    line.append(f"{count:,} {'memory' if count == 1 else 'memories'}", palette.strong)
    line.append(" would be added before the request: ", palette.dim)
    line.append(f"+{plural(draft.tokens, 'token')}", palette.strong)
    missed = len(draft.retrieval.near_misses)
    line.append(f"; {missed:,} more {'was' if missed == 1 else 'were'} near" if missed else "", palette.dim)
    if draft.preview.problems:
        line.append(f"   ✗ {one_line(draft.preview.problems[0].text)}", palette.ink("error"))
    line.truncate(width, overflow="ellipsis")
    return line


def _lines(draft: InjectionDraft, width: int) -> Iterator[Line | Spans]:
    """Yield the exact message, the reason for each part, and the near misses."""
    if draft.text:
        yield (("text for the model", "ink-muted"),)
        for row in visible(draft.text).split("\n"):
            for piece in fold(row, width) if row else [""]:
                yield Line(piece)
        yield Line("")
        yield (("why", "ink-muted"),)
        for result in draft.retrieval.results:
            head = one_line(draft.memories[result.key].text)
            why = explain(result)
            yield ((f"↑ {result.rank:>2}  ", "success"), (f"{why}  ", "foreground"), _rest(head, width - len(why) - 8))
    if draft.retrieval.near_misses:
        yield Line("")
        yield (("near misses", "ink-muted"),)
    for miss in draft.retrieval.near_misses:
        head = one_line(draft.memories[miss.result.key].text)
        reason = clipped(miss.reason, width - 8)
        yield (
            (f"✗ {miss.result.rank:>2}  ", "error"),
            (f"{reason}  ", "foreground"),
            _rest(head, width - len(reason) - 8),
        )


def _rest(text: str, room: int) -> tuple[str, str]:
    return clipped(text, room) if room > 8 else "", "ink-faint"
