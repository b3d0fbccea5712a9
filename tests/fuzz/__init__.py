"""Random input from a seed, for minutes or hours: `make fuzz`. What is found is kept as a case that the suite plays."""

from __future__ import annotations

from collections.abc import Generator

from tests.places import ROOT

Search = Generator[str, None, int]
"""A search for failures: lines that tell of it while it runs, and in the end how many failures there were."""

FOLDER = ROOT / "build" / "fuzz"
"""Where failures are kept that may hold recordings: not among the project's own files."""
