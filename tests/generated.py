"""Generated conversations: what hypothesis draws, and the small language in which tests write conversations by hand.

A conversation is a list of steps; `recorded` turns it into a `Session` as a format would have read it. Properties draw
the steps (`conversations`, `windows`), so that a failing example shrinks to a list that can be kept as a named test.

Every property that is drawn from here tries `EXAMPLES` examples. To hunt, run
`EXAMPLES=3000 pytest tests/engine/strategies`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from hypothesis import strategies as st

from inspector.core.conversation import MAIN, Dialect, Message, Raw, Session, Usage
from inspector.engine.strategies import STRATEGIES
from inspector.engine.strategies.knobs import Knob
from inspector.engine.strategies.pipeline import Stage, format_stages
from inspector.engine.window import Window, at_turn
from inspector.llm.providers import message_from_raw
from inspector.llm.tokens.counting import CharsCounter, count_message
from inspector.llm.tokens.sizes import Sizes, estimate_sizes

Content = str | None | tuple[dict[str, Any], ...]
"""Words, nothing at all, or blocks."""
Answer = Literal["now", "later", "never", "twice"]


@dataclass(frozen=True)
class System:
    content: Content = "Be brief."


@dataclass(frozen=True)
class Ask:
    """Words that the person typed."""

    content: Content = "Please look at the orders."


@dataclass(frozen=True)
class Inject:
    """A message that a program put in, in the user's name."""

    content: Content = "The date is the third of May."


@dataclass(frozen=True)
class Summary:
    """A summary that the recording itself holds. `fresh`: it begins a new context."""

    content: Content = "[Summary of earlier conversation]\n\nGoal:\n- Count the orders of May."
    fresh: bool = False


@dataclass(frozen=True)
class Notice:
    """Shown to the person, never sent."""

    content: Content = "Connection lost, trying again."


@dataclass(frozen=True)
class Call:
    """A tool call. `id` None gives it one of its own; `answer` says when its result comes, and how often.

    Where it `reads` a file, that is what it asks for: all of it, or some `lines` (the first, and their number). An
    `older` one, where its dialect has such, is in the form before parallel calls: its name is its id.
    """

    id: str | None = None
    answer: Answer = "now"
    result: Content = "3 rows"
    is_error: bool = False
    reads: str = ""
    lines: tuple[int, int] | None = None
    older: bool = False

    @property
    def name(self) -> str:
        return "read_file" if self.reads else "query"

    @property
    def input(self) -> dict[str, Any]:
        part = {"offset": self.lines[0], "limit": self.lines[1]} if self.lines else {}
        return {"path": self.reads, **part} if self.reads else {"table": "orders"}


Named = tuple[str, Call]
"""A call with the id that it has."""


@dataclass(frozen=True)
class Reply:
    """What the model said: words, thinking and calls. `backwards`: the results come in the opposite order."""

    content: Content = "There are three."
    calls: tuple[Call, ...] = ()
    thinking: str | None = None
    backwards: bool = False


@dataclass(frozen=True)
class Stray:
    """A result without a call."""

    id: str = "nobody"


@dataclass(frozen=True)
class Rewind:
    """The person went back some messages and went on from there."""

    back: int = 1


@dataclass(frozen=True)
class Helper:
    """A sub-agent, in a context of its own, between the messages of the main one."""

    content: Content = "Helping."


Step = System | Ask | Inject | Summary | Notice | Reply | Stray | Rewind | Helper


def work(
    *answers: Literal["now", "later", "never", "twice"], content: Content = None, result: Content = "3 rows"
) -> Reply:
    """A reply with one call per word, which says when the call is answered."""
    return Reply(content, tuple(Call(answer=answer, result=result) for answer in answers or ("now",)))


