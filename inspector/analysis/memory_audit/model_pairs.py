"""Findings in the answer of a model that compared rules."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from inspector.analysis.memory_audit.audit_findings import AuditFinding, AuditKind, Places
from inspector.analysis.memory_audit.auditing import MemoryAudit
from inspector.analysis.memory_audit.contradicting_items import ContradictingPair, contradiction_finding
from inspector.analysis.memory_audit.duplicate_items import duplicate_finding
from inspector.analysis.memory_audit.loaded_items import AuditedItem, same_owner
from inspector.analysis.memory_audit.numbered_rules import MAX_PAIRS, RuleList
from inspector.core.text import clip, lazy_pattern, loads, one_line, without_controls
from inspector.engine.facts import sentences_of

_CONFIDENCE = 0.6
"""Confidence of a finding by a model. No second model checks it."""
_WORD = lazy_pattern(r"\w+")
_LEFT_OUT = lazy_pattern(r"\.{3}|…")
_MAX_REASON, _MAX_VALUE = 200, 120
_KINDS = frozenset(("contradiction", "duplicate"))
_MAX_ANSWER = 200_000


class AnswerError(ValueError):
    """An answer is not in the form that was asked for. The message is one sentence."""


class ModelPair(NamedTuple):
    """Two rules that a model named."""

    kind: AuditKind
    entries: tuple[AuditedItem, AuditedItem]
    quotes: tuple[str, str]
    """Words of each rule, as they are in the list."""
    reason: str


def pairs_in(answer: str, rules: RuleList) -> tuple[list[ModelPair], int]:
    """Return the valid pairs of an answer, and the number of invalid ones.

    A pair is valid if it names two rules of the list by their numbers and quotes words of each, and if both can be
    loaded for the same work.

    Args:
        answer: The model's answer.
        rules: The list that it was about.

    Raises:
        AnswerError: It is not the JSON that was asked for.
    """
    rows = _rows_in(answer)
    pairs: dict[frozenset[int], ModelPair | None] = {}
    invalid = max(0, len(rows) - MAX_PAIRS)
    for row in rows[:MAX_PAIRS]:
        numbers, pair = _pair_of(row, rules)
        if pair is None:
            invalid += 1
        else:
            pairs.setdefault(frozenset(numbers), pair)
    return [pair for pair in pairs.values() if pair], invalid


def _rows_in(answer: str) -> Sequence[Any]:
    start, end = answer.find("{"), answer.rfind("}")
    try:
        value = loads(answer[start : end + 1]) if 0 <= start < end and len(answer) <= _MAX_ANSWER else None
    except ValueError:
        value = None
    rows = value.get("pairs") if isinstance(value, dict) else None
    if not isinstance(rows, list):
        raise AnswerError("The model's answer is not the JSON that was asked for.")
    return rows


def _pair_of(row: Any, rules: RuleList) -> tuple[Sequence[int], ModelPair | None]:
    """Return the numbers and the pair of a row; no pair if it is invalid."""
    row = row if isinstance(row, dict) else {}
    numbers, quotes, kind, reason = (row.get(name) for name in ("rules", "quotes", "kind", "reason"))
    if not (_is_two(numbers, int) and _is_two(quotes, str) and isinstance(reason, str)):
        return (), None
    one, other = map(rules.entries.get, numbers)
    if kind not in _KINDS or one is None or other is None or not _can_meet(one, other):
        return (), None
    parts = [_quoted_part(quote, rules.sent[number]) for quote, number in zip(quotes, numbers, strict=True)]
    if not all(parts):
        return (), None
    first = next(sentences_of(one_line(without_controls(reason))), "")
    return numbers, ModelPair(kind, (one, other), (parts[0], parts[1]), clip(first.rstrip("."), _MAX_REASON))


def _is_two(value: Any, kind: type) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(type(one) is kind for one in value)


def _quoted_part(quote: str, text: str) -> str:
    """Return the part of a text with the words of a quote, in which parts may be left out; "" if it is not there."""
    words = [(match[0].lower(), match.start(), match.end()) for match in _WORD.finditer(text)]
    place, first = 0, -1
    for piece in _LEFT_OUT.split(quote):
        sought = [match[0].lower() for match in _WORD.finditer(piece)]
        last = len(words) - len(sought)
        starts = range(place, last + 1)
        begin = next((at for at in starts if [word for word, *_ in words[at : at + len(sought)]] == sought), None)
        if begin is None:
            return ""
        first = begin if first < 0 and sought else first
        place = begin + len(sought)
    return text[words[first][1] : words[place - 1][2]] if first >= 0 else ""


def _can_meet(one: AuditedItem, other: AuditedItem) -> bool:
    """Return True if two items can be loaded for the same work, and are of one user."""
    if (one.store.path, one.item.id, one.item.line) == (other.store.path, other.item.id, other.item.line):
        return False
    if one.item.about and other.item.about and one.item.about != other.item.about:
        return False
    return (one.is_rule and other.is_rule) or same_owner(one, other) or "notes" in (one.store.kind, other.store.kind)


def model_findings(
    pairs: Sequence[ModelPair], audit: MemoryAudit, model: str, known: Callable[[AuditedItem, AuditedItem], bool]
) -> Iterator[AuditFinding]:
    """Yield the findings of a model that the audit does not have yet.

    Args:
        pairs: Pairs that the model named.
        audit: The audit.
        model: Name of the model.
        known: True for two items of which there is a finding.
    """
    for pair in pairs:
        one, other = pair.entries
        if known(one, other):
            continue
        finding = _finding_of_pair(pair, audit.places)
        reason = f" Its reason: “{pair.reason}”." if pair.reason else ""
        evidence = f"According to {model}, {finding.evidence}{reason}"
        yield replace(finding, evidence=evidence, model=model)


def _finding_of_pair(pair: ModelPair, places: Places) -> AuditFinding:
    one, other = pair.entries
    if pair.kind == "duplicate":
        return duplicate_finding([one, other], places, _CONFIDENCE, "say the same")
    value = " / ".join(clip(quote, _MAX_VALUE) for quote in pair.quotes)
    return contradiction_finding(one, other, places, ContradictingPair(0, 0, value, _CONFIDENCE, pair.quotes))


class KnownPairs:
    """The pairs of items of which an audit has a finding."""

    def __init__(self, audit: MemoryAudit) -> None:
        self._places = audit.places
        self._findings: Mapping[str, set[int]] = defaultdict(set)
        for number, finding in enumerate(audit.findings):
            if finding.kind in ("duplicate", "contradiction"):
                for name in finding.items:
                    self._findings[name].add(number)

    def __call__(self, one: AuditedItem, other: AuditedItem) -> bool:
        """Return True if one finding concerns both items."""
        own, more = (self._findings.get(self._places.of(entry.store, entry.item), ()) for entry in (one, other))
        return not frozenset(own).isdisjoint(more)
