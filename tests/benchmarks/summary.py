"""The summary made of the conversation's own lines: milliseconds for 100,000 tokens of text in memory.

usage: python -m tests.benchmarks.summary

cold    messages that nobody has looked at before
size    the same messages, another size: what the knob for the ratio does
range   one message fewer as well: what the knob for the recent ones does

Times are those of the processor, the shortest of several runs; the tokens of the summary are counted in them.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from time import process_time

from inspector.core.conversation import Message
from inspector.engine.summaries.extractive.summarize import rank_units, summarise
from inspector.engine.summaries.repair import _telling_contents
from inspector.llm.providers import message_from_raw
from inspector.llm.tokens.counting import TokenizerCounter, count_message
from tests.benchmarks.conversations import NOUNS, SEED, VERBS, Raw, conversation

TOKENS = 100_000
RUNS = 7
RATIOS = (0.3, 0.05)
COUNTER = TokenizerCounter("o200k_base")


def agent() -> list[Raw]:
    """An agent at work: prose, code, places, tool calls and their results."""
    return conversation(1_200)[1:]


def talk() -> list[Raw]:
    """Two people talking in short sentences, and nothing else: more lines than any other text has."""
    rng = random.Random(SEED)
    names = ("user", "assistant")
    return [{"role": names[number % 2], "content": " ".join(words(rng) for _ in range(12))} for number in range(1_200)]


def words(rng: random.Random) -> str:
    end = rng.choice(("often", "at times", "now and then", "on Mondays", "and must not", "but never fails"))
    return f"The {rng.choice(NOUNS)} {rng.choice(VERBS)} the {rng.choice(NOUNS)} of place {rng.randint(2, 99)} {end}."


def places() -> list[Raw]:
    """Tool results that are listings: an identifier in every word, all of it short enough to be read."""
    rng = random.Random(SEED)
    rows = [f"src/{rng.choice(NOUNS)}/{rng.getrandbits(40):010x}.py:{rng.randint(1, 900)}" for _ in range(20_000)]
    return [
        {"role": "tool", "tool_call_id": f"c{start}", "content": "\n".join(rows[start : start + 80])}
        for start in range(0, len(rows), 80)
    ]


def filled(raws: Sequence[Raw]) -> list[Message]:
    """As many of the messages as make 100,000 tokens."""
    messages: list[Message] = []
    tokens = 0
    for number, raw in enumerate(raws):
        if tokens < TOKENS:
            messages.append(message_from_raw(f"m{number}", raw, "openai"))
            tokens += count_message(messages[-1], COUNTER)
    return messages


def milliseconds(messages: Sequence[Message], target: int) -> float:
    start = process_time()
    summarise(messages, target, COUNTER.count)
    return 1_000 * (process_time() - start)


def measure(messages: Sequence[Message], target: int) -> list[float]:
    """The shortest times of several runs, in milliseconds: cold, another size, another range."""
    runs: list[tuple[float, float, float]] = []
    for _ in range(RUNS):
        rank_units.cache_clear()
        _telling_contents.cache_clear()
        fresh = [replace(message) for message in messages]
        cold = milliseconds(fresh, target)
        runs.append((cold, milliseconds(fresh, target * 9 // 10), milliseconds(fresh[:-1], target)))
    return [min(times) for times in zip(*runs, strict=True)]


def main() -> None:
    COUNTER.count("loads the table")
    print(f"{'100,000 tokens of':<20}{'ratio':>6}{'cold':>10}{'size':>10}{'range':>10}   summary")
    for kind in (agent, talk, places):
        messages = filled(kind())
        for ratio in RATIOS:
            target = int(TOKENS * ratio)
            times = "".join(f"{time:>7.1f} ms" for time in measure(messages, target))
            text = summarise(messages, target, COUNTER.count)
            size = f"{COUNTER.count(text):,} tokens, {text.count(chr(10)):,} lines"
            print(f"{kind.__name__:<20}{ratio:>6}{times}   {size}")


if __name__ == "__main__":
    main()
