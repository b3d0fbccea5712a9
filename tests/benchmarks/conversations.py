"""Generated conversations for the benchmarks: an agent at work, as long as asked for, the same for the same seed.

Roles, sizes and the share of parallel calls follow what recorded agent sessions show: half of the tool results are
below 310 characters, one in ten is above 2,800, the longest are cut at 30,000. Every call has its result right behind
it, so whatever is wrong with what comes out of a memory was not wrong with what went in.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from math import log
from typing import Any

Raw = dict[str, Any]
"""A message in OpenAI's chat form."""

SEED = 20
SYSTEM = "You are an agent that keeps a warehouse's software in order. Say what you find, and never delete a table."
CORPUS = 2_000_000
"""Characters of text that messages are cut out of."""
LONGEST = 30_000
PARALLEL = 0.2
"""Of the replies with calls, how many have more than one."""
AGAIN = 0.12
"""Of the results, how many say what an earlier one said."""
FAILED = 0.05
THOUGHT = 0.15
"""Of the replies, how many carry thinking, where a form has a place for it."""

NOUNS = (
    "cache",
    "lock",
    "queue",
    "socket",
    "parser",
    "schema",
    "buffer",
    "tenant",
    "ledger",
    "shard",
    "cursor",
    "digest",
)
VERBS = ("flushes", "drops", "retries", "merges", "splits", "reads", "writes", "awaits", "rejects", "signs", "returns")
TOOLS = ("read_file", "run", "search", "query")


def conversation(messages: int, seed: int = SEED) -> list[Raw]:
    """So many chat messages, from the system prompt to a new request of the user; 2, or 4 and more."""
    agent = Agent(random.Random(seed))
    written: list[Raw] = [{"role": "system", "content": SYSTEM}]
    while room := messages - 1 - len(written):
        for step in agent.round() if room > 1 else [[agent.reply()]]:
            if len(written) + len(step) <= messages - 1:
                written += step
    return [*written, agent.request()]


@dataclass
class Agent:
    """Writes steps: lists of messages that belong together."""

    rng: random.Random
    calls: int = 0
    known: list[str] = field(default_factory=list)
    """Results of earlier readings, of which some come again."""

    def round(self) -> Iterator[list[Raw]]:
        """A request, the steps it takes, and the answer."""
        yield [self.request()]
        for _ in range(self.rng.randint(1, 12)):
            yield self.step()
        yield [self.reply()]

    def request(self) -> Raw:
        return {"role": "user", "content": self.text(90, 1.2)}

    def reply(self) -> Raw:
        raw: Raw = {"role": "assistant", "content": self.text(240, 1.3)}
        if self.rng.random() < THOUGHT:
            raw["reasoning_content"] = self.text(300, 1.0)
        return raw

    def step(self) -> list[Raw]:
        """A reply with calls, and all their results."""
        parallel = self.rng.choice((2, 2, 3, 4)) if self.rng.random() < PARALLEL else 1
        calls = [self.call() for _ in range(parallel)]
        results = [{"role": "tool", "tool_call_id": call["id"], "content": self.result()} for call in calls]
        return [self.reply() | {"tool_calls": calls}, *results]

    def call(self) -> Raw:
        self.calls += 1
        place = f"src/{self.rng.choice(NOUNS)}/{self.rng.choice(NOUNS)}_{self.rng.randint(1, 400)}.py"
        function = {"name": self.rng.choice(TOOLS), "arguments": f'{{"path": "{place}"}}'}
        return {"id": f"call_{self.calls:06}", "type": "function", "function": function}

    def result(self) -> str:
        if self.known and self.rng.random() < AGAIN:
            return self.rng.choice(self.known)
        text = self.text(310, 1.6)
        if self.rng.random() < FAILED:
            text = f"Error: exit code {self.rng.randint(1, 255)}\n{text}"
        if len(self.known) < 2_000:
            self.known.append(text)
        return text

    def text(self, median: int, spread: float) -> str:
        """A piece of the corpus; `spread` is how far from the median lengths in characters lie, on a log scale."""
        length = min(LONGEST, max(8, round(self.rng.lognormvariate(log(median), spread))))
        start = self.rng.randrange(CORPUS - LONGEST)
        return corpus()[start : start + length]


@cache
def corpus() -> str:
    """Prose, code, paths, numbers and ids, in lines."""
    rng = random.Random(SEED)
    lines: list[str] = []
    length = 0
    while length < CORPUS:
        line = rng.choice(LINES)(rng)
        lines.append(line)
        length += len(line) + 1
    return "\n".join(lines)


def prose(rng: random.Random) -> str:
    said = ", and ".join(f"the {rng.choice(NOUNS)} {rng.choice(VERBS)}" for _ in range(rng.randint(1, 4)))
    return f"We saw that {said} after {rng.randint(2, 900)} ms."


def code(rng: random.Random) -> str:
    name, other = rng.choice(NOUNS), rng.choice(NOUNS)
    return f"    {name} = {other}.{rng.choice(VERBS)}({other}_id={rng.randint(1, 9999)})"


def place(rng: random.Random) -> str:
    return f"src/{rng.choice(NOUNS)}/{rng.choice(NOUNS)}.py:{rng.randint(1, 900)}: {rng.getrandbits(48):012x}"


LINES = (prose, prose, code, place)
