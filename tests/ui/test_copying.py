"""What is taken along: onto the clipboard, and into an editor of the person's own."""

from __future__ import annotations

import os
import shlex
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from inspector.ui.copying import MAX_CLIPBOARD_BYTES, open_outside
from inspector.ui.dialogs.message_reader import Reader
from tests.driving import Opening, Writer, chat, inspect_screen, press
from tests.terminal import environment_in, inspector, running

CALL = {"id": "c9", "type": "function", "function": {"name": "Bash", "arguments": '{"command": "rm \\u001b[2Jx\\n"}'}}


def calling() -> dict[str, Any]:
    request = chat()
    request["messages"] += [
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c9", "content": "gone\tfor \u202egood"},
    ]
    return request


def last_notice(pilot: Pilot[None]) -> str:
    return [note.message for note in pilot.app._notifications][-1]


async def test_what_a_message_did_is_copied_and_nothing_that_a_terminal_would_obey(
    running: Opening, write: Writer
) -> None:
    async with running(write("calls.json", calling())) as pilot:
        await press(pilot, "y")
        assert pilot.app.clipboard == "rm [2Jx"
        assert last_notice(pilot) == "Copied the command, 7 characters; 1 control character removed."
        await press(pilot, "Y")
        assert pilot.app.clipboard == "gone\tfor good"
        await press(pilot, "enter", "y")
        assert isinstance(pilot.app.screen, Reader)
        assert pilot.app.clipboard == "gone\tfor good" and "the whole message" in last_notice(pilot)


async def test_what_a_terminal_does_not_take_is_told(running: Opening, write: Writer) -> None:
    request = chat()
    request["messages"].append({"role": "user", "content": "x" * (MAX_CLIPBOARD_BYTES + 1)})
    async with running(write("long.json", request)) as pilot:
        await press(pilot, "y")
        assert pilot.app.clipboard == ""
        assert f"{MAX_CLIPBOARD_BYTES + 1:,} bytes" in last_notice(pilot)


async def test_without_a_terminal_or_an_editor_a_sentence_says_so(
    running: Opening, write: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(write("calls.json", calling())) as pilot:
        message = inspect_screen(pilot).messages.current
        assert message is not None
        monkeypatch.setenv("VISUAL", "some-editor --flag")
        assert "No terminal is available" in open_outside(pilot.app, message)
        for name in ("VISUAL", "EDITOR", "PAGER"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("PATH", "")
        assert open_outside(pilot.app, message).startswith("No editor is configured")
        monkeypatch.setenv("VISUAL", "an 'open quote")
        assert open_outside(pilot.app, message).startswith("No editor is configured")


EDITOR = """
import os, signal, sys
path = sys.argv[-1]
os.kill(os.getppid(), signal.SIGINT)
facts = [oct(os.stat(path).st_mode & 0o777), oct(os.stat(os.path.dirname(path)).st_mode & 0o777), path, sys.argv[1]]
open(sys.argv[0] + ".facts", "w").write("\\n".join(facts) + "\\n" + open(path).read())
print("the editor is here", flush=True)
sys.stdin.readline()
"""


@pytest.mark.skipif(os.name != "posix", reason="a pseudo-terminal is needed")
def test_the_editor_gets_a_private_copy_and_the_app_comes_back(write: Writer, tmp_path: Path) -> None:
    path, script = write("calls.json", calling()), tmp_path / "my editor.py"
    script.write_text(EDITOR)
    command = shlex.join([sys.executable, str(script), "--wait"])
    environment = environment_in(tmp_path) | {"EDITOR": command, "VISUAL": ""}
    with running([inspector(), str(path)], environment=environment) as terminal:
        terminal.wait_for("gone")
        terminal.settle()
        terminal.send("O")
        terminal.wait_for("the editor is here")
        assert terminal.alive()
        terminal.text = ""
        terminal.send("enter")
        terminal.wait_for("Inspect")
        terminal.send("ctrl+q")
        assert terminal.wait() == 0
    mode, folder, copy, flag, *text = Path(f"{script}.facts").read_text(encoding="utf-8").split("\n")
    assert (mode, folder, flag) == (oct(stat.S_IRUSR), oct(stat.S_IRWXU), "--wait")
    assert text == ["gone\tfor ⟨RLO⟩good"]
    assert not Path(copy).exists()
