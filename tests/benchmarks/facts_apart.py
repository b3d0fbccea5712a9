"""How well facts are found on sessions that nobody tuned the patterns on.

    python -m tests.benchmarks.facts_apart --data FOLDER                    # the open half
    python -m tests.benchmarks.facts_apart --data FOLDER --misses constraint    # its cases, for whoever tunes
    python -m tests.benchmarks.facts_apart --data FOLDER --half locked --final  # the other half: figures only

The labels (`facts_apart.json`) hold no text: where a message stands in a file, the hashes of both, and from which
character to which each fact goes. The recordings lie elsewhere, in any folder, which FACTS_DATA may name as well: files
are found by their hash. `docs/facts.md` says what was labelled as what, and what counts as found.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import sqrt
from pathlib import Path
from typing import Any

import orjson

from inspector.conversation import Message
from inspector.facts.classes import NAMES
from inspector.facts.extraction import Fact, extract
from inspector.providers import message_from_raw
from tests.benchmarks.facts import SENTENCES, overlaps, plain, words

LABELS = Path(__file__).with_name("facts_apart.json")
ANY = "any"
"""The class of an optional label that excuses a fact of any class."""
Span = tuple[int, int]


@dataclass(frozen=True)
class Label:
    """A stretch of a message that is a fact; of an optional one it is not said whether it is."""

    classes: tuple[str, ...]
    """Usually one. Where readers may differ between several, any of them is right; it is counted as the first."""
    span: Span
    optional: bool


@dataclass(frozen=True)
class Place:
    """Where a labelled message stands, and what is labelled in it."""

    file: str
    """The sha256 of the recording."""
    record: int
    """The line of the file, from 0; -1 where the file is one JSON value."""
    pointer: tuple[str | int, ...]
    """Keys and indexes from the record to the text, or to the call of a tool."""
    slot: str
    sha256: str
    half: str
    window: Span
    """What of the message was read and labelled."""
    labels: tuple[Label, ...]


@dataclass(frozen=True)
class Recording:
    """A file that labels are about."""

    sha256: str
    size: int
    kind: str


@dataclass(frozen=True)
class LabelSet:
    recordings: Mapping[str, Recording]
    places: Sequence[Place]

    def half(self, name: str) -> list[Place]:
        return [place for place in self.places if place.half == name]


def read_labels(path: Path = LABELS) -> LabelSet:
    """The labels in a file."""
    content = orjson.loads(path.read_bytes())
    recordings = [Recording(each["sha256"], each["bytes"], each["kind"]) for each in content["files"]]
    places = [
        Place(
            recordings[each["file"]].sha256,
            each["record"],
            tuple(each["at"]),
            each["slot"],
            each["sha256"],
            each["half"],
            (each["window"][0], each["window"][1]),
            tuple(labels_of(each["facts"])),
        )
        for each in content["messages"]
    ]
    return LabelSet({recording.sha256: recording for recording in recordings}, places)


def labels_of(facts: Mapping[str, Sequence[Sequence[int]]]) -> Iterator[Label]:
    """Labels as they are written: `{"path": [[3, 9]], "?number|hash": [[12, 14]]}`, optional ones with a `?`."""
    for classes, spans in facts.items():
        for start, end in spans:
            yield Label(tuple(classes.removeprefix("?").split("|")), (start, end), classes.startswith("?"))


def find_files(folders: Iterable[Path], recordings: Mapping[str, Recording]) -> dict[str, Path]:
    """The files under the folders whose size and sha256 are those of a recording, by sha256."""
    sizes = {recording.size for recording in recordings.values()}
    files: dict[str, Path] = {}
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.stat().st_size in sizes:
                sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
                if sha256 in recordings:
                    files.setdefault(sha256, path)
    return files


class ChangedError(Exception):
    """A file holds something else where a label says that a message stands."""


@dataclass
class Records:
    """The JSON values of a recording."""

    path: Path

    @cached_property
    def whole(self) -> Any:
        return orjson.loads(self.path.read_bytes())

    @cached_property
    def lines(self) -> list[bytes]:
        return self.path.read_bytes().split(b"\n")

    def value(self, place: Place) -> Any:
        """What the pointer of a place leads to. Raises ChangedError."""
        try:
            value = self.whole if place.record < 0 else orjson.loads(self.lines[place.record])
            for step in place.pointer:
                value = value[step]
        except (LookupError, TypeError, ValueError) as error:
            raise ChangedError(f"{self.path}: nothing at {place.record} {list(place.pointer)}") from error
        return value


@dataclass(frozen=True)
class Call:
    name: str
    arguments: Mapping[str, Any]


def call_of(value: Mapping[str, Any]) -> Call:
    """The call that a recording writes in one of the usual ways."""
    function = value.get("function")
    inner: Mapping[str, Any] = function if isinstance(function, dict) else {}
    name = value.get("name") or value.get("toolName") or inner.get("name") or function
    arguments = next((value[key] for key in ("input", "arguments", "args") if key in value), inner.get("arguments", {}))
    if isinstance(arguments, str):
        try:
            arguments = orjson.loads(arguments)
        except ValueError:
            arguments = {"input": arguments}
    return Call(str(name), arguments if isinstance(arguments, dict) else {"input": arguments})


def text_of(value: Any) -> str:
    """The text that offsets are counted in: of a call its name and then a line for each argument."""
    if isinstance(value, str):
        return value
    call = call_of(value)
    lines = (f"{key}: {one if isinstance(one, str) else spaced(one)}" for key, one in call.arguments.items())
    return "\n".join([call.name, *lines])


def spaced(value: Any) -> str:
    """JSON with a space after each comma and colon, as it was labelled in."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{spaced(key)}: {spaced(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(spaced, value)) + "]"
    return orjson.dumps(value).decode()


