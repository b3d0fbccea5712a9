"""Generate conversations, to insert needles into and to continue a conversation between compressions.

The same seed always gives the same text. It contains what compression usually meets: requests, calls with long results,
errors, decisions, and paths and numbers similar to those of the needles.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import chain, count, islice
from random import Random

from inspector.core.conversation import MAIN, Dialect, Message, Part, Role, Session, Text, ToolCall, ToolResult
from inspector.core.text import dumps
from inspector.llm.providers import message_from_raw, text_message, wire_of

_THINGS = ("belt", "scanner", "chute", "label", "pallet", "dock", "ledger", "ramp", "intake", "crane")
_PARTS = ("sorter", "timer", "reader", "index", "queue", "filter", "buffer", "parser", "weigher", "router")
_STATES = ("open", "closed", "waiting", "full", "empty", "late")
_ASKS = (
    "Please find out why the {thing} stops after the {part}, and fix it.",
    "The {thing} counts parcels twice since the {part} was changed. Can you look?",
    "Add a check to the {part} of the {thing}, so that empty rows are skipped.",
)
_STEPS = ("Looking at the {part} of the {thing}.", "Next I read what the {part} wrote.", "Running the checks again.")
_ENDS = (
    "The {thing} works again: the {part} closed its file too early.",
    "Done. Let's go with the {part} before the {thing} instead of after it.",
    "The {part} was slow because the {thing} asked it for every row.",
)
_TOOLS = ("read_file", "run_checks", "search")
_MODEL = "gpt-4o"


class NeedleGenerator:
    """Generates exchanges: a request, a few steps with a tool call and its result, and an answer."""

    def __init__(
        self, seed: int, dialect: Dialect = "openai", agent: str = MAIN, excluded: Collection[str] = ()
    ) -> None:
        self.random = Random(f"exchanges {seed}")
        self.dialect = dialect
        self.agent = agent
        self.numbers = (number for number in count(1) if f"new {number}" not in excluded)

    def exchanges(self) -> Iterator[list[Message]]:
        """Yield exchanges endlessly. Ids are "new 1", "new 2" and so on, without those that are excluded."""
        while True:
            yield list(self.exchange())

    def exchange(self) -> Iterator[Message]:
        yield self.message("user", Text(self.fill(self.random.choice(_ASKS))))
        for _ in range(self.random.randint(2, 4)):
            call = ToolCall(f"call_new_{self.random.getrandbits(48):012x}", *self.query())
            yield self.message("assistant", Text(self.fill(self.random.choice(_STEPS))), call)
            yield self.message("tool", ToolResult(call.id, (Text(self.output()),)))
        yield self.message("assistant", Text(self.fill(self.random.choice(_ENDS))))

    def message(self, role: Role, *parts: Part) -> Message:
        raw = wire_of(self.dialect).encode(role, parts)
        return message_from_raw(f"new {next(self.numbers)}", raw, self.dialect, agent=self.agent)

    def fill(self, words: str) -> str:
        return words.format(thing=self.random.choice(_THINGS), part=self.random.choice(_PARTS))

    def query(self) -> tuple[str, str]:
        return self.random.choice(_TOOLS), dumps({"path": self.path()})

    def path(self) -> str:
        random = self.random
        return f"src/{random.choice(_THINGS)}/{random.choice(_PARTS)}_{random.randrange(100)}.py"

    def output(self) -> str:
        return "\n".join(self.line() for _ in range(self.random.randint(8, 48)))

    def line(self) -> str:
        random = self.random
        where, part = self.path(), random.choice(_PARTS)
        if random.random() < 0.03:
            return f"Error: {part} {random.randrange(100)} timed out in {where}:{random.randrange(1, 400)}"
        return f"{where}:{random.randrange(1, 400)}: {part}={random.randrange(1_000)} {random.choice(_STATES)}"


def conversation(seed: int, exchanges: int = 24, dialect: Dialect = "openai") -> Session:
    """Generate a session with about 8 messages and 1,500 tokens per exchange.

    Args:
        seed: Seed of the random text.
        exchanges: Number of exchanges.
        dialect: Message format.
    """
    system = text_message("system", "system", "You look after the parcel hall.", dialect)
    turns = islice(NeedleGenerator(seed, dialect).exchanges(), exchanges)
    messages = [system, *chain.from_iterable(turns)]
    log = tuple([replace(message, parent=position - 1) for position, message in enumerate(messages)])
    return Session(f"made up {seed}", "A conversation that is made up", "made up", log, _MODEL, dialect=dialect)
