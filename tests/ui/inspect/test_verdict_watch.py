"""The verdict on Inspect: what is known at once, what was needed again, and going from one to the next."""

from __future__ import annotations

from dataclasses import replace
from itertools import zip_longest

import pytest

from inspector.library import Workbench
from inspector.library.diagnosis import Findings
from inspector.ui.screens.inspect.verdict_watch import VerdictSoFar, VerdictWatch
from inspector.ui.widgets.scrubber import Scrubber
from inspector.ui.widgets.verdict_line import VerdictLine
from tests.driving import SAMPLES, Opening, inspect_screen, press, settled
from tests.generated import Ask, Reply, Summary, recorded, sized
from tests.manual_jobs import ManualJobs, RecordingHost

STEPS = (
    Ask("The plan is in /srv/tides/plan-7741.csv."),
    Reply("I read it."),
    Summary("Goal: sort the tides.", fresh=True),
    Ask("Go on."),
    Reply("I open /srv/tides/plan-7741.csv again."),
    Ask("And now?"),
)


class Watched:
    """A watch with every opinion that it gave."""

    def __init__(self) -> None:
        self.jobs, self.opinions = ManualJobs(), list[VerdictSoFar | None]()
        self.watch = VerdictWatch(self.jobs, RecordingHost(), self.opinions.append)

    def look(self, bench: Workbench) -> None:
        self.watch.look(bench, "main")


def compacted() -> Workbench:
    session = recorded(STEPS)
    return Workbench(session, sized(session, limit=200_000))


def test_what_is_known_comes_first_and_what_was_needed_again_when_it_was_found() -> None:
    watched = Watched()
    watched.look(compacted())
    watched.jobs.finish()
    first, last = watched.opinions
    assert first is not None and first.findings is None and "needed" not in first.at(0).text
    assert last is not None and last.findings is not None and last.turns == (3,)
    assert "1 later reply contains facts that the recorded context lacks: plan-7741.csv" in last.at(0).text
    assert last.at(0).key == "r"


def test_what_was_begun_for_one_session_is_dropped_when_another_is_opened() -> None:
    watched = Watched()
    watched.look(compacted())
    watched.jobs.run()
    watched.jobs.deliver()
    other = compacted()
    watched.look(other)
    watched.jobs.finish()
    benches = [vote.overview.bench for vote in watched.opinions if vote]
    assert benches[-1] is other
    assert all(bench is other for bench in benches[1:])


def test_better_counts_of_the_same_log_look_for_nothing_again() -> None:
    watched = Watched()
    bench = compacted()
    watched.look(bench)
    watched.jobs.finish()
    assert watched.watch.vote is not None
    findings = watched.watch.vote.findings
    watched.look(bench.with_sizes(bench.sizes))
    watched.jobs.finish()
    assert watched.watch.vote.findings is findings


def test_why_there_is_nowhere_to_go_is_told() -> None:
    watched = Watched()
    watched.look(compacted())
    watched.jobs.finish()
    vote = watched.watch.vote
    assert vote is not None
    watched.watch.vote = replace(vote, findings=Findings())
    assert watched.watch.absence == "No reply needed a fact that a compaction had dropped."
    watched.watch.vote = replace(vote, findings=Findings(sealed=frozenset({2})))
    assert watched.watch.absence == "Unknown, because a compaction's summary is encrypted."


def test_in_a_long_log_nothing_is_looked_for_before_somebody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.library.diagnosis.evidence._LONG_LOG", 3)
    watched = Watched()
    watched.look(compacted())
    watched.jobs.finish()
    vote = watched.watch.vote
    assert vote is not None and vote.findings is None
    assert vote.at(0).text.endswith("r: find facts that were needed later")
    watched.watch.seek()
    watched.jobs.finish()
    assert watched.watch.vote is not None and watched.watch.vote.turns == (3,)


async def test_r_goes_through_the_replies_that_needed_something_lost(running: Opening) -> None:
    async with running(SAMPLES / "coding-agent.jsonl") as pilot:
        screen = inspect_screen(pilot)
        line = screen.query_one(VerdictLine)
        assert line.verdict is not None and line.verdict.text.startswith("compacted at turn 26: ")
        strip = screen.query_one(Scrubber).turns
        assert strip is not None and strip.needs
        turns, vote = [], screen.verdict.known.vote
        assert vote is not None and vote.findings is not None
        for need, later in zip_longest(vote.findings.needs, vote.findings.needs[1:]):
            await press(pilot, "r")
            turns.append(screen.controller.turn)
            assert screen.messages.current is not None and screen.messages.current.id == need.regret.message
            said = line.verdict
            assert said is not None and said.text.startswith(f"reply {need.number} ")
            assert said.target is None if later is None else said.target is not None and said.target.turn == later.turn
        assert turns == list(strip.needs)
        await press(pilot, "r")
        assert screen.controller.turn == strip.needs[0], "it goes round"
        await press(pilot, "R")
        assert screen.controller.turn == strip.needs[-1]


async def test_a_click_on_the_verdict_is_as_good_as_its_key(running: Opening) -> None:
    async with running(SAMPLES / "coding-agent.jsonl") as pilot:
        screen = inspect_screen(pilot)
        await pilot.click(VerdictLine)
        await press(pilot, "down")
        needs = screen.verdict.needs
        assert screen.controller.turn == needs[0]


async def test_the_verdict_speaks_of_the_compaction_that_is_shown(running: Opening) -> None:
    async with running(SAMPLES / "coding-agent.jsonl", size=(80, 24)) as pilot:
        await press(pilot, "c")
        line = inspect_screen(pilot).query_one(VerdictLine)
        assert line.verdict is not None and line.verdict.text.startswith("compacted here: ")
        marks = str(inspect_screen(pilot).query_one(Scrubber).render()).splitlines()[-1]
        assert "◆▲" in marks and marks.count("!") == 2


async def test_without_a_compaction_r_says_why_it_goes_nowhere(running: Opening) -> None:
    async with running(SAMPLES / "support-ticket.json") as pilot:
        await press(pilot, "r")
        assert "does not record compactions" in [note.message for note in pilot.app._notifications][-1]


async def test_r_that_comes_too_early_is_kept_until_it_is_known_where_to_go(running: Opening) -> None:
    async with running(SAMPLES / "coding-agent.jsonl") as pilot:
        screen = inspect_screen(pilot)
        known, vote = screen.verdict.known, screen.verdict.known.vote
        assert vote is not None and vote.findings is not None
        known.vote = replace(vote, findings=None)
        assert screen.verdict.next_need(screen.controller.turn, 1) is None
        assert screen.verdict.pop_wanted() is None, "it is still being looked for"
        known.stop()
        known._set(vote)
        await settled(pilot)
        assert screen.controller.turn == vote.turns[0]
        screen.verdict.wanted = (1, 5)
        assert screen.verdict.pop_wanted() is None, "the person has gone on meanwhile"
