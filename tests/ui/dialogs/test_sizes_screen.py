"""The sizes of the window on screen: the tree, the groupings, repeated reads, and the strategies that remove them."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot
from textual.widgets import Static

from inspector.analysis.replay import session_reads
from inspector.analysis.usage_breakdown import break_down_usage
from inspector.library import Workbench, find_suggestions
from inspector.llm.models import session_price
from inspector.llm.tokens import estimate_sizes
from inspector.ui.dialogs.message_reader import Reader
from inspector.ui.dialogs.sizes_dialog import SizesScreen
from inspector.ui.widgets.key_bar import KeyBar
from inspector.ui.widgets.size_tree import common_folder
from tests.driving import Opening, inspect_screen, press, settled
from tests.places import SESSIONS

RESEARCH = SESSIONS / "research.json"


async def open_sizes(pilot: Pilot[Any], *keys: str) -> SizesScreen:
    await press(pilot, "z", *keys)
    screen = pilot.app.screen
    assert isinstance(screen, SizesScreen)
    return screen


async def test_the_tree_adds_up_to_the_window_and_opens_and_closes(running: Opening) -> None:
    async with running(RESEARCH) as pilot:
        preview = inspect_screen(pilot).state.preview
        assert preview is not None
        screen = await open_sizes(pilot)
        tree = screen.tree_of_sizes
        assert tree.root == break_down_usage(preview.base, preview.session, "tool")
        top = [row.node for row in tree.rows if len(row.path) == 1]
        assert sum(node.tokens for node in top) == preview.base.total
        assert tree.rows[0].is_open and tree.rows[0].node.name == "open_page"
        await press(pilot, "left")
        assert [row.node for row in tree.rows] == top
        await press(pilot, "right", "right")
        assert tree.cursor == 1 and tree.rows[1].path == (0, 0)
        await press(pilot, "left")
        assert tree.cursor == 0


async def test_better_counts_replace_those_with_which_it_was_opened(running: Opening) -> None:
    async with running(RESEARCH) as pilot:
        screen = await open_sizes(pilot)
        bench, exact = screen.bench, screen.preview
        rough = Workbench(bench.session, estimate_sizes(bench.session)).preview()
        screen.recount(rough)
        await settled(pilot)
        assert screen.tree_of_sizes.root == break_down_usage(rough.base, rough.session, "tool")
        screen.recount(exact)
        await settled(pilot)
        assert screen.tree_of_sizes.root == break_down_usage(exact.base, exact.session, "tool")
        assert rough.base.total != exact.base.total


async def test_tab_changes_the_grouping(running: Opening) -> None:
    async with running(RESEARCH) as pilot:
        screen = await open_sizes(pilot, "tab")
        groupings = [screen.grouping]
        assert screen.tree_of_sizes.root == break_down_usage(screen.preview.base, screen.preview.session, "file")
        await press(pilot, "shift+tab", "shift+tab")
        assert [*groupings, screen.grouping] == ["file", "reads"]


async def test_reads_are_those_of_the_whole_session_with_their_cost(running: Opening) -> None:
    async with running(RESEARCH) as pilot:
        screen = await open_sizes(pilot, "shift+tab")
        tree, preview = screen.tree_of_sizes, screen.preview
        price = session_price(preview.session)
        rows = session_reads(preview.session, preview.recorded.sizes, price, preview.recorded.agent)
        assert [row.node.name for row in tree.rows] == [row.resource for row in rows]
        assert "$ again" in str(screen.query_one("#sizes-heads", Static).content)
        assert "tokens again" in str(screen.query_one("#sizes-title", Static).content)
        assert [fact.message for fact in screen.facts] == list(rows[0].messages)
        await press(pilot, "S")
        assert tree.rows[0].node.tokens == max(row.tokens for row in rows)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, Reader)


async def test_enter_folds_and_unfolds_a_node_with_parts(running: Opening) -> None:
    async with running(RESEARCH) as pilot:
        screen = await open_sizes(pilot)
        assert screen.tree_of_sizes.rows[0].is_open
        labels = [key.label for key in screen.query_one(KeyBar).keys]
        assert "fold" in labels and "read" not in labels
        await press(pilot, "enter")
        assert not screen.tree_of_sizes.rows[0].is_open and pilot.app.screen is screen
        await press(pilot, "enter")
        assert screen.tree_of_sizes.rows[0].is_open


async def test_files_are_sorted_by_repeated_reads_and_open_where_there_are_some(running: Opening) -> None:
    async with running(RESEARCH) as pilot:
        screen = await open_sizes(pilot, "tab")
        tree = screen.tree_of_sizes
        assert tree.root is not None
        reread = [node.reread for node in tree.root.children]
        assert reread == sorted(reread, reverse=True) and reread[0] > 0
        assert all(row.is_open for row in tree.rows if len(row.path) == 1 and row.node.reread)
        heads = str(screen.query_one("#sizes-heads", Static).render())
        assert heads.split() == ["tokens", "re-read", "$/call", "removed", "by"]
        line = "".join(text for text, _ in tree.spans(0, tree.scrollable_content_region.width))
        assert line.index(f"{reread[0]:,}") + len(f"{reread[0]:,}") == heads.index("re-read") + len("re-read")
        await press(pilot, "S")
        sizes = [node.tokens for node in tree.root.children]
        assert sizes == sorted(sizes, reverse=True) and not tree.shows_reread


async def test_what_would_take_a_node_out_is_tried_on_with_one_key(running: Opening) -> None:
    async with running(RESEARCH) as pilot:
        inspect = inspect_screen(pilot)
        screen = await open_sizes(pilot)
        tree, bench = screen.tree_of_sizes, screen.bench
        assert tree.current is not None
        remedy = find_suggestions(bench).for_node(tree.current.node)
        assert remedy is not None and tree.remedy(tree.current.node) == remedy
        assert f"try {remedy.strategy}" in [key.label for key in screen.query_one(KeyBar).keys]
        await press(pilot, "T")
        assert pilot.app.screen is inspect
        trial, preview = inspect.state.trial, inspect.state.preview
        assert trial is not None and trial.name == remedy.strategy
        assert preview is not None
        stay = dict(zip(preview.after.ids, preview.after.tokens, strict=True))
        before = zip(preview.before.ids, preview.before.tokens, strict=True)
        gone = {name: tokens - stay.get(name, 0) for name, tokens in before}
        assert sum(gone[name] for name in tree.current.node.messages) == remedy.tokens


async def test_enter_opens_the_parts_of_a_node_and_reads_the_largest_message_of_a_leaf(running: Opening) -> None:
    async with running(RESEARCH) as pilot:
        screen = await open_sizes(pilot)
        await press(pilot, "down", "enter")
        reader = pilot.app.screen
        assert isinstance(reader, Reader)
        assert reader.message.id in screen.tree_of_sizes.rows[1].node.messages
        await press(pilot, "escape", "escape")
        assert pilot.app.screen is inspect_screen(pilot)


async def test_what_is_no_message_is_taken_out_by_nothing(running: Opening) -> None:
    async with running(RESEARCH) as pilot:
        screen = await open_sizes(pilot)
        tree = screen.tree_of_sizes
        tree.cursor = next(place for place, row in enumerate(tree.rows) if not row.node.messages)
        await press(pilot, "T")
        assert pilot.app.screen is screen
        assert "Cannot be removed" in screen.about(tree.rows[tree.cursor].node).plain


def test_a_folder_that_all_paths_share_is_found_above_their_deepest_one() -> None:
    names = ("/home/gate/tidegate/docs", "/home/gate/tidegate", "no file", "/home/gate/tidegate/tests")
    assert common_folder(names) == "/home/gate"
    assert common_folder(("/home/gate/tidegate/docs", "user")) == ""
    assert common_folder(("/srv/one", "/srv/two")) == ""
