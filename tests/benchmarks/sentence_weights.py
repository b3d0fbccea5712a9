"""Fits the weights of `inspector/engine/facts/sentence_weights.json`.

    python -m tests.benchmarks.sentence_weights FILE…
    python -m tests.benchmarks.sentence_weights --again FOLDER

Each file holds labelled sentences of recordings, as a JSON list of objects with `text`, `source`, `labels`, `hits` (the
classes that the rules found), `group` (the session), and `weight` (how many sentences it stands for). The recordings
are not part of this project, and neither are these files. With `--again`, the present weights are changed by the open
half of `sentence_labels.json`, whose recordings are in the folder. The sentences of `sentence_examples.txt` are always
added: some that were written for this purpose, and cases of the tests. The rules were made to find these, so they weigh
less.

Features are kept if three sentences of two groups have them, and words if they name no topic.
"""

from __future__ import annotations

import argparse
import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import NamedTuple, get_args

import numpy as np
import orjson

from inspector.core.text import word_set
from inspector.engine.facts import sentence_model
from inspector.engine.facts.classes import SentenceClass, Source
from inspector.engine.facts.sentence_facts import ruled_sentences
from tests.benchmarks.sentence_labels import examples as labelled_examples

CLASSES: tuple[SentenceClass, ...] = get_args(SentenceClass)
EXAMPLES = Path(__file__).with_name("sentence_examples.txt")
WEIGHTS = Path(sentence_model.__file__).with_name(sentence_model.WEIGHTS_FILE)
SOURCES: dict[str, Source] = {"U": "typed", "A": "speech", "S": "rules", "T": "output"}
LABELS: dict[str, SentenceClass] = {"c": "constraint", "d": "decision", "t": "task", "e": "error"}
TOPICS = word_set(
    """
    york copilot codex claude gh photosynthesis mitigation flight flights cabin booking reservation insurance economy
    passenger passengers travel city country weather painting community museum headstone observations dollars english
    subagent gift credit photo ship water fish dance studio flood building art book harbour crane pier lamp lamps crate
    crates ledger port ports boat boats berth yard hull
    """
)
"""Words of the training sentences that say what they are about."""
FEWEST_SENTENCES, FEWEST_GROUPS = 3, 2
CASE_WEIGHT = 0.09
PENALTY, ROUNDS, RATE = 1.0, 150, 0.1
SMALLEST = 5
"""Smallest weight to keep, in hundredths."""


class Example(NamedTuple):
    """A labelled sentence."""

    text: str
    source: Source
    labels: frozenset[SentenceClass]
    hits: tuple[SentenceClass, ...]
    group: str
    weight: float
    masked: frozenset[str] = frozenset()
    """Classes that are open to doubt, for which the sentence is not used."""


def written_examples() -> Iterator[Example]:
    """Yields the written sentences. A letter names the source, another the class; cases are below the empty line."""
    sentences, cases = EXAMPLES.read_text(encoding="utf-8").split("\n\n")
    for rows, weight in ((sentences.splitlines(), 1.0), (cases.splitlines(), CASE_WEIGHT)):
        for number, row in enumerate(rows):
            letter, label, text = row.split(" ", 2)
            hits = tuple(sorted({cls for cls, _ in ruled_sentences(text, SOURCES[letter])}))
            labels = frozenset({LABELS[label]} if label in LABELS else ())
            yield Example(text, SOURCES[letter], labels, hits, f"written {number % 2}", weight)


def recorded_examples(paths: Iterable[Path]) -> Iterator[Example]:
    for path in paths:
        for row in orjson.loads(path.read_bytes()):
            labels, hits = frozenset(row["labels"]), tuple(row["hits"])
            yield Example(row["text"], row["source"], labels, hits, row["group"], row.get("weight", 1.0))


def fresh_examples(folder: Path) -> Iterator[Example]:
    for one in labelled_examples([folder]):
        labels, masked = frozenset(one["labels"]), frozenset(one["masked"])
        yield Example(one["text"], one["source"], labels, tuple(one["hits"]), one["group"], 1.0, masked)


def frequent(rows: Iterable[tuple[str, Iterable[str]]]) -> list[str]:
    """The features that enough sentences of enough groups have. Each row is a group with its features."""
    counts, groups = defaultdict[str, int](int), defaultdict[str, set[str]](set)
    for group, names in rows:
        for name in set(names):
            counts[name] += 1
            groups[name].add(group)
    return sorted(name for name in counts if counts[name] >= FEWEST_SENTENCES and len(groups[name]) >= FEWEST_GROUPS)


def sentence_tokens(sentence: str) -> list[str]:
    return list(map(sentence_model.token_kind, sentence_model.raw_tokens(sentence)))


