"""What the keys of Inspect do to its state, without an app."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from threading import Event

import pytest

from inspector.library import PlanStacks, Workbench
from inspector.ui.screens.inspect.controller import InspectController
from inspector.ui.screens.inspect.inspect_state import InspectState
from tests.engine.summaries.endpoint import Endpoint, answers, fails, serving
from tests.generated import Ask, Call, Reply, Step, recorded, sized
from tests.manual_jobs import ManualJobs, RecordingHost

STEPS: tuple[Step, ...] = (
    Ask(),
    *(Reply(f"Looking at box {box}.", (Call(result=f"scan {box} of the archive, " * 40),)) for box in range(30)),
    Reply(),
    Ask("And the orders of June?"),
)


class Inspected:
    """A controller with what it says and every state that it was in."""

    def __init__(self) -> None:
        self.jobs, self.host = ManualJobs(), RecordingHost()
        self.states: list[InspectState] = []
        self.controller = InspectController(self.jobs, self.host, self.states.append)

    @property
    def state(self) -> InspectState:
        return self.controller.state

    @property
    def notices(self) -> list[str]:
        return [text for text, _ in self.host.notices]

    def open(self, message: str = "") -> Workbench:
        session = recorded(STEPS)
        bench = Workbench(session, sized(session, limit=200_000))
        self.controller.open(PlanStacks(bench), message)
        self.jobs.finish()
        return bench

    def try_on(self, strategy: str) -> None:
        self.controller.try_on(strategy)
        self.jobs.finish()


@pytest.fixture
def inspected() -> Inspected:
    inspected = Inspected()
    inspected.open()
    return inspected


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with serving(answers("[Summary of earlier conversation]\n\nGoal:\n- Scan.")) as endpoint:
        monkeypatch.setenv("INSPECTOR_MODEL", "little-model")
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test-secret")
        yield endpoint


def test_nothing_is_computed_before_a_session_is_open() -> None:
    inspected = Inspected()
    inspected.controller.judge_by("anthropic")
    assert not inspected.controller.is_open and not inspected.jobs.waiting


def test_a_session_opens_at_the_context_as_it_now_stands_and_at_a_message_where_one_is_named() -> None:
    inspected = Inspected()
    bench = inspected.open()
    assert inspected.controller.is_open and inspected.state.turn == bench.turns() + 1
    assert inspected.state.preview is not None and inspected.state.timeline is not None
    first = bench.session.messages[0].id
    inspected.open(first)
    assert inspected.state.turn == 1 and first in [message.id for message in bench.window(1).messages]


def test_turns_end_at_the_first_and_the_last(inspected: Inspected) -> None:
    last = inspected.controller.last_turn
    inspected.controller.go_to(last + 10)
    assert not inspected.jobs.waiting, "the last turn is shown already"
    inspected.controller.go_to(-5)
    inspected.jobs.finish()
    assert inspected.state.turn == 1
    assert inspected.state.preview is not None and inspected.state.preview.recorded.turn == 1


def test_of_turns_that_are_asked_for_in_a_burst_the_first_and_the_last_are_computed(inspected: Inspected) -> None:
    for turn in range(1, 9):
        inspected.controller.go_to(turn)
    before = len(inspected.states)
    inspected.jobs.finish()
    turns = [state.preview.recorded.turn for state in inspected.states[before:] if state.preview]
    assert turns[0] == 1 and turns[-1] == 8 and set(turns) == {1, 8}


def test_a_session_without_compactions_says_so(inspected: Inspected) -> None:
    inspected.controller.go_to_compaction(1)
    assert "No compaction is recorded" in inspected.notices[-1]


def test_plans_are_compactions_too(inspected: Inspected) -> None:
    last = inspected.state.turn
    inspected.try_on("mask_observations")
    inspected.controller.apply()
    inspected.controller.go_to(3)
    inspected.controller.go_to_compaction(1)
    assert inspected.state.turn == last


def test_a_strategy_is_tried_and_turning_a_knob_computes_another_plan(inspected: Inspected) -> None:
    inspected.try_on("sliding_window")
    first = inspected.state.preview
    assert first is not None and first.plan is not None and first.savings > 0
    assert not inspected.controller.turn_knob(1)
    inspected.jobs.finish()
    second = inspected.state.preview
    assert second is not None and second.plan is not None
    assert second.plan.settings["keep_recent"] == first.plan.settings["keep_recent"] + 1


def test_a_knob_at_its_end_computes_nothing(inspected: Inspected) -> None:
    inspected.try_on("sliding_window")
    inspected.controller.turn_knob(-1000)
    inspected.jobs.finish()
    inspected.controller.turn_knob(-1)
    assert not inspected.jobs.waiting


def test_a_knob_of_words_has_to_be_written(inspected: Inspected) -> None:
    inspected.try_on("pipeline")
    knob = inspected.controller.knob
    assert knob is not None and knob.name == "stages"
    assert inspected.controller.turn_knob(1)


def test_turning_without_a_trial_says_what_to_press(inspected: Inspected) -> None:
    assert not inspected.controller.turn_knob(1)
    assert inspected.notices == ["Press s to pick a strategy first."]


def test_applying_puts_the_plan_on_the_stack_and_undoing_takes_it_off(inspected: Inspected) -> None:
    before = inspected.state.preview
    inspected.try_on("mask_observations")
    plan = inspected.state.preview.plan if inspected.state.preview else None
    inspected.controller.apply()
    assert inspected.state.stack == (plan,) and inspected.state.trial is None
    assert "tokens saved" in inspected.notices[-1]
    inspected.jobs.finish()
    inspected.controller.undo()
    inspected.jobs.finish()
    assert not inspected.state.stack
    assert before is not None and inspected.state.preview is not None
    assert inspected.state.preview.before.messages == before.before.messages
    inspected.controller.undo()
    assert "Nothing to undo" in inspected.notices[-1]
    inspected.controller.undo(is_redo=True)
    inspected.jobs.finish()
    assert inspected.state.stack == (plan,) and inspected.notices[-1] == "Redone: mask_observations. u: undo."


def test_a_plan_that_is_still_being_worked_out_is_not_applied(inspected: Inspected) -> None:
    inspected.try_on("mask_observations")
    inspected.controller.turn_knob(1)
    inspected.controller.apply()
    assert inspected.state.stack == () and "Still computing" in inspected.notices[-1]


def test_no_plan_is_applied_while_the_rest_of_the_file_is_read(inspected: Inspected) -> None:
    inspected.try_on("mask_observations")
    inspected.state.bench.partial = True
    inspected.controller.apply()
    assert inspected.state.stack == () and inspected.state.trial is not None
    assert "Still reading" in inspected.notices[-1]


def test_a_message_is_pinned_and_unpinned_by_the_same_key(inspected: Inspected) -> None:
    message = inspected.state.bench.session.messages[2].id
    inspected.controller.change_by_hand(message, "pinned")
    inspected.controller.change_by_hand(message, "pinned")
    assert "Still computing" in inspected.notices[-1], "a second key in one burst waits for the first"
    inspected.jobs.finish()
    assert inspected.state.preview is not None and message in inspected.state.preview.before.pins
    inspected.controller.change_by_hand(message, "pinned")
    inspected.jobs.finish()
    assert message not in inspected.state.preview.before.pins and len(inspected.state.stack) == 2


def test_a_longer_log_keeps_its_distance_from_the_end() -> None:
    inspected = Inspected()
    session = recorded(STEPS)
    part = replace(session, messages=session.messages[:21])
    short = Workbench(part, sized(part), partial=True)
    inspected.controller.open(PlanStacks(short))
    inspected.jobs.finish()
    behind = inspected.controller.last_turn - 2
    inspected.controller.go_to(behind)
    inspected.jobs.finish()
    whole = Workbench(session, sized(session))
    inspected.controller.set_bench(whole)
    inspected.jobs.finish()
    assert inspected.state.turn == whole.turns() - 1
    assert inspected.state.preview is not None and inspected.state.preview.recorded.turn == inspected.state.turn


def test_esc_stops_trying_and_then_has_nothing_to_stop(inspected: Inspected) -> None:
    inspected.try_on("sliding_window")
    assert inspected.controller.back() and inspected.state.trial is None
    assert not inspected.controller.back()


def test_the_rules_of_another_provider_are_held_against_the_same_window(inspected: Inspected) -> None:
    inspected.controller.judge_by("anthropic")
    inspected.jobs.finish()
    assert inspected.state.provider == "anthropic" and inspected.state.preview is not None
    inspected.controller.judge_by("anthropic")
    assert not inspected.jobs.waiting


def test_without_a_model_the_key_says_how_to_set_one_up(inspected: Inspected, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("INSPECTOR_MODEL", raising=False)
    inspected.controller.write_summary()
    assert inspected.notices[-1] == "Press s to pick a strategy first."
    inspected.try_on("sliding_window")
    inspected.controller.write_summary()
    assert "INSPECTOR_MODEL" in inspected.notices[-1] and inspected.state.request is None


@pytest.mark.usefixtures("endpoint")
def test_a_summary_by_a_model_is_shown_until_anything_else_is_chosen(inspected: Inspected) -> None:
    inspected.try_on("sliding_window")
    inspected.controller.write_summary()
    assert inspected.state.request is not None and inspected.state.request.model == "little-model"
    inspected.jobs.finish()
    summary, preview = inspected.state.summary, inspected.state.preview
    assert inspected.state.request is None and summary is not None
    assert preview is not None and preview.plan is summary.plan
    inspected.controller.turn_knob(1)
    inspected.jobs.finish()
    assert inspected.state.summary is None


@pytest.mark.usefixtures("endpoint")
def test_what_a_stopped_model_writes_is_dropped(inspected: Inspected) -> None:
    inspected.try_on("sliding_window")
    inspected.controller.write_summary()
    request = inspected.state.request
    assert inspected.controller.back() and inspected.state.trial is not None
    assert request is not None and isinstance(request.cancel, Event) and request.cancel.is_set()
    inspected.jobs.finish()
    assert inspected.state.summary is None and inspected.notices[-1].startswith("Stopped.")


@pytest.mark.usefixtures("endpoint")
def test_going_elsewhere_stops_the_model_and_says_so(inspected: Inspected) -> None:
    inspected.try_on("sliding_window")
    inspected.controller.write_summary()
    inspected.controller.go_to(3)
    inspected.jobs.finish()
    assert inspected.state.request is None and inspected.state.summary is None
    assert "The model was stopped" in inspected.notices[-1]


def test_a_model_that_fails_changes_nothing(inspected: Inspected, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(fails(400)) as endpoint:
        monkeypatch.setenv("INSPECTOR_MODEL", "little-model")
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test-secret")
        inspected.try_on("sliding_window")
        before = inspected.state.preview
        inspected.controller.write_summary()
        inspected.jobs.finish()
    assert inspected.state.preview is before and inspected.state.request is None and len(inspected.notices) == 2
