"""The sample recordings that are installed with the program."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[2]
SAMPLES = _PACKAGE / "samples" if (_PACKAGE / "samples").is_dir() else _PACKAGE.parent / "sessions"
"""Folder of the samples: inside the installed package, or next to it if the program runs from its source."""

FIRST_SAMPLE = SAMPLES / "coding-agent.jsonl"
"""Sample for a first look: it was compacted, and later needed facts that had been dropped."""

_ON_PURPOSE = {"damaged.jsonl": ", damaged on purpose"}


def sample_place(path: str) -> str:
    """Return a short name for a sample file, with a remark if it is damaged on purpose; "" for other files."""
    file = Path(path)
    return f"sample {file.name}{_ON_PURPOSE.get(file.name, '')}" if SAMPLES in file.parents else ""


def sample_targets() -> tuple[str, ...]:
    """Return the targets that open the samples; empty if they are not installed."""
    return (str(SAMPLES),) if SAMPLES.is_dir() else ()