def sha256_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def message_of(slot: str, value: Any) -> Message:
    """A message with the value as its content, in the role that the slot names."""
    if not isinstance(value, str):
        call = call_of(value)
        function = {"name": call.name, "arguments": orjson.dumps(call.arguments).decode()}
        calls = [{"id": "call", "type": "function", "function": function}]
        return message_from_raw("m", {"role": "assistant", "content": None, "tool_calls": calls}, "openai")
    if slot in ("result", "failed"):
        result = {"type": "tool_result", "tool_use_id": "call", "content": value, "is_error": slot == "failed"}
        return message_from_raw("m", {"role": "user", "content": [result]}, "anthropic")
    role = {"system": "system", "said": "assistant"}.get(slot, "user")
    return message_from_raw("m", {"role": role, "content": value}, "openai")


@dataclass(frozen=True)
class Found:
    """A fact that was extracted, with the places where its words stand in the text."""

    cls: str
    text: str
    spans: tuple[Span, ...]


def located(fact: Fact, text: str, *, same_text: bool) -> Found:
    """A fact with its places; none where the text writes it in another way."""
    parts = re.findall(r"\w+", fact.text) if fact.cls in SENTENCES else [fact.text]
    between = r"[\W_]+" if fact.cls in SENTENCES else ""
    pattern = between.join(map(re.escape, parts))
    spans = [match.span() for match in re.finditer(pattern, text)] if pattern else []
    if same_text and fact.place >= 0 and not spans:
        spans = [(fact.place, fact.place + len(fact.text))]
    return Found(fact.cls, fact.text, tuple(spans))


def shared(one: Span, other: Span) -> int:
    """How many characters two stretches share."""
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))


def numbers(text: str) -> set[float]:
    """The numbers in a text, without their signs."""
    scale = 1_000_000 if "million" in text else 1
    return {round(float(each.replace(",", "")) * scale, 6) for each in re.findall(r"\d[\d,]*(?:\.\d+)?", text)}


def names(text: str) -> set[str]:
    return {word.rstrip("s") for word in re.findall(r"[^\W\d_]+|%", text.lower())}


def is_same(label: Label, text: str, found: Found) -> bool:
    """Whether a fact is the one that a label means; `text` is that of the message."""
    if found.cls not in label.classes:
        return False
    start, end = label.span
    meant = text[start:end]
    if found.cls in SENTENCES:
        if not found.spans:
            return overlaps(words(meant), words(found.text))
        return any(shared(label.span, span) >= 0.5 * min(end - start, span[1] - span[0]) for span in found.spans)
    touches = any(shared(label.span, span) for span in found.spans)
    if found.cls in ("number", "money"):
        return bool(numbers(meant) & numbers(found.text)) and (touches or bool(names(meant) & names(found.text)))
    one, other = plain(meant), plain(found.text)
    if one == other or (found.cls == "date" and touches):
        return True
    return touches and (one in other or other in one) and 2 * min(len(one), len(other)) >= max(len(one), len(other))


def is_excused(label: Label, text: str, found: Found) -> bool:
    """Whether a fact lies where an optional label leaves it open."""
    if label.classes != (ANY,) and found.cls not in label.classes:
        return False
    if any(shared(label.span, span) >= 0.5 * (span[1] - span[0]) for span in found.spans):
        return True
    return label.classes != (ANY,) and is_same(label, text, found)


@dataclass
class Score:
    """What was counted of one class, and its cases."""

    hits: int = 0
    """Labels that were found."""
    missed: list[str] = field(default_factory=list)
    right: int = 0
    """Facts that a label means; several may mean one."""
    made_up: list[str] = field(default_factory=list)

    @property
    def labels(self) -> int:
        return self.hits + len(self.missed)

    @property
    def judged(self) -> int:
        return self.right + len(self.made_up)

    def add(self, other: Score) -> None:
        self.hits += other.hits
        self.right += other.right
        self.missed += other.missed
        self.made_up += other.made_up


