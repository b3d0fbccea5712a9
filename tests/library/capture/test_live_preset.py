"""Presets on the requests of agents with the providers' own clients, whose APIs refuse what providers refuse."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from inspector.engine.window import at_turn
from inspector.formats import load
from inspector.library.capture.preset_switch import PresetSwitch
from inspector.llm.tokens import estimate
from tests.library.capture.live_agents import APIS, direct_texts, expected_texts, run_agent, small

_TURNS = 24


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("name", ["aggressive", "conservative", "late"])
async def test_requests_fit_the_budget_and_none_is_refused(tmp_path: Path, api: str, name: str) -> None:
    pytest.importorskip("anthropic")
    run = await run_agent(api, small(name, 6_000), _TURNS, tmp_path / "log.jsonl")
    assert run.api.refusals == [] and run.texts == await direct_texts(api, _TURNS), "replies are unchanged"
    assert run.states["applied"] > _TURNS // 2 and "original" not in run.states, run.reason
    assert max(run.api.sizes) <= 6_000 < sum(run.api.sizes)
    planned = [number for number, facts in enumerate(run.facts) if "plans" in facts]
    assert planned and set(run.changes) <= set(planned), "the prefix changes only at compactions"
    assert not PresetSwitch(run.log).is_on, "the switch is removed at the end"


@pytest.mark.parametrize("api", APIS)
async def test_retrieved_content_fits_the_budget(tmp_path: Path, api: str) -> None:
    pytest.importorskip("anthropic")
    preset = replace(small("balanced", 6_000), strategy="vector_swap", settings={})
    run = await run_agent(api, preset, _TURNS, tmp_path / "log.jsonl")
    assert run.api.refusals == [] and run.texts == await direct_texts(api, _TURNS), "replies are unchanged"
    assert "original" not in run.states and max(run.api.sizes) <= 6_000, run.reason
    has_recall = ["[Memory from earlier" in str(parts) for parts in run.api.prefixes]
    assert sum(has_recall) > 2
    for place in run.changes:
        no_longer_fits = has_recall[place - 1] and not has_recall[place]
        assert "plans" in run.facts[place] or no_longer_fits, "the prefix changes only at compactions"


@pytest.mark.parametrize("api", APIS)
async def test_a_trial_sends_the_original_and_keeps_the_plans(tmp_path: Path, api: str) -> None:
    pytest.importorskip("anthropic")
    run = await run_agent(api, small("aggressive", 6_000), 14, tmp_path / "log.jsonl", is_trial=True)
    assert run.changes == []
    assert run.states["planned"] > 5 and max(run.api.sizes) > 6_000
    assert any("plans" in facts for facts in run.facts) and run.api.refusals == []


async def test_the_log_keeps_both_requests(tmp_path: Path) -> None:
    run = await run_agent("openai-chat", small("balanced", 6_000), _TURNS, tmp_path / "log.jsonl")
    rows = [json.loads(line) for line in run.log.read_text().splitlines()]
    assert len(rows) == _TURNS
    last = rows[-1]["preset"]
    assert (last["name"], last["state"]) == ("balanced", "applied") and last["after"] <= 6_000 < last["before"]
    (session,) = load(run.log)
    last_sent = [json.loads(part)["content"] for part in run.api.prefixes[-1]]
    window = at_turn(session, estimate(session), _TURNS)
    assert [message.text for message in window.messages if not message.calls] == [
        text for text in last_sent if text not in run.texts
    ]
    whole = sum(len(json.dumps(row["request"])) for row in rows)
    assert run.log.stat().st_size < 2 * whole, "no message is written twice"


@dataclass
class _SummaryModel:
    """A model that writes summaries."""

    wait: Callable[[], Awaitable[None]] | None = None
    model: str = "gpt-5"
    provider_name: str = "openai"
    asked: list[str] = field(default_factory=list)

    async def call_async(self, messages: Any, tools: Any = None) -> Any:
        self.asked.append(str(messages))
        if self.wait:
            await self.wait()
        return SimpleNamespace(content=f"Summary {len(self.asked)} of the mill.", tool_calls=None)


async def test_a_model_writes_each_summary_once(tmp_path: Path) -> None:
    model = _SummaryModel()
    preset = small("aggressive", 6_000)
    run = await run_agent("openai-chat", preset, _TURNS, tmp_path / "log.jsonl", summary_model=model)
    assert run.api.refusals == [] and run.texts == expected_texts(_TURNS) and "original" not in run.states, run.reason
    assert max(run.api.sizes) <= 6_000
    assert 0 < len(model.asked) <= sum(len(facts.get("plans", ())) for facts in run.facts)
    assert len(set(model.asked)) == len(model.asked), "no messages are summarized twice"
    newest = f"Summary {len(model.asked)} of the mill."
    assert any(newest in part for part in run.api.prefixes[-1])


async def test_a_model_that_takes_too_long_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECTOR_LIMIT_PRESET_SECONDS", "2")
    model = _SummaryModel(lambda: asyncio.sleep(600))
    preset = small("aggressive", 6_000)
    run = await run_agent("openai-chat", preset, 12, tmp_path / "log.jsonl", summary_model=model)
    assert run.api.refusals == [] and run.texts == expected_texts(12), "the replies are unchanged"
    assert model.asked and not any("of the mill." in part for part in run.api.prefixes[-1][:1])


async def test_the_original_is_sent_after_the_time_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def block() -> None:
        time.sleep(1.5)

    monkeypatch.setenv("INSPECTOR_LIMIT_PRESET_SECONDS", "1")
    preset, model = small("aggressive", 6_000), _SummaryModel(block)
    run = await run_agent("openai-chat", preset, 12, tmp_path / "log.jsonl", summary_model=model)
    assert run.api.refusals == [] and run.texts == expected_texts(12), "the replies are unchanged"
    assert run.states["original"] and run.reason
    assert {facts["reason"] for facts in run.facts if facts["state"] == "original"} >= {"it took longer than 1 seconds"}
