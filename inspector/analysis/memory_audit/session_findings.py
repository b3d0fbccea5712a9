"""Findings that need sessions: what memories cost, unused and broken ones, and rules that are missing."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from inspector.analysis.memory_audit.audit_findings import AuditFinding, Places
from inspector.analysis.memory_audit.loaded_items import AuditedItem, ItemFinder
from inspector.analysis.memory_audit.loaded_memories import loaded_tokens, matcher
from inspector.analysis.memory_audit.made_choices import choices_in
from inspector.analysis.memory_audit.session_trails import Correction, SessionTrail
from inspector.core.text import clip, dollars, one_line, plural
from inspector.engine.facts import content_words, is_negated, sentences_of
from inspector.formats import MemoryStore

_LEAST_TOKENS = 100
"""Minimum size in tokens of a file whose cost is a finding."""
_WEEK = 7
_ALIKE = 0.6
"""Minimum share of the words of two corrections that say the same."""
_SURE, _UNSURE = 0.85, 0.45
"""Confidence in a broken rule whose words the call has, and in another one, which is not listed by default."""
_MAX_PLAIN, _MAX_UNSEEN = 5, 3
"""Maximum number of words of a ban without qualifications, and of those that a call lacks if it shows the breach."""
_PARTS = re.compile(r"[^\W_]+")
_REASON = re.compile(r"[;:—–(.]\s|\b(?:because|since|so that|unless|except|instead|as a)\b")
_STATED = 0.7
"""Minimum share of the words of a correction in a rule that states it."""
_MOST_LISTED = 5
_LEAST_SESSIONS = 2
_LONGEST_TAIL = 8
_LEAST_SHARE = 0.6
"""Minimum share of the compactions after which a file is read again."""


@dataclass(frozen=True)
class Trails:
    """The sessions of an audit, with the stores that they could load."""

    rows: Sequence[SessionTrail]
    stores: Sequence[MemoryStore]
    finder: ItemFinder
    places: Places
    days: int
    """Only sessions of these last days count as uses; 0 for all."""

    @property
    def span(self) -> tuple[str, str]:
        """Start of the first and end of the last session."""
        starts, ends = ([row.start for row in self.rows if row.start], [row.end for row in self.rows if row.end])
        return min(starts, default=""), max(ends, default="")

    @property
    def recent(self) -> Sequence[SessionTrail]:
        """Sessions that count as uses."""
        end = _moment(self.span[1])
        if not self.days or end is None:
            return self.rows
        first = end - timedelta(days=self.days)
        return [row for row in self.rows if (moment := _moment(row.end)) is None or moment >= first]

    def findings(self) -> Iterator[AuditFinding]:
        """Yield the findings of all kinds that need sessions."""
        yield from self.costs()
        yield from self.unused()
        yield from self.broken()
        yield from self.missing()
        yield from self.reread()

    def costs(self) -> Iterator[AuditFinding]:
        """Yield what each file that is always loaded costs, with the sessions and requests that loaded it."""
        start, end = (_moment(text) for text in self.span)
        days = max(_WEEK, (end - start).total_seconds() / 86_400) if start and end else _WEEK
        for store in self.stores:
            tokens = loaded_tokens(store)
            rows = [row for row in self.rows if tokens >= _LEAST_TOKENS and row.loads(store)]
            requests = sum(row.requests for row in rows)
            if not requests:
                continue
            spent = sum(row.requests * tokens * row.dollars for row in rows)
            name = self.places.name(store.path)
            money = f" They cost {dollars(spent)}, {dollars(spent * _WEEK / days)} per week." if spent else ""
            evidence = (
                f"The ~{plural(tokens, 'token')} of {name} are in {plural(requests, 'request')} of "
                f"{plural(len(rows), 'session')}{_dates(rows)}.{money}"
            )
            yield AuditFinding("cost", [name], f"{requests * tokens} tokens", evidence, 0.7)

    def unused(self) -> Iterator[AuditFinding]:
        """Yield items that no recent session loaded or recalled. Items that are always loaded are never unused."""
        rows = self.recent
        if len(rows) < _LEAST_SESSIONS:
            return
        seen = frozenset().union(*(row.seen for row in rows))
        touched = frozenset().union(*(row.touched for row in rows))
        first = min((row.start for row in rows if row.start), default="")
        confidence = min(0.9, 0.5 + 0.05 * len(rows))
        for number, entry in enumerate(self.finder.items):
            is_new = bool(first and entry.item.created[:19] > first[:19])
            if number in seen or is_new or not _may_be_unused(entry, touched):
                continue
            patch, edit = self.places.removal(entry.store, entry.item)
            name = self.places.of(entry.store, entry.item)
            evidence = (
                f"{name} was not {_USES[entry.item.load]} in {plural(len(rows), 'session')}{_dates(rows)}: "
                f"“{clip(one_line(entry.item.text), 80)}”."
            )
            yield AuditFinding(
                "unused", [name], clip(one_line(entry.item.text), 200), evidence, confidence, patch, edit
            )

    def broken(self) -> Iterator[AuditFinding]:
        """Yield the rules that actions broke, each with its sessions and turns."""
        by_item: dict[int, list[tuple[SessionTrail, str, int, str, bool]]] = defaultdict(list)
        for trail in self.rows:
            for row, is_after in trail.breaks:
                by_item[int(row.source)].append((trail, row.item, row.turn, row.evidence, is_after))
        for number, rows in sorted(by_item.items()):
            entry = self.finder.items[number]
            name = self.places.of(entry.store, entry.item)
            listed = "; ".join(
                f"{trail.name} turn {turn}: {clip(one_line(what), 80)}"
                for trail, _, turn, what, _ in rows[:_MOST_LISTED]
            )
            after = sum(is_after for *_, is_after in rows)
            more = f"; {len(rows) - _MOST_LISTED:,} more" if len(rows) > _MOST_LISTED else ""
            where = f", {after:,} of them after a compaction" if any(trail.compactions for trail, *_ in rows) else ""
            evidence = (
                f"{name} “{clip(one_line(rows[0][1]), 80).removesuffix('.')}” was broken "
                f"{plural(len(rows), 'time')}{where}. {listed}{more}."
            )
            turns = [f"{trail.name} turn {turn}" for trail, _, turn, _, _ in rows]
            confidence = _SURE if _is_shown_by(rows[0][1], rows[0][3]) else _UNSURE
            yield AuditFinding("broken", [name, *turns], clip(one_line(rows[0][3]), 200), evidence, confidence)

    def missing(self) -> Iterator[AuditFinding]:
        """Yield the corrections that the user gave in several sessions, and that no rule states."""
        groups: list[list[tuple[str, Correction]]] = []
        for trail in self.rows:
            for correction in trail.corrections:
                group = next((one for one in groups if _say_the_same(one[0][1].text, correction.text)), None)
                if group is None:
                    groups.append([(trail.name, correction)])
                else:
                    group.append((trail.name, correction))
        home = _home_of(self.stores)
        for group in groups:
            sessions = {name for name, _ in group}
            newest = group[-1][1].text
            if len(sessions) < _LEAST_SESSIONS or self.is_stated(newest):
                continue
            patch, edit = self.places.addition(home.path, f"- {one_line(newest)}") if home else ("", None)
            places = [correction.place for _, correction in group]
            evidence = (
                f"The user said it in {plural(len(sessions), 'session')}, and no rule states it: "
                f"“{clip(one_line(newest), 120).removesuffix('.')}” ({', '.join(places[:_MOST_LISTED])})."
            )
            confidence = min(0.9, 0.5 + 0.1 * len(sessions))
            yield AuditFinding("missing", places, clip(one_line(newest), 200), evidence, confidence, patch, edit)

    def is_stated(self, text: str) -> bool:
        """Return True if an item states a correction."""
        words, mine = content_words(text), _choices(text)
        for entry in self.finder.items:
            own = content_words(entry.item.text)
            if words and len(words & own) >= _STATED * len(words):
                return True
            if mine and mine & _choices(entry.item.text):
                return True
        return False

    def reread(self) -> Iterator[AuditFinding]:
        """Yield the files that are read again after most compactions."""
        counts: dict[str, int] = defaultdict(int)
        chances: dict[str, int] = defaultdict(int)
        for row in self.rows:
            for path, count in row.rereads.items():
                counts[path] += count
                chances[path] += row.compactions
        for path in sorted(counts, key=lambda path: (-counts[path], path)):
            if counts[path] < _LEAST_SESSIONS or counts[path] < _LEAST_SHARE * chances[path]:
                continue
            name = self.places.name(path)
            sessions = [row.name for row in self.rows if path in row.rereads]
            evidence = (
                f"{name} was read again after {counts[path]:,} of {plural(chances[path], 'compaction')} in "
                f"{plural(len(sessions), 'session')}. A rule can say what it is read for, or import it."
            )
            yield AuditFinding("missing", sessions, name, evidence, 0.6)


_USES = {"by path": "loaded", "on demand": "read", "recalled": "recalled", "at start": "loaded", "always": "loaded"}


def _may_be_unused(entry: AuditedItem, touched: frozenset[str]) -> bool:
    """Return True if an item is loaded only when it is needed, and no path that loads it was touched."""
    item = entry.item
    if item.load == "by path":
        return not any(_is_for(pattern, path) for pattern in item.about for path in touched)
    if item.load == "on demand":
        end = "/".join(item.path.split("/")[-2:])
        return bool(item.path) and not any(path.endswith(end) for path in touched)
    return item.load == "recalled" and item.kind != "relation"


def _is_for(pattern: str, path: str) -> bool:
    """Return True if a pattern matches a path or an end of it."""
    steps = path.lstrip("/").split("/")
    tails = ("/".join(steps[-size:]) for size in range(1, min(len(steps), _LONGEST_TAIL) + 1))
    return any(map(matcher(pattern), tails))


def _say_the_same(one: str, other: str) -> bool:
    if _choices(one) & _choices(other):
        return True
    mine, others = content_words(one), content_words(other)
    share = len(mine & others) / len(mine | others) if mine | others else 0.0
    return share >= _ALIKE and is_negated(one) == is_negated(other)


def _choices(text: str) -> frozenset[tuple[str, str, frozenset[str]]]:
    """Return what a text chooses: the attribute, and its value, each with the words that narrow it."""
    rows = [row for sentence in sentences_of(text) for row in choices_in(sentence).values()]
    return frozenset((row.name, value, row.topics) for row in rows for value in row.chosen)


def _home_of(stores: Sequence[MemoryStore]) -> MemoryStore | None:
    """Return the rule file that a new rule belongs into: the first that is always loaded."""
    return next((store for store in stores if store.kind == "rule-file" and store.load == "always"), None)


def _dates(rows: Sequence[SessionTrail]) -> str:
    starts, ends = [row.start for row in rows if row.start], [row.end for row in rows if row.end]
    if not starts or not ends:
        return ""
    first, last = min(starts)[:10], max(ends)[:10]
    return f" of {first}" if first == last else f" from {first} to {last}"


def _moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment.replace(tzinfo=None)


def _is_shown_by(rule: str, call: str) -> bool:
    """Return True if a call shows most of what a rule forbids, so that no qualification of it is left to judge."""
    ban = _REASON.split(rule, maxsplit=1)[0]
    words, called = content_words(ban), " ".join(_PARTS.findall(call))
    return len(words) <= _MAX_PLAIN or len(words - content_words(f"{call} {called}")) <= _MAX_UNSEEN
