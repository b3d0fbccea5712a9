"""Precision and recall of sentence classes on labelled sentences, and the examples that the model is fitted with.

    python -m tests.benchmarks.sentence_labels --data FOLDER                # the open half
    python -m tests.benchmarks.sentence_labels --data FOLDER --half locked  # figures only

`sentence_labels.json` contains no text: hashes of recordings, positions of messages, offsets and classes.
`docs/labelling.md` says how the sentences were drawn and labelled.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from inspector.analysis.replay import Rate
from inspector.core.conversation import Message
from inspector.engine.facts.classes import SentenceClass, Source
from inspector.engine.facts.classify import clean
from inspector.engine.facts.extraction import extract
from inspector.engine.facts.sentence_facts import ruled_sentences, source_of
from inspector.formats import load
from tests.benchmarks.facts_apart import locate

LABELS = Path(__file__).with_suffix(".json")
NAMES: dict[str, SentenceClass] = {"c": "constraint", "d": "decision", "t": "task", "e": "error"}
Span = tuple[int, int]


class Sentence(NamedTuple):
    """A labelled sentence: any class of each alternative in `required` is right, one in `optional` is not judged."""

    span: Span
    required: tuple[frozenset[SentenceClass], ...]
    optional: frozenset[SentenceClass]


class Labelled(NamedTuple):
    """A message with labelled sentences."""

    file: str
    message: Message
    sentences: tuple[Sentence, ...]


@dataclass
class Tally:
    """Counts of one class, or of all."""

    found: Counter[bool] = field(default_factory=Counter)
    """Found facts, by whether they are right."""
    labelled: Counter[bool] = field(default_factory=Counter)
    """Labelled sentences, by whether they were found."""


def parsed(start: int, end: int, classes: str) -> Sentence:
    """Return a sentence from its offsets and its classes, such as "c/t ?d"."""
    words = classes.split()
    required = tuple(frozenset(NAMES[one] for one in word.split("/")) for word in words if word[0] != "?")
    return Sentence((start, end), required, frozenset(NAMES[word[1]] for word in words if word[0] == "?"))


def labelled_messages(folders: Iterable[Path], half: str) -> Iterator[Labelled]:
    """Yield the labelled messages of a half whose recordings are in the folders.

    Raises:
        ValueError: If a message has another text than when it was labelled.
    """
    content = orjson.loads(LABELS.read_bytes())
    paths = {hashlib.sha256(path.read_bytes()).hexdigest(): path for path in files_in(folders)}
    rows = [row for row in content["messages"] if row["half"] == half and content["files"][row["file"]] in paths]
    for file in sorted({row["file"] for row in rows}):
        sha256 = content["files"][file]
        sessions = load(paths[sha256])
        for row in (row for row in rows if row["file"] == file):
            message = sessions[row["session"]].messages[row["message"]]
            if hashlib.sha256(message.text.encode("utf-8", "surrogatepass")).hexdigest()[:16] != row["sha256"]:
                raise ValueError(f"message {row['message']} of {paths[sha256]} is not the one that was labelled")
            yield Labelled(sha256, message, tuple(parsed(*each) for each in row["sentences"]))


def files_in(folders: Iterable[Path]) -> Iterator[Path]:
    return (path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file())


def shares_half(one: Span, other: Span) -> bool:
    """Return True if two spans share at least half of the shorter one."""
    common = min(one[1], other[1]) - max(one[0], other[0])
    return common >= 0.5 * min(one[1] - one[0], other[1] - other[0])


def tally(labelled: Iterable[Labelled]) -> dict[str, Tally]:
    """Count the right and wrong facts in labelled sentences, and the found and missed sentences."""
    result = {name: Tally() for name in (*NAMES.values(), "all")}
    for _, message, sentences in labelled:
        located = [locate(fact, message.text, same_text=True) for fact in extract(message)]
        facts = [(fact.cls, fact.spans) for fact in located if fact.cls in NAMES.values()]
        for sentence in sentences:
            found = {cls for cls, spans in facts if any(shares_half(sentence.span, span) for span in spans)}
            for classes in sentence.required:
                for name in {"all", *(classes if len(classes) == 1 else ())}:
                    result[name].labelled[bool(classes & found)] += 1
            right = frozenset[SentenceClass]().union(*sentence.required)
            for cls in found - (sentence.optional - right):
                for name in ("all", cls):
                    result[name].found[cls in right] += 1
    return result


def examples(folders: Iterable[Path], half: str = "open") -> Iterator[dict[str, Any]]:
    """Yield the sentences in the form that `sentence_weights` fits. `masked` classes are not fitted."""
    for file, message, sentences in labelled_messages(folders, half):
        source: Source = "output" if message.role == "tool" else source_of(message)
        text = message.text
        hits = [(cls, sentence, spans_of(sentence, text)) for cls, sentence in ruled_sentences(text, source)]
        for span, required, optional in sentences:
            here = [sentence for _, sentence, spans in hits if any(shares_half(span, each) for each in spans)]
            shown = here[0] if here else clean(text[slice(*span)])
            sure = {cls for classes in required if len(classes) == 1 for cls in classes}
            yield {
                "text": shown,
                "source": source,
                "labels": sorted(sure),
                "masked": sorted(optional.union(*required) - sure),
                "hits": sorted({cls for cls, sentence, _ in hits if sentence == shown}),
                "group": file,
            }


def spans_of(sentence: str, text: str) -> list[Span]:
    words = re.findall(r"\w+", sentence)
    return [match.span() for match in re.finditer(r"[\W_]+".join(map(re.escape, words)), text)] if words else []


def rows(tallies: dict[str, Tally]) -> Iterator[str]:
    yield f"{'class':12}{'precision':>27}{'recall':>27}"
    for name, one in tallies.items():
        yield f"{name:12}{share(one.found):>27}{share(one.labelled):>27}"


def share(counts: Counter[bool]) -> str:
    if not (total := counts.total()):
        return "-"
    low, high = Rate(counts[True], total).interval
    return f"{counts[True]}/{total} {counts[True] / total:.2f} ({low:.2f}-{high:.2f})"


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Precision and recall of sentence classes on labelled sentences.")
    folders = [Path(each) for each in os.environ.get("FACTS_DATA", "").split(os.pathsep) if each]
    parser.add_argument("--data", type=Path, action="append", default=folders, help="a folder with the recordings")
    parser.add_argument("--half", choices=("open", "locked"), default="open")
    options = parser.parse_args(words)
    print("\n".join(rows(tally(labelled_messages(options.data, options.half)))))


if __name__ == "__main__":
    main()
