"""Signs that records of a file were repeated, dropped or moved: their ids, parents, times and numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from inspector.core.conversation import Problem
from inspector.core.text import dumps

_DIGITS = re.compile(r"\d{1,18}\Z")
_NUMBERED_ID = re.compile(r"([A-Za-z]+[-_:]?)(\d{1,6})\Z")
"""An id that ends with the number of its record: `block-12`."""
_MAX_NAMED = 3
"""Number of places that a problem names."""
_MAX_LISTS = 10_000
"""Maximum number of lists that are checked in a file."""
_LISTS = "messages history steps conversation conversations request.messages body.messages"
"""Usual names of lists of records."""


_IDS = "id uuid message_id messageId"
_TIMES = "timestamp created_at createdAt creation_timestamp created ts time"
_NUMBERS = "index message_index step_number step_id step sequence"
"""Usual names of the fields of records of a format that declares none. A number is used if it numbers the records."""
_MIN_NUMBERED = 3
"""Minimum number of records whose numbers can be recognized."""


class RecordOrder(NamedTuple):
    """Fields of a format's records that show where a record was repeated, dropped or moved.

    Each is a list of names, separated by spaces; the first that a record has is used. `info.id` is a field in a field.
    A format that declares none is checked by the usual names, and by whether user and assistant take turns.
    """

    id: str = ""
    """Id of the record. A record with the content of an earlier one is a repetition."""
    parent: str = ""
    """Id of the record that this one follows, which is an earlier one in the file."""
    time: str = ""
    """Time of the record, which is not before that of the last one."""
    number: str = ""
    """Number of the record, which is one more than that of the last one."""
    first: int = 1
    """Maximum number of the first record."""
    lists: str = _LISTS
    """Lists of records in a record. A record without any is itself one of the records. `*` is any field."""
    heads: str = ""
    """Types of records that precede others and have no place among them."""
    skips_repeats: bool = False
    """True if a repeated record with an id, or without a message, does not change the session."""
    calls: bool = True
    """True if the format records each call and its result."""

    @property
    def is_undeclared(self) -> bool:
        """True if no field of the records shows their order."""
        return not (self.id or self.parent or self.time or self.number)


class OrderCheck:
    """Checks the order of the records of a file, as they are read."""

    def __init__(self, order: RecordOrder, is_lines: bool, is_large: bool = False) -> None:
        self.order = order
        self._lists = _paths(order.lists)
        self._list_names = frozenset(path[0] for path in self._lists)
        self._records = _Sequence(order, "line" if is_lines else "element", is_lines=is_lines)
        self._records.print_of = self._print_of = _print_of_text if is_large else _print_of_json
        self._inner: list[_Sequence] = []
        self._last = 0

    def feed(self, record: Any, number: int) -> None:
        """Check the next record, given its number. A record that is read again is ignored."""
        if number <= self._last:
            return
        self._last = number
        if not isinstance(record, dict):
            self._records.feed_damage()
            return
        may_have_lists = "*" in self._list_names or not self._list_names.isdisjoint(record)
        paths = self._lists if may_have_lists else ()
        lists = [(name, entries) for path in paths for name, entries in _lists_at(record, path)]
        for name, entries in lists[: _MAX_LISTS - len(self._inner)]:
            inner = _Sequence(self.order, "element", f" of {name}", line=number if self._records.is_lines else None)
            inner.print_of = self._print_of
            for place, entry in enumerate(entries, 1):
                if isinstance(entry, dict):
                    inner.feed(entry, place)
            self._inner.append(inner)
        self._records.feed(record, number, is_whole=bool(lists))

    def problems(self, known: Container[int | None] = ()) -> list[Problem]:
        """Return the problems found so far, without missing parents of the lines that have a `known` problem."""
        return [problem for sequence in (self._records, *self._inner) for problem in sequence.problems(known)]


class _Sequence:
    """Records that follow each other."""

    def __init__(
        self, order: RecordOrder, noun: str, owner: str = "", *, is_lines: bool = False, line: int | None = None
    ) -> None:
        self.is_lines = is_lines
        self._noun = noun
        self._owner = owner
        self.print_of = _print_of_json
        self._line = line
        self._numbering = _Numbering() if order.is_undeclared else None
        if order.is_undeclared:
            order = order._replace(id=_IDS, time=_TIMES)
        self._id, self._parent, self._time, self._number = map(_Field, order[:4])
        self._first = order.first
        self._heads = order.heads.split()
        self._skips_repeats = order.skips_repeats
        self._prints: dict[int, int] = {}
        """Number of each record with an id or a time, by the hash of its content."""
        self._ids: set[str] = set()
        self._links: list[tuple[int, str]] = []
        """Records that follow one that was not read before."""
        self._last_print = self._last_place = 0
        self._last_time: float | None = None
        self._last_number: int | None = None
        self.repeated: list[tuple[int, int]] = []
        self.early: list[tuple[int, int]] = []
        self.jumps: list[tuple[int, str]] = []

    def feed(self, record: dict[str, Any], place: int, *, is_whole: bool = False) -> None:
        """Check the next record. One that contains the records of a session has no place among others."""
        own = self._id.of(record)
        time = _seconds(self._time.of(record))
        if not self._skips_repeats or (own is None and "message" in record):
            self._note_repeat(record, place, own is not None or time is not None)
        if not is_whole:
            self._note_place(record, place, own, time)
        self._last_place = place

    def feed_damage(self) -> None:
        """Read past a record that cannot be read: the next one is not compared with the last."""
        self._last_place = 0

    def _note_place(self, record: dict[str, Any], place: int, own: Any, time: float | None) -> None:
        """Note a record that is not in the place that its fields give."""
        if isinstance(own, str):
            parent = self._parent.of(record)
            if isinstance(parent, str) and parent and parent not in self._ids:
                self._links.append((place, parent))
            self._ids.add(own)
        if record.get("type") in self._heads:
            return
        if time is not None:
            if self._last_time is not None and time < self._last_time:
                self.early.append((place, self._last_place))
            self._last_time = time
        if self._numbering is not None:
            self._numbering.feed(record, place, own)
        number = _whole_number(self._number.of(record))
        if number is not None:
            self.jumps += _jump(place, number, self._last_number, self._first)
            self._last_number = number

    def _note_repeat(self, record: dict[str, Any], place: int, is_distinct: bool) -> None:
        """Note a record that is the same as the last one, or as any earlier one if records are distinct."""
        print_ = self.print_of(record)
        first = self._prints.setdefault(print_, place) if is_distinct else place
        if first != place or (self._last_print == print_ and self._last_place):
            self.repeated.append((place, first if first != place else self._last_place))
        self._last_print = print_

    def problems(self, known: Container[int | None]) -> Iterator[Problem]:
        lost = [(place, name) for place, name in self._links if name not in self._ids and place not in known]
        later = [(place, name) for place, name in self._links if name in self._ids]
        yield from self._problem(self.repeated, lambda first: f"repeats {self._noun} {first:,}")
        jumps = self._numbering.jumps(self._first) if self._numbering else self.jumps
        yield from self._problem(jumps, lambda words: f"is out of order: {words}")
        yield from self._problem(lost, lambda _: "follows a record that is not in the file")
        yield from self._problem(later, lambda _: "is before the record that it follows")
        yield from self._problem(self.early, lambda last: f"is earlier than {self._noun} {last:,} before it")

    def _problem(self, places: Sequence[tuple[int, Any]], describe: Callable[[Any], str]) -> Iterator[Problem]:
        """Yield a problem about the first of some places, with the numbers of others."""
        if not places:
            return
        (first, fact), *others = places
        text = f"{'this line' if self.is_lines else f'{self._noun} {first:,}{self._owner}'} {describe(fact)}"
        if others:
            numbers = ", ".join(f"{place:,}" for place, _ in others[: _MAX_NAMED - 1])
            more = len(others) - _MAX_NAMED + 1
            text += f", and so are {numbers}" + (f" and {more:,} more" if more > 0 else "")
        yield Problem(text, first if self.is_lines else self._line)


class _Field:
    """A field of records that can have several names, of which the first that a record has is used."""

    def __init__(self, names: str) -> None:
        self._paths = _paths(names)
        self._starts = frozenset(path[0] for path in self._paths)

    def of(self, record: dict[str, Any]) -> Any:
        """Return the value of the field, or None."""
        if self._starts.isdisjoint(record):
            return None
        return next((value for path in self._paths if (value := _at(record, path)) is not None), None)


def _at(record: Any, path: Sequence[str]) -> Any:
    for name in path:
        record = record.get(name) if isinstance(record, dict) else None
    return record


class _Numbering:
    """Numbers of records that no format declares: in a field of a usual name, or at the end of ids."""

    def __init__(self) -> None:
        self._numbers: dict[str, list[tuple[int, int]]] = {}
        """Places and numbers of records by the name of the field, or by the beginning of the id."""

    def feed(self, record: dict[str, Any], place: int, own: Any) -> None:
        """Note the numbers of a record with an id, if it has any."""
        for name in _NUMBER_NAMES.intersection(record):
            if type(record[name]) is int:
                self._numbers.setdefault(name, []).append((place, record[name]))
        if isinstance(own, str) and (numbered := _NUMBERED_ID.match(own)):
            self._numbers.setdefault(f"{numbered[1]}0", []).append((place, int(numbered[2])))

    def jumps(self, first: int) -> list[tuple[int, str]]:
        """Return the places that do not follow the last one, by the first numbers that number the records."""
        for places in self._numbers.values():
            if _numbers_records([number for _, number in places]):
                pairs = zip([None, *(number for _, number in places)], places, strict=False)
                return [jump for last, (place, number) in pairs for jump in _jump(place, number, last, first)]
        return []


_NUMBER_NAMES = frozenset(_NUMBERS.split())


def _numbers_records(numbers: Sequence[int]) -> bool:
    """Return True if some numbers are those of records: nearly all from the first to the last, hardly any twice."""
    size = len(numbers)
    span, slack = max(numbers) - min(numbers) + 1, size // 10 + 1
    return size >= _MIN_NUMBERED and span <= size + slack and len(set(numbers)) >= size - slack and min(numbers) >= 0


def _print_of_json(record: dict[str, Any]) -> int:
    return hash(dumps(record))


def _print_of_text(record: dict[str, Any]) -> int:
    """Return the hash of a large record, for whose texts the writer of JSON would reserve eight times their memory."""
    try:
        return hash(repr(record))
    except RecursionError:
        return _print_of_json(record)


def _jump(place: int, number: int, last: int | None, first: int) -> Iterable[tuple[int, str]]:
    """Return the place of a record whose number does not follow the last one, with the reason, or nothing."""
    if last is None:
        return [(place, f"number {number:,} is the first")] if number > first else []
    return [(place, f"number {number:,} follows {last:,}")] if number != last + 1 else []


def _paths(names: str) -> list[list[str]]:
    return [name.split(".") for name in names.split()]


def _lists_at(value: Any, path: Sequence[str], name: str = "") -> Iterator[tuple[str, list[Any]]]:
    """Yield the lists at a path, with the name of each. The path leads through the elements of other lists."""
    if not path:
        yield from [(name, value)] if isinstance(value, list) else ()
    elif isinstance(value, list):
        for element in value:
            yield from _lists_at(element, path, name)
    elif isinstance(value, dict):
        for key in value if path[0] == "*" else path[:1]:
            yield from _lists_at(value.get(key), path[1:], key)


def _whole_number(value: Any) -> int | None:
    """Return an integer, or the digits at the end of a text: 3 for "D1:3". Return None for other values."""
    if isinstance(value, str) and (digits := _DIGITS.search(value)):
        return int(digits[0])
    return value if type(value) is int else None


_NO_TIME = 1e300
"""Limit of the numbers that can be times, in any unit."""


def _seconds(value: Any) -> float | None:
    """Return a time, as ISO text or a number, as Unix time in seconds. Return None for other values."""
    if isinstance(value, str):
        try:
            time = datetime.fromisoformat(value)
        except ValueError:
            return None
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < _NO_TIME:
        return None
    while value > 1e11:
        value /= 1000
    return float(value)
