"""The usage of the window by tool, file, kind or turn, and the files that the whole session read more than once."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.reactive import reactive
from textual.widgets import Static

from inspector.analysis.replay import reads_tree, session_reads
from inspector.analysis.usage_breakdown import (
    GROUPINGS,
    ORDERS,
    Grouping,
    Node,
    Order,
    break_down_usage,
    default_order,
)
from inspector.core.conversation import Session
from inspector.core.text import dollars, ends, plural
from inspector.library import Suggestions, find_suggestions, input_price
from inspector.llm.models import SessionPrice, session_price
from inspector.llm.tokens import TokenCount
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.message_reader import Reader
from inspector.ui.dialogs.overlay import Overlay
from inspector.ui.key_remaps import key_of
from inspector.ui.palette import mark_of
from inspector.ui.widgets.key_bar import Key, KeyBar, available
from inspector.ui.widgets.lines import LineList
from inspector.ui.widgets.size_tree import MessageFact, SizeTree, message_facts
from inspector.ui.workers.latest import LatestOnly

if TYPE_CHECKING:
    from inspector.library import Preview, Workbench

View = Literal[Grouping, "reads"]
"""A grouping of the window, or the files that the whole session read more than once."""
VIEWS: tuple[View, ...] = (*GROUPINGS, "reads")
_UNRECORDED = "Not in the file: the provider reported more tokens than the messages have."


class SizesTree(NamedTuple):
    """One of the views, ready to be shown."""

    root: Node
    order: Order
    emptiness: str
    """Text to show if there are no rows."""
    total: str = ""
    """Text to show in place of the size of the window."""


_WIDE = 100
"""Width in cells from which the title is a full sentence."""
_TITLES = ("What fills the window", "Window"), ("Read more than once", "Reread")
"""Titles of the views of the window, and of that of repeated reads, each long and short."""


def _make_tree(preview: Preview, view: View, order: Order | None) -> SizesTree:
    """Return a view of a window or of its session.

    Args:
        preview: Window and session.
        view: View to make.
        order: Order of the rows; None for the one that suits the view.

    Raises:
        OSError: If the recording can no longer be read.
    """
    if view != "reads":
        order = order or default_order(view)
        return SizesTree(break_down_usage(preview.base, preview.session, view, order), order, preview.base.emptiness)
    recorded = preview.recorded
    rows = session_reads(preview.session, recorded.sizes, _price(preview.session), recorded.agent)
    if order == "tokens":
        rows = tuple(sorted(rows, key=lambda row: -row.tokens))
    root = reads_tree(rows)
    cost = sum(row.cost or 0.0 for row in rows)
    total = f"{root.size_again} tokens again" + (f", ≈{dollars(cost)}" if cost else "")
    return SizesTree(root, "reread", "The session read no file more than once.", total if rows else "")


def _price(session: Session) -> SessionPrice | None:
    """Return the price of a session; None if the user's own price is invalid."""
    try:
        return session_price(session)
    except ValueError:
        return None


