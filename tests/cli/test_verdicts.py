"""`tune`, `why` and the screen Tune give one verdict on a session, in one wording."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.analysis.experiments.trials import run_trials
from inspector.analysis.replay import NONE, RECORDED
from inspector.cli.arguments import open_session
from inspector.cli.policy_options import subject_of
from inspector.core.conversation import MAIN
from inspector.engine.compression import BUILT_IN
from inspector.engine.facts import Weights
from inspector.ui.screens.tune.preset_rows import PresetRow, Table
from tests.cli.calling import chat, inspect, written
from tests.places import ROOT


@pytest.mark.parametrize("steps", [0, 9, 40])
def test_every_place_gives_the_same_verdict(steps: int, tmp_path: Path) -> None:
    made = chat(steps, words=4_000 // max(1, steps)) | {"model": "gpt-4o"}
    file = written(tmp_path / "long.json", made) if steps else ROOT / "sessions" / "coding-agent.jsonl"
    verdict, advice = inspect("tune", file, "--json").json["verdict"], inspect("why", file, "--json").json["advice"]
    assert verdict["best"] and advice == verdict | {key: advice[key] for key in ("actions", "savings")}
    for command in ("tune", "why"):
        text = " ".join(inspect(command, file).out.split())
        assert verdict["why"] in text and verdict["but"] in text
    with open_session(str(file), None) as session:
        rows = run_trials(subject_of(session, MAIN, Weights()), [RECORDED, NONE, *BUILT_IN.values()])
    screen = Table(tuple(PresetRow(place, row.preset, row.preset, row) for place, row in enumerate(rows))).verdict
    assert (screen.best_name, screen.why, screen.but) == (verdict["best"], verdict["why"], verdict["but"])
    assert verdict["why"].startswith("No preset is clearly best here") == (not verdict["clear"])