def sentence_features(
    sentence: str, source: Source, hits: Iterable[SentenceClass], known: Collection[str]
) -> Iterator[str]:
    """The features of a sentence, some of them more than once. Words that are not `known` are the same."""
    tokens = [token if token in known or not token[0].isalpha() else "<w>" for token in sentence_tokens(sentence)]
    yield f"{source}|"
    ends = (f"1={tokens[0] if tokens else ''}", f"end={sentence_model.end_of(sentence)}")
    for feature in chain(tokens, ends, (f"hit={name}" for name in hits)):
        yield from (feature, f"{source}|{feature}")
    yield from (f"{one} {other}" for one, other in pairwise(tokens))
    if len(tokens) > 1:
        yield f"2={tokens[0]} {tokens[1]}"
    yield f"size={sentence_model.size_of(sum(token[0].isalpha() or token[0] == '<' for token in tokens))}"
    yield from sentence_model.shape_features(sentence)


def fitted(examples: Sequence[Example], prior: Mapping[str, Sequence[float]]) -> tuple[list[str], np.ndarray]:
    """The features, and a row of weights for each and for the bias, with a column for each class.

    Weights are drawn to those of `prior`, which has the bias as "", or else to 0.
    """
    words = frequent((one.group, sentence_tokens(one.text)) for one in examples)
    known = (frozenset(words) - TOPICS) | prior.keys()
    featured = [list(dict.fromkeys(sentence_features(one.text, one.source, one.hits, known))) for one in examples]
    often = frequent(zip([one.group for one in examples], featured, strict=True))
    names = sorted({*often, *prior} - {""})
    place = {name: number for number, name in enumerate(names)}
    rows = np.zeros((len(examples), len(names) + 1), np.float32)
    rows[:, -1] = 1
    for number, features in enumerate(featured):
        present = [place[feature] for feature in features if feature in place]
        rows[number, present] = sentence_model.SCALE / max(1, len(present)) ** 0.5
    targets = np.array([[cls in one.labels for cls in CLASSES] for one in examples], np.float32)
    shares = np.array([[min(5.0, one.weight**0.5) * (cls not in one.masked) for cls in CLASSES] for one in examples])
    start = np.array([prior.get(name, [0.0] * len(CLASSES)) for name in (*names, "")], np.float32)
    return names, logistic(rows, targets, shares.astype(np.float32), start)


def logistic(rows: np.ndarray, targets: np.ndarray, shares: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Logistic regression for each class, with a penalty on the distance of all weights but the bias, by Adam."""
    weights = start.copy()
    mean, spread = np.zeros_like(weights), np.zeros_like(weights)
    penalty = np.full((rows.shape[1], 1), PENALTY, np.float32)
    penalty[-1] = 0
    columns = np.ascontiguousarray(rows.T)
    for number in range(1, ROUNDS + 1):
        likely = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        slope = columns @ ((likely - targets) * shares) + penalty * (weights - start)
        mean, spread = 0.9 * mean + 0.1 * slope, 0.99 * spread + 0.01 * slope * slope
        rate = RATE * min(1.0, (ROUNDS - number + 1) / 50)
        step = (mean / (1 - 0.9**number)) / (np.sqrt(spread / (1 - 0.99**number)) + 1e-8)
        weights -= (rate * step).astype(np.float32)
    return weights


def weights_file(names: Sequence[str], weights: np.ndarray, recorded: int, written: int) -> bytes:
    """The content of the file with the weights."""
    hundredths = np.rint(100 * weights[:-1]).astype(int)
    kept = {name: row.tolist() for name, row in zip(names, hundredths, strict=True) if abs(row).max() >= SMALLEST}
    content = {
        "about": "Weights of sentence_model.py, in hundredths. Fitted by tests/benchmarks/sentence_weights.py with "
        f"{recorded:,} labelled sentences of public recordings (MIT and Apache-2.0) and of the sample sessions, and "
        f"{written} written ones. Contains no sentence.",
        "classes": CLASSES,
        "bias": [round(float(value), 3) for value in weights[-1]],
        "weights": kept,
    }
    return orjson.dumps(content).replace(b'],"', b'],\n"') + b"\n"


def prior() -> dict[str, list[float]]:
    """The present weights, with the bias as ""."""
    content = orjson.loads(WEIGHTS.read_bytes())
    return {"": content["bias"]} | {name: [value / 100 for value in row] for name, row in content["weights"].items()}


def main() -> None:
    parser = argparse.ArgumentParser(description="Fit the weights of the sentence model.")
    parser.add_argument("files", type=Path, nargs="*", help="labelled sentences")
    parser.add_argument("--again", type=Path, help="start from the present weights; a folder with recordings")
    options = parser.parse_args()
    recorded, written = list(recorded_examples(options.files)), list(written_examples())
    recorded += fresh_examples(options.again) if options.again else ()
    content = weights_file(
        *fitted([*recorded, *written], prior() if options.again else {}), len(recorded), len(written)
    )
    WEIGHTS.write_bytes(content)
    print(f"{len(content):,} bytes, WEIGHTS_SHA256 = {hashlib.sha256(content).hexdigest()!r}")


if __name__ == "__main__":
    main()
