"""How well facts are found on sessions that nobody tuned the patterns on.

    python -m tests.benchmarks.facts_apart --data FOLDER                    # the open half
    python -m tests.benchmarks.facts_apart --data FOLDER --misses constraint    # its cases, for whoever tunes
    python -m tests.benchmarks.facts_apart --data FOLDER --half locked --final  # the other half: figures only

The labels (`facts_apart.json`) hold no text: where a message stands in a file, the hashes of both, and from which
character to which each fact goes. The recordings lie elsewhere, in any folder, which FACTS_DATA may name as well: files
are found by their hash. `docs/labelling.md` says what was labelled as what, and what counts as found.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspector.analysis.replay import Rate
from inspector.engine.facts.classes import NAMES
from inspector.engine.facts.extraction import Fact, extract
from tests.benchmarks.facts import SENTENCES, names_same, overlaps, plain, words
from tests.benchmarks.facts_places import (
    ANY,
    ChangedError,
    Label,
    LabelSet,
    Place,
    Records,
    Span,
    find_files,
    message_of,
    read_labels,
    sha256_of,
    text_of,
)


@dataclass(frozen=True)
class Finding:
    """A fact that was extracted, with the places where its words stand in the text."""

    cls: str
    text: str
    spans: tuple[Span, ...]
    place: int
    """Where the extractor says that it stands first; -1 where this is not an offset in the same text."""


def locate(fact: Fact, text: str, *, same_text: bool) -> Finding:
    """A fact with its places; where the text writes it in another way, the one that the extractor tells."""
    sentence = fact.cls in SENTENCES
    pattern = r"[\W_]+".join(map(re.escape, re.findall(r"\w+", fact.text))) if sentence else re.escape(fact.text)
    before = r"(?<!\w)" if re.match(r"\w", fact.text) else ""
    after = r"(?!\w)" if re.search(r"\w$", fact.text) else ""
    if fact.cls == "quote":
        before = r"(?<=[\"'`“‘«„])"
    spans = [match.span() for match in re.finditer(before + pattern + after, text)] if pattern else []
    place = fact.place if same_text else -1
    if place >= 0 and not spans:
        spans = [(place, place + len(fact.text))]
    return Finding(fact.cls, fact.text, tuple(spans), place)


def overlap(one: Span, other: Span) -> int:
    """How many characters two stretches share."""
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))


def numbers(text: str) -> set[float]:
    """The numbers in a text, without their signs."""
    scale = 1_000_000 if "million" in text else 1
    return {round(float(each.replace(",", "")) * scale, 6) for each in re.findall(r"\d[\d,]*(?:\.\d+)?", text)}


MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH = re.compile(rf"\b({'|'.join(MONTHS)})[a-z]*\b", re.IGNORECASE)


def calendar(text: str) -> set[int]:
    """The numbers of a day or a time, months among them."""
    in_numbers = MONTH.sub(lambda match: f" {MONTHS.index(match[1].lower()) + 1} ", text)
    return set(map(int, re.findall(r"\d+", in_numbers)))


def is_same_day(one: set[int], other: set[int]) -> bool:
    """Whether two days or times can be the same: one may say more than the other, the year or the time."""
    return min(len(one), len(other)) >= 2 and (one <= other or other <= one)


def is_same(label: Label, text: str, finding: Finding) -> bool:
    """Whether a fact is the one that a label means; `text` is that of the message."""
    if finding.cls not in label.classes:
        return False
    start, end = label.span
    meant = text[start:end]
    if finding.cls in SENTENCES:
        if not finding.spans:
            return overlaps(words(meant), words(finding.text))
        return any(overlap(label.span, span) >= 0.5 * min(end - start, span[1] - span[0]) for span in finding.spans)
    touches = any(overlap(label.span, span) for span in finding.spans)
    if finding.cls in ("number", "amount"):
        return bool(numbers(meant) & numbers(finding.text)) and (touches or names_same(meant, finding.text))
    if finding.cls == "date":
        return touches or is_same_day(calendar(meant), calendar(finding.text))
    one, other = plain(meant), plain(finding.text)
    if one == other:
        return True
    return touches and (one in other or other in one) and 2 * min(len(one), len(other)) >= max(len(one), len(other))


def is_excused(label: Label, text: str, finding: Finding) -> bool:
    """Whether a fact lies where an optional label leaves it open."""
    if label.classes != (ANY,) and finding.cls not in label.classes:
        return False
    if any(overlap(label.span, span) >= 0.5 * (span[1] - span[0]) for span in finding.spans):
        return True
    return label.classes != (ANY,) and is_same(label, text, finding)


@dataclass
class Score:
    """What was counted of one class, and its cases."""

    hits: int = 0
    """Labels that were found."""
    misses: list[str] = field(default_factory=list)
    right: int = 0
    """Facts that a label means; several may mean one."""
    inventions: list[str] = field(default_factory=list)

    @property
    def labels(self) -> int:
        return self.hits + len(self.misses)

    @property
    def findings(self) -> int:
        return self.right + len(self.inventions)

    def add(self, other: Score) -> None:
        self.hits += other.hits
        self.right += other.right
        self.misses += other.misses
        self.inventions += other.inventions


def judge(place: Place, value: Any, scores: Mapping[str, Score]) -> None:
    """Counts what is found in one message and what is missed. Raises ChangedError where its text is another."""
    text = text_of(value)
    if sha256_of(text) != place.sha256:
        raise ChangedError(f"the text at {place.record} {list(place.pointer)} is not the one that was labelled")
    message = message_of(place.slot, value)
    findings = [locate(fact, text, same_text=message.text == text) for fact in extract(message)]
    required = [label for label in place.labels if not label.optional]
    for label in required:
        score = scores[label.classes[0]]
        if any(is_same(label, text, finding) for finding in findings):
            score.hits += 1
        else:
            score.misses.append(text[slice(*label.span)])
    for finding in findings:
        if any(is_same(label, text, finding) for label in required):
            scores[finding.cls].right += 1
        elif is_in(place.window, finding, len(text)) and not any(
            is_excused(label, text, finding) for label in place.labels if label.optional
        ):
            scores[finding.cls].inventions.append(finding.text)


def is_in(window: Span, finding: Finding, length: int) -> bool:
    """Whether a fact stands in the window; one without a place does where the window is the whole message."""
    if finding.place < 0 and not finding.spans:
        return window == (0, length)
    starts_there = finding.place < 0 or window[0] <= finding.place < window[1]
    return starts_there and any(overlap(window, span) for span in finding.spans)


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


def share_in_words(hits: int, count: int) -> str:
    low, high = Rate(hits, count).interval
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
    recall, precision = share_in_words(score.hits, score.labels), share_in_words(score.right, score.findings)
    return f"{name:12}{score.labels:>8}{recall:>19}{score.findings:>9}{precision:>19}"


def absences(labels: LabelSet, places: Sequence[Place], files: Mapping[str, Path]) -> Iterator[str]:
    """What is not there of the files that the places are in."""
    gone = {place.file for place in places} - files.keys()
    for sha256 in sorted(gone):
        recording = labels.recordings[sha256]
        count = sum(place.file == sha256 for place in places)
        yield f"not there: {recording.kind} recording {sha256[:16]} ({recording.size:,} bytes, {count} messages)"


def arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Precision and recall of facts on the labels that are kept apart.")
    folders = [Path(each) for each in os.environ.get("FACTS_DATA", "").split(os.pathsep) if each]
    parser.add_argument("--data", type=Path, action="append", default=folders, help="a folder with the recordings")
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
            print(f"\n{name}", *(f"  missed   {each!r}" for each in score.misses), sep="\n")
            print(*(f"  made up  {each!r}" for each in score.inventions), sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
