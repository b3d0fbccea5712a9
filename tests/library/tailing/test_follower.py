"""The window and the sizes of a session that goes on."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from inspector import formats
from inspector.engine.window import at_turn, compute_timeline
from inspector.library.tailing import Follower, Moment, follower, source_of
from inspector.llm.tokens import count_message, count_sizes, counter_for, digest
from inspector.memory import MemoryConfig, MemoryManager
from inspector.store import Store
from tests.cli.calling import transcript, written
from tests.driving import SAMPLES
from tests.growth import calls_made


def moments_of(follower: Follower) -> list[Moment]:
    """All moments until nothing is new any more."""
    moments: list[Moment] = []
    quiet = 0
    while quiet < 3:
        moment = follower.poll()
        moments += [moment] if moment else []
        quiet = 0 if moment or follower.is_busy or follower.source.is_waiting else quiet + 1
    return moments


def write_on(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def test_a_followed_session_has_the_numbers_of_one_that_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    lines = (SAMPLES / "coding-agent.jsonl").read_bytes().splitlines(keepends=True)
    path.touch()
    follower = Follower(source_of(str(path)))
    moments = []
    for start in range(0, len(lines), 40):
        write_on(path, b"".join(lines[start : start + 40]))
        moments += moments_of(follower)
    moment = moments[-1]
    session = formats.load(path)[0]
    counter = counter_for(session.model)
    sizes = count_sizes(session, [count_message(message, counter) for message in session.messages], counter)
    assert list(moment.sizes.tokens) == list(sizes.tokens)
    assert list(moment.sizes.levels) == list(sizes.levels)
    assert moment.timeline == compute_timeline(session, sizes)
    assert moment.window.total == at_turn(session, sizes).total
    compactions = [one for each in moments for one in each.compactions]
    assert [one.turn for one in compactions] == list(moment.timeline.compactions)
    assert all(one.sizes.before.tokens > one.sizes.after.tokens for one in compactions)


def test_counts_in_the_store_are_not_made_again(tmp_path: Path) -> None:
    path = written(tmp_path / "log.jsonl", transcript(turns=30))
    session = formats.load(path)[0]
    counter = counter_for(session.model)
    with Store(tmp_path / "store.db") as store:
        (without,) = moments_of(Follower(source_of(str(path)), store=store))
        store.save_counts(counter.name, {digest(session.messages[3]): 12_345})
        (known,) = moments_of(Follower(source_of(str(path)), store=store))
    (alone,) = moments_of(Follower(source_of(str(path))))
    assert list(without.sizes.tokens) == list(alone.sizes.tokens)
    assert alone.sizes.tokens[3] < 1_000 < known.sizes.tokens[3], "the count in the store is used"


def test_times_and_sizes_of_files_tell_whether_there_is_news(tmp_path: Path) -> None:
    lines = written(tmp_path / "all.jsonl", transcript(turns=30)).read_bytes().splitlines(keepends=True)
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"".join(lines[:-2]))
    follower = Follower(source_of(str(path)))
    assert follower.may_have_news()
    moments = moments_of(follower)
    assert not follower.may_have_news()
    for piece in (lines[-2], lines[-1][:50], lines[-1][50:-1]):
        write_on(path, piece)
        assert follower.may_have_news()
        while follower.may_have_news():
            moments += [moment for moment in [follower.poll()] if moment]
    assert len(moments[-1].session.messages) == 61, "also a last line without its end"
    path.unlink()
    assert follower.may_have_news()


def test_messages_come_one_after_the_other_and_once(tmp_path: Path) -> None:
    path = written(tmp_path / "log.jsonl", transcript(turns=30))
    follower = Follower(source_of(str(path)))
    (first,) = moments_of(follower)
    assert first.begins
    assert [one.number for one in first.fresh] == list(range(1, 62))
    more = written(tmp_path / "more.jsonl", transcript(turns=31)[-2:]).read_bytes().splitlines(keepends=True)
    for place, line in enumerate(more):
        write_on(path, line)
        (moment,) = moments_of(follower)
        assert [(one.number, one.again) for one in moment.fresh] == [(62 + place, False)]
        assert moment.fresh[0].total == moment.window.total
        assert not moment.begins


def test_a_reply_that_goes_on_comes_again(tmp_path: Path) -> None:
    records = transcript(turns=30)
    path = written(tmp_path / "log.jsonl", records)
    follower = Follower(source_of(str(path)))
    moments_of(follower)
    reply = {**records[-2], "uuid": "a", "message": {**records[-2]["message"], "id": "msg_new"}}
    more = {**reply, "uuid": "b", "message": {**reply["message"], "content": [{"type": "text", "text": "And on."}]}}
    for record, again in ((reply, False), (more, True)):
        write_on(path, written(tmp_path / "more.jsonl", [record]).read_bytes())
        (moment,) = moments_of(follower)
        assert [(one.number, one.again) for one in moment.fresh] == [(62, again)]
    assert "And on." in moment.session.messages[-1].text


def lines_of(path: Path, records: list[dict[str, Any]]) -> list[bytes]:
    """Records as the lines of a file beside another one."""
    return written(path.with_name("lines.jsonl"), records).read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize("rest", [121, 21, 3])
def test_a_log_that_is_cut_has_lost_what_stood_behind(rest: int, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    lines = lines_of(path, transcript(turns=90))
    path.write_bytes(b"".join(lines))
    follower = Follower(source_of(str(path)))
    (first,) = moments_of(follower)
    assert not first.is_cut
    path.write_bytes(b"".join(lines[:rest]))
    (moment,) = moments_of(follower)
    assert moment.is_cut and not moment.begins
    assert (moment.before, moment.same, moment.fresh) == (181, rest, ())
    assert moment.window.total < first.window.total
    assert moment.cut_words == f"The log became shorter: it had 181 messages and now has {rest}."
    write_on(path, lines[rest])
    (moment,) = moments_of(follower)
    assert [(one.number, one.again) for one in moment.fresh] == [(rest + 1, False)]
    assert not moment.is_cut


def test_a_compaction_that_was_cut_off_is_told_when_it_comes_again(tmp_path: Path) -> None:
    lines = (SAMPLES / "coding-agent.jsonl").read_bytes().splitlines(keepends=True)
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"".join(lines))
    follower = Follower(source_of(str(path)))
    (first,) = moments_of(follower)
    place = next(place for place, line in enumerate(lines) if b"isCompactSummary" in line)
    path.write_bytes(b"".join(lines[: place - 3]))
    (moment,) = moments_of(follower)
    assert moment.is_cut and moment.timeline.compactions == ()
    write_on(path, b"".join(lines[place - 3 :]))
    moments = moments_of(follower)
    compactions = [one for each in moments for one in each.compactions]
    assert [one.turn for one in compactions] == list(first.timeline.compactions)
    assert all(moments[-1].session.messages[one.number - 1].id == one.message for one in compactions)


@pytest.mark.parametrize("way", ["from its birth", "rotated", "deleted", "rewritten"])
def test_a_session_of_one_line_is_told_once(way: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    lines = lines_of(path, transcript("77aa", prompt="Paint the boats."))
    if way == "from its birth":
        path.touch()
    else:
        written(path, transcript(turns=30))
    follower = Follower(source_of(str(path)))
    moments_of(follower)
    if way == "rotated":
        path.rename(tmp_path / "log.jsonl.1")
    elif way == "deleted":
        path.unlink()
        moments_of(follower)
    path.write_bytes(lines[0])
    (moment,) = moments_of(follower)
    assert moment.begins and [one.number for one in moment.fresh] == [1]
    for number, line in enumerate(lines[1:], 2):
        write_on(path, line)
        moments = moments_of(follower)
        assert [one.number for each in moments for one in each.fresh] == [number]
        assert not any(each.begins for each in moments)


def test_what_is_counted_after_the_first_moment_settles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follower, "_BATCH", 2_000)
    records = transcript(turns=40)
    for record in records:
        record["message"].pop("usage", None)
    path = written(tmp_path / "log.jsonl", records)
    first, last = moments_of(Follower(source_of(str(path))))
    assert first.begins and first.sizes.is_partial and not first.settles
    assert last.settles and not last.sizes.is_partial and not last.fresh
    assert last.window.total == at_turn(last.session, last.sizes).total != first.window.total


def test_a_long_session_is_not_worked_through_again_for_a_line(tmp_path: Path) -> None:
    def cost(turns: int) -> int:
        path = written(tmp_path / f"{turns}.jsonl", transcript(turns=turns))
        follower = Follower(source_of(str(path)))
        moments_of(follower)
        write_on(path, written(tmp_path / "more.jsonl", transcript(turns=turns + 1)[-2:]).read_bytes())
        return calls_made(follower.poll)

    short, long = cost(1_000), cost(2_000)
    assert long - short < 1_000 * 12, "only the context grows with the log here, never compacted"


def test_a_memory_that_is_kept_in_the_store_is_followed_while_it_runs(tmp_path: Path) -> None:
    with Store(tmp_path / "store.db") as theirs, Store(tmp_path / "store.db") as ours:
        memory = MemoryManager(MemoryConfig())
        asyncio.run(memory.add_message({"role": "user", "content": "Mend the pier lights."}))
        name = memory.save(store=theirs)
        follower = Follower(source_of(name, ours))
        (first,) = moments_of(follower)
        assert [one.says for one in first.fresh] == ["Mend the pier lights."]
        for place in range(3):
            asyncio.run(memory.add_message({"role": "assistant", "content": f"Lamp {place} is lit."}))
            moments = moments_of(follower)
            assert [one.says for moment in moments for one in moment.fresh] == [f"Lamp {place} is lit."]
        assert moments[-1].turns == 3
        assert moments[-1].session.messages[0] is first.session.messages[0]
