"""What an agent read again after the recording's own compactions."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from inspector.analysis.replay import Rate, RepeatedReadRates, count_rereads, describe_rereads
from inspector.core.conversation import Message, Session
from inspector.llm.providers import message_from_raw
from tests.growth import calls_made

FILE = "\n".join(f"{number:>6}→line {number} of the first file" for number in range(40))
OTHER = "\n".join(f"row {number} of the second one" for number in range(40))


class Recording:
    """A log that is written turn by turn: each turn a call of a tool and what it printed, or words."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._add({"role": "user", "content": "Go."})

    def _add(self, raw: dict[str, object], **changes: object) -> None:
        message = message_from_raw(f"m{len(self.messages)}", raw, "openai")
        self.messages.append(replace(message, **{"parent": len(self.messages) - 1, **changes}))  # type: ignore[arg-type]

    def read(self, text: str, name: str = "run", arguments: str = "{}") -> Recording:
        function = {"name": name, "arguments": arguments}
        call = {"id": f"c{len(self.messages)}", "type": "function", "function": function}
        self._add({"role": "assistant", "content": None, "tool_calls": [call]})
        self._add({"role": "tool", "tool_call_id": call["id"], "content": text})
        return self

    def talk(self, turns: int) -> Recording:
        for _ in range(turns):
            self._add({"role": "assistant", "content": "Hm."})
            self._add({"role": "user", "content": "Yes."})
        return self

    def compact(self, text: str = "A summary.") -> Recording:
        self._add({"role": "user", "content": text}, kind="summary", parent=-1)
        return self

    def rereads(self) -> RepeatedReadRates:
        found = count_rereads(Session("s", "", "openai", tuple(self.messages)))
        assert found is not None
        return found


def test_a_recording_without_compactions_has_nothing_to_tell() -> None:
    recording = Recording().read(FILE).talk(30)
    assert count_rereads(Session("s", "", "openai", tuple(recording.messages))) is None


@pytest.mark.parametrize(
    ("text", "repeated"),
    [
        (FILE, 1),
        (FILE.replace("→", "\t"), 1),
        ("\n".join(FILE.split("\n")[5:25]), 1),
        ("\n".join([*FILE.split("\n")[:36], *OTHER.split("\n")[:4]]), 1),
        ("\n".join([*FILE.split("\n")[:20], *OTHER.split("\n")[:20]]), 0),
        ("\n".join(FILE.split("\n")[:5]), 0),
        (OTHER, 0),
    ],
)
def test_a_result_with_lines_from_before_a_compaction_was_needed_again(text: str, repeated: int) -> None:
    assert Recording().read(FILE).talk(5).compact().talk(3).read(text).talk(20).rereads().gone == Rate(repeated, 1)


def test_the_name_of_the_tool_plays_no_part() -> None:
    assert Recording().read(FILE, "Read").talk(1).compact().talk(1).read(FILE, "Bash").talk(20).rereads().gone == Rate(
        1, 1
    )


def test_only_what_was_read_shortly_before_and_shortly_behind_counts() -> None:
    assert Recording().read(FILE).talk(25).compact().talk(1).read(FILE).talk(20).rereads().gone == Rate(0, 0)
    assert Recording().read(FILE).talk(5).compact().talk(25).read(FILE).talk(5).rereads().gone == Rate(0, 1)


def test_what_was_read_again_before_the_compaction_counts_once() -> None:
    recording = Recording().read(FILE).talk(2).read(FILE).talk(2).compact().talk(1).read(FILE).talk(20)
    assert recording.rereads().gone == Rate(1, 1)


def test_what_a_compaction_leaves_in_the_window_is_not_gone() -> None:
    assert Recording().read(FILE).talk(1).compact(FILE).talk(1).read(FILE).talk(20).rereads().gone == Rate(0, 0)


def test_a_compaction_without_enough_turns_behind_it_is_left_out() -> None:
    found = Recording().read(FILE).talk(1).compact().talk(1).read(FILE).talk(5).rereads()
    assert (found.compactions, found.gone) == (0, Rate())
    assert "unknown" in describe_rereads(found)


def test_the_control_is_what_is_still_there() -> None:
    recording = Recording().talk(10).read(FILE).read(OTHER).talk(10).read(FILE).talk(20).compact().talk(20)
    assert recording.rereads().kept == Rate(1, 2)


def test_sums_are_those_of_all_sessions_and_tell_more() -> None:
    one = RepeatedReadRates(1, Rate(3, 12), Rate(2, 14))
    whole = one + one
    assert whole == RepeatedReadRates(2, Rate(6, 24), Rate(4, 28))
    assert (one.is_telling, whole.is_telling) == (False, True)
    assert "too few to be significant" in describe_rereads(one)
    assert "+11 points" in describe_rereads(whole)


def test_intervals_are_those_of_wilson_and_newcombe() -> None:
    found = RepeatedReadRates(9, Rate(56, 70), Rate(48, 80))
    assert found.gone.interval == pytest.approx((0.6918, 0.8770), abs=5e-4)
    assert found.interval == pytest.approx((0.0524, 0.3339), abs=5e-4)  # Newcombe 1998, method 10
    assert RepeatedReadRates().excess is None


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30), st.integers(0, 30))
def test_an_interval_holds_its_share(gone: int, more: int, kept: int, others: int) -> None:
    found = RepeatedReadRates(1, Rate(gone, gone + more), Rate(kept, kept + others))
    low, high = found.interval
    if found.excess is not None:
        assert -1 - 1e-9 <= low <= found.excess + 1e-9
        assert found.excess - 1e-9 <= high <= 1 + 1e-9


def test_json_text_in_results_is_read_like_any_other() -> None:
    text = json.dumps({f"key {number}": number for number in range(40)}, indent=1)
    assert Recording().read(text).talk(1).compact().talk(1).read(text).talk(20).rereads().gone == Rate(1, 1)


def test_the_work_grows_with_the_log() -> None:
    def work(parts: int) -> int:
        recording = Recording()
        for part in range(parts):
            recording.read(FILE.replace("first", f"{part}th")).read(OTHER).compact().talk(5)
        session = Session("s", "", "openai", tuple(recording.messages))
        return calls_made(lambda: count_rereads(session))

    assert work(80) < 2.5 * work(40)
