"""The lines of the screen of memory stores: stores, their items, findings and search results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from inspector import formats, library
from inspector.analysis import memory_audit
from inspector.core.text import one_line, plural
from inspector.engine import retrieval
from inspector.ui.key_remaps import with_keys

_COUNT, _TOKENS = 5, 8
"""Cells of the number of items and of their tokens in the list of stores."""
_MAX_RESULTS = 200
_MAX_LISTED = 12
"""Maximum number of stores that the overview lists."""
_MAX_SESSIONS = 100
"""Maximum number of sessions that are searched for an item."""


@dataclass(frozen=True)
class StoreLine:
    """An item or a finding."""

    name: str
    text: str
    facts: tuple[str, ...] = ()
    """Sentences about it, shown above the text."""
    patch: str = ""
    path: str = ""
    line: int = 0
    store: formats.MemoryStore | None = None
    """The item alone, in its store; None for a finding."""
    is_partial: bool = False
    """True for a search result without some of the words."""
    row: str = ""
    """What its line in the list shows in place of the text, where that differs."""


@dataclass(frozen=True)
class StoreGroup:
    """A line of the list of stores, and the lines that it leads to."""

    title: str
    about: str
    lines: Sequence[StoreLine]


@dataclass(frozen=True)
class StoresReading:
    """The memory stores of this machine and a folder, and what is wrong with them."""

    groups: Sequence[StoreGroup] = ()
    sentence: str = "Reading …"
    stores: Sequence[formats.MemoryStore] = ()

    @property
    def invitation(self) -> str:
        """A sentence with the number of stores and the key that shows them."""
        if not self.stores:
            return with_keys("No memories were found. Press {on_this_machine} for the first steps, or open a session.")
        items, stores = plural(len(self.items), "item"), plural(len(self.stores), "memory store")
        return with_keys(f"Press {{on_this_machine}} to read {items} in {stores} of other programs.")

    @property
    def overview(self) -> str:
        """The stores, one per line; "" without stores."""
        rows = [
            f"{plural(store.size, 'item')}, ~{plural(store.tokens, 'token')}: {one_line(store.path)}"
            for store in self.stores[:_MAX_LISTED]
        ]
        more = len(self.stores) - len(rows)
        return "\n".join([*rows, *([f"{more:,} more"] if more > 0 else [])])

    @property
    def items(self) -> Sequence[StoreLine]:
        """The items of all stores."""
        return self.groups[1].lines if len(self.groups) > 1 else ()

    @cached_property
    def finder(self) -> memory_audit.ItemSearch:
        """The search of all items. Computing the vectors of many takes seconds."""
        return memory_audit.ItemSearch(self.stores, retrieval.embedder_from_environment())

    def search(self, words: str) -> Sequence[StoreLine]:
        """Return the items that match words, best first, each with its scores and the words that it lacks.

        Near misses follow the results, and last the words that no item contains.
        """
        if not self.stores:
            return ()
        answer = self.finder.search(words, _MAX_RESULTS)
        lines = [self._ranked(row) for row in (*answer.results, *answer.near_misses)]
        for word, near in answer.unknown.items():
            text = f"No item contains “{one_line(word)}”." + (f" “{near}” is similar." if near else "")
            lines.append(StoreLine("no match", text))
        return lines

    def _ranked(self, row: memory_audit.RecalledItem) -> StoreLine:
        facts = [f"rank {row.result.rank:,}: {row.explanation}"]
        facts += [f"nearly: {row.reason}"] if row.reason else []
        facts += [f"words: {', '.join(row.words)}"] if row.words else []
        facts += [f"without: {', '.join(row.without)}"] if row.without else []
        line = self.items[row.result.key]
        return replace(line, facts=(*facts, *line.facts), is_partial=bool(row.without))


def read_stores(folder: Path) -> StoresReading:
    """Return the stores that an agent in a folder may read, not yet audited."""
    stores = formats.discover_memories(folder)
    if not stores:
        return StoresReading((StoreGroup("no stores", "", _first_steps(folder)),), "none on this machine.")
    by_store = [(store, [*_item_lines(store)]) for store in stores]
    items = [line for _, lines in by_store for line in lines]
    tokens = sum(store.tokens for store in stores if store.load == "always")
    sentence = (
        f"{plural(len(items), 'item')} in {plural(len(stores), 'store')}, ~{plural(tokens, 'token')} always loaded"
    )
    return StoresReading(
        [
            StoreGroup("findings", "…", ()),
            StoreGroup("all items", _count_of(len(items)), items),
            *(StoreGroup(_title(store), _sizes_of(store), [*lines, *_problems(store)]) for store, lines in by_store),
        ],
        sentence,
        stores,
    )


def audited(reading: StoresReading, folder: Path) -> StoresReading:
    """Return a reading with the findings of an audit of its stores, which takes longer than opening them."""
    audit = memory_audit.audit_memories(folder, formats.user_memories()).narrowed()
    findings = [_finding_line(finding) for finding in audit.findings]
    group = StoreGroup("findings", _count_of(len(findings)), findings)
    sentence = f"{reading.sentence}; {plural(len(findings), 'finding')}."
    return StoresReading([group, *reading.groups[1:]], sentence, reading.stores)


def _first_steps(folder: Path) -> Sequence[StoreLine]:
    """Return the first steps on a machine without stores, one line each."""
    places = (
        f"Searched: the memories of agents in your home folder, and rule files, notes and databases in {folder}.",
        "Nothing here is written by Inspector: an agent or its memory library writes these stores.",
    )
    return [
        StoreLine("open a folder", f"inspector FOLDER opens the memories of another folder.\n\n{folder}", places),
        StoreLine("open a file", "inspector memory FILE lists the memories in a database or file elsewhere.", places),
        StoreLine("write rules", "Write CLAUDE.md or AGENTS.md into the folder. Agents load it.", places),
        StoreLine("try it", "inspector memory --help lists the commands; docs/memories.md lists all stores.", places),
    ]


def _title(store: formats.MemoryStore) -> str:
    path = Path(store.path).absolute()
    return f"{path.parent.name}/{path.name}"


def _sizes_of(store: formats.MemoryStore) -> str:
    if store.kind == "damaged":
        return f"{'damaged':>{_COUNT + _TOKENS + 1}}"
    return f"{store.size:>{_COUNT},} {f'~{store.tokens:,}':>{_TOKENS}}"


def _count_of(number: int) -> str:
    return f"{number:>{_COUNT},} {'':{_TOKENS}}"


def _item_lines(store: formats.MemoryStore) -> Iterator[StoreLine]:
    for item in store.items:
        facts = [f"{store.title}: {store.path}", f"{item.load}, ~{plural(item.tokens, 'token')}"]
        facts += [f"scope: {one_line(item.scope)}"] if item.scope else []
        facts += [f"changed {_minute(item.when)}"] if item.when else []
        facts += [f"{_minute(event.time)} {event.event} {_change_in(event)}".rstrip() for event in item.history]
        alone = replace(store, items=[item])
        yield StoreLine(item.name or item.id, item.text, tuple(facts), "", item.path or store.path, item.line, alone)


def _problems(store: formats.MemoryStore) -> Iterator[StoreLine]:
    """Yield what could not be read of a store."""
    for problem in store.problems:
        yield StoreLine("not read", problem, (f"{store.title}: {store.path}",), "", store.path)


def _minute(time: str) -> str:
    return time[:16].replace("T", " ")


def _change_in(event: formats.MemoryEvent) -> str:
    text = event.after or event.before
    return f"“{one_line(text)}”" if text else ""


def sessions_with(line: StoreLine, paths: Sequence[str]) -> Sequence[StoreLine]:
    """Return the sessions that an item was loaded in, each with the first message that contains it."""
    if line.store is None:
        return ()
    finder = memory_audit.ItemFinder([line.store])
    lines: list[StoreLine] = []
    for path in list(dict.fromkeys(paths))[:_MAX_SESSIONS]:
        try:
            for session in library.read_file(Path(path)):
                if (message := finder.in_messages(session.messages).get(0)) is not None:
                    text = f"{one_line(session.title)}: {message.preview}"
                    facts = (path, f"message {message.id}", message.time[:19])
                    lines.append(StoreLine(Path(path).name, text, tuple(filter(None, facts)), "", path))
        except (library.OpenError, OSError):
            continue
    return lines


def _finding_line(finding: memory_audit.AuditFinding) -> StoreLine:
    kind = finding.kind.replace("_", " ")
    facts = (f"{kind}, confidence {finding.confidence:.0%}",)
    edit = finding.edit
    text = f"{finding.evidence}\n\n{finding.patch}".strip()
    places = ", ".join(finding.items[:2])
    row = f"{finding.value} · {places}" if places != finding.value else places
    return StoreLine(kind, text, facts, finding.patch, edit.path if edit else "", edit.first if edit else 0, row=row)
