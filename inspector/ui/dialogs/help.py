"""The help dialog: the keys of a screen, and the meaning of symbols and terms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import Screen
from textual.widgets import Static

from inspector.core.text import GLYPHS, LETTERS, wrapped
from inspector.engine.window import FateKind
from inspector.ui.bindings import KeyGroup, active_keys, bindings
from inspector.ui.dialogs.overlay import Dialog
from inspector.ui.hints import HINTS
from inspector.ui.key_remaps import with_keys
from inspector.ui.message_lines import Line
from inspector.ui.palette import FATE_COLOURS
from inspector.ui.terminal_app import is_base, mode_of
from inspector.ui.widgets.key_bar import key_line
from inspector.ui.widgets.text_view import Spans, TextView

_SYMBOLS: Mapping[str, Sequence[tuple[str, str]]] = {
    "Sessions": (
        ("◆ !", "columns: recorded compactions; a window that is too large (red), or a damaged file"),
        ("? –", "not counted yet; not recorded"),
        ("▾ ▴", "the list is sorted by this column: descending; ascending"),
        ("▸", "the marked session"),
    ),
    "Inspect": (
        ("◆", "a recorded compaction in the strip of turns"),
        ("▼", "the reported size fell; the file does not say why"),
        ("◇", "a turn at which a plan was applied here"),
        ("$", "a call that the prompt cache did not serve, so that it cost more"),
        ("▸ •", "a match of the search; a bookmark"),
    ),
    "Replay": (
        ("◆ ◇", "a lossy compaction; a reversible one"),
        ("!", "a turn that needed a lost fact"),
        ("▼", "the reported size fell; the file does not say why"),
    ),
    "Tune": (
        ("★ ● ○ ✗ »", "leading; Pareto-optimal; dominated; invalid; not recommended"),
        ("▸", "the marked row"),
    ),
    "Memory": (("│ ★ ✗", "in the window; pinned, so it never expires; cut by the number or the budget"),),
    "Compare": (
        ("= ≠", "both windows are the same at that turn, or differ"),
        ("◆ ◇ !", "a lossy compaction; a reversible one; needed a lost fact"),
    ),
    "Agents": (
        ("● · ▸ ◂", "a reply; a message sent to the agent; text of another agent, and from which side"),
        ("= ★ ×", "requested twice; uses a fact of another agent; read by no one"),
    ),
    "Live": (("●", "changed just now"),),
}
"""Symbols of each screen."""
_SEARCH = (
    ("words", 'all words must occur; "a phrase in quotes"; -word must not occur'),
    ("kind:summary", "also role:user tool:Read agent:x error bookmarked"),
    (">1000 <200", "more, or fewer, tokens"),
)
_TERMS = (
    ("trigger", "tokens above which a preset compresses"),
    ("reserve", "tokens that are kept free for the reply"),
    ("plan", "the fate that a strategy gives each message of a window"),
    ("regret", "a reply that needed a fact which was no longer in its window (!)"),
    ("recall", "a regret where the policy could have retrieved the fact"),
    ("re-fetched", "a file or page that was read again after a compaction dropped it"),
    ("kept", "facts that are still in the window, weighted by class"),
    ("named", "a value in a summary without the words that it belongs to"),
    ("going on", "share of questions about the work that the new context answers: where, request, files, next step"),
    ("stale revived", "the summary states an outdated state of the work; an ended one as current"),
    ("scratchpad", "(P) results of the last calls, and the reply in progress"),
    ("breaks even", "calls after which a compression has saved the cost of the broken prompt cache"),
)

_FATES: tuple[tuple[FateKind, str], ...] = (
    ("kept", "unchanged"),
    ("pinned", "cannot be removed: the first task, the current request, or pinned by the user"),
    ("summarised", "replaced by a summary"),
    ("trimmed", "shortened"),
    ("masked", "replaced by a placeholder"),
    ("archived", "moved from the window to the persistent tier"),
    ("dropped", "removed from the window"),
    ("retrieved", "brought back from the persistent tier"),
)


_MORE = (
    "`inspector keys` lists the keys of all screens. [keys] in settings.toml changes them.",
    "The mouse works on tabs, keys, rows, column heads, settings and the strip of turns.",
)
_WORDS = (
    "over by: tokens beyond the limit of the model; the provider would reject the request.",
    "after turn 36: the context after the last reply, with which the next request would begin.",
    "uncached: without a prompt cache. A compression changes the prompt, so the cache is billed again.",
    "peak: the largest window of a session, as a share of the model's limit.",
    "counting: the number changes until every message has been counted.",
)


class Help(Dialog[None]):
    """The keys that have an effect on the screen below, and the meaning of symbols and terms."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("help")
    AUTO_FOCUS = "#text"

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog", classes="tall"):
            yield Static("Help", classes="heading")
            yield TextView(id="text")
            yield key_line("↑↓: scroll   {back}: close")

    def __init__(self, below: Screen[Any]) -> None:
        """Create the help for a screen with the focus."""
        super().__init__()
        name = mode_of(below).capitalize() if is_base(below) else "This screen"
        self.page: str = getattr(below, "help_page", name)
        self.keys = active_keys(below, self.page)

    def on_mount(self) -> None:
        self.call_after_refresh(self.show)

    def on_resize(self) -> None:
        self.call_after_refresh(self.show)

    def show(self) -> None:
        text = self.query_one(TextView)
        text.show(help_lines(self.page, self.keys, text.scrollable_content_region.width), keep_place=True)


