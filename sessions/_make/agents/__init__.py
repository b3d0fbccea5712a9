"""The story of moonlight: a planner and three sub-agents that work side by side, each recorded in a file of its own."""

from __future__ import annotations

from pathlib import Path

from _make.bench import Bench
from _make.names import Clock
from _make.transcript import Transcript
from _make.workshop import Tape, Workshop

from . import planner

HERE = Path(__file__).resolve().parent.parent
HOME = "/home/garden/moonlight"


def make(recording: bool) -> dict[str, str]:
    """The files of this sample, by name: the planner's, and one for each sub-agent."""
    workshop = Workshop(HERE / "projects/moonlight", HOME, Tape(HERE / "tapes/three-agents.tape", recording))
    try:
        if recording:
            first_commit(workshop)
        bench = Bench(parent(), workshop)
        helpers = planner.on_progress(bench)
    finally:
        workshop.close()
    files = {f"three-agents/subagents/agent-{helper.agent}.jsonl": helper.text() for helper in helpers}
    return {"three-agents.jsonl": bench.transcript.text()} | files


def first_commit(workshop: Workshop) -> None:
    workshop.date = "2026-01-02T18:00:00+0000"
    workshop.shell(
        "git init -q -b main && git config user.name 'Garden society' && git config user.email "
        "page@garden.example.org && git add . && git commit -q -m 'Moon page for the wall calendar'"
    )


def parent() -> Transcript:
    return Transcript(
        seed="three-agents",
        clock=Clock.at("2026-02-03T18:20:40", "three-agents"),
        cwd=HOME,
        branch="main",
        model="claude-sonnet-4-5-20250929",
        version="2.1.34",
        slug="patient-waxing-orchard",
        overhead=15_410,
    )
