"""Every benchmark in its shortest form: what it measures is still there, and it prints its figures."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from shutil import copy
from typing import Any

import pytest

from tests.benchmarks import regrets_sample
from tests.places import SESSIONS

FOLDER = Path(__file__).parent
SAMPLE = str(SESSIONS / "support-ticket.json")
NETWORK = {"peers", "peers_environment"}
"""What needs other libraries from a package registry; `test_peers.py` runs all that they have of their own."""


@dataclass(frozen=True)
class Shortest:
    """The words of a command line, smaller values for constants of the module, and a word of what is printed."""

    prints: str
    words: tuple[str, ...] = ()
    smaller: dict[str, Any] = field(default_factory=dict)


def sizes(part: str, prints: str, scale: int = 1_000, **smaller: Any) -> Shortest:
    return Shortest(prints, (part,), {"SCALE": scale, "BEST_OF": 1, **smaller})


RUNS: dict[str, list[Shortest]] = {
    "app_keys": [
        Shortest(
            "following 50 lines a second",
            (
                "--log",
                str(SESSIONS / "coding-agent.jsonl"),
                "--keys",
                "2",
                "--patience",
                "0",
                "--screens",
                "inspect",
                "live",
            ),
            {"REST": 0.1, "SECONDS": 1},
        )
    ],
    "append": [Shortest("written, adaptive", (), {"LAST": 4, "RUNS": 1, "SIZES": (20, 40)})],
    "big_log": [Shortest("home, end, compactions", (SAMPLE,), {"PRESSED": 4, "COUNTING": 0})],
    "facts": [
        Shortest(
            "following a replay", ("--misses",), {"fastest": lambda *_, **__: 1.0, "FILES": ("support-ticket.json",)}
        )
    ],
    "facts_apart": [Shortest("", ("--data", "."))],
    "facts_sample": [Shortest("[", ("--kind", "chat=."))],
    "figures": [
        Shortest(
            "limit",
            ("--compare", "--to", "."),
            {"STEPS": 8, "SHORT_STEPS": 4, "MESSAGES": 50, "AGAIN": 0.0, "TURNS": 1, "PATIENCE": 0.0}
            | {"FOLLOWED": 1, "RESTED": 0.1},
        )
    ],
    "fleet": [
        Shortest("push without redaction", ("--sessions", "20", "60", "--messages", "2"), {"RUNS": 1, "PUSHED": 2})
    ],
    "fleet_local": [Shortest("growth", ("--sessions", "20", "40"))],
    "give_back": [Shortest("command that acts", (str(SESSIONS),))],
    "growth": [
        Shortest(
            "growth exponent",
            ("--size", "3", "--commands", "show", "redact", "--dimensions", "branches"),
            {"BEST_OF": 1},
        )
    ],
    "loop_lag": [Shortest("long message", ("once",), {"MESSAGES": 30, "LONG": 3_000})],
    "peers_stores": [
        Shortest('"disk"', ("case", "inspector, with compression", "40")),
        Shortest('"disk"', ("case", "inspector, without", "40")),
    ],
    "peers_case": [Shortest('"case"', ("40", "2000", "60", ".", "fifo"))],
    "presets": [Shortest("to state figures on", (".",))],
    "proxy_load": [
        Shortest("throughput", ("--streams", "2", "--events", "3", "--gap", "0", "--rounds", "1")),
    ],
    "receive_load": [Shortest(" 0 lost", ("--rate", "2000", "--seconds", "0.2"))],
    "regrets_sample": [
        Shortest("[", ("draw", ".")),
        Shortest("all", ("count", str(FOLDER / "regrets_sheet.json"))),
        Shortest("all", ("count", str(FOLDER / "regrets_apart.json"))),
    ],
    "rereads": [Shortest("sessions drawn again", (str(SESSIONS),), {"DRAWS": 200})],
    "search": [Shortest("search by words", (), {"COUNT": 300, "BEST_OF": 1})],
    "sentence_labels": [Shortest("precision", ("--data", "."))],
    "sentence_weights": [Shortest("WEIGHTS_SHA256", (), {"WEIGHTS": Path("weights.json"), "ROUNDS": 2})],
    "sizes": [
        sizes("importing", "read, normalised and stored", 300),
        sizes("counting", "tiktoken alone", 100),
        sizes("views", "compactions lost", 300),
        sizes("discovery", "are discovered"),
        sizes("opening", "to its newest context"),
        sizes("searching", "full text over"),
        sizes("commands", "times as much a message", COMMANDS=("show LOG",)),
        sizes("pressing", "100,000 messages, counting", PRESSED=6),
        sizes("frames", "memory of the app"),
    ],
    "start": [Shortest("the app's window", (SAMPLE,), {"RUNS": 1})],
    "state_block": [Shortest('"compactions"', (str(SESSIONS),))],
    "summary": [Shortest("talk", (), {"TOKENS": 1_500, "RUNS": 1})],
    "sweep": [Shortest("mixed", (), {"MESSAGES": 60, "SETTINGS": 2})],
}
CASES = [pytest.param(name, run, id=f"{name} {run.prints}") for name, runs in RUNS.items() for run in runs]


def test_every_benchmark_is_run() -> None:
    paths = [path for path in FOLDER.glob("*.py") if not path.stem.startswith("test_")]
    found = {path.stem for path in paths if '__name__ == "__main__"' in path.read_text(encoding="utf-8")}
    assert found == RUNS.keys() | NETWORK


@pytest.mark.parametrize(("name", "run"), CASES)
def test_it_runs(
    name: str,
    run: Shortest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    module = import_module(f"tests.benchmarks.{name}")
    for constant, value in run.smaller.items():
        assert hasattr(module, constant)
        monkeypatch.setattr(module, constant, value)
    for variable in ("INSPECTOR_DB", "PYTHONPYCACHEPREFIX"):
        monkeypatch.setenv(variable, str(tmp_path / variable))  # some set them for the programs that they start
    folder = tmp_path / "recordings"
    folder.mkdir()
    copy(SAMPLE, folder)
    monkeypatch.chdir(folder)
    words = [str(folder) if word == "." else word.replace("=.", f"={folder}") for word in run.words]
    monkeypatch.setattr(sys, "argv", [name, *words])
    main = module.main
    main(*words) if name == "start" else main()
    printed = capfd.readouterr().out
    assert run.prints in printed
    assert "not measured" not in printed and "INVALID" not in printed


def test_regrets_that_are_drawn_can_be_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet = tmp_path / "sheet.json"
    folder = tmp_path / "recordings"
    folder.mkdir()
    copy(SESSIONS / "coding-agent.jsonl", folder)
    for words in (("draw", str(folder)), ("show", str(sheet), str(folder))):
        monkeypatch.setattr(sys, "argv", ["regrets_sample", *words])
        regrets_sample.main()
        printed = capsys.readouterr().out
        if words[0] == "draw":
            sheet.write_text(printed)
    rows = json.loads(sheet.read_text())
    assert rows and len(printed.splitlines()) > len(rows)
