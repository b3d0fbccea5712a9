"""How well facts are found, and how fast: precision and recall on labelled messages, megabytes a second.

    python -m tests.benchmarks.facts            # the table by class
    python -m tests.benchmarks.facts --misses   # and every fact that was missed or made up

The labels (`facts_labels.json`) were made by reading the messages, before there was an extractor to run on them. It was
then mended with their help, so they are kinder to it than other messages would be; on the first run it had 0.92 of
precision and 0.87 of recall.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path

import orjson

from inspector.core.conversation import InMemoryBody, Message, Session
from inspector.engine.facts.classes import NAMES, FactClass, fact_class
from inspector.engine.facts.extraction import extract, read
from inspector.engine.facts.fact_index import FactIndex
from inspector.engine.facts.retention import FactTracker
from inspector.engine.facts.unmet_needs import find_unmet_needs
from inspector.engine.facts.vocabulary import forget
from inspector.formats import load
from inspector.llm.providers import message_from_raw
from tests.benchmarks.conversations import conversation
from tests.places import SESSIONS

LABELS = Path(__file__).with_name("facts_labels.json")
SENTENCES = frozenset({"constraint", "decision", "task", "error"})
"""Classes whose facts are sentences: found where most words are, wherever it was cut."""
Item = tuple[FactClass, str]


@dataclass(frozen=True)
class Labelled:
    """A message, and the facts that a person found in it."""

    session: str
    number: int
    message: str
    facts: tuple[Item, ...]


@dataclass
class Score:
    """Right, missed and made up, for one class."""

    right: int = 0
    find_unmet_needs: list[tuple[str, str]] = field(default_factory=list)
    made_up: list[tuple[str, str]] = field(default_factory=list)
    true: int = 0
    """Extracted facts that are right; several may be right of one label."""

    @property
    def precision(self) -> float:
        found = self.true + len(self.made_up)
        return self.true / found if found else 1.0

    @property
    def recall(self) -> float:
        labelled = self.right + len(self.find_unmet_needs)
        return self.right / labelled if labelled else 1.0


def labels() -> list[Labelled]:
    given = orjson.loads(LABELS.read_bytes())
    return [
        Labelled(
            each["session"],
            each["number"],
            each["message"],
            tuple((fact_class(name), text) for name, text in each["facts"]),
        )
        for each in given["messages"]
    ]


@cache
def sessions(name: str) -> tuple[Session, ...]:
    return tuple(load(SESSIONS / name))


def same(label: Item, fact: Item) -> bool:
    """Whether a fact is the one that a label means."""
    if label[0] != fact[0]:
        return False
    meant, found = label[1], fact[1]
    if label[0] in SENTENCES:
        return overlaps(words(meant), words(found))
    if label[0] in ("number", "amount"):
        return value(meant) == value(found) and names_same(meant, found)
    return plain(meant) == plain(found)


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def overlaps(meant: set[str], found: set[str]) -> bool:
    shared = len(meant & found)
    return shared >= 0.8 * len(meant) or (len(found) >= 4 and shared >= 0.9 * len(found))


def value(text: str) -> float | None:
    match = re.search(r"-?\d[\d,]*(?:\.\d+)?", text)
    if not match:
        return None
    scale = 1_000_000 if "million" in text else 1
    return round(float(match[0].replace(",", "")) * scale, 6)


def names_same(meant: str, found: str) -> bool:
    """Whether two numbers are called the same, as far as both are called anything."""
    one, two = (set(re.findall(r"[^\W\d_]+|%", each.lower())) for each in (meant, found))
    return not one or not two or bool({each.rstrip("s") for each in one} & {each.rstrip("s") for each in two})


def plain(text: str) -> str:
    return " ".join(text.split()).removeprefix("./").rstrip("/").removesuffix("()").casefold()


def judge(given: Iterable[Labelled]) -> dict[FactClass, Score]:
    """What was found right, missed and made up, by class."""
    scores: dict[FactClass, Score] = {name: Score() for name in NAMES}
    for each in given:
        messages = sessions(each.session)[each.number].messages
        message = next(message for message in messages if message.id == each.message)
        found = [(fact.cls, fact.text) for fact in extract(message)]
        where = f"{each.session} {each.message[:12]}"
        for label in each.facts:
            if any(same(label, fact) for fact in found):
                scores[label[0]].right += 1
            else:
                scores[label[0]].find_unmet_needs.append((where, label[1]))
        for fact in found:
            if any(same(label, fact) for label in each.facts):
                scores[fact[0]].true += 1
            else:
                scores[fact[0]].made_up.append((where, fact[1]))
    return scores


def table(scores: dict[FactClass, Score]) -> Iterator[str]:
    yield f"{'class':12}{'labels':>8}{'found':>8}{'precision':>11}{'recall':>9}"
    total = Score()
    for name, score in scores.items():
        yield row(name, score)
        total.right += score.right
        total.true += score.true
        total.find_unmet_needs += score.find_unmet_needs
        total.made_up += score.made_up
    yield row("all", total)


def row(name: str, score: Score) -> str:
    labelled, found = score.right + len(score.find_unmet_needs), score.true + len(score.made_up)
    return f"{name:12}{labelled:>8}{found:>8}{score.precision:>11.2f}{score.recall:>9.2f}"


FILES = ("coding-agent.jsonl", "research.json", "support-ticket.json", "three-agents.jsonl", "damaged.jsonl")


def in_memory() -> list[Message]:
    """The messages of the sample sessions, with their records in memory."""
    messages = [message for name in FILES for session in sessions(name) for message in session.messages]
    return [replace(message, body=InMemoryBody(message.raw, message.record)) for message in messages]


def fastest(run: Callable[[], object], before: Callable[[], object] = int, *, times: int = 9) -> float:
    """Seconds of processor time that the fastest of several runs takes: the machine may have more to do.

    What is done `before` each of them is not counted.
    """

    def once() -> float:
        before()
        start = time.process_time()
        run()
        return time.process_time() - start

    return min(once() for _ in range(times))


def made_up(count: int = 2_000) -> list[Message]:
    """A generated session of an agent at work: every third line of its results holds a path, an id or a number."""
    return [message_from_raw(f"m{number}", raw, "openai") for number, raw in enumerate(conversation(count))]


def speed() -> Iterator[str]:
    """Megabytes a second, and how much longer than cutting the same text at white space takes.

    A megabyte is a million characters of `Message.text`, as it is shown: words, thinking, calls, what tools printed.
    The JSON around them is not counted, though its parts are taken out within the time. The first time is that of words
    that were not met before; in a long session most were.
    """
    yield f"{'read, MB/s':30}{'MB':>8}{'first time':>12}{'again':>8}{'/ str.split':>13}"
    for what, messages in (("the sample sessions", in_memory()), ("a generated session", made_up())):
        texts = [message.text for message in messages]
        size = sum(map(len, texts)) / 1e6
        plain = fastest(partial(cut, texts))
        first, again = fastest(partial(read_all, messages), forget), fastest(partial(read_all, messages))
        yield f"{what:30}{size:>8.1f}{size / first:>12.1f}{size / again:>8.1f}{first / plain:>13.1f}"


def cut(texts: Sequence[str]) -> None:
    for text in texts:
        text.split()


def read_all(messages: Sequence[Message]) -> None:
    for message in messages:
        read(message)


def replayed() -> Iterator[str]:
    """What following a replay costs, when the oldest half of the window is dropped whenever it holds 200 messages."""
    session = sessions("research.json")[0]
    seconds = fastest(lambda: FactIndex(session), times=3)
    yield f"{'reading a session':24}{seconds * 1e3:8.1f} ms for {len(session.messages)} messages"
    index = FactIndex(session)
    log = (session.messages * 6)[:2_000]
    messages = [replace(message, id=f"{message.id} {place}") for place, message in enumerate(log)]
    index.log |= {copy: index.log[message] for copy, message in zip(messages, log, strict=True)}
    seconds = fastest(lambda: follow(index, messages), times=5)
    yield f"{'following a replay':24}{seconds * 1e3:8.1f} ms for {len(messages):,} messages"


def follow(index: FactIndex, messages: Sequence[Message]) -> None:
    ledger, window = FactTracker(index), list[Message]()
    for turn, message in enumerate(messages, 1):
        if message.role == "assistant":
            if len(window) > 200:
                del window[1:100]
                ledger.show(turn, window)
            find_unmet_needs(ledger, turn, message)
            ledger.retention()
        ledger.add([message])
        window.append(message)


def main() -> None:
    given = labels()
    scores = judge(given)
    print(f"{sum(len(each.facts) for each in given)} facts labelled in {len(given)} messages\n")
    print("\n".join(table(scores)))
    if "--misses" in sys.argv:
        for name, score in scores.items():
            print(f"\n{name}")
            for kind, cases in (("missed ", score.find_unmet_needs), ("made up", score.made_up)):
                for where, text in cases:
                    print(f"  {kind}  {where:38} {text}")
    print()
    print("\n".join([*speed(), *replayed()]))


if __name__ == "__main__":
    main()