def judge(place: Place, value: Any, scores: Mapping[str, Score]) -> None:
    """Counts what is found in one message and what is missed. Raises ChangedError where its text is another."""
    text = text_of(value)
    if sha256_of(text) != place.sha256:
        raise ChangedError(f"the text at {place.record} {list(place.pointer)} is not the one that was labelled")
    message = message_of(place.slot, value)
    everything = [located(fact, text, same_text=message.text == text) for fact in extract(message)]
    required = [label for label in place.labels if not label.optional]
    for label in required:
        score = scores[label.classes[0]]
        if any(is_same(label, text, found) for found in everything):
            score.hits += 1
        else:
            score.missed.append(text[slice(*label.span)])
    for found in everything:
        if any(is_same(label, text, found) for label in required):
            scores[found.cls].right += 1
        elif is_in(place.window, found, len(text)) and not any(
            is_excused(label, text, found) for label in place.labels if label.optional
        ):
            scores[found.cls].made_up.append(found.text)


def is_in(window: Span, found: Found, length: int) -> bool:
    """Whether a fact lies in the window; one without a place does where the window is the whole message."""
    if not found.spans:
        return window == (0, length)
    return any(shared(window, span) for span in found.spans)


def judge_all(places: Iterable[Place], files: Mapping[str, Path]) -> tuple[dict[str, Score], list[str]]:
    """What was counted in the messages whose files are there, by class, and what could not be read of these."""
    scores = {name: Score() for name in NAMES}
    records = {sha256: Records(path) for sha256, path in files.items()}
    problems = []
    for place in places:
        if place.file in records:
            try:
                judge(place, records[place.file].value(place), {str(name): score for name, score in scores.items()})
            except ChangedError as error:
                problems.append(str(error))
    return {str(name): score for name, score in scores.items()}, problems


def wilson(hits: int, count: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's interval for a share, of 95 % unless told otherwise; from 0 to 1 where nothing was counted."""
    if not count:
        return 0.0, 1.0
    share, square = hits / count, z * z
    middle = (share + square / (2 * count)) / (1 + square / count)
    reach = z * sqrt(share * (1 - share) / count + square / (4 * count * count)) / (1 + square / count)
    return max(0.0, middle - reach), min(1.0, middle + reach)


def share_in_words(hits: int, count: int) -> str:
    low, high = wilson(hits, count)
    return f"{hits / count:.2f} ({low:.2f}-{high:.2f})" if count else "-"


def table(scores: Mapping[str, Score]) -> Iterator[str]:
    """Precision and recall with their intervals, a line for each class, and one for all."""
    yield f"{'class':12}{'labels':>8}{'recall':>19}{'judged':>9}{'precision':>19}"
    total = Score()
    for name, score in scores.items():
        yield row(name, score)
        total.add(score)
    yield row("all", total)


def row(name: str, score: Score) -> str:
    recall, precision = share_in_words(score.hits, score.labels), share_in_words(score.right, score.judged)
    return f"{name:12}{score.labels:>8}{recall:>19}{score.judged:>9}{precision:>19}"


def absences(labels: LabelSet, places: Sequence[Place], files: Mapping[str, Path]) -> Iterator[str]:
    """What is not there of the files that the places are in."""
    gone = {place.file for place in places} - files.keys()
    for sha256 in sorted(gone):
        recording = labels.recordings[sha256]
        count = sum(place.file == sha256 for place in places)
        yield f"not there: {recording.kind} recording {sha256[:16]} ({recording.size:,} bytes, {count} messages)"


def arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Precision and recall of facts on the labels that are kept apart.")
    known = [Path(each) for each in os.environ.get("FACTS_DATA", "").split(os.pathsep) if each]
    parser.add_argument("--data", type=Path, action="append", default=known, help="a folder with the recordings")
    parser.add_argument("--half", choices=("open", "locked"), default="open")
    parser.add_argument("--final", action="store_true", help="show the figures of the locked half")
    parser.add_argument("--misses", metavar="CLASS", choices=(*NAMES, "all"), help="show the cases of the open half")
    options = parser.parse_args(words)
    if not options.data:
        parser.error("say with --data or FACTS_DATA in which folder the recordings are")
    if options.half == "locked" and not options.final:
        parser.error("the locked half is for the final figure: ask for it with --final, and tune on the open half")
    if options.half == "locked" and options.misses:
        parser.error("cases of the locked half are not shown: they would be tuned on")
    return options


def main(words: Sequence[str] | None = None) -> int:
    options = arguments(words)
    labels = read_labels()
    places = labels.half(options.half)
    files = find_files(options.data, labels.recordings)
    print("\n".join(absences(labels, places, files)), file=sys.stderr)
    here = [place for place in places if place.file in files]
    if not here:
        print("none of the labelled recordings is there", file=sys.stderr)
        return 1
    scores, problems = judge_all(here, files)
    print("\n".join(problems), file=sys.stderr)
    count = sum(score.labels for score in scores.values())
    print(f"{options.half} half: {count} facts labelled in {len(here) - len(problems)} messages\n")
    print("\n".join(table(scores)))
    for name, score in scores.items():
        if options.misses in (name, "all"):
            print(f"\n{name}", *(f"  missed   {each!r}" for each in score.missed), sep="\n")
            print(*(f"  made up  {each!r}" for each in score.made_up), sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
