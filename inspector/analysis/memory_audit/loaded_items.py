"""Memories in the messages of sessions: which items a text contains, and which files a session touched."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from inspector.core.conversation import Message
from inspector.core.text import lazy_pattern
from inspector.formats import MemoryItem, MemoryStore

_PIECE = lazy_pattern(r"\\[nt]|[\n\"]")
_WORDS = lazy_pattern(r"\w+")
_SHORTEST = 12
"""Minimum number of characters by which an item is recognized in a text."""
_MAX_TEXT = 400_000
# "On Linux:", "**On Linux**", "**Linux strategy** (`linux.go`)"
_LEAD = lazy_pattern(r":(?:\*\*|__)?\s*$|^\*\*[^*\n]{1,100}\*\*:?(?: ?\([^()\n]{1,80}\))?\s*$")
_POINT = lazy_pattern(r"\s*(?:[-*+]|\d{1,3}[.)])\s")
"""A point of a list, which introduces only the points below it."""
_STEP = lazy_pattern(r"\s*\d{1,3}[.)]\s")
_CODE = (".py", ".ts", ".tsx", ".js", ".go", ".rs", ".java", ".rb", ".json", ".yaml", ".yml", ".toml")
"""Ends of the names of files that a rule file may import and that contain no rules."""
_NO_RULE = lazy_pattern(
    r"\||@\S+$|={3,} .* ={3,}$|\[[ xX]\] |\[[^\]\n]*\]\([^)\n]*\)$"
    r"|(?:\*{0,2}(?:Files?|Path|Location|Source):\*{0,2} )?`[^`\n]*`$"
)
"""A row of a table, an import, "=== name ===", a task of a list, or only a link or a name, also after "File:"."""
_ROW = lazy_pattern(r"(?:\| ?|\[[ xX]\] )(\S.{3,300})$")
"""A row of a table, or a task of a list."""
_COMMANDS = lazy_pattern(r"^[\w./-]+ [^\n]{0,60}  +# [^\n]{1,80}\n[\w./-]+ [^\n]{0,60}  +# ")
"""Commands with comments, which are not marked as code."""
_FENCES = ("```", "~~~", "#", "//")
_MAX_SHOWN = 160
"""Maximum length in characters of a line of code that is compared with rules."""
_OF_PROJECTS = frozenset({"CLAUDE.MD", "AGENTS.MD", "GEMINI.MD", "QWEN.MD", "COPILOT-INSTRUCTIONS.MD", ".CURSORRULES"})
"""Names of files with the rules of a whole project, in upper case."""
_GUTTER = lazy_pattern(r"^\s{0,8}\d{1,6}(?:→|\t|\|)")


@dataclass(frozen=True, slots=True)
class AuditedItem:
    """An item with its store."""

    store: MemoryStore
    item: MemoryItem
    lead: str = ""
    """The line that introduces it under its heading: "On Linux:"; empty without one."""
    is_lead: bool = False
    """True if it is such a line."""
    is_step: bool = False
    """True if it is a point of a numbered list."""
    title: str = ""
    """Title of the file above all headings: it names the project, and narrows no rule."""
    areas: frozenset[str] = frozenset()
    """Languages and parts of the project for which it holds; empty if it holds for all."""

    @property
    def is_rule(self) -> bool:
        """True if it is in a rule file."""
        return self.store.kind == "rule-file"

    @property
    def subject(self) -> str:
        """The entity of a knowledge graph that it is about; empty for another memory."""
        return self.item.name if self.store.kind == "knowledge-graph" else ""

    @property
    def area(self) -> str:
        """The headings above it, without the title of the file, and the line that introduces it."""
        return f"{self.item.name.removeprefix(self.title)} {self.lead}".strip()


def _with_leads(store: MemoryStore) -> Iterator[AuditedItem]:
    """Yield the items of a store. Those of a rule file have the line or the point that introduces them."""
    lead, heading, title = "", "", _project_title(store)
    above: list[tuple[int, str]] = []
    lines = store.text.split("\n") if store.kind == "rule-file" else []
    for item in store.items:
        line = lines[item.line - 1] if 0 < item.line <= len(lines) else ""
        is_lead = store.kind == "rule-file" and bool(_LEAD.search(item.text))
        if item.name != heading:
            lead, heading, above = "", item.name, []
        depth = len(line) - len(line.lstrip())
        while above and above[-1][0] >= depth:
            above.pop()
        parent = above[-1][1] if above else lead
        yield AuditedItem(store, item, "" if is_lead else parent, is_lead, _STEP.match(line) is not None, title)
        above.append((depth, item.text))
        lead = item.text if is_lead and not _POINT.match(line) else lead


def _project_title(store: MemoryStore) -> str:
    """Return the heading above all items of a file with the rules of a project; "" for a file without one."""
    if Path(store.path).name.upper() not in _OF_PROJECTS:
        return ""
    titles = {item.name.partition(" > ")[0] for item in store.items}
    return titles.pop() if len(titles) == 1 else ""


def entries_of(stores: Sequence[MemoryStore]) -> list[AuditedItem]:
    """Return the items of stores whose texts are compared: no code, relations, rows of tables, tasks or links."""
    return [
        entry
        for store in stores
        if store.kind != "rule-file" or not store.path.endswith(_CODE)
        for entry in _with_leads(store)
        if entry.item.kind != "relation"
        and not (entry.is_rule and (entry.item.kind == "note" or _NO_RULE.match(entry.item.text)))
    ]


def shown_lines(stores: Sequence[MemoryStore]) -> Iterator[AuditedItem]:
    """Yield the lines of blocks of code, the rows of tables and the tasks of rule files, each as a sentence."""
    for store in stores:
        for entry in _with_leads(store) if store.kind == "rule-file" and not store.path.endswith(_CODE) else ():
            item = entry.item
            if item.kind == "note" or _COMMANDS.search(item.text):
                for number, line in enumerate(item.text.split("\n")):
                    command, _, comment = line.strip().partition(" #")
                    if command and not command.startswith(_FENCES) and len(line) <= _MAX_SHOWN:
                        sentence = f"`{command.strip()}` {comment}".strip()
                        place = item.line + number
                        yield replace(entry, item=replace(item, text=sentence, line=place, end=place))
            elif row := _ROW.match(item.text):
                yield replace(entry, item=replace(item, text=row[1].strip(" |").replace(" | ", ": ")))


def same_owner(one: AuditedItem, other: AuditedItem) -> bool:
    """Return True if two items may be memories of one user, project or agent."""
    return one.item.scope == other.item.scope or not one.item.scope or not other.item.scope


class ItemFinder:
    """Finds the items of stores in texts, by the first line of each item."""

    def __init__(self, stores: Iterable[MemoryStore]) -> None:
        self.items: Sequence[AuditedItem] = [AuditedItem(store, item) for store in stores for item in store.items]
        self._by_line: dict[str, list[int]] = defaultdict(list)
        for number, stored in enumerate(self.items):
            first = next((line for line in stored.item.text.split("\n") if line.strip()), "")
            if len(key := _line_key(first)) >= _SHORTEST:
                self._by_line[key].append(number)

    def in_text(self, text: str) -> Iterator[int]:
        """Yield the numbers of the items that a text contains, in the order of the text. An item may come twice."""
        for piece in _PIECE.split(text[:_MAX_TEXT]):
            if len(piece) >= _SHORTEST and (numbers := self._by_line.get(_line_key(_GUTTER.sub("", piece)))):
                yield from numbers

    def in_messages(self, messages: Iterable[Message]) -> dict[int, Message]:
        """Return the first message that contains each item. Replies are left out: they do not load memories.

        Raises:
            OSError: If a message can no longer be read.
        """
        places: dict[int, Message] = {}
        for message in messages if self._by_line else ():
            if message.role != "assistant":
                for number in self.in_text(message.text):
                    places.setdefault(number, message)
        return places


def _line_key(text: str) -> str:
    """Return the words of a line, without the signs of Markdown."""
    return " ".join(_WORDS.findall(text.lower()))