_KEY = 16
"""Cells before the description of a key."""


def help_lines(page: str = "", keys: Sequence[KeyGroup] = (), width: int = 0) -> list[Line | Spans]:
    """Return the keys of a screen, symbols and terms in lines of at most `width` cells; 0 does not limit the width.

    Args:
        page: Name of the screen.
        keys: Its keys, in groups.
        width: Maximum width in cells; 0 for no limit.
    """
    lines: list[Line | Spans] = []
    for group in keys:
        lines += _definitions(group.title, group.keys, width)
    lines += _table("More keys", _MORE, width)
    lines.append(Line(""))
    if symbols := _SYMBOLS.get(page):
        lines += _definitions("Symbols", symbols, width)
    if page == "Inspect":
        lines += _definitions("Search", _SEARCH, width)
    lines += _definitions("Terms", _TERMS, width)
    lines.append((("Fates", "foreground bold"),))
    lines += [
        ((f"  {GLYPHS[kind]}  ", FATE_COLOURS[kind]), (f"{kind:<12}", "foreground"), (what, "ink-muted"))
        for kind, what in _FATES
    ]
    lines.append(Line(""))
    lines.append((("Sections", "foreground bold"),))
    lines += [((f"  {letter}  ", f"section-{name} bold"), (name, "ink-muted")) for name, letter in LETTERS.items()]
    lines.append(Line(""))
    lines += _table("Signs and words", (*map(with_keys, HINTS.values()), *_WORDS), width)
    return lines


def _definitions(title: str, rows: Iterable[tuple[str, str]], width: int) -> Iterator[Line | Spans]:
    """Yield a title, keys or terms with their meanings next to them, and an empty line."""
    yield ((title, "foreground bold"),)
    for term, meaning in rows:
        texts = wrapped(meaning, max(20, width - _KEY - 2)) if width else [meaning]
        yield ((f"  {term:<{_KEY - 3}} ", "primary bold"), (texts[0], "ink-muted"))
        yield from (((" " * _KEY, "ink-muted"), (line, "ink-muted")) for line in texts[1:])
    yield Line("")


def _table(title: str, sentences: Iterable[str], width: int) -> Iterator[Line | Spans]:
    """Yield the sentences about symbols and terms, each of which begins with its symbol or term."""
    yield ((title, "foreground bold"),)
    for sentence in sentences:
        for number, row in enumerate(wrapped(sentence, max(20, width - 4)) if width else [sentence]):
            yield ((f"{'    ' if number else '  '}{row}", "ink-muted"),)
