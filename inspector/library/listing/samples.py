"""The sample sessions: recordings to look at first, which come with the program."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[2]
SAMPLES = _PACKAGE / "samples" if (_PACKAGE / "samples").is_dir() else _PACKAGE.parent / "sessions"
"""The folder that holds them: in the installed package, or beside it where the program runs from its source."""

FIRST_SAMPLE = SAMPLES / "coding-agent.jsonl"
"""The one to look at first: it was compacted, and needed what that had taken away."""

_ON_PURPOSE = {"damaged.jsonl": ", damaged on purpose"}


def sample_place(path: str) -> str:
    """What a file is called if it is a sample, in place of a long path, and what is the matter with it; else empty."""
    file = Path(path)
    return f"sample {file.name}{_ON_PURPOSE.get(file.name, '')}" if SAMPLES in file.parents else ""


def sample_targets() -> tuple[str, ...]:
    """What opens the samples; nothing where they were left out."""
    return (str(SAMPLES),) if SAMPLES.is_dir() else ()
