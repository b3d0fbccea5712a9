"""A strategy is one file and one entry: whoever sets, exports or names it takes everything from there."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from inspector.analysis.export import TARGETS, export_text
from inspector.engine.compression import Policy, Preset
from inspector.engine.strategies import STRATEGIES, Services, Strategy, draft_plan
from inspector.engine.strategies.knobs import knob, recent_knob, target_knob
from inspector.engine.strategies.plan_builder import PlanBuilder
from inspector.engine.window import Plan, Window
from tests.generated import Ask, Reply, window_of


@dataclass(frozen=True)
class Settings:
    budget: int = target_knob("Tokens that may stay.")
    stay: int = recent_knob(12, "How many of the newest stay.")
    loud: bool = knob(False, "Whether it says so.")


def hush(window: Window, settings: Settings, _services: Services) -> Plan:
    builder = PlanBuilder(window)
    builder.keep_rest(f"{settings.stay} of the newest stay")
    return builder.finish("hush", settings)


@pytest.fixture(autouse=True)
def _one_more() -> Iterator[None]:
    STRATEGIES.add("hush", Strategy(hush, Settings, "lossy", "says less", kind="drop", peculiar="the hush itself"))
    yield
    STRATEGIES.remove("hush")


def test_it_can_be_drafted() -> None:
    assert draft_plan(window_of(Ask(), Reply()), "hush", {"stay": 3}).strategy == "hush"


def test_a_policy_knows_its_target_and_what_it_keeps_by_their_roles() -> None:
    policy = Policy("hush", threshold=1_000, target=400, limit=2_000)
    assert policy.own_settings == {"budget": 400}
    assert [item.get("stay") for item in policy.choices(3_000)] == [None, 6, 3, 1, 0]


def test_a_stage_of_a_pipeline_has_the_target_of_the_pipeline() -> None:
    window = window_of(Ask(), Reply("Three. " * 400), Reply("Four."))
    plan = draft_plan(window, "pipeline", {"stages": "hush; deletion keep_recent=0", "target": 10})
    assert plan.strategy == "pipeline"
    assert not plan.has_failed


@pytest.mark.parametrize("target", sorted({*TARGETS} - {"env", "aloop", "toml"}))
def test_a_preset_of_it_is_exported_by_its_kind_and_says_what_is_left_out(target: str) -> None:
    text = export_text(Preset("quiet", 1_000, 0.3, 5, "hush"), target)
    assert "the hush itself" in " ".join(text.replace("#", " ").split())


def test_a_memory_has_it_among_its_strategies() -> None:
    code = (
        "from inspector.engine.strategies import STRATEGIES\n"
        "STRATEGIES.add('hush', STRATEGIES['fifo'])\n"
        "from inspector.memory import CompressionStrategy, MemoryConfig\n"
        "assert CompressionStrategy['HUSH'] == 'hush'\n"
        "assert MemoryConfig(compression_strategy='hush').policy.strategy == 'hush'\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_strategy_has_one_setting_of_a_role_at_most(name: str) -> None:
    roles = [item.role for item in STRATEGIES[name].knobs if item.role]
    assert len(roles) == len(set(roles))


@pytest.mark.parametrize(
    ("name", "target", "recent"),
    [
        ("sliding_window", "", "keep_recent"),
        ("selective", "target", "keep_recent"),
        ("importance", "max_tokens", ""),
        ("fifo", "", "max_messages"),
        ("head_tail", "", "tail"),
        ("dedupe", "", ""),
    ],
)
def test_settings_are_found_by_their_roles(name: str, target: str, recent: str) -> None:
    assert (STRATEGIES[name].setting("target"), STRATEGIES[name].setting("recent")) == (target, recent)
