"""Checks that every strategy must pass, for authors of strategies: see `inspector.testing`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import FrozenInstanceError, fields, is_dataclass
from random import Random
from typing import Any

from inspector.core.conversation import Session
from inspector.engine.strategies.knobs import Knob, initial_values
from inspector.engine.strategies.protection import protection
from inspector.engine.strategies.registry import COSTS, Strategy
from inspector.engine.strategies.services import Services
from inspector.engine.strategies.state_keeping import with_state
from inspector.engine.window import Plan, Window, apply, at_turn, problems
from inspector.llm.providers import DIALECTS, sample_messages
from inspector.llm.tokens import estimate_sizes


def check_strategy(strategy: Strategy, *, seed: int = 0, rounds: int = 40) -> None:
    """Check a strategy on generated conversations with tools, failures, thinking, summaries and long results.

    Args:
        strategy: The strategy as it is registered at the entry point.
        seed: Seed of the first generated conversation. The same seed generates the same conversations.
        rounds: Number of conversations. Each is tried with several settings.

    Raises:
        AssertionError: A rule is broken. The message names the rule, the settings and the seed.
    """
    _check_offer(strategy)
    for number in range(seed, seed + rounds):
        random = Random(f"strategy {number}")
        for window in _windows(random):
            for settings in _choices(strategy, window, random):
                where = f"settings {settings}, turn {window.turn}, seed {number}"
                _check_plan(strategy, window, settings, where)


def _check_offer(strategy: Strategy) -> None:
    assert strategy.about and "\n" not in strategy.about, "about must be one line that describes the strategy"
    assert strategy.cost in COSTS, f"cost must be one of {', '.join(COSTS)}"
    settings = strategy.settings
    assert is_dataclass(settings), "settings_type must be a dataclass"
    try:
        instance = settings()
        if names := [setting.name for setting in fields(settings)]:
            setattr(instance, names[0], None)
            raise AssertionError("settings_type must be frozen: @dataclass(frozen=True)")
    except FrozenInstanceError:
        pass
    for knob in strategy.knobs:
        assert knob.doc, f"the setting {knob.name} needs a description"
    roles = [knob.role for knob in strategy.knobs if knob.role]
    assert len(roles) == len(set(roles)), "a role may be given to one setting only"


def _check_plan(strategy: Strategy, window: Window, settings: dict[str, Any], where: str) -> None:
    before = tuple(window.messages), tuple(window.tokens)
    plan = _draft(strategy, window, settings)
    assert (tuple(window.messages), tuple(window.tokens)) == before, f"the window was changed in place ({where})"
    twin = _draft(strategy, window, settings)
    assert _outcome(plan) == _outcome(twin), f"the same window and settings gave different plans ({where})"
    assert len(plan.fates) == len(window.messages), f"each message needs exactly one fate ({where})"
    for fate in plan.fates:
        assert fate.kind == "kept" or fate.reason, f"a fate other than kept needs a reason ({where})"
    for index, fixed in protection(window).items():
        assert fixed.kind != "kept" or not plan.fates[index].leaves, (
            f"message {window.ids[index]} is protected: {fixed.reason} ({where})"
        )
    _check_result(window, plan, where)
    after = apply(window, plan)
    again = apply(after, _draft(strategy, after, settings))
    assert again.total <= after.total or again.ids != after.ids, f"a second pass made the window larger ({where})"


def _check_result(window: Window, plan: Plan, where: str) -> None:
    after = apply(window, plan)
    known = {*window.ids, *plan.by_id, *(message.id for message in plan.summaries)}
    assert set(after.ids) <= known, f"a plan may only add summaries and injections ({where})"
    refused = {problem.text for problem in problems(window)}
    new = [problem.text for problem in problems(after) if problem.text not in refused]
    assert not new, f"the provider rejects the window after the plan: {new[:1]} ({where})"
    assert after.total <= window.total or plan.has_failed or plan.summaries, (
        f"the plan made the window larger ({where})"
    )


def _draft(strategy: Strategy, window: Window, settings: dict[str, Any]) -> Plan:
    values = initial_values(strategy.settings, window) | settings
    instance = strategy.settings(**values)
    return strategy.plan(window, instance, with_state(window, instance, Services()))


def _outcome(plan: Plan) -> tuple[object, ...]:
    """Return the contents of a plan without the ids of its summaries."""
    kinds = [(fate.kind, fate.reason) for fate in plan.fates]
    return kinds, [summary.raw for summary in plan.summaries], plan.note, plan.has_failed


def _choices(strategy: Strategy, window: Window, random: Random) -> Iterator[dict[str, Any]]:
    """Yield settings to try: the initial values, and each knob at one of its bounds."""
    yield {}
    for knob in strategy.knobs:
        yield {knob.name: _end_value(knob, window, random)}


def _end_value(knob: Knob, window: Window, random: Random) -> Any:
    if knob.choices:
        return random.choice(knob.choices)
    if isinstance(knob.default, bool):
        return not knob.default
    if knob.role == "target":
        return int(knob.clamp(window.total * random.random()))
    return random.choice([knob.low, knob.high]) if knob.high > knob.low else knob.default


def _windows(random: Random) -> Iterator[Window]:
    """Yield windows of one generated conversation: early, in the middle, and the current context."""
    dialect = random.choice(DIALECTS)
    messages = sample_messages(random, dialect)
    session = Session("generated", "A generated conversation", "generated", messages, "gpt-4o", dialect=dialect)
    sizes = estimate_sizes(session)
    turns = sum(message.role == "assistant" for message in session.messages)
    for turn in sorted({2, turns // 2, turns + 1}):
        yield at_turn(session, sizes, turn)