@dataclass
class Recorder:
    """Writes steps down as messages with positions, parents and ids."""

    dialect: Dialect
    messages: list[Message] = field(default_factory=list)
    head: int = -1
    late: list[tuple[str, Call]] = field(default_factory=list)
    calls: int = 0

    def add(self, raw: Raw, *, parent: int | None = None, move: bool = True, **facts: Any) -> None:
        position = len(self.messages)
        facts["parent"] = self.head if parent is None else parent
        self.messages.append(message_from_raw(f"m{position}", raw, self.dialect, **facts))
        if move:
            self.head = position

    def say(self, role: str, content: Content, **facts: Any) -> None:
        raw: dict[str, Any] = {"role": role, "content": list(content) if isinstance(content, tuple) else content}
        if self.dialect == "openai":  # the other provider refuses what it does not know
            raw["unread"] = [1, None]
        self.add(raw, **facts)

    def step(self, step: Step) -> None:
        due, self.late = self.late, []
        match step:
            case System(content):
                self.say("system", content)
            case Ask(content):
                self.say("user", content)
            case Inject(content):
                self.say("user", content, kind="injected")
            case Summary(content, fresh):
                self.say("user", content, kind="summary", parent=-1 if fresh else None)
            case Notice(content):
                self.say("user", content, kind="notice")
            case Reply():
                self.reply(step)
            case Stray(id):
                self.result(id, Call(result="nobody asked"))
            case Rewind(back):
                for _ in range(back):
                    self.head = self.messages[self.head].parent if self.head >= 0 else -1
            case Helper(content):
                self.say("user", content, agent="helper", parent=-1, move=False)
                parent = len(self.messages) - 1
                self.say("assistant", content, agent="helper", parent=parent, move=False)
        for name, call in due:
            self.result(name, call)

    def reply(self, reply: Reply) -> None:
        calls: list[Named] = []
        for call in reply.calls:
            self.calls += 1
            own = call.name if call.older and self.dialect == "openai" else f"call_{self.calls}"
            calls.append((own if call.id is None else call.id, call))
        raw = REPLIES[self.dialect](reply, calls)
        self.add(raw, model="some-model", usage=Usage(100 + len(self.messages), 10))
        for name, call in reversed(calls) if reply.backwards else calls:
            if call.answer in ("now", "twice"):
                self.result(name, call)
            if call.answer in ("later", "twice"):
                self.late.append((name, call))

    def result(self, id: str, call: Call) -> None:
        content = list(call.result) if isinstance(call.result, tuple) else call.result
        if self.dialect == "openai":
            answer = {"role": "function", "name": id} if call.older else {"role": "tool", "tool_call_id": id}
            self.add({**answer, "content": content}, is_error=call.is_error)
            return
        block = {"type": "tool_result", "tool_use_id": id, "content": content, "is_error": call.is_error}
        self.add({"role": "user", "content": [block]})


def openai_reply(reply: Reply, calls: Sequence[Named]) -> Raw:
    content = list(reply.content) if isinstance(reply.content, tuple) else reply.content
    raw: dict[str, Any] = {"role": "assistant", "content": content}
    if reply.thinking is not None:
        raw["reasoning_content"] = reply.thinking
    if calls and calls[0][1].older:
        raw["function_call"] = function_of(calls[0][1])
    elif calls:
        raw["tool_calls"] = [{"id": name, "type": "function", "function": function_of(call)} for name, call in calls]
    return raw


def function_of(call: Call) -> dict[str, str]:
    return {"name": call.name, "arguments": json.dumps(call.input)}


def anthropic_reply(reply: Reply, calls: Sequence[Named]) -> Raw:
    blocks: list[dict[str, Any]] = []
    if reply.thinking is not None:
        blocks.append({"type": "thinking", "thinking": reply.thinking, "signature": "c2ln"})
    if isinstance(reply.content, tuple):
        blocks += reply.content
    elif reply.content is not None:
        blocks.append({"type": "text", "text": reply.content})
    blocks += [{"type": "tool_use", "id": name, "name": call.name, "input": call.input} for name, call in calls]
    return {"role": "assistant", "content": blocks}


REPLIES: dict[Dialect, Callable[[Reply, Sequence[Named]], Raw]] = {"openai": openai_reply, "anthropic": anthropic_reply}


