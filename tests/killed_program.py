"""A program that is killed while other processes work for it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

_ROOT = Path(__file__).parent.parent


def check_workers_end(script: Path, *arguments: str | Path) -> None:
    """Start a script, kill it once it has printed `begun`, and assert that its processes end within 20 seconds."""
    process = subprocess.Popen(
        [sys.executable, script, *arguments],
        cwd=_ROOT,
        env=os.environ | {"PYTHONPATH": str(_ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdin and process.stdout and process.stdout.readline() == b"begun\n"
    process.kill()
    process.wait()
    deadline = time.monotonic() + 20
    while _is_running(process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    rest = _is_running(process.pid)
    if rest:
        os.killpg(process.pid, signal.SIGKILL)
    assert not rest
    process.stdin.close()
    process.stdout.close()


def _is_running(group: int) -> bool:
    """Whether a process of the group is there."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
