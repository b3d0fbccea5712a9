"""Taking text along: onto the clipboard of the terminal, and into the person's own editor or pager.

Nothing that a terminal would obey leaves this way: what is copied has no control characters, so that nothing runs when
it is pasted, and what is opened shows them as signs.
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

if TYPE_CHECKING:
    from textual.app import App

    from inspector.core.conversation import Message

MAX_CLIPBOARD_BYTES = 74_994
"""Bytes that a terminal takes: many stop at 100,000 characters, and three bytes take four of these."""
_NAMES = {
    "command": "the command",
    "path": "the path",
    "address": "the address",
    "query": "what was searched for",
    "arguments": "the call",
    "text": "the text",
}
_EDITORS = ("VISUAL", "EDITOR", "PAGER")


def copy_action(app: App[Any], message: Message, messages: Sequence[Message]) -> str:
    """Copy what a message did; `messages` are those among which its call stands. Gives what to say of it."""
    deed = copyable_action_of(message, messages)
    return _copy_text(app, deed.text, _NAMES[deed.kind])


def copy_message(app: App[Any], message: Message) -> str:
    """Copy all of a message as the reader shows it. Gives what to say of it."""
    return _copy_text(app, readable_text(message), "the whole message")


def copy_losses(app: App[Any], text: str) -> str:
    """Copy what was lost as a text for the agent. Gives what to say of it."""
    return _copy_text(app, text, "what was lost")


def _copy_text(app: App[Any], text: str, name: str) -> str:
    """Put a text onto the clipboard (OSC 52), as far as the terminal lets programs. Gives what to say of it."""
    clean = without_controls(text)
    number = len(text.replace("\r\n", "\n")) - len(clean)
    clean = clean.strip("\n")
    size = len(clean.encode())
    if not clean.strip():
        return "There is nothing to copy here."
    if size > MAX_CLIPBOARD_BYTES:
        limit = f"{size:,} bytes, and a terminal takes {MAX_CLIPBOARD_BYTES:,}"
        return f"Not copied: {name} has {limit}. v opens it in your editor."
    app.copy_to_clipboard(clean)
    removed = f"; {plural(number, 'control character')} left out" if number else ""
    lines = clean.count("\n") + 1
    length = plural(lines, "line") if lines > 1 else plural(len(clean), "character")
    return f"Copied {name}, {length}{removed}."


def open_outside(app: App[Any], message: Message) -> str:
    """Show a message in the person's editor or pager while the app stands aside. Gives why it could not, or nothing.

    It is given a copy that nobody else can read, and that is gone afterwards.
    """
    command = _editor()
    if not command:
        return "No editor is named: set VISUAL, EDITOR or PAGER, as in EDITOR=nano."
    try:
        with TemporaryDirectory(prefix="inspector-") as folder, app.suspend(), _deaf_to_interrupts():
            path = Path(folder, "message.txt")
            path.touch(0o600)
            path.write_bytes(harmless(readable_text(message)).encode("utf-8", "replace"))
            path.chmod(0o400)
            status = subprocess.run([*command, str(path)], check=False).returncode
    except SuspendNotSupported:
        return "An editor needs a terminal of its own, which there is none of here: y copies the text instead."
    except OSError as error:
        return f"{command[0]} could not be started ({error.strerror or error}): set EDITOR to another one."
    return f"{command[0]} ended with {status}." if status else ""


def _editor() -> list[str]:
    """The words that start the person's editor or pager; none where there is none."""
    for name in _EDITORS:
        try:
            if words := shlex.split(os.environ.get(name, "")):
                return words
        except ValueError:  # a quote that is not closed
            continue
    pager = shutil.which("less") or shutil.which("more")
    return [pager] if pager else []


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """While a program has the terminal, ctrl+c is meant for it alone, in which it has its usual effect."""
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
