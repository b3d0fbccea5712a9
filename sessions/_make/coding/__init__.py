"""The story of tidegate: a coding agent finds a real bug in a small package, and mends it."""

from __future__ import annotations

from pathlib import Path

from _make.bench import Bench
from _make.names import Clock
from _make.transcript import Transcript
from _make.workshop import Tape, Workshop

from . import changelog, checking, gauge, history, march, october

HERE = Path(__file__).resolve().parent.parent
HOME = "/home/gate/tidegate"


def make(recording: bool) -> dict[str, str]:
    """The file of this sample, by name. With `recording`, every command is run again."""
    workshop = Workshop(HERE / "projects/tidegate", HOME, Tape(HERE / "tapes/coding-agent.tape", recording))
    try:
        gauge.write_all(workshop.root)
        if recording:
            history.commit_past(workshop)
        bench = Bench(transcript(), workshop)
        for scene in (march, checking, october, changelog):
            scene.on_progress(bench)
        bench.transcript.title("The hour that does not exist: tide gate sheet and the clock change")
    finally:
        workshop.close()
    return {"coding-agent.jsonl": bench.transcript.text()}


def transcript() -> Transcript:
    return Transcript(
        seed="coding-agent",
        clock=Clock.at("2026-03-30T09:02:11", "coding-agent"),
        cwd=HOME,
        branch="main",
        model="claude-opus-4-5-20251101",
        version="2.1.34",
        slug="rising-tidal-lantern",
        overhead=15_280,
    )
