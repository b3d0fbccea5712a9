"""The state of the work as a short text to put before a summary."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from inspector.core.text import clipped_words, one_line
from inspector.engine.work_state.instruction_rules import OF_INSTRUCTION
from inspector.engine.work_state.state_items import StateItem, WorkState

HEADING = "State of the work:"
_MAX_REQUEST = 600
_MAX_LINE = 240
_BOXES = {"done": "[x]", "in progress": "[~]", "dropped": "[dropped by the user]"}


def state_block(state: WorkState, chars: int, kept: Collection[str] = ()) -> str:
    """Return the state as lines of text, the most important ones first; "" if nothing is known.

    Args:
        state: The state.
        chars: Maximum number of characters. Lines that do not fit are left out.
        kept: Ids of messages that follow the text. It does not repeat their request, question and turn, which the
            next message changes.
    """
    lines: list[str] = []
    room = chars - len(HEADING) - 1
    for line in _block_lines(state, kept):
        entry = f"- {line}"
        if len(entry) + 1 <= room:
            lines.append(entry)
            room -= len(entry) + 1
    return "\n".join([HEADING, *lines]) + "\n" if lines else ""


def without_block(text: str) -> str:
    """Return a text without the state that it begins with."""
    return text.partition("\n\n")[2] if text.startswith(HEADING) else text


def _block_lines(state: WorkState, kept: Collection[str]) -> Iterator[str]:
    yield from _place(state)
    yield from _rules(state, of_user=True)
    yield from _floor(state, kept)
    yield from _plans(state)
    for item in state.of("task"):
        if item.state != "done":
            yield f"Task {_BOXES.get(item.state, '[ ]')} {_short(item)}"
    for item in state.of("running"):
        yield " ".join(filter(None, ("Running:", item.detail, _short(item))))
    for item in state.of("failure"):
        yield f"Failing: `{clipped_words(one_line(item.name), 120)}`: {_short(item)}"
    for item in state.of("instruction"):
        if item.detail:
            yield f"Read again: {item.name} in {item.detail}"
    for item in state.of("task"):
        if item.state == "done":
            yield f"Task [x] {_short(item)}"
    yield from _rules(state, of_user=False)


def _rules(state: WorkState, of_user: bool) -> Iterator[str]:
    for item in state.of("rule"):
        if (item.state != OF_INSTRUCTION) is of_user:
            yield f"Rule: “{_short(item)}”" if of_user else f"Rule of {item.detail}: “{_short(item)}”"


def _place(state: WorkState) -> Iterator[str]:
    folder, branch = state.text("where", "folder"), state.text("where", "branch")
    if folder or branch:
        yield f"You work in {folder or 'this folder'}{f' on the branch {branch}' if branch else ''}."
    if state.text("mode", "permission") == "plan":
        yield "The mode is plan: change nothing."


def _plans(state: WorkState) -> Iterator[str]:
    for item in state.of("plan"):
        if item.state in ("refused", "shelved"):
            yield f"Do not carry out the plan “{_short(item)}”: the user has {item.state} it."
        elif item.state != "done":
            yield f"Plan ({item.state}): “{_short(item)}”"


def _floor(state: WorkState, kept: Collection[str]) -> Iterator[str]:
    """Yield who acts next, and the latest request."""
    asked, request = state.get("question", "open"), state.get("request", "latest")
    if state.actor == "user" and not (asked.message in kept if asked else kept):
        waiting = f": “{clipped_words(one_line(asked.text), _MAX_LINE)}”" if asked else "."
        yield f"The user has to answer{waiting} Wait for the answer." if asked else "Wait for the user's next request."
    if request is not None and request.message not in kept:
        yield f"Latest request: “{clipped_words(one_line(request.text), _MAX_REQUEST)}”"


def item_text(item: StateItem) -> str:
    """Return an item of the state on one line, with its own state."""
    text = one_line(item.text)
    match item.part:
        case "where" | "mode":
            return f"{item.name} {text}"
        case "failure":
            return f"{one_line(item.name)}: {text}"
        case "running":
            return " ".join(filter(None, (item.detail, text)))
        case "file":
            return f"{item.state} {text}"
        case "task" | "plan":
            return f"{item.state}: {text}"
    return text


def _short(item: StateItem) -> str:
    return clipped_words(one_line(item.text), _MAX_LINE)