def recorded(steps: Sequence[Step], dialect: Dialect = "openai", records_system: bool = True) -> Session:
    """Steps as a session. Results that are to come "later" stand behind the step that follows their call."""
    recorder = Recorder(dialect)
    for step in steps:
        recorder.step(step)
    for name, call in recorder.late:
        recorder.result(name, call)
    tools = (TOOLS[dialect],)
    return Session("s", "A session", "test", tuple(recorder.messages), "some-model", tools, dialect, {}, records_system)


TOOLS: dict[Dialect, Raw] = {
    "openai": {"type": "function", "function": {"name": "query"}},
    "anthropic": {"name": "query", "input_schema": {"type": "object"}},
}


LETTERS = CharsCounter(4.0)


def sized(session: Session, limit: int = 8_000) -> Sizes:
    """Sizes that need no rank table, the same for a message of the log and for a new one with the same words."""
    tokens = tuple(count_message(message, LETTERS) for message in session.messages)
    unrecorded = 0 if session.records_system else 700
    return Sizes(tokens, "estimated", 40, "estimated", unrecorded, limit, LETTERS)


def window_of(*steps: Step, dialect: Dialect = "openai", turn: int | None = None, pinned: Sequence[str] = ()) -> Window:
    """The window of a conversation written by hand; by default, the current context."""
    session = recorded(steps, dialect)
    return replace(at_turn(session, sized(session), turn), pins=frozenset(pinned))


