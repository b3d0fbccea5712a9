"""The main job from beginning to end, by command, on the sessions that ship; and in the core, on recorded ones.

Open a session, see its window, preview every strategy, apply one, look at the difference, take it back, export.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import Session
from inspector.engine.strategies import STRATEGIES
from inspector.formats import find, load
from inspector.library import exact_sizes
from inspector.library.bench.workbench import Preview, Workbench
from inspector.llm.providers import PROVIDERS
from tests.cli.calling import inspect
from tests.places import DATA, ROOT, some_of_each
from tests.provider_rules import check_anthropic, check_openai
from tests.refusals import standing_refusals
from tests.responses_rules import check_responses
from tests.samples_once import read_samples_once

SAMPLES = sorted(path for path in (ROOT / "sessions").glob("*") if path.suffix in (".json", ".jsonl"))
FORMATS = ("claude-code", "tau-bench", "litellm-log", "openai-completions", "sharegpt")
RECORDED = some_of_each((file for name in FORMATS for file in find(DATA / name) if file.exists()), 2)
CHECKS = {"openai": check_openai, "openai-responses": check_responses, "anthropic": check_anthropic}
TIGHT = {
    "sliding_window": ["--set", "keep_recent=4"],
    "token_window": ["--set", "max_tokens=3000"],
    "fifo": ["--set", "max_messages=6"],
    "deletion": ["--set", "keep_recent=4"],
}
MOST_SESSIONS = 6
"""Of a recorded file that holds hundreds, so many are looked at, spread over all of it."""


@pytest.fixture
def _own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECTOR_DB", str(tmp_path / "inspector.db"))
    monkeypatch.setenv("COLUMNS", "80")
    read_samples_once(monkeypatch)


@pytest.mark.usefixtures("_own_store")
@pytest.mark.skipif(not SAMPLES, reason="no sample sessions are in sessions/")
@pytest.mark.parametrize("file", SAMPLES, ids=lambda path: path.name)
def test_the_whole_job_on_a_session_that_ships(file: Path, tmp_path: Path) -> None:
    source = file.read_bytes()
    recorded = inspect("show", file, "--json").json
    adds_up(recorded["window"])
    window = recorded["window"]
    assert recorded["valid"] or recorded["damage"] or window["total"] > window["limit"]
    assert f"{recorded['window']['total']:,} of" in inspect("show", file).out

    plans = {name: inspect("compress", file, "-s", name, *TIGHT[name], "--json").json for name in TIGHT}
    for name, plan in plans.items():
        honest(plan, recorded)
        assert f"{plan['saved']:,} tokens" in inspect("compress", file, "-s", name, *TIGHT[name]).out
    best = max(plans, key=lambda name: plans[name]["saved"])
    assert plans[best]["saved"] > 0

    changes = inspect("diff", file, "-s", best, *TIGHT[best], "--json").json["changes"]
    assert sum(change["before"] - change["after"] for change in changes) == plans[best]["saved"]
    assert inspect("compress", file, "-s", best, *TIGHT[best], "--apply").code == 0
    applied = inspect("show", file, "--json").json
    adds_up(applied["window"])
    assert applied["window"]["total"] == plans[best]["after"]["total"]
    assert inspect("diff", file, "--json").json["changes"] == changes

    for to, check in CHECKS.items():
        out = tmp_path / f"request.{to}.json"
        assert inspect("export", file, "--to", to, "--out", out).code == 0
        assert check(json.loads(out.read_text(encoding="utf-8"))) == []

    assert inspect("undo", file, "--json").json["undone"]["strategy"] == best
    assert inspect("show", file, "--json").json == recorded
    assert file.read_bytes() == source


def adds_up(window: dict[str, Any]) -> None:
    assert sum(section["tokens"] for section in window["sections"].values()) == window["total"]
    assert window["free"] == window["limit"] - window["reserve"] - window["total"]


def honest(plan: dict[str, Any], recorded: dict[str, Any]) -> None:
    """A plan starts from the window that was shown, accounts for every message, and is one a provider takes."""
    assert plan["before"]["total"] == recorded["window"]["total"]
    assert [message["id"] for message in plan["messages"]] == [message["id"] for message in recorded["messages"]]
    assert plan["saved"] == plan["before"]["total"] - plan["after"]["total"] >= 0
    assert (plan["valid"], plan["problems"]) == (True, [])
    assert all(message["reason"] for message in plan["messages"])


@pytest.mark.skipif(not RECORDED, reason="no recorded sessions are in ../shared/data beside the project")
@pytest.mark.parametrize("file", RECORDED, ids=lambda path: f"{path.parts[len(DATA.parts)]}-{path.name[:24]}")
def test_recorded_sessions_survive_every_strategy_at_every_stage(file: Path) -> None:
    sessions = load(file)
    assert sessions
    for session in spread(sessions):
        bench = Workbench(session, exact_sizes(session))
        written: dict[tuple[int, ...], Any] = {}
        """The windows whose requests have been looked at, by their messages: many plans come to the same."""
        for preview in previews(bench):
            whole(preview)
            if preview.plan is None or not preview.before.messages:
                continue
            refused = list(standing_refusals(preview.after, session.dialect))
            assert refused == [], (preview.plan.strategy, preview.before.turn)
            assert preview.after.total <= preview.before.total
            assert {message.id for message in preview.before.messages} == set(preview.plan.by_id)
            same = tuple(map(id, preview.after.messages))
            if same in written:
                continue
            written[same] = preview.after.messages
            for to in PROVIDERS:
                assert CHECKS[to](PROVIDERS[to].request(session.context, preview.after.messages)) == []


def spread(sessions: list[Session]) -> list[Session]:
    step = max(1, len(sessions) // MOST_SESSIONS)
    return sessions[::step][:MOST_SESSIONS]


def previews(bench: Workbench) -> Iterator[Preview]:
    """Windows of every agent at the first, a middle, the last turn and now, as recorded and under every strategy."""
    for agent in bench.session.agents[:4]:
        last = bench.turns(agent) + 1
        for turn in sorted({1, last // 2 + 1, last - 1, last} - {0}):
            yield bench.preview(turn, agent)
            for name, strategy in STRATEGIES.items():
                for knob in [knob for knob in strategy.knobs if knob.high > knob.low][:1]:
                    for value in (knob.clamp(knob.low), knob.clamp(4)):
                        yield bench.preview(turn, agent, name, {knob.name: value})
                yield bench.preview(turn, agent, name)


def whole(preview: Preview) -> None:
    """Every window is exactly the sum of its sections, and no section is negative."""
    for window in (preview.recorded, preview.before, preview.after):
        assert window.total == sum(size.tokens for size in window.breakdown.values())
        assert all(size.tokens >= 0 for size in window.breakdown.values())
        assert len(window.messages) == len(window.tokens) == len(window.sections)
