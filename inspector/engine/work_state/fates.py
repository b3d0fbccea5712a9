"""Fates of the items of the state across a compaction: kept, paraphrased, dropped, stale, revived, invented, moved."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Annotated

from inspector.core.json_objects import json_object
from inspector.core.text import lazy_pattern, one_line, plural
from inspector.engine.commands import plain_command
from inspector.engine.facts import content_words, is_negated
from inspector.engine.work_state.claims import claims_in
from inspector.engine.work_state.declined_traces import telling_words
from inspector.engine.work_state.instruction_rules import OF_INSTRUCTION
from inspector.engine.work_state.inventions import inventions_in
from inspector.engine.work_state.new_context import DECLINED, MAX_SHOWN, NewContext, has_name
from inspector.engine.work_state.spoken_fates import fate_of_question, fate_of_sentence, leaves_floor
from inspector.engine.work_state.state_items import Fate, StateItem, WorkState
from inspector.engine.work_state.stated_clauses import in_clauses
from inspector.engine.work_state.summary_points import (
    NAME_PARTS,
    SummaryPoint,
    enumerated,
    is_about,
    lists_task,
    matching,
    same_points,
    shortened,
)
from inspector.engine.work_state.work_history import Transition, state_after
from inspector.engine.work_state.work_plans import COMMON_VERBS, steps_of_plan
from inspector.llm.providers import is_sealed_summary

_MIN_NAME = 4
_CHANGES = content_words("updated changed")
"""Verbs of a summary for any change."""
_LOOKS = content_words(
    "read check verify review understand explore investigate run test analyze find look inspect study"
)
"""Verbs of tasks that change nothing."""
_METHOD = lazy_pattern(r"^[A-Z]\w+\.(?=[a-z_]\w+$)")
_MOST_OF_LINE, _SOME_OF_LINE = 0.6, 0.3
"""Shares of the words of a failing line or command that a statement about it contains."""
_LEAST_DRAWN = 3
"""Fewest words of a plan in a statement that no title or step is like."""
_LEAST_OF_LINE = 4
"""Fewest words of a failing line that are unlike those of other statements: not "undefined: agent"."""
_MAX_STATEMENT = 300
"""Maximum number of characters of a statement that a command failed."""
_LOCATION = lazy_pattern(r"^[^\s:]{1,300}:\d{1,9}(?::\d{1,9})?:")
"""Place at the start of an error: "src/cart.go:4:2:"."""
_LABEL = lazy_pattern(r"(?i)(?:phase|step|task|part|milestone) \d{1,3}\b")
_RUNS_CHECK = lazy_pattern(
    r"(?i)(?:re-?)?(?:run|execute|verify|check)\b.{0,60}\b(?:tests?|suite|ci|lint\w*|build|checks?)\b"
)
"""A task that a claim about a result reports as done: "Run the tests and lint"."""
_FAILS = lazy_pattern(
    r"(?i)fail|error|conflict|broke|crash|exception|differ|\bfix (?:the|all|both|\d)|not (?:pass|build|compile)"
)
_SCHEMA = "schema of "
_STARTS = lazy_pattern(r"(?i)\b(?:start|run|launch|boot|bring up|execute)\b")
_RUNS = lazy_pattern(r"(?i)\b(?:running|runs|started|still|background|up)\b")
"""Words of a line that tells to start a command, and of one by which it runs."""
_ERROR_NAME = lazy_pattern(r"\b[A-Z]{1,5}-?\d{3,5}\b|\btest_\w{4,80}")
"""The code of an error or the name of a failing test: "TS2345", "test_antimeridian"."""
_CODE_NAME = lazy_pattern(
    r"(?<![\w./-])[A-Za-z_][\w-]{0,80}(?:[._/][\w-]{1,80}){1,12}|\b[A-Z]?[a-z]{1,40}(?:[A-Z][a-z]{1,40}){1,6}\b"
)
"""A path, a dotted name or a name in camel case."""
_SPOKEN = ("request", "rule", "task", "plan")
OFF = lazy_pattern(
    r"(?i)\b(?:refused|rejected|declined|shelved|parked|abandoned|postponed|skipped|dropped|cancell?ed|descoped|put off"
    r"|turned down|left (?:out|to)|on hold|out of scope)\b"
)
"""Words of a statement about work that is not to be done."""


@json_object("State fate", "compaction part item fate before after message")
@dataclass(frozen=True, slots=True)
class StateFate:
    """An item of the state, and what a compaction made of it."""

    part: Annotated[
        str, "where, mode, turn, request, question, rule, task, plan, instruction, running, file, failure, summary"
    ]
    item: Annotated[str, "its wording before the compaction; of an invented statement, its wording in the summary"]
    fate: Fate
    before: Annotated[str, "its state or value before; empty if it had none, as for a rule, or is invented"]
    after: Annotated[str, "its wording in the new context; empty if it is not there"]
    message: Annotated[str, "id of the message that set the item; of the summary, for an invented statement"]
    compaction: Annotated[int, "the first turn after the compaction"] = 0


def fates_of(transition: Transition, parts: Collection[str] | None = None) -> tuple[StateFate, ...]:
    """Return what a compaction made of the state before it, and what its summary invents.

    Args:
        transition: The compaction.
        parts: Parts of the state that are needed, to save the time of others; None for all and for inventions.

    Raises:
        OSError: If the recording can no longer be read.
    """
    context, before = NewContext.of(transition), transition.before
    rows = [*_where(before, state_after(transition), context)]
    rows.extend(_turn(before, context))
    rows.extend(_judged_items(before, context, _JUDGES if parts is None else parts))
    rows.extend(_files(before, context))
    if is_sealed_summary(transition.summary.raw):
        rows = [row for row in rows if row.fate in ("kept", "moved")]
    invented = inventions_in(transition, context.summary) if parts is None else ()
    texts = (statement[:MAX_SHOWN] for statement in invented)
    rows.extend(StateFate("summary", text, "invented", "", text, transition.summary.id) for text in texts)
    return tuple(replace(row, compaction=transition.turn) for row in rows)


def _judged_items(before: WorkState, context: NewContext, parts: Collection[str]) -> Iterator[StateFate]:
    for item in before:
        if item.part in parts and item.part in _JUDGES:
            fate, after = _JUDGES[item.part](item, context)
            is_given = fate in ("dropped", "paraphrased") and _is_given(item, context)
            fate = "kept" if is_given else fate
            if fate == "dropped" and item.part in _SPOKEN and context.is_translated and item.name != "language":
                continue  # what a summary in another language says of it is not known
            yield StateFate(item.part, item.text[:MAX_SHOWN], fate, item.state, after, item.message)


def _where(before: WorkState, after: WorkState, context: NewContext) -> Iterator[StateFate]:
    for item in (*before.of("where"), *before.of("mode")):
        new = after.get(item.part, item.name)
        moved = new is None or new.text != item.text
        words = (new.text if new else "") if moved else item.text
        if moved or item.part == "where":
            is_known = moved or item.state == "recorded" or item.text in context.text
            is_known = is_known or context.points.has_word(item.text.rsplit("/", 1)[-1])
            fate: Fate = "moved" if moved else "kept" if is_known else "dropped"
            yield StateFate(item.part, f"{item.name} {item.text}", fate, item.text, words, item.message)


def _turn(before: WorkState, context: NewContext) -> Iterator[StateFate]:
    if before.actor != "user":
        return
    last = before.get("question", "open")
    is_stated = leaves_floor(context.summary)
    after = "the user" if is_stated else "the agent"
    yield StateFate(
        "turn", "the user", "kept" if is_stated else "moved", "the user", after, last.message if last else ""
    )


def _task(item: StateItem, context: NewContext) -> tuple[Fate, str]:
    points = matching(context.points, item.text)
    points = same_points(points, item.text) or points[:1]
    if points:
        return _fate_of_task(item, points)
    stated = one_line(_spread_task(item, context))[:MAX_SHOWN]
    if stated:
        open_again = _listed_again(item, stated, context) if item.state == "done" else ""
        return ("stale", open_again) if open_again else ("kept", stated)
    others = [task for task in context.tasks if task != item.text]
    points = shortened(context.points.summary, item.text, others) or in_clauses(
        context.points.summary, item.text, others
    )
    return _fate_of_task(item, points) if points else ("dropped", "")


def _fate_of_task(task: StateItem, points: Sequence[SummaryPoint]) -> tuple[Fate, str]:
    """Return the fate of a task that some points of a summary state, the closest first, and its wording there."""
    words = points[0].text[:MAX_SHOWN]
    is_open = any(point.is_open and not is_negated(point.text) for point in points)
    if task.state == "dropped":
        is_off = is_negated(words) or OFF.search(words) is not None
        return ("kept" if is_off else "revived" if is_open else "stale"), words
    is_done = any(point.is_done for point in points) or _RUNS_CHECK.match(task.text) is not None
    return ("stale" if task.state == "done" and is_open and not is_done else "kept"), words


def _listed_again(task: StateItem, stated: str, context: NewContext) -> str:
    """Return the open point of a summary that lists a finished task; "" for none."""
    points = [one for one in context.points.summary if one.is_open and not _RUNS_CHECK.match(task.text)]
    same = (one for one in points if one.text.startswith(stated) and _is_mostly(one, task))
    listed = (one for one in points if lists_task(one, task.text))
    return next((one.text[:MAX_SHOWN] for one in chain(same, listed)), "")


def _spread_task(item: StateItem, context: NewContext) -> str:
    """Return a statement of a task that no single statement contains; "" for none."""
    stated = _labeled(item, context)
    if not stated and item.state != "dropped":
        names = [] if is_negated(item.text) else _CODE_NAME.findall(item.text)
        stated = (
            _with_verb(item.text, names[:1], context) or _reported(item, names, context) or _near(item, names, context)
        )
    return stated or _enumerated(item, context)


def _is_mostly(point: SummaryPoint, task: StateItem) -> bool:
    """Return True if most words of a statement are those of a task."""
    return len(point.words & content_words(task.text)) >= _MOST_OF_LINE * len(point.words)


def _near(task: StateItem, names: Sequence[str], context: NewContext) -> str:
    """Return a statement of some that together say a task, if the summary contains its files; "" for none."""
    files = [name.rpartition("/")[2] for name in names if "." in name]
    spread = context.around(task.text) if all(map(context.has_name, files)) else ""
    return (spread and _naming(files, context)) or spread


def _with_verb(task: str, name: Sequence[str], context: NewContext) -> str:
    """Return the statement with the verb of a task and its first name, of a method without its class; "" for none.

    "Updated `write_all()` for the format" states "Update write_all and related functions".
    """
    verb = content_words(task.split(" ", 1)[0])
    verb |= frozenset() if verb <= _LOOKS else _CHANGES
    names = {part for one in name for part in (one, _METHOD.sub("", one))}
    points = (point.text for point in context.points.summary if verb & point.words)
    return next((text for text in points if any(has_name(text, one) for one in names)), "")


def _naming(names: Sequence[str], context: NewContext) -> str:
    """Return the first statement with one of some names; "" for none."""
    points = (point.text for point in context.points.summary)
    return next((text for text in points if any(name in text for name in names)), "")[:MAX_SHOWN]


def _labeled(task: StateItem, context: NewContext) -> str:
    """Return the line that states a task by its label: "Phase 3"; "" for none."""
    if task.detail.startswith("#") and (line := _line_with(f"task {task.detail}", context)):
        return line.text
    label = _LABEL.match(task.text)
    line = _line_with(label[0], context) if label else None
    if label is None or line is None:
        return ""
    labels = {match[0].lower() for one in context.lines for match in _LABEL.finditer(one.text)}
    return line.text if len(labels) > 1 or line.words & content_words(task.text[label.end() :]) else ""


def _line_with(label: str, context: NewContext) -> SummaryPoint | None:
    """Return the first line that contains a label such as "Phase 3"."""
    ends = ("", *" :;,.)*-–—\"'")
    lines = (one for one in context.lines if label.lower() in one.text.lower())
    return next((one for one in lines if one.text.lower().partition(label.lower())[2][:1] in ends), None)


def _enumerated(task: StateItem, context: NewContext) -> str:
    """Return the enumeration that states a task which is not dropped; "" for none."""
    if task.state == "dropped" or is_negated(task.text):
        return ""
    return enumerated(context.points, context.lines, task.text)[:MAX_SHOWN]


def _reported(task: StateItem, names: Sequence[str], context: NewContext) -> str:
    """Return the result of a check that a task runs, or the names in a task, as the summary tells them; else ""."""
    if (
        task.state == "done"
        and _RUNS_CHECK.match(task.text)
        and (claim := next((one for one in claims_in(context.summary) if one.kind), None))
    ):
        return claim.text
    return ", ".join(names) if names and all(context.tells(name, task.text) for name in names) else ""


def _plan(item: StateItem, context: NewContext) -> tuple[Fate, str]:
    texts = [item.text, *steps_of_plan(item.detail)]
    if item.state in DECLINED and (said := _stated_refusal(item, context)):
        return "kept", said
    stated = [close[:3] for text in texts if (close := matching(context.points, text, 0.7))]
    points = [point for close in stated for point in close]
    if 3 * len(stated) < len(texts) and not matching(context.points, item.text, 0.7):
        points = _called_plan(item, context) or _drawn_from(item, context)
    if not points:
        return "dropped", ""
    return (_fate_of_refused(points, context) if item.state in DECLINED else "kept"), points[0].text[:MAX_SHOWN]


def _called_plan(plan: StateItem, context: NewContext) -> list[SummaryPoint]:
    """Return the first statement about a plan that says half of its title."""
    title = content_words(plan.text)
    near = context.points.near(title, 0.5 * len(title))
    return [one for one in near if "plan" in one.words and 2 * len(one.words & title) >= len(title)][:1]


def _drawn_from(plan: StateItem, context: NewContext) -> list[SummaryPoint]:
    """Return the open points of a summary that are made of the words of a declined plan."""
    if plan.state not in DECLINED:
        return []
    words, telling = content_words(f"{plan.text} {plan.detail}"), telling_words(f"{plan.text} {plan.detail}")
    points = (point for point in context.points.summary if point.is_open and len(point.words & telling) >= 2)
    return [one for one in points if len(one.words & words) >= max(_LEAST_DRAWN, _MOST_OF_LINE * len(one.words))]


def _fate_of_refused(points: Sequence[SummaryPoint], context: NewContext) -> Fate:
    """Return the fate of a plan that was refused or shelved, which some statements of the new context are about."""
    if any(is_negated(point.text) for point in points):
        return "kept"
    is_open = any(point.is_open or point.section in ("open", "request") for point in points)
    is_open = is_open or any(point.is_open and "plan" in point.words for point in context.points.summary)
    return "revived" if is_open else "stale"


def _stated_refusal(plan: StateItem, context: NewContext) -> str:
    """Return the statement that a plan was refused; "" if the new context does not state it."""
    telling = content_words(f"{plan.text} {plan.detail}") - COMMON_VERBS
    statements = chain(context.points.near(telling, 1), context.lines)
    points = (point for point in statements if OFF.search(point.text) and point.words & telling)
    return next((point.text[:MAX_SHOWN] for point in points), "")


def _instruction(item: StateItem, context: NewContext) -> tuple[Fate, str]:
    if item.message in context.rest or _is_attached(item.name, context):
        return "kept", "attached again"
    if item.text.startswith(_SCHEMA):  # the name of a tool says nothing of its arguments
        return "dropped", ""
    if len(item.name) >= _MIN_NAME and item.name in context.summary:
        line = next(line for line in context.summary.split("\n") if item.name in line)
        return "paraphrased", one_line(line)[:MAX_SHOWN]
    name = item.name.replace("-", " ").replace("_", " ").replace(":", " ")
    words = content_words(name)
    points = [
        point
        for point in context.points.near(words, len(words))
        if words and words <= point.words and is_about(point.text, name, 1)
    ]
    return ("paraphrased", points[0].text[:MAX_SHOWN]) if points else ("dropped", "")


def _is_given(item: StateItem, context: NewContext) -> bool:
    """Return True if a new context contains the message that set an item, or the text of its instruction."""
    is_of_text = item.state == OF_INSTRUCTION and _is_attached(item.detail, context)
    return is_of_text or item.message in context.rest


def _is_attached(instruction: str, context: NewContext) -> bool:
    """Return True if a new context contains the text of an instruction again."""
    return any(instruction in message.preview for message in context.rest.values())


def _running(item: StateItem, context: NewContext) -> tuple[Fate, str]:
    is_named = bool(item.detail) and item.detail in context.text
    lines = [line for line in context.text.split("\n") if item.text in line]
    is_stated = is_named or any(not _STARTS.search(line) or _RUNS.search(line) for line in lines)
    return ("kept", item.text[:MAX_SHOWN]) if is_stated else ("dropped", "")


def _failure(item: StateItem, context: NewContext) -> tuple[Fate, str]:
    text, name = _LOCATION.sub("", item.text)[:MAX_SHOWN], plain_command(item.name)[:MAX_SHOWN]
    points = chain(context.points.near(content_words(text) | content_words(name), 1), context.lines)
    close = next((point for point in points if _states_failure(point, text, name)), None)
    return ("kept", close.text[:MAX_SHOWN]) if close else ("dropped", "")


def _states_failure(point: SummaryPoint, text: str, name: str) -> bool:
    """Return True if a statement contains most of a failing line, or says shortly that a command failed."""
    if any(has_name(point.text, one) for one in _ERROR_NAME.findall(text)):
        return True
    line, command = content_words(text), content_words(NAME_PARTS.sub(" ", name))
    if len(line & point.words) >= max(2, _MOST_OF_LINE * len(line)) and is_about(point.text, text):
        return len(line) >= _LEAST_OF_LINE or one_line(text).lower() in one_line(point.text.lower().replace("*", ""))
    shared = max(len(point.words & line) / max(3, len(line)), len(point.words & command) / max(3, len(command)))
    is_short = len(point.text) <= _MAX_STATEMENT
    return is_short and shared >= _SOME_OF_LINE and _FAILS.search(point.text) is not None


_JUDGES: Mapping[str, Callable[[StateItem, NewContext], tuple[Fate, str]]] = {
    "request": fate_of_sentence,
    "question": fate_of_question,
    "rule": fate_of_sentence,
    "task": _task,
    "plan": _plan,
    "instruction": _instruction,
    "running": _running,
    "failure": _failure,
}


def _files(before: WorkState, context: NewContext) -> Iterator[StateFate]:
    files = before.of("file")
    if not files:
        return
    named = [item for item in files if item.text.rsplit("/", 1)[-1] in context.text]
    open_files = [item for item in files if item.detail != "committed"]
    fate: Fate = "kept" if 5 * len(named) >= 4 * len(files) else "paraphrased" if named else "dropped"
    count = f"{plural(len(files), 'file')} changed, {len(open_files):,} not committed"
    yield StateFate("file", count, fate, f"{len(files):,}", f"{len(named):,} named", files[-1].message)
