"""A few damaged stores on every run, so that what makes them and looks at them keeps working."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.places import ROOT

CASES = ("1:3", "1:6", "1:8", "2:19", "2:119", "2:274")
"""A lost inner page, a lost beginning, a lost table; and damage that was told as something else, or took for ever."""


@pytest.mark.skipif(sys.platform == "win32", reason="processes are made in another way there")
def test_damaged_stores_are_told_in_a_sentence_by_every_command() -> None:
    command = [sys.executable, "-m", "tests.fuzz.stores", *CASES]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout.partition("===")[2] + done.stderr
    assert done.stdout.count("--- ") == 5 * len(CASES)
