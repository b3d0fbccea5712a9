"""The memories in a window: injected rule files, recalled and read items, and rules that are loaded unrecorded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from inspector.analysis.memory_audit.loaded_items import AuditedItem, ItemFinder
from inspector.analysis.memory_audit.session_trails import loads_by_itself
from inspector.analysis.tool_activity import Actions, body_of
from inspector.core.conversation import Message, Session
from inspector.core.json_objects import Tokens, json_object
from inspector.core.text import one_line, without_controls
from inspector.engine.window import Window
from inspector.formats import Block, blocks_of, is_memory_path, memory_tokens

# "Contents of /shop/CLAUDE.md (project instructions):", "# AGENTS.md instructions for /shop",
# "Instructions from: /shop/AGENTS.md", "--- Context from: GEMINI.md ---", "=== MEMORY_SUMMARY BEGINS ===",
# or a line with nothing but a path
_HEAD = re.compile(
    r"^(?:Contents of ([^\n]{1,400}?)(?: \([^\n)]{0,200}\))?:[ \t]*$|# (AGENTS\.md) instructions for ([^\n]{1,400})"
    r"|Instructions from: ([^\n]{1,400})|--- Context from: ([^\n]{1,400}?) ---[ \t]*$"
    r"|((?:/|~/|[A-Z]:\\)[^\n:*?\"<>|]{1,400}\.(?:md|mdc|txt))[ \t]*$|={3,20} (MEMORY_SUMMARY) BEGINS ={3,20}$)",
    re.MULTILINE,
)
_END = re.compile(
    r"^</(?:system-reminder|INSTRUCTIONS|instructions)>|^--- End of Context from: |^={3,20} MEMORY_SUMMARY ENDS ",
    re.MULTILINE,
)
_SUMMARY_FILE = re.compile(r"(?<!\S)[^\s]{1,400}/memory_summary\.md\b")
_ABOUT_MEMORY = re.compile(r"(?i)[^\n.]{0,80}?memor(?:y|ies)\b")
"""Beginning of an injected message with memories. Others are skills, commands and the environment."""
_TAG = re.compile(r"</?[A-Za-z_-]{1,40}>")
_GUTTER = re.compile(r"^ {0,8}\d{1,6}(?:→|\t|\|)", re.MULTILINE)
_SEARCHES = re.compile(r"\b(?:rg|grep)\b")
_FOUND_LINE = re.compile(r"^\d{1,6}[:-]", re.MULTILINE)
"""The number before a line that a search found: "12:Use tabs"."""
_MAX_TEXT = 400_000
_MAX_ITEMS = 2_000
_MAX_REQUEST = 4_000
"""Maximum length in characters of a command that is searched for the path of a memory file."""

HowLoaded = Literal["injected", "read", "recalled", "summary", "unrecorded"]


@json_object("WindowItem", "how text tokens name store item path line message number")
@dataclass(frozen=True, slots=True)
class WindowItem:
    """A memory in a window."""

    how: Annotated[
        HowLoaded,
        "injected by the program, read or recalled by a call, a summary, or unrecorded: the program loads it, and the "
        "recording does not contain it",
    ]
    text: str
    tokens: Tokens
    name: Annotated[str, "its file, topic, or tool"] = ""
    store: Annotated[str, "path of the store on this machine; empty if none contains it"] = ""
    item: Annotated[str, "id in this store"] = ""
    path: Annotated[str, "the file that contains it; empty if unknown"] = ""
    line: Annotated[int, "line in the file; 0 if unknown"] = 0
    message: Annotated[str, "id of the message that contains it; empty if it is unrecorded"] = ""
    number: Annotated[int, "number of the message in the log, from 1; 0 if it is not in the log"] = 0


def window_items(window: Window, session: Session, finder: ItemFinder) -> list[WindowItem]:
    """Return the memories that a window holds, in the order of its messages; the unrecorded ones last.

    Args:
        window: The window.
        session: Its session.
        finder: Finds the items of the stores that the agent could read.

    Raises:
        OSError: The recording can no longer be read.
    """
    listing = _WindowListing(session, finder, Actions(window.messages))
    for message in window.messages:
        if message.role != "assistant" or message.kind == "summary":
            listing.add(message)
    return [*listing.items, *listing.unrecorded()][:_MAX_ITEMS]


class _WindowListing:
    """Collects the items of a window."""

    def __init__(self, session: Session, finder: ItemFinder, actions: Actions) -> None:
        self.items: list[WindowItem] = []
        self._session = session
        self._finder = finder
        self._actions = actions
        self._numbers = {message.id: number for number, message in enumerate(session.messages, 1)}
        self._seen: set[int] = set()
        self._files: set[str] = set()

    def add(self, message: Message) -> None:
        """Add the items in a message."""
        if message.kind == "summary":
            self._add_whole(message, "summary", "")
            return
        text = message.text[:_MAX_TEXT]
        pieces = list(_memory_files_in(text)) if message.answers is None else []
        for path, piece in pieces:
            self._add_blocks(message, "injected", path, piece)
        if message.kind == "injected" and not pieces:
            known = self._known(message, text, "recalled")
            if known:
                self.items += known
            elif _ABOUT_MEMORY.match(text):
                self._add_whole(message, "injected", "")
        elif not pieces and message.role != "system":
            self._add_result(message, text)

    def unrecorded(self) -> Iterator[WindowItem]:
        """Yield the items of rule files that the program loads by itself, and that no message contains."""
        for number, entry in enumerate(self._finder.items):
            is_new = number not in self._seen and entry.store.path not in self._files
            is_loaded = entry.is_rule and entry.item.load == "always" and entry.store.tool
            if is_new and is_loaded and loads_by_itself(self._session.format, entry.store):
                yield _of_store(entry, "unrecorded", None, 0)

    def _add_result(self, message: Message, text: str) -> None:
        action = self._actions.of(message)
        paths = [read.resource for read in self._actions.reads_of(message)] or ([action.resource] if action else [])
        path = next((path for path in paths if path and is_memory_path(path)), "")
        if path:
            self._add_blocks(message, "read", path, _GUTTER.sub("", body_of(text)))
        elif path := self._searched_file(message):
            self._add_blocks(message, "recalled", path, _FOUND_LINE.sub("", body_of(text)))
        elif known := self._known(message, text, "recalled"):
            self.items += known
        elif action is not None and "memor" in action.tool.lower():
            self._add_whole(message, "recalled", action.tool)

    def _searched_file(self, message: Message) -> str:
        """Return the memory file that a command searched for the lines of a result, or ""."""
        request = self._actions.request_of(message)[:_MAX_REQUEST]
        words = request.replace('"', " ").replace("'", " ").split() if _SEARCHES.search(request) else []
        return next((word for word in words if is_memory_path(word)), "")

    def _add_blocks(self, message: Message, how: HowLoaded, path: str, text: str) -> None:
        self._files.add(path)
        for block in blocks_of(_TAG.sub("", text)):
            if block.kind != "heading" and block.text.strip():
                self.items.append(self._of_block(message, how, path, block))

    def _of_block(self, message: Message, how: HowLoaded, path: str, block: Block) -> WindowItem:
        numbers = [*self._finder.in_text(block.text)][:1]
        number = self._numbers.get(message.id, 0)
        if numbers:
            self._seen.add(numbers[0])
            return _of_store(self._finder.items[numbers[0]], how, message, number)
        text = without_controls(block.text)
        return WindowItem(how, text, memory_tokens(text), path, "", "", path, 0, message.id, number)

    def _known(self, message: Message, text: str, how: HowLoaded) -> list[WindowItem]:
        numbers = list(dict.fromkeys(self._finder.in_text(text)))
        self._seen.update(numbers)
        place = self._numbers.get(message.id, 0)
        return [_of_store(self._finder.items[number], how, message, place) for number in numbers]

    def _add_whole(self, message: Message, how: HowLoaded, name: str) -> None:
        text = without_controls(message.text[:_MAX_TEXT])
        number = self._numbers.get(message.id, 0)
        self.items.append(
            WindowItem(how, text, memory_tokens(message.text), name or how, message=message.id, number=number)
        )


def _of_store(entry: AuditedItem, how: HowLoaded, message: Message | None, number: int) -> WindowItem:
    item = entry.item
    return WindowItem(
        how,
        item.text,
        item.tokens,
        one_line(item.name or item.id),
        entry.store.path,
        item.id,
        item.path or entry.store.path,
        item.line,
        message.id if message else "",
        number,
    )


def _memory_files_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield the memory files that a text contains, each with its path."""
    heads: Sequence[re.Match[str]] = [head for head in _HEAD.finditer(text) if is_memory_path(_path_of_head(head))]
    for place, head in enumerate(heads):
        end = heads[place + 1].start() if place + 1 < len(heads) else len(text)
        close = _END.search(text, head.end(), end)
        yield _path_of_head(head), text[head.end() : close.start() if close else end]


def _path_of_head(head: re.Match[str]) -> str:
    if head[2]:
        return f"{head[3].strip().rstrip('/')}/{head[2]}"
    if head[7]:
        named = _SUMMARY_FILE.search(head.string, 0, head.start())
        return named[0] if named else "~/.codex/memories/memory_summary.md"
    return next(group for group in (head[1], head[4], head[5], head[6]) if group).strip()
