"""Collect the statements and actions before a compaction that the new context does not repeat, each with its source."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import orjson

from inspector.analysis.context_loss.fact_lines import FactKind, LostStep, quotation
from inspector.analysis.context_loss.lost_actions import action_steps
from inspector.core.conversation import Message, Text, ToolCall
from inspector.core.text import clipped_words, lazy_pattern, one_line
from inspector.engine.facts import StatedTexts, spoken_sentences
from inspector.engine.work_state import ACTORS, StateItem, StatePart, WorkState, item_text

LOADED = ("Loaded", "Instructions to read again")
"""Labels of instructions without and with a file."""
REQUEST = ": request, "
"""Label of the words of the user that were the latest request."""
_MAX_REQUEST = 4_000
_MAX_ITEM, _MAX_DECISION = 240, 200
_PREFIX = 160
"""Characters of a statement that are looked for in the new context."""
_MAX_TEXT = 40_000
"""Characters of a reply that are searched for names."""
_MAX_DECISIONS, _MAX_NAMES, _MIN_USES = 12, 5, 4
_FEW_WORDS = 3
"""Words of a prompt from which it says something without the question that it answers."""
_ENDED = ("done", "dropped", "refused")
_DECLINED = ("dropped", "refused", "shelved")
"""States of what is not to be carried out, which a summary may state as work."""
_NOT_WORDS = ("<", "[Request interrupted", "Caveat: ", "This session is being continued", "Base directory for")
"""Beginnings of user messages that the program wrote."""
_RELOADED = re.compile(r"(?i)(?:^|[\\/])(?:CLAUDE|AGENTS|GEMINI)(?:\.local|\.override)?\.md$")
"""A file of instructions that the tool itself puts into each new context."""
_CHOICES = (" instead of ", " rather than ")
_CHOOSING = lazy_pattern(
    r"(?i)\b(?:I|we|now|let['’]s|add(?:s|ed)?|changed?|convert(?:s|ed)?|default(?:s|ed)?|fix(?:ed)?|implement(?:s|ed)?"
    r"|kept|keep|make|made|move[ds]?|need|pass|replaced?|return(?:s|ed)?|should|stays?|switch(?:ed)?|updated?|us(?:e[ds]?|ing)"
    r"|will)\b"
)
"""Words of a choice: "the hook now returns nil instead of an error"."""
_NO_CHOICE = lazy_pattern(
    r"(?i)\b(?:bug|issue is|problem|fail(?:s|ed|ing)?|hits|hitting|hang(?:s|ing))\b|\d instead of \d"
)
"""Words about what went wrong: "it fails with 180 instead of 120"."""
_SENTENCES = re.compile(r"\n|(?<=[.!?]) ")
_KINDS: Mapping[StatePart, FactKind] = {"rule": "rule", "task": "task", "failure": "failure", "file": "changed"}
_SENTENCES_OF: tuple[FactKind, ...] = ("rule", "task", "decision")
"""Kinds of lines that a context can state in other words."""
_SETTINGS = ("approval", "sandbox", "model", "effort")
"""Modes that are settings of the tool."""
_NAME = re.compile(
    r"https?://[\w./?=&%#:~-]{6,200}|\b[a-z0-9]{1,40}(?:_[a-z0-9]{1,40}){2,8}\b"
    r"|\b[A-Z][A-Z0-9]{1,40}(?:_[A-Z0-9]{1,40}){1,8}\b"
)
"""An address or a name of several words: values that cannot be guessed."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """Messages that left the context, and the context after that."""

    turn: int
    """The first turn after it."""
    before: WorkState
    removed: Sequence[Message]
    """Messages of the old context, oldest first."""
    context: Sequence[Message]
    earlier_turns: int = 0
    """Turns before the first message of the session, where only its end was read."""


@dataclass(frozen=True, slots=True)
class LostSteps:
    """The lost statements and actions, by descending value within each kind."""

    rows: tuple[LostStep, ...]
    repeated: int
    """Number of statements and actions that the new context repeats."""


def lost_steps(dropped: Dropped, turns: Mapping[str, int], prompt_chars: int, command_chars: int) -> LostSteps:
    """Return the removed statements and actions that the new context does not state.

    Args:
        dropped: Messages that were removed, with the new context.
        turns: Turn of each message, by its id.
        prompt_chars: Characters for all prompts of the user together; each is clipped to an equal share.
        command_chars: Characters for all commands together; each is clipped to an equal share.

    Raises:
        OSError: If the recording can no longer be read.
    """
    context, state = StatedTexts.of(dropped.context), dropped.before
    rows, seen, repeated = list[LostStep](), set[str](), 0
    removed = [message for message in dropped.removed if message.kind != "summary"]
    if not removed:
        return LostSteps((), 0)
    for key, step in (
        *_state_steps(state),
        *_prompt_steps(removed, turns, prompt_chars, context, state),
        *action_steps(removed, turns, state, context, command_chars),
        *_decision_steps(removed, turns),
    ):
        if _is_stated(key, step.kind, context):
            repeated += 1
        elif step.text not in seen:
            seen.add(step.text)
            rows.append(step)
    rows += _name_steps(removed, turns, context, seen)
    return LostSteps(tuple(rows), repeated)


def _is_stated(key: str, kind: FactKind, context: StatedTexts) -> bool:
    """Return True if the new context states or names the beginning of a statement, or an action."""
    start = key if len(key) <= _PREFIX else key[:_PREFIX].rpartition(" ")[0]
    return bool(key) and (context.sentence(start) if kind in _SENTENCES_OF else context.value(start)) is not None


def _state_steps(state: WorkState) -> Iterator[tuple[str, LostStep]]:
    items = [item for item in sorted(state, key=lambda item: item.state in _ENDED) if not _is_reloaded(item)]
    for item in items:
        if line := _state_line(item, state.text("where", "folder")):
            yield _state_key(item), LostStep(_KINDS.get(item.part, "state"), item.turn, line)
    if done := [item for item in reversed(items) if _is_done(item)]:
        newest = max(item.turn for item in done)
        names = "; ".join(clipped_words(one_line(item.text), 90) for item in done)
        line = f"Tasks, turn {newest:,}: done, {quotation(names, 2 * _MAX_ITEM)}"
        yield line, LostStep("task", newest, line)
    if state.actor:
        who = LostStep("state", state.turn, f"State, turn {state.turn:,}: {ACTORS[state.actor]} acts next.")
        yield who.text, who


def _is_done(item: StateItem) -> bool:
    return item.part == "task" and item.state == "done"


def _in_words(state: str) -> str:
    """Return the state of a plan or task, with what a declined one means."""
    return f"{state}: not to be carried out" if state in _DECLINED else state or "open"


def _is_reloaded(item: StateItem) -> bool:
    """Return True for what the tool puts into each new context, and for rules of files, which can be read again."""
    if item.part in ("mode", "rule"):
        return item.name in _SETTINGS or (item.part == "rule" and item.detail != "")
    return item.part == "instruction" and _RELOADED.search(item.detail or item.name) is not None


def _state_key(item: StateItem) -> str:
    """Return the text by which the new context would name an item; "" for declined work, which is stated again."""
    if item.state in _DECLINED:
        return ""
    return item.name.rpartition("/")[2] if item.part == "file" else item.name if item.part == "failure" else item.text


def _state_line(item: StateItem, folder: str) -> str:
    """Return an item of the state as a fact with its source; "" for parts that other lines state."""
    turn = f"turn {item.turn:,}"
    match item.part:
        case "request":
            return ""
        case "task" if _is_done(item):
            return ""
        case "question":
            return f"Agent, {turn}: open question to the user, {quotation(item.text, _MAX_ITEM)}"
        case "rule":
            return f"User, {turn}: rule, {quotation(item.text, _MAX_ITEM)}"
        case "plan" | "task":
            return f"{item.part.capitalize()}, {turn}: {quotation(item.text, _MAX_ITEM)}, {_in_words(item.state)}"
        case "failure":
            return f"{turn}: `{clipped_words(one_line(item.name), 160)}` → {quotation(item.text, 80)}"
        case "instruction":
            return f"{LOADED[bool(item.detail)]}, {turn}: {one_line(' '.join(filter(None, (item.name, item.detail))))}"
        case "file":
            path = one_line(item.text or item.name).removeprefix(f"{folder.rstrip('/')}/")
            return f"{turn}: {item.state or 'changed'} {path}"
    return f"{item.part.capitalize()}, {turn}: {clipped_words(item_text(item), _MAX_ITEM)}"


def _prompt_steps(
    messages: Sequence[Message], turns: Mapping[str, int], room: int, context: StatedTexts, state: WorkState
) -> Iterator[tuple[str, LostStep]]:
    """Yield the prompts of the user, the newest first. The latest request is given word for word."""
    request = state.get("request", "latest")
    latest = request.message if request else ""
    texts = [(one, text) for one, text in _prompts_in(messages) if len(text.split()) >= _FEW_WORDS or one.id == latest]
    lost = sum(not _is_stated(text, "prompt", context) for _, text in texts)
    share = max(110, min(800, room // max(1, lost)))
    for message, text in texts:
        turn = turns.get(message.id, 0)
        is_latest = message.id == latest
        words = quotation(text, max(share, min(_MAX_REQUEST, room // 2)) if is_latest else share)
        yield text, LostStep("prompt", turn, f"User, turn {turn:,}{REQUEST if is_latest else ': '}{words}")


def _prompts_in(messages: Sequence[Message]) -> Iterator[tuple[Message, str]]:
    """Yield the messages with words of the user, the newest first, and those words."""
    for message in reversed(messages):
        if message.role == "user" and message.kind == "chat" and message.answers is None:
            text = message.text.strip()
            if text and not text.startswith(_NOT_WORDS):
                yield message, text


def _decision_steps(messages: Sequence[Message], turns: Mapping[str, int]) -> Iterator[tuple[str, LostStep]]:
    """Yield the newest decisions of the agent, in its words. Those of the user are among the prompts."""
    left = _MAX_DECISIONS
    for message in reversed(messages):
        if message.kind != "chat" or message.role != "assistant":
            continue
        for sentence in _decisions_in(message):
            if left:
                left -= 1
                turn = turns.get(message.id, 0)
                line = f"Agent, turn {turn:,}: {quotation(sentence, _MAX_DECISION)}"
                yield sentence, LostStep("decision", turn, line)


def _decisions_in(message: Message) -> Iterator[str]:
    """Yield the decisions that a reply states, and the choices that it names with their alternative."""
    yield from (sentence for cls, sentence in spoken_sentences(message) if cls == "decision")
    text = "\n".join(part.text for part in message.parts if isinstance(part, Text))
    if any(cue in text for cue in _CHOICES):
        for sentence in map(str.strip, _SENTENCES.split(text[:_MAX_TEXT])):
            if (
                len(sentence) < _MAX_DECISION
                and not sentence.endswith(":")
                and any(cue in sentence for cue in _CHOICES)
                and _CHOOSING.search(sentence)
                and not _NO_CHOICE.search(sentence)
            ):
                yield sentence


def _name_steps(
    messages: Sequence[Message], turns: Mapping[str, int], context: StatedTexts, seen: Collection[str]
) -> Iterator[LostStep]:
    """Yield names and addresses that the agent used in several calls or replies, by the turn of their last use."""
    uses, last = dict[str, int](), dict[str, int]()
    for message in messages:
        if message.role != "assistant":
            continue
        for name in set(_NAME.findall("\n".join(_own_texts(message))[:_MAX_TEXT])):
            uses[name] = uses.get(name, 0) + 1
            last[name] = turns.get(message.id, 0)
    often = [name for name, count in uses.items() if count >= _MIN_USES and not context.value(name)]
    often = [name for name in often if not any(name in line for line in seen)]
    by_turn = dict[int, list[str]]()
    for name in sorted(often, key=lambda name: (uses[name], last[name]), reverse=True)[:_MAX_NAMES]:
        by_turn.setdefault(last[name], []).append(name)
    for turn, names in sorted(by_turn.items(), reverse=True):
        yield LostStep("name", turn, f"turn {turn:,}: {', '.join(names)}")


def _own_texts(message: Message) -> Iterator[str]:
    """Yield the texts of a reply, and the texts among the arguments of its calls."""
    for part in message.parts:
        if isinstance(part, Text):
            yield part.text
        elif isinstance(part, ToolCall):
            with suppress(orjson.JSONDecodeError):
                values = orjson.loads(part.arguments)
                yield from (one for one in values.values() if isinstance(one, str)) if isinstance(values, dict) else ()
