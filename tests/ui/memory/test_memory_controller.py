"""What the Memory screen does, without an app: a real store, and jobs that run when the test says so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from inspector.core.conversation import MAIN
from inspector.engine.window import apply
from inspector.library import Library, TierName, Workbench
from inspector.store import MemoryFilter, Store
from inspector.ui.messages import ChangePlans, OpenTarget
from inspector.ui.screens.memory.controller import MemoryController, MemoryState
from inspector.ui.screens.memory.tier_tables import PAGE, TierItem, short_age
from tests.driving import SAMPLES
from tests.manual_jobs import ManualJobs, RecordingHost

PERSISTENT = MemoryFilter(tier="persistent")


@dataclass
class Desk:
    """A controller with everything around it."""

    store: Store | None
    jobs: ManualJobs
    host: RecordingHost
    controller: MemoryController
    states: list[MemoryState]

    @property
    def state(self) -> MemoryState:
        return self.controller.state

    def items(self, tier: TierName) -> list[TierItem]:
        return list(self.state.items(tier))

    def counts(self) -> dict[str, int]:
        assert self.state.tiers is not None
        return {table.name: table.count for table in self.state.tiers}

    @property
    def last_notice(self) -> str:
        return self.host.notices[-1][0]


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library(tmp_path / "store.db", required=True) as library:
        yield library


def desk(store: Store | None) -> Desk:
    jobs, host, states = ManualJobs(), RecordingHost(), list[MemoryState]()
    return Desk(store, jobs, host, MemoryController(jobs, host, lambda: store, states.append), states)


def stored(library: Library, name: str = "support-ticket.json") -> Workbench:
    assert library.store is not None
    library.store.add(session := library.open(str(SAMPLES / name)).bench.session)
    return library.open(session.id).bench


def open_desk(library: Library) -> Desk:
    place, bench = desk(library.store), stored(library)
    place.controller.open(bench, MAIN, bench.turns() + 1)
    place.jobs.finish()
    return place


def test_without_a_session_there_is_what_outlives_them(library: Library) -> None:
    assert library.store is not None
    library.store.entries.remember("fact", "Bob likes tea.")
    place = desk(library.store)
    place.controller.open(None, MAIN, 0)
    assert place.state.tiers is None and place.state.busy is not None
    place.jobs.finish()
    assert place.counts() == {"working": 0, "session": 0, "persistent": 1}
    assert place.state.focus == "persistent" and place.state.busy is None
    [item] = place.items("persistent")
    place.controller.demote(item)
    assert place.last_notice == "Open a session first."


def test_a_message_is_kept_comes_back_into_the_session_and_into_the_window(library: Library) -> None:
    place = open_desk(library)
    before, message = place.counts(), place.items("working")[3]
    place.controller.promote(message)
    place.jobs.finish()
    assert place.counts() == {**before, "persistent": 1}
    [kept] = place.items("persistent")
    assert kept.memory is not None and kept.text == message.text
    assert (kept.memory.origin, kept.memory.reason) == ("user", "kept by the user")
    place.controller.promote(kept)
    assert "Already in the persistent tier" in place.last_notice
    place.controller.promote(message)
    place.jobs.finish()
    assert place.counts()["persistent"] == 1, "what is kept already is not kept again"

    place.controller.demote(kept)
    place.jobs.finish()
    assert place.counts() == {**before, "session": before["session"] + 1}
    entry = place.items("session")[0]
    place.controller.demote(entry)
    assert place.last_notice == "Nothing is added: already in the window."
    assert place.host.messages == []
    place.controller.promote(entry)
    place.jobs.finish()
    assert place.counts() == {**before, "persistent": 1}


def test_what_was_said_elsewhere_is_put_into_the_window_by_a_plan(library: Library) -> None:
    place = open_desk(library)
    assert library.store is not None and place.state.bench is not None and place.state.tiers is not None
    bench = place.state.bench
    library.store.entries.remember("fact", "Bob likes tea.", bench.store_id, tier="session")
    place.controller.read()
    place.jobs.finish()
    place.controller.demote(place.items("session")[0])
    [put] = place.host.messages
    assert isinstance(put, ChangePlans) and put.plan is not None and put.agent == MAIN
    preview = place.state.tiers.preview
    assert preview is not None
    after = apply(preview.before, put.plan)
    [new] = [message for message in after.messages if message.id not in preview.before.ids]
    assert "Bob likes tea." in new.text and after.sections[after.messages.index(new)] == "memory"
    place.jobs.finish()
    assert library.store.entries.page(1)[0].used_at


def test_changes_in_a_burst_are_all_made_in_their_order(library: Library) -> None:
    place = open_desk(library)
    assert library.store is not None
    first, second = place.items("working")[2:4]
    for item in (first, second):
        place.controller.promote(item)
    place.jobs.finish()
    newest = place.items("persistent")[0]
    for _ in range(3):
        place.controller.pin(newest)
    place.controller.forget(place.items("persistent")[1])
    place.jobs.finish()
    [entry] = library.store.entries.page(meant=PERSISTENT)
    assert entry.is_pinned and entry.text == second.text
    assert [text.partition(":")[0].rstrip(".") for text, _ in place.host.notices[-4:]] == [
        "Pinned",
        "Unpinned",
        "Pinned",
        "Forgotten",
    ]


def test_what_is_gone_meanwhile_is_told_and_the_rest_is_done(library: Library) -> None:
    place = open_desk(library)
    assert library.store is not None
    place.controller.promote(place.items("working")[2])
    place.jobs.finish()
    [item] = place.items("persistent")
    assert item.memory is not None
    library.store.entries.forget(item.memory.id)
    place.controller.pin(item)
    place.controller.promote(place.items("working")[3])
    place.jobs.finish()
    assert any("There is no memory with the number" in text for text, _ in place.host.notices)
    assert place.counts()["persistent"] == 1


def test_messages_are_pinned_by_a_plan_and_never_forgotten(library: Library) -> None:
    place = open_desk(library)
    message = place.items("working")[2]
    place.controller.pin(message)
    [put] = place.host.messages
    assert isinstance(put, ChangePlans) and put.plan is not None and message.message is not None
    assert put.plan.by_id[message.message.id].kind == "pinned"
    assert not place.controller.can_forget(message)
    assert "The log never changes" in place.last_notice
    assert not place.controller.can_forget(None)


def test_what_comes_back_by_itself_is_left_alone(library: Library) -> None:
    bench = stored(library)
    plan = bench.preview(strategy="vector_swap", settings={"keep_last": 2}).plan
    assert plan is not None
    bench.apply(plan)
    place = desk(library.store)
    place.controller.open(bench, MAIN, bench.turns() + 1)
    place.jobs.finish()
    [back] = [item for item in place.items("working") if item.message and item.message.kind == "injected"]
    place.controller.pin(back)
    place.controller.promote(back)
    assert all("Retrieved for this request only" in text for text, _ in place.host.notices[-2:])
    place.controller.pin(place.items("working")[-1])
    assert len(place.host.messages) == 1 and not place.jobs.waiting


def test_the_newest_words_win_and_near_misses_say_why(library: Library) -> None:
    place = open_desk(library)
    assert library.store is not None
    for number in range(8):
        library.store.entries.remember("fact", f"The lamp of room {number} is {'very ' * 20 * number}bright.")
    place.controller.search("la")
    place.jobs.run()
    place.controller.search("lamp room")
    place.controller.search("lamp bright")
    place.jobs.finish()
    search = place.state.search
    assert search is not None and search.words == "lamp bright" and search.hits is not None
    assert search.hits.retrieval.query == "lamp bright"
    items = place.items("persistent")
    assert place.state.focus == "persistent" and len(items) == 8
    assert [bool(item.reason) for item in items] == [False] * 5 + [True] * 3
    assert "the limit is 5 results" in items[5].reason
    assert all(item.result is not None and item.result.parts[0].name == "bm25" for item in items)
    place.controller.search("  ")
    place.controller.read()
    place.jobs.finish()
    assert len(place.items("persistent")) == 8, "without words the whole tier is shown"
    assert place.controller.stop_search() and not place.controller.stop_search()


def test_an_answer_that_comes_after_the_search_was_left_is_dropped(library: Library) -> None:
    place = open_desk(library)
    place.controller.search("lamp")
    place.jobs.run()
    place.controller.stop_search()
    place.jobs.finish()
    assert place.state.search is None


def test_an_item_is_opened_where_it_comes_from(library: Library) -> None:
    place = open_desk(library)
    assert library.store is not None and place.state.bench is not None
    message = place.items("working")[2]
    assert place.controller.open_item(message) and message.message is not None
    assert place.host.messages.pop() == OpenTarget("", message.message.id)
    place.controller.promote(message)
    place.jobs.finish()
    other = stored(library, "research.json")
    far = other.session.messages[4].id
    library.store.entries.remember("archived", "said there", other.store_id, far)
    library.store.entries.remember("fact", "from nowhere")
    place.controller.read()
    place.jobs.finish()
    nowhere, elsewhere, here = place.items("persistent")
    assert not place.controller.open_item(nowhere)
    assert place.controller.open_item(elsewhere) and place.controller.open_item(here)
    assert place.host.messages == [OpenTarget(other.store_id, far), OpenTarget("", message.message.id)]
    assert place.controller.open_item(None)


def test_thousands_of_entries_are_read_as_the_cursor_comes_near(library: Library) -> None:
    assert library.store is not None
    with library.store.atomic():
        for number in range(PAGE * 3):
            library.store.entries.remember("fact", f"fact {number}")
    place = open_desk(library)
    assert place.counts()["persistent"] == PAGE * 3 and len(place.items("persistent")) == PAGE
    place.controller.read_more(0)
    assert not place.jobs.waiting
    place.controller.read_more(PAGE - 1)
    place.jobs.finish()
    assert len(place.items("persistent")) == PAGE * 2
    place.controller.read_more(PAGE * 2 - 1)
    place.jobs.finish()
    assert len(place.items("persistent")) == PAGE * 3
    place.controller.read_more(PAGE * 3 - 1)
    assert not place.jobs.waiting


def test_without_a_store_all_but_keeping_works(library: Library) -> None:
    place = desk(None)
    place.controller.open(stored(library), MAIN, 2)
    place.jobs.finish()
    assert place.counts()["working"] and place.counts()["persistent"] == 0
    place.controller.promote(place.items("working")[0])
    assert place.last_notice == "Nothing is saved: there is no store."
    place.controller.search("words")
    assert place.last_notice == "Nothing to search: there is no store."


def test_ages_are_short() -> None:
    place = desk(None)
    place.controller.open(None, MAIN, 0)
    place.jobs.finish()
    assert place.state.tiers is not None
    now = place.state.tiers.now.replace(year=2026, month=5, day=2, hour=0, minute=0, second=0, microsecond=0)
    ages = [short_age(time, now) for time in ("2026-05-01T23:59:30Z", "2026-05-01", "2024-01-01T00:00:00Z", "soon", "")]
    assert ages == ["now", "1d", "2y", "", ""]
