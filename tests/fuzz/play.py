"""Play a case of steps on the app: without a terminal, or in a real one.

    python -m tests.fuzz.play CASE.json

A case is `{"targets": […], "size": [columns, rows], "terminal": false, "steps": […]}`; its targets lie in `sessions/`.
Ends with 0 when the app stood all of it and quit, else with 1 and what went wrong.
"""

from __future__ import annotations

import asyncio
import faulthandler
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from textual.events import MouseDown, MouseUp, Resize
from textual.geometry import Size
from textual.pilot import Pilot

from inspector.library import Library
from inspector.ui.app import InspectorApp
from tests.driving import SAMPLES, send_key
from tests.terminal import environment_in, running_app

PATIENCE = 30.0
"""Seconds that a step may take before the app counts as frozen."""
MEMORY = 2_000_000
"""Kilobytes of memory that the app may have taken in the end."""


@dataclass(frozen=True)
class Case:
    """What the app is started on, and what is done to it."""

    targets: tuple[str, ...]
    size: tuple[int, int]
    steps: tuple[str, ...]
    terminal: bool = False

    @classmethod
    def load(cls, path: Path) -> Case:
        raw = json.loads(path.read_text(encoding="utf-8"))
        return cls(tuple(raw["targets"]), tuple(raw["size"]), tuple(raw["steps"]), raw.get("terminal", False))

    def save(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")

    @property
    def paths(self) -> list[str]:
        return [str(SAMPLES / target) for target in self.targets]


def play(case: Case, folder: Path) -> None:
    """Play a case with everything that the app keeps in a folder. Raises what the app raised, and AssertionError."""
    if case.terminal:
        play_in_terminal(case, folder)
    else:
        asyncio.run(play_headless(case, folder))


async def play_headless(case: Case, folder: Path) -> None:
    with Library(folder / "store.db") as library:
        app = InspectorApp(case.paths, library, look_around=False)
        async with app.run_test(size=case.size, notifications=True) as pilot:
            for number, step in enumerate(case.steps):
                faulthandler.dump_traceback_later(PATIENCE, exit=True, file=2)
                print(number, step, flush=True)
                await feed(pilot, step)
                if not app.is_running:
                    break
                assert app.screen_stack, "a screen is in front"
                told = [note.message for note in app._notifications]  # the next key removes them
                assert not any("Internal error" in message for message in told), told
            faulthandler.dump_traceback_later(PATIENCE, exit=True, file=2)
            app.exit()
    faulthandler.cancel_dump_traceback_later()


async def feed(pilot: Pilot[None], step: str) -> None:
    """One step, and a moment for the app to answer: not always enough for it to have finished."""
    kind, _, rest = step.partition(":")
    match kind:
        case "burst":
            for key in rest.split(","):
                send_key(pilot, key)
        case "click" | "double":
            x, y = map(int, rest.split(","))
            for _ in range(1 + (kind == "double")):
                click(pilot, x - 1, y - 1)
        case "resize":
            size = Size(*map(int, rest.split("x")))
            pilot.app._driver._size = size  # type: ignore[union-attr]  # the one without a terminal
            pilot.app.post_message(Resize(size, size))
        case "wait" if rest:
            await asyncio.sleep(float(rest))
        case _:
            send_key(pilot, step)
    await asyncio.sleep(0.01)


def click(pilot: Pilot[None], x: int, y: int) -> None:
    driver = pilot.app._driver
    assert driver is not None
    for event in (MouseDown, MouseUp):
        message = event(None, x, y, 0, 0, 1, False, False, False, x, y)
        message.set_sender(pilot.app)
        driver.send_message(message)


def play_in_terminal(case: Case, folder: Path) -> None:
    with running_app(case.paths, folder, *case.size) as terminal:
        terminal.wait_for_app()
        for number, step in enumerate(case.steps):
            print(number, step, flush=True)
            kind, _, rest = step.partition(":")
            match kind:
                case "burst":
                    terminal.send(*rest.split(","), quiet=0.02)
                case "click" | "double":
                    x, y = rest.split(",")
                    terminal.send(f"\x1b[<0;{x};{y}M\x1b[<0;{x};{y}m" * (1 + (kind == "double")), quiet=0.02)
                case "resize":
                    terminal.resize(*map(int, rest.split("x")))
                case "wait" if rest:
                    terminal.settle(float(rest), float(rest))
                case _:
                    terminal.send(step, quiet=0.02)
            if not terminal.alive():  # a click on "quit" ends it, as it may
                assert terminal.status == 0, f"it ended with {terminal.status}:\n{terminal.text[-2000:]}"
                return
        assert terminal.memory() * 1000 < MEMORY
        terminal.send("ctrl+q")
        assert terminal.wait(PATIENCE) == 0, f"it ended with {terminal.status}:\n{terminal.text[-2000:]}"


def main(arguments: Sequence[str]) -> int:
    case = Case.load(Path(arguments[0]))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ |= environment_in(folder)
        os.chdir(folder)
        try:
            play(case, folder)
        finally:
            for report in folder.rglob("report-*.txt"):
                print(report.read_text(encoding="utf-8"), file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
