"""A summary made of the conversation's own lines: deterministic, offline, and the default without a model.

It sorts lines into eight sections (Goal, Constraints, Decisions, Files, Errors, Results, Open tasks, Facts verbatim)
and takes, section by section, the ones that say most until the size asked for is reached. An earlier summary among the
messages is read back into its sections, so summaries are merged and never nested.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from inspector.conversation import Message, Text, ToolCall, ToolResult
from inspector.summaries.identifiers import identifiers

Heading = Literal["Goal", "Constraints", "Decisions", "Files", "Errors", "Results", "Open tasks", "Facts verbatim"]
HEADINGS: tuple[Heading, ...] = (
    "Goal",
    "Constraints",
    "Decisions",
    "Files",
    "Errors",
    "Results",
    "Open tasks",
    "Facts verbatim",
)
WEIGHTS: dict[Heading, float] = {
    "Goal": 3.0,
    "Constraints": 2.6,
    "Decisions": 2.2,
    "Open tasks": 2.0,
    "Errors": 1.8,
    "Results": 1.4,
    "Files": 1.2,
    "Facts verbatim": 1.0,
}
TITLE = "[Summary of earlier conversation]"
LINE = 280
"""Longest line taken over, in characters; longer ones are cut at a word, with an ellipsis."""
HEAD, TAIL = 4_000, 2_000
"""Of a long tool result, the characters at both ends that are read for lines."""

CONSTRAINT = re.compile(
    r"\b(?:must|never|always|do not|don't|only|required?|important|critical|at most|at least)\b", re.I
)
DECISION = re.compile(r"\b(?:decid|we'll|i'll|let's|chose|choose|going with|instead of|agreed|settled|plan is)", re.I)
OPEN = re.compile(r"\b(?:todo|next|remain|still (?:to|need)|open question|follow.?up|later|pending|not yet)", re.I)
ERROR = re.compile(r"error|exception|traceback|fail(?:ed|ure)|fatal|denied|not found|refused|timed? ?out", re.I)
SPLIT = re.compile(r"\n+|(?<=[.!?])\s+(?=[A-Z\"'`(\[])")
WORD = re.compile(r"[a-z_]{4,}")


@dataclass(frozen=True, slots=True)
class Line:
    """A line that may be taken over. `order` is where it stood, `rank` how much it says."""

    heading: Heading
    text: str
    order: int
    rank: float


def summarise(messages: Sequence[Message], target: int, count: Callable[[str], int]) -> str:
    """A summary of `messages` of about `target` tokens as `count` counts them; never more, but for its first line."""
    ranked = ranked_lines(tuple(messages))
    per_token = characters_per_token([line.text for line in ranked], count)
    chosen = choose(ranked, int(target * per_token))
    text = render(chosen)
    while len(chosen) > 1 and count(text) > target:
        chosen = chosen[: len(chosen) * 9 // 10]
        text = render(chosen)
    return text if chosen else ""


@lru_cache(maxsize=2)
def ranked_lines(messages: tuple[Message, ...]) -> list[Line]:
    """Kept for the last calls: a size that is moved up and down asks for the same messages again and again."""
    return rank(list(gather(messages)))


def gather(messages: Sequence[Message]) -> Iterator[Line]:
    """Every line that could matter, under its heading."""
    order = 0
    words: Counter[str] = Counter()
    for message in messages:
        lines, found = gist(message)
        words.update(found)
        for heading, text, weight in lines:
            order += 1
            yield Line(heading, text, order, weight * WEIGHTS[heading])
    for word, times in words.items():
        order += 1
        yield Line("Facts verbatim", word, order, WEIGHTS["Facts verbatim"] * (1 + min(times, 5) / 5))


@lru_cache(maxsize=4096)
def gist(message: Message) -> tuple[tuple[tuple[Heading, str, float], ...], Mapping[str, int]]:
    """What one message has to give: its lines, and its identifiers with how often they occur.

    Kept, because a knob that is turned asks for nearly the same messages again.
    """
    lines = tuple((heading, shorten(text), weight) for heading, text, weight in lines_of(message))
    return lines, identifiers([excerpt(message.text)])


def lines_of(message: Message) -> Iterator[tuple[Heading, str, float]]:
    """The lines of one message as (heading, line, weight)."""
    if message.kind == "summary":
        yield from earlier(message.text)
        return
    for part in message.parts:
        match part:
            case Text(text) if message.role == "user":
                yield from spoken(text, "Goal")
            case Text(text):
                yield from spoken(text, "Results")
            case ToolCall(_, name, arguments):
                yield "Files", f"{name} {arguments}", 0.3
            case ToolResult():
                yield from result_lines(part)


def spoken(text: str, otherwise: Heading) -> Iterator[tuple[Heading, str, float]]:
    for number, sentence in enumerate(sentences(text)):
        early = 1 / (1 + number / 4)
        if CONSTRAINT.search(sentence):
            yield "Constraints", sentence, early
        elif DECISION.search(sentence):
            yield "Decisions", sentence, early
        elif OPEN.search(sentence):
            yield "Open tasks", sentence, early
        elif ERROR.search(sentence):
            yield "Errors", sentence, early
        else:
            yield otherwise, sentence, early


def result_lines(result: ToolResult) -> Iterator[tuple[Heading, str, float]]:
    lines = [line.strip() for line in excerpt(result.text).splitlines() if line.strip()]
    for number, line in enumerate(lines):
        if ERROR.search(line):
            yield "Errors", line, 1.0 if result.is_error else 0.6
        elif number < 2 or number >= len(lines) - 2:
            yield "Results", line, 0.4


def earlier(text: str) -> Iterator[tuple[Heading, str, float]]:
    """The lines of an earlier summary, under the headings they had, ahead of all new ones."""
    heading: Heading = "Goal"
    known = {f"{name}:": name for name in HEADINGS}
    for line in text.splitlines():
        own = line.startswith("- ")
        bare = line[2:].strip() if own else line.strip().strip("#* ")
        if bare in known and not own:
            heading = known[bare]
        elif bare and bare != TITLE:
            yield heading, bare, 2.0


def sentences(text: str) -> Iterable[str]:
    return (piece.strip() for piece in SPLIT.split(text) if piece and piece.strip())


def excerpt(text: str) -> str:
    return text if len(text) <= HEAD + TAIL else f"{text[:HEAD]}\n{text[-TAIL:]}"


def shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LINE else line[:LINE].rsplit(" ", 1)[0][: LINE - 1] + " …"


def rank(lines: Sequence[Line]) -> list[Line]:
    """Lines by what they say, most first: weight, times the rarity of their words, a little more for newer ones.

    Of lines that are the same only the newest stays. Ties go to the older, so the order is always the same.
    """
    newest = {(line.heading, line.text): line for line in lines}
    unique = list(newest.values())
    bags = [frozenset(WORD.findall(line.text.lower())) for line in unique]
    spread = Counter(word for bag in bags for word in bag)
    latest = max((line.order for line in unique), default=1)

    def score(pair: tuple[Line, frozenset[str]]) -> tuple[float, int]:
        line, bag = pair
        rarity = sum(1 / spread[word] for word in bag) / (3 + len(bag))
        return -line.rank * (0.5 + rarity + 0.3 * line.order / latest), line.order

    return [line for line, _ in sorted(zip(unique, bags, strict=True), key=score)]


def characters_per_token(texts: Sequence[str], count: Callable[[str], int]) -> float:
    sample = "\n".join(texts[:: max(1, len(texts) // 40)])[:8_000]
    return len(sample) / max(1, count(sample)) if sample else 4.0


def choose(ranked: Sequence[Line], room: int) -> list[Line]:
    """The best lines that fit into `room` characters, each with its bullet; always at least the first."""
    chosen: list[Line] = []
    room -= len(TITLE) + sum(len(heading) + 3 for heading in HEADINGS)
    for line in ranked:
        cost = len(line.text) + 3
        if chosen and cost > room:
            continue
        chosen.append(line)
        room -= cost
        if room < 12:
            break
    return chosen


def render(chosen: Iterable[Line]) -> str:
    """Lines under their headings, in the order in which they were said."""
    under: dict[Heading, list[Line]] = {}
    for line in chosen:
        under.setdefault(line.heading, []).append(line)
    blocks = [TITLE]
    for heading in HEADINGS:
        if heading in under:
            lines = sorted(under[heading], key=lambda line: line.order)
            blocks.append("\n".join([f"{heading}:", *(f"- {line.text}" for line in lines)]))
    return "\n\n".join(blocks)
