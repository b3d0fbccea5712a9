"""Copy text to the terminal's clipboard, or open it in the user's editor or pager.

Terminal escape sequences are never passed on: copied text has no control characters, so nothing runs when it is pasted,
and text opened in an editor shows them as visible symbols.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from textual.app import SuspendNotSupported

from inspector.analysis.message_search import copyable_action_of, readable_text
from inspector.core.text import harmless, plural, without_controls
from inspector.ui.key_remaps import with_keys

if TYPE_CHECKING:
    from textual.app import App

    from inspector.core.conversation import Message

MAX_CLIPBOARD_BYTES = 74_994
"""Maximum bytes to copy: many terminals stop at 100,000 characters, and base64 encodes three bytes as four."""
_NAMES = {
    "command": "the command",
    "path": "the path",
    "address": "the address",
    "query": "the search terms",
    "arguments": "the call",
    "text": "the text",
}
_READERS = ("VISUAL", "EDITOR", "PAGER")
_NO_TERMINAL = "No terminal is available for an editor."
_LINE_EDITORS = frozenset({"vi", "vim", "nvim", "nano", "emacs", "less", "micro", "kak", "joe", "mg"})
"""Programs that open a file at a line with `+LINE`."""


def copy_action(app: App[Any], message: Message, messages: Sequence[Message]) -> str:
    """Copy the action of a message, such as its command or path.

    Args:
        app: App whose clipboard is used.
        message: Message with a tool call, a tool result or text.
        messages: Messages among which to find the call of a tool result.

    Returns:
        A sentence for the user.
    """
    action = copyable_action_of(message, messages)
    return _copy_text(app, action.text, _NAMES[action.kind])


def copy_message(app: App[Any], message: Message) -> str:
    """Copy the whole text of a message as the reader shows it, and return a sentence for the user."""
    return _copy_text(app, readable_text(message), "the whole message")


def copy_patch(app: App[Any], text: str) -> str:
    """Copy the patch of a finding or the text of a memory, and return a sentence for the user."""
    return _copy_text(app, text, "the text")


def copy_losses(app: App[Any], text: str) -> str:
    """Copy the lost facts as text for an agent, and return a sentence for the user."""
    return _copy_text(app, text, "the lost facts")


def copy_note(app: App[Any], text: str) -> str:
    """Copy a message to the recorded tool about its next compaction, and return a sentence for the user."""
    return _copy_text(app, text, "the note for the tool")


def _copy_text(app: App[Any], text: str, name: str) -> str:
    """Copy text to the clipboard with OSC 52 if the terminal allows it, and return a sentence for the user."""
    clean = without_controls(text)
    number = len(text.replace("\r\n", "\n")) - len(clean)
    clean = clean.strip("\n")
    size = len(clean.encode())
    if not clean.strip():
        return "Nothing to copy here."
    if size > MAX_CLIPBOARD_BYTES:
        limit = f"{size:,} bytes; the limit of a terminal is {MAX_CLIPBOARD_BYTES:,}"
        return with_keys("Not copied: {name} has {limit}. {editor}: open it in your editor.", name=name, limit=limit)
    app.copy_to_clipboard(clean)
    removed = f"; {plural(number, 'control character')} removed" if number else ""
    lines = clean.count("\n") + 1
    length = plural(lines, "line") if lines > 1 else plural(len(clean), "character")
    return f"Copied {name}, {length}{removed}."


def open_outside(app: App[Any], message: Message) -> str:
    """Open a message in the user's editor or pager while the app is suspended.

    The program gets a temporary, read-only copy that no other user can read and that is deleted afterwards.

    Returns:
        A sentence with the error, or an empty string on success.
    """
    command = _editor(_READERS)
    if not command:
        return "No editor is configured. Set VISUAL, EDITOR or PAGER, as in EDITOR=nano."
    with TemporaryDirectory(prefix="inspector-") as folder:
        path = _private_copy(folder, readable_text(message), 0o400)
        problem = _run_editor(app, [*command, str(path)])
    return with_keys(f"{_NO_TERMINAL} {{copy_all}}: copy the text instead.") if problem == _NO_TERMINAL else problem


def edit_text(app: App[Any], text: str) -> tuple[str | None, str]:
    """Let the user edit a private copy of a text in the user's editor, while the app is suspended.

    Args:
        app: App that is suspended.
        text: The text.

    Returns:
        The new text, or None if it is unchanged, and a sentence for the user.
    """
    command = _editor(_READERS[:2], with_pager=False)
    if not command:
        return None, "No editor is configured. Set VISUAL or EDITOR, as in EDITOR=nano."
    with TemporaryDirectory(prefix="inspector-") as folder:
        path = _private_copy(folder, text, 0o600)
        before = path.read_bytes()
        if problem := _run_editor(app, [*command, str(path)]):
            return None, problem
        try:
            after = path.read_bytes()
            edited = after.decode("utf-8")
        except (OSError, UnicodeDecodeError):
            return None, "The edited text cannot be read as UTF-8."
    if not text.endswith("\n"):
        edited = edited.removesuffix("\n")
    is_changed = after != before and edited != text
    return (edited, "") if is_changed else (None, "The text is unchanged.")


def edit_file(app: App[Any], path: str, line: int) -> str:
    """Open a file of the user in the user's editor at a line, while the app is suspended.

    Args:
        app: App that is suspended.
        path: The file.
        line: Number of the line, from 1.

    Returns:
        A sentence with the error, or an empty string on success.
    """
    command = _editor(_READERS)
    if not command:
        return "No editor is configured. Set VISUAL or EDITOR, as in EDITOR=nano."
    place = [f"+{line}"] if Path(command[0]).name in _LINE_EDITORS else []
    return _run_editor(app, [*command, *place, str(Path(path).absolute())])


def _private_copy(folder: str, text: str, mode: int) -> Path:
    """Write a text to a file in a folder that no other user can read. Control characters become visible symbols."""
    path = Path(folder, "message.txt")
    path.touch(0o600)
    path.write_bytes(harmless(text).encode("utf-8", "replace"))
    path.chmod(mode)
    return path


def _run_editor(app: App[Any], command: Sequence[str]) -> str:
    """Run an editor while the app is suspended. Return a sentence with the error, or an empty string on success."""
    try:
        with app.suspend(), _ignoring_interrupts():
            status = subprocess.run(command, check=False).returncode
    except SuspendNotSupported:
        return _NO_TERMINAL
    except OSError as error:
        return f"Cannot start {command[0]} ({error.strerror or error}). Set EDITOR to another one."
    return f"{command[0]} exited with {status}." if status else ""


def _editor(names: Sequence[str], *, with_pager: bool = True) -> list[str]:
    """Return the command line of the user's editor, or an empty list if none is found.

    Args:
        names: Variables that name it, the first choice first.
        with_pager: True to return an installed pager if no variable is set.
    """
    for name in names:
        try:
            if words := shlex.split(os.environ.get(name, "")):
                return words
        except ValueError:  # a quote that is not closed
            continue
    pager = shutil.which("less") or shutil.which("more") if with_pager else None
    return [pager] if pager else []


@contextmanager
def _ignoring_interrupts() -> Iterator[None]:
    """Ignore ctrl+c in Inspector while another program uses the terminal, so that only that program receives it."""
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
