"""Thresholds in their three forms: read and written, resolved on a session, and whether presets fit it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from inspector.analysis.replay.run import replay
from inspector.core.conversation import Session
from inspector.engine.compression import (
    BUILT_IN,
    FITTING,
    NONE,
    PRESETS,
    Net,
    Policy,
    Preset,
    Scale,
    Share,
    Threshold,
    ThresholdKnob,
    as_env,
    describe_threshold,
    fit_notice,
    load,
    memory_preset,
    misfit,
    parse_threshold,
    resolve_threshold,
    save,
    scale_of,
    threshold_text,
    thresholds_of,
)
from inspector.engine.compression.presets import FIELDS
from inspector.engine.strategies import STRATEGIES, draft_plan, initial_values
from inspector.engine.window import Window
from inspector.engine.window.plan import apply
from inspector.llm.models.prices import price_of
from inspector.llm.tokens.sizes import estimate_sizes
from tests.generated import Ask, Reply, Step, System, conversations, recorded, sized, windows

KNOB = next(knob for knob in FIELDS if knob.name == "threshold")
numbers = st.integers(1, 100_000_000)
shares = st.integers(100, 10_000).map(lambda hundredths: Share(hundredths / 100))
thresholds = st.one_of(numbers, shares, numbers.map(Net))
scales = st.builds(Scale, st.sampled_from([0, 8_000, 200_000, 1_000_000]), st.integers(0, 400_000))


@given(thresholds)
def test_what_is_written_is_read_back(threshold: Threshold) -> None:
    assert parse_threshold(str(threshold)) == threshold
    assert parse_threshold(threshold_text(threshold)) == threshold
    assert KNOB.parse(str(threshold)) == threshold


@given(thresholds)
def test_so_it_is_in_a_file_of_presets_and_in_the_environment(threshold: Threshold) -> None:
    preset = Preset("mine", threshold)
    assert memory_preset(as_env(preset), Path("nowhere")).threshold == threshold


def test_a_file_of_presets_holds_all_three_forms(tmp_path: Path) -> None:
    file = tmp_path / "presets.toml"
    for name, threshold in (("tokens", 30_000), ("share", Share(62.5)), ("net", Net(15_000))):
        save(Preset(name, threshold), file)
    text = file.read_text()
    assert "threshold = 30000" in text and 'threshold = "62.5%"' in text and 'threshold = "+15000"' in text
    assert [preset.threshold for preset in load(file).values()] == [30_000, Share(62.5), Net(15_000)]


@pytest.mark.parametrize(
    ("text", "threshold"),
    [
        (" 40,000 ", 40_000),
        ("40_000", 40_000),
        ("60 %", Share(60)),
        ("62.5%", Share(62.5)),
        ("+20,000", Net(20_000)),
        ("+ 20000", Net(20_000)),
        ("net 20000", Net(20_000)),
        ("NET 20_000", Net(20_000)),
    ],
)
def test_people_write_it_in_several_ways(text: str, threshold: Threshold) -> None:
    assert parse_threshold(text) == threshold


@pytest.mark.parametrize(
    "text",
    [
        "1,5",
        "1,2345",
        "",
        "many",
        "0",
        "-4",
        "+0",
        "-5%",
        "+60%",
        "net",
        "0%",
        "0.5%",
        "101%",
        "4.5",
        "1e5",
        "9" * 400,
        "6%%",
        "٣",
    ],
)
def test_anything_else_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match=r"^[^\n]{20,300}$") as error:
        parse_threshold(text, "MEMORY_COMPRESSION_THRESHOLD")
    assert "MEMORY_COMPRESSION_THRESHOLD" in str(error.value) or "share of the model's window" in str(error.value)


@given(thresholds, scales)
def test_a_threshold_comes_to_tokens(threshold: Threshold, scale: Scale) -> None:
    tokens = resolve_threshold(threshold, scale)
    assert tokens >= 1
    if isinstance(threshold, int):
        assert tokens == threshold == resolve_threshold(threshold, None)
    elif isinstance(threshold, Net):
        assert tokens - scale.floor == threshold.tokens
    else:
        assert tokens <= scale.window if scale.window else tokens == 40_000
    assert f"{tokens:,}" in describe_threshold(threshold, scale)


def test_without_a_session_there_is_no_number() -> None:
    for threshold in (Share(50), Net(500)):
        with pytest.raises(ValueError, match="depends on the session"):
            Policy.of(Preset("p", threshold))


@given(windows())
def test_no_strategy_goes_below_the_floor(window: Window) -> None:
    """What `window_scale` counts as never to be taken out is still there, whatever is done to a window."""
    floor = sum(window.tokens[place] for place in {*window.system, *([window.task] if window.task is not None else [])})
    for name, strategy in STRATEGIES.items():
        if not window.preserve_system:
            continue
        settings = {
            knob.name: 0 if knob.role else value
            for knob in strategy.knobs
            for value in [initial_values(strategy.settings, window)[knob.name]]
        }
        after = apply(window, draft_plan(window, name, settings))
        stays = {window.ids[place] for place in window.system} | (
            {window.ids[window.task]} if window.task is not None else set()
        )
        assert stays <= set(after.ids)
        assert sum(tokens for name, tokens in zip(after.ids, after.tokens, strict=True) if name in stays) <= floor


TALK: tuple[Step, ...] = (
    System("Be brief. " * 40),
    Ask("The task. " * 50),
    *(Reply("Word after word. " * 30) for _ in range(30)),
)


def test_the_scale_of_a_session_is_its_prompt_its_tools_and_its_task() -> None:
    session = recorded(TALK, "openai")
    sizes = sized(session)
    scale = scale_of(session, sizes)
    assert scale == Scale(8_000, sizes.tools + sizes.tokens[0] + sizes.tokens[1] + 3)
    hidden = recorded(TALK[1:], "openai", records_system=False)
    sizes = sized(hidden)
    assert scale_of(hidden, sizes).floor == sizes.tools + 700 + sizes.tokens[0] + 3
    assert scale_of(hidden, sizes, limit=5_000).window == 5_000


@given(conversations())
def test_every_session_has_a_scale(session: Session) -> None:
    for agent in session.agents:
        assert scale_of(session, estimate_sizes(session), agent).floor >= 0


def test_a_replay_compresses_by_what_the_threshold_comes_to() -> None:
    session = recorded(TALK, "openai")
    sizes = sized(session)
    scale = scale_of(session, sizes)
    runs = [
        replay(session, sizes, Preset("p", threshold, strategy="token_window"), price_of("gpt-4o"))
        for threshold in (Net(1_000), scale.floor + 1_000)
    ]
    assert runs[0].threshold == runs[1].threshold == scale.floor + 1_000
    assert runs[0].compactions
    assert all(event.before > scale.floor + 1_000 for event in runs[0].compactions)
    assert replay(session, sizes, NONE, price_of("gpt-4o")).threshold == 0
    half = replay(session, sizes, Preset("p", Share(50), strategy="token_window"), price_of("gpt-4o"))
    assert half.threshold == 4_000


def test_the_documented_presets_say_when_they_do_not_fit() -> None:
    agent = Scale(200_000, 42_562)
    assert fit_notice(agent) == (
        "aggressive and balanced do not fit this session: they compress above 30,000 and 40,000 tokens, "
        "but 42,562 are protected (prompt, tools, first task); steady fits and compresses above 80,000."
    )
    small = Scale(32_768, 2_000)
    assert fit_notice(small).startswith(
        "balanced and conservative do not fit this session: they compress above 40,000 and 60,000 tokens, "
        "but the model's window has 32,768; "
    )
    assert fit_notice(small, thresholds_of([PRESETS["balanced"]])).startswith(
        "balanced does not fit this session: it compresses above 40,000 "
    )


def test_presets_are_named_by_their_reason_and_many_thresholds_as_a_range() -> None:
    given = {"huge": 900_000, "tok1": 1, "archive": 5_000, "mask": 20_000, "cut": 12_000, "steady": 80_000}
    assert fit_notice(Scale(200_000, 15_548), given) == (
        "tok1, archive, mask and 1 more do not fit this session: they compress above 1 to 20,000 tokens, but 15,548 are"
        " protected (prompt, tools, first task); huge compresses above 900,000 tokens, but the model's window has"
        " 200,000; steady fits and compresses above 80,000."
    )
    one = fit_notice(Scale(200_000, 0), {"tok1": 1})
    assert one.startswith("tok1 does not fit this session: it compresses above 1 token, but thresholds below 1,000 ")


@pytest.mark.parametrize("scale", [Scale(200_000, 15_000), Scale(0, 0), Scale(128_000, 8_000)])
def test_where_they_fit_nothing_is_said(scale: Scale) -> None:
    assert fit_notice(scale) == ""
    assert fit_notice(Scale(1_000, 900), thresholds_of([NONE])) == ""


@pytest.mark.parametrize(
    ("threshold", "scale", "why"),
    [
        (40_000, Scale(200_000, 40_000), "floor"),
        (40_000, Scale(200_000, 31_000), "floor"),
        (40_000, Scale(200_000, 30_000), ""),
        (1_000, Scale(200_000, 751), "floor"),
        (1_000, Scale(200_000, 750), ""),
        (40_000, Scale(40_000, 0), ""),
        (40_000, Scale(39_999, 0), "window"),
        (Share(50), Scale(200_000, 95_000), "floor"),
        (Net(20_000), Scale(200_000, 150_000), ""),
        (Net(60_000), Scale(200_000, 150_000), "window"),
    ],
)
def test_a_threshold_has_to_lie_well_above_what_stays_and_within_the_window(
    threshold: Threshold, scale: Scale, why: str
) -> None:
    assert misfit(threshold, scale) == why


@given(scales)
def test_what_is_advised_fits_itself(scale: Scale) -> None:
    notice = fit_notice(scale)
    if advice := re.search(r"; (\w+) fits and compresses above ([\d,]+)\.$", notice):
        assert misfit(BUILT_IN[advice[1]].threshold, scale) == ""
        assert resolve_threshold(BUILT_IN[advice[1]].threshold, scale) == int(advice[2].replace(",", ""))
    else:
        assert not notice or all(misfit(preset.threshold, scale) for preset in FITTING.values())


@given(thresholds, st.integers(-30, 30))
def test_a_knob_turns_a_threshold_in_its_own_form(threshold: Threshold, steps: int) -> None:
    turned = KNOB.move(threshold, steps)
    assert type(turned) is type(threshold)
    assert KNOB.parse(str(turned)) == turned


def test_a_notch_is_a_thousand_tokens_or_five_per_cent() -> None:
    assert isinstance(KNOB, ThresholdKnob)
    assert KNOB.move(40_000, 2) == 42_000
    assert KNOB.move(Net(20_000), -1) == Net(19_000)
    assert KNOB.move(Share(42), 1) == Share(45)
    assert KNOB.move(Share(100), 3) == Share(100)


def test_our_own_fit_where_a_coding_agents_prompt_is_large() -> None:
    for floor in (28_000, 35_000, 43_000):
        assert fit_notice(Scale(200_000, floor))
        assert not any(misfit(preset.threshold, Scale(200_000, floor)) for preset in FITTING.values())


def test_the_documented_numbers_are_kept() -> None:
    assert [preset.threshold for preset in PRESETS.values()] == [30_000, 40_000, 60_000]
    assert not PRESETS.keys() & FITTING.keys()
    assert replace(PRESETS["balanced"], threshold=Net(1)).resolve(Scale(0, 5)).threshold == 6
