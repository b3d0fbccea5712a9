"""The short form of `tests.store.stress`: a few kills, a full disk, and two processes at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.places import ROOT

CODE = """
import sys
from pathlib import Path
from tests.fuzz.stores import make_base, warm_up
from tests.store.stress import at_once, killed, on_full_disk

place = Path(sys.argv[1])
base = make_base(place)
warm_up()
assert killed(4, place, base, 1, print, ("import", "apply", "backup", "rm")) == 4
assert on_full_disk(place, base, ("import", "apply")) >= 1
totals = at_once(2, 60, place, base, 1, rounds=8)
assert sum(totals.values()) == 16, totals
print("whole")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="processes are not forked there")
def test_a_store_survives_kills_a_full_disk_and_programs_at_the_same_time(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", CODE, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, timeout=600, check=False
    )
    assert ended.returncode == 0 and ended.stdout.endswith("whole\n"), ended.stdout + ended.stderr
