"""`inspector compress --stage …`: a pipeline, stage by stage."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calling import inspect

TRIM, WINDOW = "trim_outputs longest=300", "sliding_window keep_recent=4"


def test_stages_make_a_pipeline_in_their_order(log: Path) -> None:
    done = inspect("compress", log, "--stage", TRIM, "--stage", WINDOW, "--json")
    assert (done.code, done.json["strategy"]) == (0, "pipeline")
    assert done.json["settings"]["stages"] == f"{TRIM}; {WINDOW}"
    assert done.json["saved"] > 0
    same = ["compress", log, "--strategy", "pipeline", "--set", f"stages={TRIM}; {WINDOW}", "--json"]
    assert inspect(*same).json == done.json


def test_naming_the_pipeline_too_changes_nothing_and_its_target_can_be_set(log: Path) -> None:
    words = ["--stage", TRIM, "--stage", WINDOW]
    named = inspect("compress", log, "--strategy", "pipeline", *words, "--json").json
    assert named == inspect("compress", log, *words, "--json").json
    did_you_mean = inspect("compress", log, *words, "--set", "target=1000000", "--json").json
    assert (did_you_mean["settings"]["target"], did_you_mean["saved"]) == (1_000_000, 0)


def test_one_stage_is_enough(log: Path) -> None:
    done = inspect("compress", log, "--stage", WINDOW, "--set", "target=0", "--json").json
    alone = inspect("compress", log, "--strategy", "sliding_window", "--set", "keep_recent=4", "--json").json
    assert done["after"]["messages"] == alone["after"]["messages"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--stage", "dedup"], "There is no stage 'dedup'"),
        (["--stage", "fifo", "--strategy", "deletion"], "cannot be combined with --strategy deletion"),
        (["--stage", "fifo", "--set", "stages=dedupe"], "--stage cannot be combined with --set stages=…"),
        (["--stage", "fifo max_messages=-1"], "max_messages must be between"),
        (["--stage", "fifo max_messages"], "must be KEY=VALUE"),
        (["--stage", " "], "a pipeline needs stages"),
    ],
)
def test_stages_that_there_are_not_are_wrong_usage(log: Path, words: list[str], says: str) -> None:
    ended = inspect("compress", log, *words)
    assert (ended.code, ended.out) == (2, "")
    assert says.lower() in ended.err.lower()
    assert ended.err.count("\n") == 1
