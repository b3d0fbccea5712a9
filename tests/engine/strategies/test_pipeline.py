"""Strategies in a row, until the window fits."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.engine.strategies import STRATEGIES, draft_plan
from inspector.engine.strategies.knobs import Knob
from inspector.engine.strategies.pipeline import Stage, format_stages, parse_stages
from inspector.engine.window.plan import Plan, apply
from inspector.engine.window.window import Window
from tests.engine.strategies.passes import saying
from tests.generated import LONG, Ask, Reply, Step, Stray, window_of, work

OFFERED = ", ".join(name for name in STRATEGIES if name != "pipeline")
SINGLES = sorted(STRATEGIES.keys() - {"pipeline"})


def any_value(knob: Knob) -> st.SearchStrategy[Any]:
    if knob.choices:
        return st.sampled_from(knob.choices)
    match knob.default:
        case bool():
            return st.booleans()
        case int():
            return st.integers(int(knob.low), int(knob.high))
        case float():
            return st.floats(knob.low, knob.high)
        case _:
            return st.text() | st.sampled_from(["", ";", "a; b", "'", '"', "\\", "a=b", "größer, 'quoted'", " x ", "#"])


@st.composite
def any_stages(draw: st.DrawFn) -> tuple[Stage, ...]:
    drawn = []
    for _ in range(draw(st.integers(1, 4))):
        name = draw(st.sampled_from(SINGLES))
        knobs = draw(
            st.lists(st.sampled_from(STRATEGIES[name].knobs), unique=True) if STRATEGIES[name].knobs else st.just([])
        )
        drawn.append(Stage(name, {item.name: draw(any_value(item)) for item in knobs}))
    return tuple(drawn)


@given(any_stages())
def test_what_is_written_down_is_read_as_the_same_stages(stages: tuple[Stage, ...]) -> None:
    assert parse_stages(format_stages(stages)) == stages


@given(st.text() | st.lists(st.sampled_from(["dedupe", ";", "'", '"', "\\", " ", "keep=1", "="])).map("".join))
def test_any_other_text_gives_stages_or_a_sentence(text: str) -> None:
    try:
        assert parse_stages(text)
    except ValueError as fault:
        assert str(fault)[0].islower() and len(str(fault)) > 20


def test_stages_stand_between_semicolons_and_their_settings_behind_their_names() -> None:
    assert parse_stages(" dedupe;trim_outputs   longest=1_000 head=0.5 ;; ") == (
        Stage("dedupe", {}),
        Stage("trim_outputs", {"longest": 1_000, "head": 0.5}),
    )
    quoted = parse_stages('selective words="a; b" keep_recent=3; clear_tool_uses clear_inputs=yes')
    assert quoted == (
        Stage("selective", {"words": "a; b", "keep_recent": 3}),
        Stage("clear_tool_uses", {"clear_inputs": True}),
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", 'a pipeline needs stages, such as "dedupe; trim_outputs longest=1000; sliding_window"'),
        (" ; ;", 'a pipeline needs stages, such as "dedupe; trim_outputs longest=1000; sliding_window"'),
        (
            "shrink",
            f"there is no stage 'shrink'; stages: {OFFERED}",
        ),
        ("dedupe; pipeline", "there is no stage 'pipeline'; stages: "),
        ("fifo 3", "settings of the stage fifo must be KEY=VALUE, not '3'"),
        ("fifo most=3", "in the stage fifo: there is no setting 'most'; settings: max_messages"),
        ("fifo max_messages=few", "in the stage fifo: max_messages must be a number from 0 to 100,000, not 'few'"),
        ("dedupe; selective words='a", 'invalid stage "selective words=\'a": No closing quotation'),
        ('dedupe "', "invalid stage 'dedupe \"': No closing quotation"),
    ],
)
def test_what_cannot_be_read_is_answered_with_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ValueError) as raised:
        parse_stages(text)
    assert str(raised.value).startswith(sentence)
    with pytest.raises(ValueError):
        draft_plan(window_of(*WORK), "pipeline", {"stages": text, "target": 0})


WORK: tuple[Step, ...] = (
    Ask("The task."),
    *(work(result=LONG * 20) for _ in range(3)),
    *(work(result=f"{number} {LONG * 20}") for number in range(3)),
    Reply(LONG),
    Ask("And now?"),
)
"""m0 task; m2, m4, m6 the same long result; m8, m10, m12 three others; m13 an answer, m14 the request."""


def pipeline(window: Window, stages: str, target: int = 0) -> Plan:
    return draft_plan(window, "pipeline", {"stages": stages, "target": target}, saying("They worked."))


def kinds(plan: Plan) -> dict[str, str]:
    return {name: fate.kind for name, fate in plan.by_id.items()}


def test_each_stage_goes_on_from_what_the_one_before_left() -> None:
    window = window_of(*WORK)
    plan = pipeline(window, "dedupe; trim_outputs longest=1000; fifo max_messages=9")
    result = kinds(plan)
    assert [name for name, kind in result.items() if kind == "dropped"] == [f"m{place}" for place in range(1, 7)]
    assert [name for name, kind in result.items() if kind == "trimmed"] == ["m8", "m10", "m12"]
    assert plan.by_id["m8"].reason == "longer than 1,000 characters: head and tail kept"
    assert plan.by_id["m2"].reason == "older than the newest 9 messages"


def test_it_stops_as_soon_as_the_target_is_met() -> None:
    window = window_of(*WORK)
    deduped = apply(window, draft_plan(window, "dedupe"))
    plan = pipeline(window, "dedupe; trim_outputs longest=1000; deletion keep_recent=0", target=deduped.total)
    assert [name for name, kind in kinds(plan).items() if kind != "kept" and kind != "pinned"] == ["m2", "m4"]
    assert not plan.note
    further = pipeline(window, "dedupe; trim_outputs longest=1000; deletion keep_recent=0", target=deduped.total - 1)
    assert kinds(further)["m8"] == "trimmed"
    assert "dropped" not in further.counts


def test_where_the_target_is_met_from_the_start_only_what_a_provider_would_refuse_leaves() -> None:
    window = window_of(*WORK[:-1], Stray(), Ask("And now?"))
    plan = pipeline(window, "deletion keep_recent=0", target=window.total)
    assert plan.counts["dropped"] == 1
    assert plan.by_id["m14"].reason == "this result has no call: the provider would reject it"
    assert plan.by_id["m1"].reason == f"the window does not exceed {window.total:,} tokens"
    assert not plan.note


def test_a_target_that_all_stages_miss_is_told() -> None:
    window = window_of(*WORK)
    plan = pipeline(window, "dedupe; trim_outputs", target=10)
    rest = apply(window, plan).total
    assert plan.note.startswith(f"{rest:,} tokens remain, because these are kept: shortened messages (")


def test_a_stage_takes_the_target_of_the_pipeline_for_its_own_where_none_is_given() -> None:
    window = window_of(*WORK)
    target = window.total // 2
    assert apply(window, pipeline(window, "token_window", target)).total <= target
    own = pipeline(window, f"token_window max_tokens={target // 2}", target)
    assert apply(window, own).total <= target // 2


def test_other_settings_of_a_stage_have_their_plain_defaults() -> None:
    window = window_of(Ask(), *(Reply(f"{number} {LONG}") for number in range(60)), Ask("Now?"))
    plan = pipeline(window, "fifo")
    assert plan.by_id["m12"].reason == "older than the newest 50 messages"


def test_what_went_into_a_summary_that_a_later_stage_took_in_went_into_that() -> None:
    window = window_of(*WORK)
    plan = pipeline(window, "sliding_window keep_recent=5; sliding_window keep_recent=1")
    assert [summary.id for summary in plan.summaries] == ["summary 2"]
    assert plan.sources("summary 2") == tuple(f"m{place}" for place in range(1, 14))


def test_scores_of_a_stage_can_be_looked_at() -> None:
    window = window_of(*WORK)
    plan = pipeline(window, "dedupe; importance; fifo")
    assert set(plan.scores) == set(window.ids)
    assert plan.scores["m1"].total > 0
