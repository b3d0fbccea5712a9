"""The preset of a recording on the Live screen: its results as they come, and its switch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.library.capture.capture_log import CaptureLog
from inspector.library.capture.captured_call import CapturedCall
from inspector.library.capture.preset_log import PresetLog, PresetResult
from inspector.library.capture.preset_switch import PresetSwitch
from inspector.library.tailing import Follower, source_of
from inspector.ui.screens.live.panels import preset_words, pulse
from inspector.ui.widgets.bars import WindowBars
from inspector.ui.widgets.key_bar import KeyBar
from tests.driving import Opening, inspect_screen, press
from tests.library.capture.joined_samples import Program, work
from tests.ui.live.test_live_screen import arrived, follow

_PLANS = [{"strategy": "mask", "messages": {"masked": 3}}]


class _Agent:
    """Writes the calls of an agent to a log."""

    def __init__(self, path: Path, factor: float = 1.0) -> None:
        self.log = CaptureLog(path)
        self.messages: list[Any] = []
        self.factor = factor
        self.sizes: list[int] = []

    def call(self, preset: dict[str, Any] | None = None) -> None:
        turn = self.log.calls
        self.messages.append({"role": "user", "content": f"Lamp {turn} of the pier, please. " * 80})
        request = {"model": "claude-opus-4-5", "system": "Keep the lamps. " * 90, "messages": self.messages}
        reply = {"role": "assistant", "content": [{"type": "text", "text": f"Lamp {turn} is lit."}]}
        usage = {"input_tokens": int(len(json.dumps(request)) / 4 * self.factor), "output_tokens": 9}
        self.sizes.append(usage["input_tokens"])
        body = {"id": f"m{turn}", "type": "message", "model": "claude-opus-4-5", "usage": usage, **reply}
        texts = (json.dumps(part).encode() for part in (request, body))
        time = f"2026-01-02T03:04:{turn:02}.000+00:00"
        sent, answer = texts
        call = CapturedCall(
            "anthropic-messages",
            "/v1/messages",
            time,
            0.5,
            200,
            sent,
            "",
            answer,
            "",
            is_stream=False,
            preset=preset or {},
        )
        assert self.log.append(call)
        self.messages.append(reply)


def _facts(state: str, **facts: Any) -> dict[str, Any]:
    return {"name": "late", "state": state, **facts}


async def test_plans_and_reasons_are_shown_as_they_come(running: Opening, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    agent = _Agent(path)
    PresetSwitch(path).turn(True)
    agent.call(_facts("unchanged", before=900, after=900))
    async with running(tmp_path) as pilot:
        screen = await follow(pilot)
        assert screen.state.presets[:] == () and screen.state.preset_on is True
        agent.call(_facts("planned", before=9_120, after=5_990, plans=_PLANS))
        await arrived(pilot, lambda: len(screen.state.presets) == 1 and screen.events.count == 6)
        agent.call(_facts("original", reason="the request is too large"))
        await arrived(pilot, lambda: len(screen.state.presets) == 2 and screen.events.count == 9)
        rows = ["".join(text for text, _ in screen.events.spans(line, 120)) for line in range(screen.events.count)]
        assert "late: would compress ≈9,120 → ≈5,990 tokens" in rows[4]
        assert "late: request sent unchanged: the request is too large" in rows[7]
        assert "Lamp 2 is lit." in rows[8], "each before the reply to its request"
        await press(pilot, "up", "enter")
        assert screen.events.current == screen.state.presets[1] and pilot.app.screen is screen


async def test_keys_turn_the_preset_while_it_is_recorded(running: Opening, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    agent = _Agent(path)
    agent.call(_facts("unchanged"))
    switch = PresetSwitch(path)

    async with running(tmp_path) as pilot:
        screen = await follow(pilot)

        def verbs() -> set[str]:
            return {key.label for key in screen.query_one(KeyBar).keys} & {"preset on", "preset off"}

        await press(pilot, "u", "a")
        assert screen.state.preset_on is None and switch.is_on is None and verbs() == set()
        switch.turn(True)
        await arrived(pilot, lambda: screen.state.preset_on is True)
        assert verbs() == {"preset off"} and "preset on" in pulse(screen.state, 160, screen.palette).plain
        await press(pilot, "u")
        assert switch.is_on is False and verbs() == {"preset on"}
        await press(pilot, "a")
        assert switch.is_on is True and verbs() == {"preset off"}
        switch.remove()
        await arrived(pilot, lambda: screen.state.preset_on is None)
        assert verbs() == set()


@pytest.mark.parametrize("calls", [2, 8])
def test_no_part_of_a_recorded_request_is_unrecorded(tmp_path: Path, calls: int) -> None:
    agent = _Agent(tmp_path / "log.jsonl", 1.8)
    for _ in range(calls):
        agent.call()
    moment = Follower(source_of(str(agent.log.path))).poll()
    assert moment is not None and moment.sizes.unrecorded == 0 and moment.sizes.factor > 1.2
    assert "unrecorded" not in {size.certainty for size in moment.window.breakdown.values()}


async def test_the_reported_size_of_a_request_is_no_estimate(running: Opening, tmp_path: Path) -> None:
    agent = _Agent(tmp_path / "log.jsonl", 1.8)
    for _ in range(3):
        agent.call()
    sent = f"{agent.sizes[-1]:,}"
    async with running(tmp_path) as pilot:
        screen = await follow(pilot)
        assert f"turn 3, {sent} tokens sent" in pulse(screen.state, 160, screen.palette).plain
        await press(pilot, "enter")
        await arrived(pilot, lambda: pilot.app.current_mode == "inspect")
        inspected = inspect_screen(pilot)
        inspected.controller.go_to(3)
        await arrived(pilot, lambda: inspected.state.preview is not None and inspected.state.preview.before.turn == 3)
        first = inspected.query_one(WindowBars).render().plain.splitlines()[0]
        assert f" {sent} " in first and "≈" not in first


def test_results_are_read_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log = PresetLog(path)
    assert log.poll() == ()
    row = {"capture": 1, "time": "t1", "preset": _facts("applied", before=9, after=-4, plans=_PLANS)}
    line = json.dumps(row)
    path.write_text(line[:40], "utf-8")
    assert log.poll() == ()
    path.write_text(f'{line}\n"preset"\n{{"preset": 3}}\n', "utf-8")
    result = PresetResult("t1", "late", "applied", "", 9, 0)
    assert log.poll() == (result,) and log.poll() == (result,)
    assert preset_words(result) == "compressed 9 → 0 tokens"
    path.write_text("", "utf-8")
    assert log.poll() == ()


async def test_a_plan_is_below_its_compaction(running: Opening, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    agent = _Agent(path)
    for _ in range(3):
        agent.call()
    summary = [{"role": "user", "content": "[Summary of 3 messages] The lamps of the pier. " * 9}]
    agent.call(_facts("applied", before=9_120, after=5_990, plans=_PLANS, sent=[*summary, 6]))
    async with running(tmp_path) as pilot:
        screen = await follow(pilot)
        await arrived(pilot, lambda: len(screen.state.presets) == 1 and screen.state.moment is not None)
        lines = range(screen.events.count)
        rows = ["".join(text for text, _ in screen.events.spans(line, 120)) for line in lines]
        place = next(line for line in lines if "late: compressed ≈9,120 → ≈5,990 tokens" in rows[line])
        assert "compacted before turn 4" in rows[place - 1] and "[Summary of 3 messages]" in rows[place + 1]


async def test_plans_of_a_joined_transcript_are_shown_and_turned(running: Opening, tmp_path: Path) -> None:
    program = Program(tmp_path / "session.jsonl", tmp_path / "requests.jsonl")
    work(program, 2)
    rows = [json.loads(line) for line in program.capture.read_text().splitlines()]
    rows[-1]["preset"] = _facts("planned", before=9_120, after=5_990, plans=_PLANS)
    program.capture.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    PresetSwitch(program.capture).turn(True)
    async with running(tmp_path) as pilot:
        screen = await follow(pilot)
        screen.controller.follow(f"{program.transcript}+{program.capture}")
        await arrived(pilot, lambda: len(screen.state.presets) == 1 and screen.state.preset_on is True)
        screen.action_turn_preset(is_on=False)
        assert PresetSwitch(program.capture).is_on is False
