"""The help dialog: every key, and the meaning of symbols and terms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from inspector.core.text import GLYPHS, LETTERS, wrapped
from inspector.engine.window import FateKind
from inspector.ui.dialogs.overlay import Dialog
from inspector.ui.hints import HINTS
from inspector.ui.message_lines import Line
from inspector.ui.palette import FATE_COLOURS
from inspector.ui.widgets.text_view import Spans, TextView

_KEYS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        "Everywhere",
        (
            ("1 … 7", "sessions, inspect, replay, tune, memory, agents, live"),
            ("ctrl+p", "command palette: everything by name"),
            ("?", "this help"),
            ("esc", "one level up"),
            ("q", "quit; closes what lies over a screen; ctrl+q quits from anywhere"),
            ("click", "tabs, keys, rows, knobs and the strip of turns answer to the mouse"),
        ),
    ),
    (
        "Sessions",
        (
            ("↑ ↓ enter", "choose, open"),
            ("/", "filter by title, model, format"),
            ("s", "sort by the next column"),
            ("m c", "mark a session, compare another one with it"),
            ("f", "search the words of everything stored"),
            ("i", "import all files given into the store"),
        ),
    ),
    (
        "Inspect: move",
        (
            ("← →", "one turn back, one on; shift for ten"),
            ("home end", "first turn, the context as it now stands"),
            ("c C", "next compaction, the one before"),
            ("r R", "next reply that looked up again what a compaction had taken away, the one before"),
            ("↑ ↓ g G", "through the messages"),
            ("enter", "read the whole message; unfold what is folded"),
            ("n", "the next agent's context"),
            ("o", "from a summary to its messages, from a message to its summary; else your editor"),
            ("!", "what a provider would refuse; tab there asks another one"),
        ),
    ),
    (
        "Inspect: find",
        (
            ("/", 'as you type: words, a "phrase in quotes", -word for what must not be there'),
            ("", "kind:summary role:user tool:Read agent:x error bookmarked >1000 <200 (tokens)"),
            ("tab", "there: show only what fits, or everything again; ctrl+f does the same"),
            ("n N", "the next one that was found (▸), the one before; esc ends the search"),
            ("S", "sort by size, by time"),
            (":", "go to a message or a turn by its number: 107, t26"),
            ("y Y", "copy what the message did (its command, its path, else its text), the whole message"),
            ("v", "open the message in your editor or pager; o too, where there is no summary"),
            ("b B", "bookmark the message with a note (•), the bookmarks of this session"),
        ),
    ),
    (
        "Reading a message",
        (
            ("/ n N", "find words, to the next place, the one before; esc ends the search"),
            ("y", "copy the text"),
            ("v o", "open it in your editor or pager"),
            ("r", "the raw record"),
        ),
    ),
    (
        "Inspect: change",
        (
            ("s", "pick a preset or a strategy and try it on"),
            ("tab", "choose the next knob; shift+tab the one before"),
            ("+ −", "turn it; > < ten notches"),
            ("t", "type its value; put the stages of a pipeline together"),
            ("m", "have the summary written by a model, where one is set up"),
            ("w", "keep what is tried as a preset of your own"),
            ("a", "apply the plan to the view"),
            ("u", "undo the newest plan"),
            ("z", "what eats the window, by tool, file, kind or turn, and what would take it out"),
            ("l", "the plans that are applied, one on top of the other"),
            ("x", "what a compaction or the plans dropped, and where it was needed; v there: by message"),
            ("", "a sentence that is told in quite other words counts as lost"),
            ("p d", "pin, drop the message by hand"),
            ("f", "fold or unfold what leaves"),
            ("e", "export the window"),
        ),
    ),
    (
        "Replay",
        (
            ("space", "play, pause; + − faster, slower"),
            ("← → home end", "through the turns, as in Inspect"),
            ("c C", "next compaction, the one before: ◆ lossy, ◇ reversible"),
            ("r R", "next turn that needed what was lost (!), the one before"),
            ("s", "choose the preset"),
            ("enter", "the turn's window in Inspect; after ↑ ↓ r, the message that needed it"),
            ("o", "the message that had told what was lost"),
            ("f", "how much each class of facts counts"),
        ),
    ),
    (
        "Tune",
        (
            ("★ ● ○ ✗", "best here; nobody beats it; beaten; could not be sent"),
            ("tab + − t", "the knobs of the row: only this row is replayed anew"),
            ("u", "set the row as it was"),
            ("s S", "sort by the next column, the other way round"),
            ("enter", "replay the row"),
            ("m", "mark a row (▸); a second one marked makes a pair to compare"),
            ("c", "compare the row with the marked one, or with what was recorded"),
            ("f", "how much each class of facts counts"),
            ("n", "the next agent's context"),
            ("v x", "sweep a grid around the row, take its rows out again"),
            ("w e", "keep the row as a preset, export it for another framework"),
        ),
    ),
    (
        "Words",
        (
            ("trigger", "tokens above which a preset compresses"),
            ("reserve", "tokens that are kept free for the reply"),
            ("plan", "what a strategy does to each message of a window"),
            ("regret", "a reply that needed a fact which was no longer in its window (!)"),
            ("recall", "the same where the policy could have brought the fact back"),
            ("kept", "facts that are still in the window, each class by its weight"),
            ("pays back", "calls after which a compression has saved what it broke in the prompt cache"),
        ),
    ),
    (
        "Memory",
        (
            ("← →", "the tier on the left, on the right: working, session, persistent; tab too"),
            ("] [", "move it towards what lasts, towards the prompt; > < do the same"),
            ("/", "search the persistent tier as you type: what would come back, and what almost did (✗)"),
            ("i", "what a query would put into the window, to the byte; enter or a puts it there"),
            ("p", "pin it, unpin it (★): a pinned memory never expires"),
            ("d", "forget a memory: its text leaves the store's file"),
            ("enter", "go to where it comes from: the message, at its turn"),
            ("v", "read it to its last character"),
            ("w", "the notes of working-memory agents, version by version"),
            ("u", "undo the newest plan, such as what was put in"),
            ("│ ★ ✗", "in the window; pinned; cut by the number or the budget"),
        ),
    ),
    (
        "Memory: inject",
        (
            ("+ −", "250 tokens more, fewer"),
            ("] [", "one memory more, fewer"),
            ("↓ /", "to the text, back to the words"),
            ("enter a", "put it into the window; u takes it out again"),
        ),
    ),
    (
        "Compare",
        (
            ("= ≠", "both windows say the same at that turn, or they do not"),
            ("◆ ◇ !", "compressed, with loss or without; needed what was lost"),
            ("← →", "one turn back, one on; shift for ten"),
            ("home end", "first turn, the contexts as they now stand"),
            ("d", "the first turn that differs"),
            ("c C", "next compaction of either side, the one before"),
            ("tab", "the other lane, and what only one side has; ◇ can be had back"),
            ("enter", "the turn's window; in a list, the message that told the fact"),
            ("f", "how much each class of facts counts"),
        ),
    ),
    (
        "Agents",
        (
            ("● · ▸ ◂", "a reply; what an agent was sent; words of another agent, and from which side"),
            ("= ★ ×", "asked for twice; uses a fact of another agent; read by nobody"),
            ("enter", "the message in Inspect, at its turn; 6 comes back to the same line"),
            ("r", "the message to its last character: what was injected, word for word"),
            ("o", "the message at the other end: where the words came from or went to"),
            ("tab", "from the lanes to the list, and back"),
            ("v V", "the next list, the one before"),
            ("h H", "next message with words of another agent, the one before"),
            ("d D", "next work done twice, the one before"),
            ("a A", "next fact of another agent that is used, the one before"),
            ("u U", "next message that nobody read, the one before"),
            ("n", "the next agent's lane"),
        ),
    ),
    (
        "Live",
        (
            ("enter", "follow the session (● changed just now); then: the message in Inspect, at its turn"),
            ("space", "pause, go on: what has come meanwhile comes then"),
            ("↑ ↓", "stay on a message; G goes on with the newest"),
            ("esc", "other sessions that changed; the library"),
        ),
    ),
    (
        "Class weights",
        (
            ("+ −", "more, less; > < ten notches"),
            ("r R", "the class as it was, all of them"),
        ),
    ),
    (
        "Pipeline",
        (
            ("s d", "add a stage behind this one, take it out"),
            ("K J", "move it up, down; shift with ↑ ↓ does the same"),
            ("tab + − t", "its knobs, as in Inspect"),
        ),
    ),
)

_FATES: tuple[tuple[FateKind, str], ...] = (
    ("kept", "stays word for word"),
    ("pinned", "may not leave: the first task, the current request, or pinned by hand"),
    ("summarised", "stands in a summary"),
    ("trimmed", "cut, a part is left"),
    ("masked", "replaced by a placeholder"),
    ("archived", "out of the window, in the persistent tier"),
    ("dropped", "gone from the window"),
    ("retrieved", "brought back from the persistent tier"),
)


_WORDS = (
    "over by: so many tokens more than the model's window has; no provider takes it.",
    "after turn 36: the context as it stands behind the last reply, which the next request would begin with.",
    "◇ in the strip marks a turn at which a plan was applied here.",
    "plan: what a strategy would do to each message; a applies it, u takes it back.",
    "uncached: without a prompt cache, which bills again what a compression has changed.",
    "peak: the largest window of a session, as a share of what its model takes.",
    "counting: the number would still move; it comes when every message has been counted.",
)


class Help(Dialog[None]):
    """All keys, symbols and terms, with the keys of the current screen first."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,question_mark", "dismiss", "Close")]
    AUTO_FOCUS = "#text"

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog", classes="tall"):
            yield Static("Help", classes="heading")
            yield TextView(id="text")
            yield Static("↑↓ scroll   esc closes", classes="hint")

    def __init__(self, first: str = "") -> None:
        """Create the help, starting with the sections whose titles begin with `first`."""
        super().__init__()
        self.first = first

    def on_mount(self) -> None:
        self.call_after_refresh(self.show)

    def on_resize(self) -> None:
        self.call_after_refresh(self.show)

    def show(self) -> None:
        text = self.query_one(TextView)
        text.show(help_lines(self.first, text.scrollable_content_region.width), keep_place=True)


