"""Collect the statements and actions before a compaction that the new context does not repeat, each with its source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from inspector.analysis.tool_activity import Action, Actions
from inspector.core.conversation import Message, ToolCall
from inspector.core.json_objects import json_object
from inspector.core.text import clipped_words, one_line
from inspector.engine.work_state import ACTORS, CallEffects, StateItem, Transition, WorkState, effects_of, item_text

FactKind = Literal["state", "rule", "prompt", "task", "command", "failure", "changed", "read"]
_MAX_COMMAND, _MAX_RESULT, _MAX_ITEM = 200, 80, 240
_PREFIX = 160
"""Characters of a statement that are looked for in the new context."""
_PLAIN_QUOTES = str.maketrans("“”", '""')
_LOOKS = frozenset(
    ["cat", "cd", "echo", "find", "grep", "head", "ls", "pwd", "rg", "sed", "sleep", "tail", "true", "wc", "which"]
)
"""Commands that only look at something. Their results can be read again at little cost."""
_ENDED = ("done", "dropped", "refused")
_FAILURES = ("exit ", "error", "failed")
"""Beginnings of the outcome of a command that did not succeed, whatever its result says."""
_NOT_WORDS = ("<", "[Request interrupted", "Caveat: ")
"""Beginnings of user messages that the program wrote."""


@json_object("Lost step", "kind turn text")
@dataclass(frozen=True, slots=True)
class LostStep:
    """One statement or action before a compaction, as a line of text with its source."""

    kind: Annotated[FactKind, "a statement of the user, an action of the agent, or part of the state"]
    turn: Annotated[int, "in which it was stated; 0 if unknown"]
    text: Annotated[str, "the line, which names its source"]


@dataclass(frozen=True, slots=True)
class LostSteps:
    """The lost statements and actions of one compaction, by descending value within each kind."""

    rows: tuple[LostStep, ...]
    repeated: int
    """Number of statements and actions that the new context repeats."""


def lost_steps(transition: Transition, turns: dict[str, int], prompt_chars: int) -> LostSteps:
    """Return what a compaction removed and the new context does not state.

    Args:
        transition: Compaction with the messages before it.
        turns: Turn of each message, by its id.
        prompt_chars: Characters for all prompts of the user together; each is clipped to an equal share.

    Raises:
        OSError: If the recording can no longer be read.
    """
    context = _plain_words("\n".join(message.text for message in (transition.summary, *transition.kept)))
    rows, seen, repeated = list[LostStep](), set[str](), 0
    removed = [message for message in transition.replaced if message.kind != "summary"]
    for key, step in (
        *_state_steps(transition.before),
        *_prompt_steps(removed, turns, prompt_chars, context),
        *_action_steps(removed, turns, transition.before),
    ):
        if _plain_words(key)[:_PREFIX] in context:
            repeated += 1
        elif step.text not in seen:
            seen.add(step.text)
            rows.append(step)
    return LostSteps(tuple(rows), repeated)


def _plain_words(text: str) -> str:
    return " ".join(text.casefold().split())


def _quotation(text: str, room: int) -> str:
    """Return a text on one line in quotation marks that it cannot close."""
    return f"“{clipped_words(one_line(text), room).translate(_PLAIN_QUOTES)}”"


def _state_steps(state: WorkState) -> Iterator[tuple[str, LostStep]]:
    for item in sorted(state, key=lambda item: item.state in _ENDED):
        if line := _state_line(item):
            kind: FactKind = "state"
            if item.part in ("rule", "task"):
                kind = "rule" if item.part == "rule" else "task"
            elif item.part in ("failure", "file"):
                kind = "failure" if item.part == "failure" else "changed"
            yield _state_key(item), LostStep(kind, item.turn, line)
    if state.actor:
        who = LostStep("state", state.turn, f"State, turn {state.turn:,}: {ACTORS[state.actor]} acts next.")
        yield who.text, who


def _state_key(item: StateItem) -> str:
    """Return the text by which the new context would name an item."""
    return item.name.rpartition("/")[2] if item.part == "file" else item.name if item.part == "failure" else item.text


def _state_line(item: StateItem) -> str:
    """Return an item of the state as a fact with its source; "" for parts that other lines state."""
    turn = f"turn {item.turn:,}"
    match item.part:
        case "request":
            return ""
        case "question":
            return f"Agent, {turn}: open question to the user, {_quotation(item.text, _MAX_ITEM)}"
        case "rule":
            source = f"File {one_line(item.detail)}" if item.detail else "User"
            return f"{source}, {turn}: rule, {_quotation(item.text, _MAX_ITEM)}"
        case "plan" | "task":
            return f"{item.part.capitalize()}, {turn}: {_quotation(item.text, _MAX_ITEM)}, {item.state or 'open'}"
        case "failure":
            command = clipped_words(one_line(item.name), _MAX_COMMAND)
            return f"Failed, {turn}: `{command}`; tool result: {_quotation(item.text, _MAX_RESULT)}"
        case "instruction":
            return f"Loaded, {turn}: {one_line(' '.join(filter(None, (item.name, item.detail))))}"
        case "file":
            return f"File, {turn}: {item.state or 'changed'} {one_line(item.text or item.name)}"
    return f"{item.part.capitalize()}, {turn}: {clipped_words(item_text(item), _MAX_ITEM)}"


def _prompt_steps(
    messages: Sequence[Message], turns: dict[str, int], room: int, context: str
) -> Iterator[tuple[str, LostStep]]:
    """Yield the prompts of the user, the newest first."""
    prompts = [one for one in reversed(messages) if one.role == "user" and one.kind == "chat" and one.answers is None]
    texts = [(one, one.text.strip()) for one in prompts]
    texts = [(one, text) for one, text in texts if text and not text.startswith(_NOT_WORDS)]
    lost = sum(_plain_words(text)[:_PREFIX] not in context for _, text in texts)
    share = max(120, min(800, room // max(1, lost)))
    for message, text in texts:
        turn = turns.get(message.id, 0)
        yield text, LostStep("prompt", turn, f"User, turn {turn:,}: {_quotation(text, share)}")


def _action_steps(
    messages: Sequence[Message], turns: dict[str, int], state: WorkState
) -> Iterator[tuple[str, LostStep]]:
    """Yield commands that succeeded and files that were read, the newest first; repetitions are left out."""
    actions, calls, names = Actions(messages), _effects(messages), {item.name for item in state.of("file")}
    late = list[tuple[str, LostStep]]()
    for message in reversed(messages):
        if message.answers is None or message.is_error or not (action := actions.of(message)):
            continue
        turn = turns.get(message.id, 0)
        if (step := _command_step(calls.get(message.answers), action, turn)) and step[0] not in names:
            names.add(step[0])
            if _only_looks(step[0]):
                late.append(step)
            else:
                yield step
        for read in actions.reads_of(message):
            if read.resource not in names:
                names.add(read.resource)
                yield read.resource.rpartition("/")[2], _reading_step(read, action, turn)
    yield from late


def _command_step(effects: CallEffects | None, action: Action, turn: int) -> tuple[str, LostStep] | None:
    """Return a command that succeeded, on one line, and its step; None for other calls."""
    if effects is None or not effects.command or action.outcome.lower().startswith(_FAILURES):
        return None
    command = one_line(effects.command)
    return command, LostStep("command", turn, _command_line(command, effects.folder, action, turn))


def _only_looks(command: str) -> bool:
    return command.split(" ", 1)[0] in _LOOKS and "&&" not in command


def _effects(messages: Sequence[Message]) -> dict[str, CallEffects]:
    """Return the effects of the calls of messages, by id."""
    calls = (part for message in messages if message.calls for part in message.parts)
    return {call.id: effects_of(call) for call in calls if isinstance(call, ToolCall)}


def _reading_step(read: Action, action: Action, turn: int) -> LostStep:
    size = f", {read.outcome}" if action.kind == "read" and read.outcome else ""
    return LostStep("read", turn, f"Read, turn {turn:,}: {one_line(read.resource)}{size}")


def _command_line(command: str, folder: str, action: Action, turn: int) -> str:
    place = f" in {one_line(folder)}" if folder else ""
    result = f"; tool result: {_quotation(action.outcome, _MAX_RESULT)}" if action.outcome else ""
    return f"Ran, turn {turn:,}: `{clipped_words(command, _MAX_COMMAND)}`{place}{result}"
