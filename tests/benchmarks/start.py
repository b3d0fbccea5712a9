"""How soon there is something to see, beside what the machine takes for a Textual app with one label.

usage: python -m tests.benchmarks.start [LOG]     (without one, the sample session of a support ticket)

The best of several runs, taken in turns; and how many times the baseline that is.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.places import SESSIONS
from tests.terminal import WINDOW_SHOWN, environment_in, inspector, running

RUNS = 7
SESSION = SESSIONS / "support-ticket.json"
LABEL = """
from textual.app import App
from textual.widgets import Label

class One(App):
    def compose(self):
        yield Label("a label")

One().run()
"""


def seconds_of(command: list[str], folder: Path) -> float:
    """How long a command runs that prints and ends."""
    started = time.perf_counter()
    subprocess.run(command, env=environment_in(folder), stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started


def seconds_to(words: tuple[str, ...], command: list[str], folder: Path) -> float:
    """How long until a program on a terminal has shown some words."""
    with running(command, environment=environment_in(folder)) as terminal:
        return terminal.wait_for(*words)


def main(session: str = str(SESSION)) -> None:
    """Print a line for each figure. What is kept of the first run (counts, compiled modules) the others find."""
    python, program = sys.executable, inspector()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        label = [python, "-c", LABEL]
        figures: dict[str, tuple[str, Callable[[], float]]] = {
            "a label": ("", lambda: seconds_to(("a label",), label, folder)),
            "import textual": ("", lambda: seconds_of([python, "-c", "import textual"], folder)),
            "the app's first text": ("a label", lambda: seconds_to(("Sessions",), [program, session], folder)),
            "the app's window": (
                "a label",
                lambda: seconds_to(WINDOW_SHOWN, [program, session], folder),
            ),
            "inspector show": ("import textual", lambda: seconds_of([program, "show", session], folder)),
            "inspector show --help": ("import textual", lambda: seconds_of([program, "show", "--help"], folder)),
            "inspector --help": ("import textual", lambda: seconds_of([program, "--help"], folder)),
        }
        times: dict[str, list[float]] = {name: [] for name in figures}
        for _ in range(RUNS):
            for name, (_, measure) in figures.items():
                times[name].append(measure())
    for name, (base, _) in figures.items():
        ratio = f"   {min(times[name]) / min(times[base]):.1f} times {base}" if base else ""
        print(f"{name:<24} {1000 * min(times[name]):5.0f} ms{ratio}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