_KEY = 14
"""Cells before the description of a key."""


def help_lines(first: str = "", width: int = 0) -> list[Line | Spans]:
    """Return all keys, symbols and terms in lines of at most `width` cells; 0 does not limit the width."""
    lines: list[Line | Spans] = []
    for title, keys in sorted(_KEYS, key=lambda group: not (first and group[0].startswith(first))):
        lines.append(((title, "foreground bold"),))
        for key, what in keys:
            texts = wrapped(what, max(20, width - _KEY - 2)) if width else [what]
            lines.append(((f"  {key:<{_KEY - 3}} ", "primary bold"), (texts[0], "ink-muted")))
            lines += [((f"{'':{_KEY}}", "ink-muted"), (line, "ink-muted")) for line in texts[1:]]
        lines.append(Line(""))
    lines.append((("Fates", "foreground bold"),))
    lines += [
        ((f"  {GLYPHS[kind]}  ", FATE_COLOURS[kind]), (f"{kind:<12}", "foreground"), (what, "ink-muted"))
        for kind, what in _FATES
    ]
    lines.append(Line(""))
    lines.append((("Sections", "foreground bold"),))
    lines += [((f"  {letter}  ", f"section-{name} bold"), (name, "ink-muted")) for name, letter in LETTERS.items()]
    lines.append(Line(""))
    lines += _table("Signs and words", (*HINTS.values(), *_WORDS), width)
    return lines


def _table(title: str, sentences: Iterable[str], width: int) -> Iterator[Line | Spans]:
    """Yield the sentences about symbols and terms, each of which begins with its symbol or term."""
    yield ((title, "foreground bold"),)
    for sentence in sentences:
        for number, row in enumerate(wrapped(sentence, max(20, width - 4)) if width else [sentence]):
            yield ((f"{'    ' if number else '  '}{row}", "ink-muted"),)
