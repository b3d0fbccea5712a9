"""Pictures of the running app, for the README. `make screenshots` rewrites them all; open them before committing.

With names of scenes, only those are written: `python screenshots/make.py agents`. `browser.png` is taken by hand, in a
browser on `inspector serve sessions/research.json`.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
FONTS = ["/usr/share/fonts/truetype", "/Library/Fonts", "/System/Library/Fonts", "C:/Windows/Fonts"]
SIZES = ((80, 24), (120, 40))


async def main() -> None:
    os.environ.pop("NO_COLOR", None)
    from textual.pilot import Pilot

    from inspector.library import Library
    from inspector.ui.app import InspectorApp

    async def library(_: Pilot[None]) -> None:
        return

    async def window(pilot: Pilot[None]) -> None:
        await opened(pilot, "research")

    async def preview(pilot: Pilot[None]) -> None:
        await window(pilot)
        await keys(pilot, "s", "enter", *["+"] * 10)

    async def diff(pilot: Pilot[None]) -> None:
        await preview(pilot)
        await keys(pilot, "x")

    async def replay(pilot: Pilot[None]) -> None:
        await window(pilot)
        await keys(pilot, "3")

    async def tune(pilot: Pilot[None]) -> None:
        await window(pilot)
        await keys(pilot, "4")

    async def agents(pilot: Pilot[None]) -> None:
        await opened(pilot, "three-agents")
        await keys(pilot, "6", *["r"] * 5)

    async def memory(pilot: Pilot[None]) -> None:
        await window(pilot)
        await pilot.app.screen.run_action("try('vector_swap')")
        await settled(pilot)
        await settled(pilot)
        await keys(pilot, "a")
        await settled(pilot)
        await asyncio.to_thread(pilot.app.writes.wait)  # type: ignore[attr-defined]  # the app of this program
        await keys(pilot, "5", "slash", *"school")
        await settled(pilot)

    scenes: dict[str, Callable[[Pilot[None]], Awaitable[None]]] = {
        "library": library,
        "window": window,
        "preview": preview,
        "diff": diff,
        "replay": replay,
        "tune": tune,
        "agents": agents,
        "memory": memory,
    }
    for name in sys.argv[1:] or scenes:
        scene = scenes[name]
        for columns, rows in SIZES:
            with tempfile.TemporaryDirectory() as folder, Library(Path(folder) / "store.db") as store:
                app = InspectorApp([str(ROOT / "sessions")], store if name == "memory" else None, look_around=False)
                async with app.run_test(size=(columns, rows)) as pilot:
                    await settled(pilot)
                    await scene(pilot)
                    await settled(pilot)
                    app.clear_notifications()
                    await settled(pilot)
                    save(app.export_screenshot(), HERE / f"{name}-{columns}x{rows}.png", columns)
                print(f"{name}-{columns}x{rows}.png")


async def settled(pilot) -> None:  # type: ignore[no-untyped-def]
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


async def keys(pilot, *pressed: str) -> None:  # type: ignore[no-untyped-def]
    for key in pressed:
        await pilot.press(key)
        await settled(pilot)


async def opened(pilot, name: str) -> None:  # type: ignore[no-untyped-def]
    from inspector.ui.messages import OpenTarget

    path = next((ROOT / "sessions").glob(f"{name}.js*"))
    pilot.app.post_message(OpenTarget(str(path)))
    await pilot.pause()
    await settled(pilot)
    await settled(pilot)


def save(svg: str, path: Path, columns: int) -> None:
    import resvg_py

    folders = [folder for folder in FONTS if Path(folder).is_dir()]
    if not folders:
        sys.exit("No folder of fonts was found; install DejaVu Sans Mono.")
    with tempfile.NamedTemporaryFile("w", suffix=".svg", encoding="utf-8") as file:
        file.write(svg)
        file.flush()
        data = resvg_py.svg_to_bytes(
            svg_path=file.name, width=columns * 12, font_dirs=folders, monospace_family="DejaVu Sans Mono"
        )
    path.write_bytes(bytes(data))


if __name__ == "__main__":
    asyncio.run(main())