class SizesScreen(Overlay[str]):
    """The window as a tree. Dismissed with the name of a strategy to try, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("fill")
    AUTO_FOCUS = "#sizes"
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (14, "-middling"), (32, "-tall")]  # noqa: RUF012  as declared in Textual

    grouping: reactive[View] = reactive[View]("tool", init=False, repaint=False)
    order: reactive[Order | None] = reactive[Order | None](None, init=False, repaint=False)
    """Order of the tree; None for the one that suits the grouping."""

    def __init__(self, bench: Workbench, preview: Preview) -> None:
        super().__init__()
        self.bench = bench
        self.tree_of_sizes = SizeTree(id="sizes")
        self.total = ""
        self.numbers = preview.session.numbers
        self.set_preview(preview)
        self.trees: LatestOnly[SizesTree] = LatestOnly(self, "sizes", self.set_tree)
        self.prices: LatestOnly[float | None] = LatestOnly(self, "price", self.set_price)
        self.suggestions: LatestOnly[Suggestions] = LatestOnly(self, "remedies", self.set_remedies)

    def set_preview(self, preview: Preview) -> None:
        self.preview = preview
        logged = zip((message.id for message in preview.session.messages), preview.recorded.sizes.tokens, strict=False)
        self.sizes = {**dict(logged), **dict(zip(preview.base.ids, preview.base.tokens, strict=True))}

    def recount(self, preview: Preview) -> None:
        """Show the same window again if its tokens were counted better since the screen was opened."""
        ours = self.preview
        if preview.session is ours.session and preview.recorded.turn == ours.recorded.turn:
            has_changed = preview.recorded.sizes is not ours.recorded.sizes
            self.set_preview(preview)
            if has_changed:
                self.on_mount()

    def compose(self) -> ComposeResult:
        yield Static(id="sizes-title", classes="bar")
        yield Static(id="sizes-heads", markup=False)
        yield self.tree_of_sizes
        yield Static(id="sizes-about")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.watch_grouping()
        self.prices.ask(partial(input_price, self.preview.base))
        recorded = self.preview.recorded
        self.suggestions.ask(partial(find_suggestions, self.bench, recorded.turn, recorded.agent))

    def watch_grouping(self) -> None:
        self.tree_of_sizes.root, self.tree_of_sizes.empty, self.total = None, SizeTree.empty, ""
        self.tree_of_sizes.lay_out()
        self.trees.ask(partial(_make_tree, self.preview, self.grouping, self.order))
        self.show_title()

    def show_title(self) -> None:
        """Show the views, with the current one marked, and the size of the window or the total of the view."""
        palette = self.palette
        long, short = _TITLES[self.grouping == "reads"]
        words = long if self.size.width >= _WIDE else short
        title = Text(f" {words}", palette.strong, no_wrap=True)
        title.append("   by ", palette.dim)
        for name in VIEWS:
            title.append(f" {name} ", palette.ink("primary", bold=True) if name == self.grouping else palette.dim)
        base = self.preview.base
        if self.grouping == "reads":
            title.append(f"   {self.total}", palette.strong)
        else:
            title.append(f"   {mark_of(base)}{base.total:,}", palette.strong)
            title.append(f" of {base.limit:,}" if base.limit else "", palette.dim)
        self.query_one("#sizes-title", Static).update(title)

    def watch_order(self) -> None:
        self.watch_grouping()

    def set_tree(self, tree: SizesTree) -> None:
        self.tree_of_sizes.empty = f"  {tree.emptiness}"
        self.tree_of_sizes.show(tree.root, tree.order)
        self.total = tree.total
        self.show_title()
        self.call_after_refresh(self.show_heads)  # a scroll bar may have appeared
        self.show_about()

    def set_price(self, price: float | None) -> None:
        self.tree_of_sizes.show_price(price)
        self.show_heads()

    def on_resize(self) -> None:
        self.show_title()
        self.show_heads()

    def show_heads(self) -> None:
        tree = self.tree_of_sizes
        if tree.root is not None:
            self.query_one("#sizes-heads", Static).update(tree.heads(tree.scrollable_content_region.width))

    def set_remedies(self, suggestions: Suggestions) -> None:
        self.tree_of_sizes.show_remedies(suggestions)
        self.show_heads()
        self.show_about()

    @property
    def facts(self) -> list[MessageFact]:
        """Messages of the node under the cursor."""
        row = self.tree_of_sizes.current
        return message_facts(row.node, self.preview.session, self.sizes, self.numbers) if row else []

    @on(LineList.Moved)
    def show_about(self) -> None:
        """Show the messages of the node under the cursor, and the keys that apply to it."""
        row = self.tree_of_sizes.current
        remedy = self.tree_of_sizes.remedy(row.node) if row else None
        self.query_one("#sizes-about", Static).update(self.about(row.node) if row else Text())
        self.query_one(KeyBar).keys = available(
            (row and row.node.children, Key("open", "fold" if row and row.is_open else "unfold")),
            (True, Key("switch_view", ", ".join(VIEWS))),
            (True, Key("sort")),
            (remedy, Key("try", f"try {remedy.strategy}" if remedy else "")),
            (self.facts and row and not row.node.children, Key("open", "read")),
            (True, Key("back", "back")),
        )

    def about(self, node: Node) -> Text:
        palette, facts = self.palette, self.facts
        text = Text(no_wrap=True, overflow="ellipsis")
        facts_of_size = f"{node.size} tokens" + (f"   {node.note}" if node.note else "")
        room = max(8, self.size.width - len(facts_of_size) - 5)
        text.append(ends(node.name, room), palette.strong)
        text.append(f"   {facts_of_size}\n", palette.dim)
        if remedy := self.tree_of_sizes.remedy(node):
            text.append(f"{key_of('try')}  {remedy.strategy}", palette.ink("primary"))
            sizes = remedy.tokens, node.tokens - remedy.tokens
            gone, rest = (TokenCount(size, node.certainty) for size in sizes)
            text.append(f" would remove {gone} of them and keep {rest}\n", palette.dim)
        elif not node.messages:
            text.append("Cannot be removed: it is sent with every request.\n", palette.dim)
            if node.certainty == "unrecorded":
                text.append(f"{_UNRECORDED}\n", palette.dim)
        room = max(1, self.query_one("#sizes-about").size.height - text.plain.count("\n") - 1)
        for fact in facts[:room]:
            text.append(
                f"  {fact.words}\n", palette.ink("warning") if fact.relation not in ("", "newest") else palette.ink()
            )
        if len(facts) > room:
            text.append(f"  and {plural(len(facts) - room, 'message')} more", palette.faint)
        return text

    def action_group(self, step: int) -> None:
        self.grouping = VIEWS[(VIEWS.index(self.grouping) + step) % len(VIEWS)]

    def action_sort(self) -> None:
        order = self.order or ("reread" if self.grouping == "reads" else default_order(self.grouping))
        self.order = ORDERS[(ORDERS.index(order) + 1) % len(ORDERS)]

    def action_unfold(self) -> None:
        row = self.tree_of_sizes.current
        if row and not self.tree_of_sizes.unfold(row) and row.is_open:
            self.tree_of_sizes.action_move(1)

    def action_fold(self) -> None:
        if row := self.tree_of_sizes.current:
            self.tree_of_sizes.fold(row)

    def action_toggle_fold(self) -> None:
        row = self.tree_of_sizes.current
        if row is not None and not self.tree_of_sizes.unfold(row):
            self.tree_of_sizes.fold(row)

    def action_try_remedy(self) -> None:
        row = self.tree_of_sizes.current
        remedy = self.tree_of_sizes.remedy(row.node) if row else None
        if remedy is not None:
            self.dismiss(remedy.strategy)
        elif self.tree_of_sizes.suggestions is None:
            self.notify("Still trying strategies …")
        else:
            self.notify("No strategy removes a notable part of this.")

    @on(LineList.Opened)
    def action_read(self) -> None:
        """Unfold or fold a node with parts, or read the largest message of a node without."""
        row, facts = self.tree_of_sizes.current, self.facts
        if row is not None and row.node.children:
            self.action_toggle_fold()
            return
        if not facts:
            return
        fact = max(facts, key=lambda entry: entry.size.tokens)
        message = self.preview.session.messages[fact.number - 1]
        self.app.push_screen(Reader(message, f"{fact.number}"))
