"""What holds for every test: how many examples a property draws, and that they are the same on every run."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile(
    "inspector",
    max_examples=int(os.environ.get("EXAMPLES", "40")),
    deadline=None,
    derandomize="SEARCH" not in os.environ,
)
settings.load_profile("inspector")