PICTURE: dict[Dialect, dict[str, Any]] = {
    "openai": {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
    "anthropic": {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
}
STRANGE = {"type": "hologram", "depth": 3, "data": None}
REASONING = {"type": "reasoning", "id": "rs_1", "summary": []}
"""What a gateway passes on of OpenAI's own reasoning: it belongs to what stands behind it."""
LONG = (
    "We must never touch /srv/data/orders.csv. Let's go with plan B instead of plan A. "
    "The import failed with error code=4711 near src/load.py:88. Next we still need to check https://example.org/x?id=9."
)
WORDS = ("", "ok", "Please count.", "<|endoftext|>", "größer 漢字 🎈 \u202e", "Error: not found")
WORTH_A_SUMMARY = (LONG, LONG * 3, "word " * 120)


def contents(dialect: Dialect) -> st.SearchStrategy[Content]:
    """What a message may hold, often enough text that is worth a summary."""
    blocks = ({"type": "text", "text": "see here"}, PICTURE[dialect], STRANGE)
    odd: list[Content] = [None, (), blocks, blocks[1:], (STRANGE,)]
    return st.sampled_from([*WORDS * 2, *WORTH_A_SUMMARY * 2, *odd]) | st.text(max_size=6)


def calls(dialect: Dialect) -> st.SearchStrategy[Call]:
    ids = st.sampled_from([None, None, None, None, "", "same"])
    answers = st.sampled_from(["now", "now", "now", "later", "never", "twice"])
    reads = st.sampled_from(["", "", "notes.md"])
    return st.builds(Call, ids, answers, contents(dialect), st.booleans(), reads)


def steps(dialect: Dialect) -> st.SearchStrategy[Step]:
    words = contents(dialect)
    thinking = st.sampled_from([None, None, "", "Let me see. " * 8])
    text = {"type": "text", "text": "see here"}
    reply = words | st.just((REASONING, text)) if dialect == "openai" else words
    batch = st.lists(calls(dialect), min_size=1, max_size=3).map(tuple)
    older = st.builds(Call, answer=st.sampled_from(["now", "never"]), result=words, older=st.just(True))
    replied = st.builds(Reply, reply, st.just(()), thinking)
    worked = st.builds(Reply, reply, batch, thinking, st.booleans())
    rare = st.one_of(
        st.builds(Reply, words, st.tuples(older), thinking),
        st.builds(System, words),
        st.builds(Inject, words),
        st.builds(Summary, words, st.booleans()),
        st.builds(Notice, words),
        st.builds(Stray, st.sampled_from(["nobody", "", "same", "call_1"])),
        st.builds(Rewind, st.integers(1, 3)),
        st.builds(Helper, words),
    )
    return st.one_of(st.builds(Ask, words), replied, worked, worked, rare)


@dataclass(frozen=True)
class Recipe:
    """All that a generated window is made of. The same recipe makes the same window out of a session of its own."""

    steps: Sequence[Step]
    dialect: Dialect
    records_system: bool
    agent: str = MAIN
    turn: int | None = None
    sizing: Callable[[Session], Sizes] = sized
    pinned: frozenset[str] = frozenset()
    preserve_system: bool = True

    def session(self) -> Session:
        return recorded(self.steps, self.dialect, self.records_system)

    def window(self, session: Session | None = None) -> Window:
        session = session or self.session()
        window = at_turn(session, self.sizing(session), self.turn, self.agent)
        return replace(window, pins=self.pinned, preserve_system=self.preserve_system)


@st.composite
def recipes(draw: st.DrawFn, most: int = 9, pins: bool = True) -> Recipe:
    """For a window at some turn, now and then a helper's. With `pins`, messages may be pinned, or system ones free."""
    dialect: Dialect = draw(st.sampled_from(["openai", "anthropic"]))
    recipe = Recipe(draw(st.lists(steps(dialect), min_size=1, max_size=most)), dialect, draw(st.booleans()))
    session = recipe.session()
    agent = draw(st.sampled_from([MAIN] * 7 + [session.agents[-1]]))
    turn = draw(st.none() | st.integers(1, len(session.turns(agent)) + 1))
    recipe = replace(recipe, agent=agent, turn=turn, sizing=draw(st.sampled_from([sized, sized, estimate_sizes])))
    if not pins:
        return recipe
    ids = recipe.window(session).ids
    pinned = draw(st.frozensets(st.sampled_from(ids), max_size=2)) if ids else frozenset()
    return replace(recipe, pinned=pinned, preserve_system=draw(st.sampled_from([True] * 7 + [False])))


def conversations(most: int = 9) -> st.SearchStrategy[Session]:
    """Sessions of at most `most` steps, in either dialect, with every fault that a recording may have."""
    return recipes(most, pins=False).map(Recipe.session)


def windows(most: int = 9, pins: bool = True) -> st.SearchStrategy[Window]:
    """Windows at some turn of generated sessions; see `recipes`."""
    return recipes(most, pins).map(Recipe.window)


@st.composite
def moves(draw: st.DrawFn, window: Window, names: Sequence[str] = ()) -> tuple[str, dict[str, Any]]:
    """The name of a strategy and settings for it, near the bounds and near the window's own size."""
    name = draw(st.sampled_from(sorted(names or STRATEGIES)))
    chosen = {each.name: draw(values(each, window)) for each in STRATEGIES[name].knobs}
    if name == "pipeline":
        chosen["stages"] = draw(stages(window))
    return name, chosen


@st.composite
def stages(draw: st.DrawFn, window: Window) -> str:
    """One to four stages of a pipeline, some with their defaults, some with settings of their own."""
    singles = sorted(STRATEGIES.keys() - {"pipeline"})
    drawn = [draw(moves(window, singles)) for _ in range(draw(st.integers(1, 4)))]
    return format_stages(Stage(name, chosen if draw(st.booleans()) else {}) for name, chosen in drawn)


def values(knob: Knob, window: Window) -> st.SearchStrategy[Any]:
    if knob.choices:
        return st.sampled_from(knob.choices)
    if isinstance(knob.default, bool):
        return st.booleans()
    if isinstance(knob.default, int):
        near = st.integers(0, 6) | st.integers(0, window.total + 10)
        return near.map(knob.clamp) | st.sampled_from(
            [knob.clamp(knob.low), knob.clamp(knob.high), knob.initial_value(window)]
        )
    if isinstance(knob.default, float):
        return st.floats(knob.low, knob.high).map(knob.clamp)
    return st.sampled_from([knob.default, "", "query, no such thing", "größer, 'quoted' words"])
