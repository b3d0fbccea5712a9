"""Rules that the agent stops after each unit of work: "Stop after each file and wait for the reader"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Literal

from inspector.core.text import lazy_pattern, word_set
from inspector.engine.commands import commands_in
from inspector.engine.facts import is_imperative, sentences_of
from inspector.engine.work_state.call_effects import changes_something
from inspector.engine.work_state.done_actions import done_by
from inspector.engine.work_state.effect_values import CallEffects
from inspector.engine.work_state.state_items import StateItem, WorkState

Unit = Literal["file", "task", "commit", "edit", ""]
_UNITS: Mapping[str, Unit] = {
    word: unit  # type: ignore[misc]  # mypy widens the literals in the tuples to str
    for unit, words in (
        ("file", "file module page chapter section document component note screen"),
        ("task", "task step item point phase stage todo"),
        ("commit", "commit"),
        ("edit", "edit change"),
    )
    for word in words.split()
}
_UNIT = "|".join(_UNITS)
_ADJECTIVES = r"(?:(?:single|one|new|finished|completed|individual|edited|changed) ){0,2}"
_STOPS = (
    r"(?:stop|pause|halt|wait (?:for|until)[^.;!?\n]{0,20}\b(?:me|my|i|user|reader|human|approval|confirmation"
    r"|feedback|answer|reply|ok|okay|go)|check in|ask (?:me|the user|the reader|for)|hand back|get (?:my )?(?:approval"
    r"|confirmation))\b"
)
_AFTER = rf"\b(?:after|between) (?:each|every|all) {_ADJECTIVES}({_UNIT})s?\b"
_PAUSE = lazy_pattern(rf"(?i)\b{_STOPS}[^.;!?\n]{{0,60}}?{_AFTER}|{_AFTER}[^.;!?\n]{{0,40}}?\b{_STOPS}")
"""A rule such as "Stop after each file" or "After every step, wait for my OK"."""
_LIFTED = lazy_pattern(
    r"(?i)\b(?:without (?:stopping|waiting|pausing|asking)|(?:no need|(?:don[’']?t|do not)(?: need| have)?)(?: to)?"
    r" (?:stop|wait|pause|ask)"
    r"|in one go|all at once|keep going|(?:all|do) (?:of )?(?:the )?(?:rest|remaining|others))\b"
)
"""Words of a user who wants no more pauses."""
_WRITES = word_set("write create document add edit update change fix refactor rewrite generate draft translate")


_HOLDS = lazy_pattern(
    r"(?i)^\W*(?:(?:ok(?:ay)?|please|no|hm+|ah|oh|sorry|hey|thanks)[,.! ]+){0,2}(?:wait|hold (?:on|off|it)|hang on"
    r"|stan[d] by|sit tight|stop (?:here|now|there|please|it)|pause|one (?:moment|sec(?:ond)?|minute)|moment|warte"
    r"|attends?|attendez|espera|un moment(?:o)?|aspetta|wacht|подожди|стоп)\b(?!ing)|\b(?:sit tight|stan[d] by"
    r"|hold your horses)\b|\b(?:(?:do not|don[’']?t) do anything|do nothing)(?: else| more| further)?(?: yet| for now"
    r"| until\b|[.,!]|$)|\b(?:do not|don[’']?t) (?:start|begin|change|touch|implement|build|code|write|edit|apply|run"
    r"|execute|proceed)(?: (?:anything|it|this|that|on it))? (?:just )?yet\b|\b(?:i|we)(?:[’']ll|[’']d like to| will"
    r"| need to| have to| must| want to| gotta| should)\b[^.;!?\n]{0,60}\b(?:first|before (?:we|you|i|it|that|this"
    r"|anything)|get back to you|come back|let you know|sleep on|think about (?:it|that|this))\b|\b(?:give"
    r"|gimme) (?:me )?(?:an?|some|\w{2,8}) (?:sec|seconds?|min|minutes?|moment|hours?|days?|time)\b|\bbrb\b"
    r"|\blet me (?:think|check|ask|look|read|talk|discuss)\b|\b(?:ich|wir) (?:muss|müssen|will|wollen|möchte|schaue?"
    r"|frage)\b.{0,60}\b(?:klären|fragen|ansehen|überlegen|besprechen|prüfen|nachdenken)\b|\b(?:je dois|tengo que"
    r"|necesito|devo|preciso|ik moet|мне (?:надо|нужно)) (?:\w+ ){0,2}?(?:réfléchir|demander|vérifier|regarder"
    r"|en parler|voir|pensar\w*|preguntar\w*|consultar\w*|hablar\w*|mirar\w*|ver|pensarci|chiedere|parlarne|vedere"
    r"|perguntar|falar|nadenken|vragen|overleggen|подумать|спросить|уточнить|посмотреть)\b"
)
"""Words of a user who wants to do or to think about something before the agent goes on."""
_ASKS_WORK = lazy_pattern(
    r"(?i)\?|\b(?:meanwhile|in the meantime|go (?:on|ahead)|continue|keep (?:going|working)|instead|weiter|also"
    r"|und dann|and then)\b|(?:^|[.;!\n] ?|\bplease |\band |\bthen |, )(?:fix|add|change|use|make|write|run|do|check"
    r"|create|remove|delete|update|show|tell|explain|look|try|revert|undo|move|test|start|implement|put|rename|commit"
    r"|push|read|give(?! (?:me )?(?:an?|some|\w{2,8}) (?:sec|min|moment|hour|day|time))|find|open)\b(?! (?:it|this"
    r"|that) myself)"
)
_LEAVES = lazy_pattern(
    r"(?i)\b(?:still|remain(?:s|ing)?|left to|to go|next|not yet|has to|have to|needs? to|so far|half ?way|partly"
    r"|the rest|(?:\d{1,3}|one|two|three|four|five|six) of (?:the )?(?:\d{1,3}|two|three|four|five|six|seven|eight)"
    r"|i (?:now )?(?:go on|continue|proceed|start))\b"
)
"""Words of a reply about work that is not finished: "One of three is done"."""
_KEEPS = lazy_pattern(
    r"(?i)^\W{0,4}(?:wait|hold on|hang on|stop|moment|warte), [^\n.!?]{1,160}[.!?]"
    r" (?:please |and |so )?(?:keep|leave)\b"
)
"""A change of mind about one thing: "Wait, finance wants the tips. Keep that column"."""
_RESTS = lazy_pattern(r"(?i)(?:keep|leave|stay|wait|hold|remember|note|relax|thank)\b")
"""Start of an order that asks for no work: "Leave it like that"."""
_MAX_HOLD = 240
_MAX_REQUEST = 1_000
_SCRATCH = lazy_pattern(r"/(?:private/)?tmp/|/dev/")
_ACTS = word_set("send deploy publish delete create install migrate apply force")
"""Actions of commands that are work, whatever program does them."""


def holds_on(text: str) -> bool:
    """Return True if a user only says that the agent has to wait, and asks for nothing."""
    text = text.strip()
    is_hold = len(text) <= _MAX_HOLD and _HOLDS.search(text) is not None
    return is_hold and not (_KEEPS.match(text) or _asks_for_work(text))


def _asks_for_work(text: str) -> bool:
    orders = (one for one in sentences_of(text) if is_imperative(one) and not _RESTS.match(one))
    return _ASKS_WORK.search(text) is not None or any(not _HOLDS.search(order) for order in orders)


def _asks_only(text: str) -> bool:
    """Return True if each sentence of a user is a question, or says that the agent has to wait."""
    return all(_is_question(one) or _HOLDS.search(one) for one in sentences_of(text[:_MAX_REQUEST]))


def _is_question(text: str) -> bool:
    return text.rstrip().endswith(("?", "？"))


def has_floor(before: WorkState) -> bool:
    """Return True if the user acts next, or has only told the agent to wait and it changed nothing since."""
    request = before.get("request", "latest")
    is_held = request is not None and holds_on(request.text) and not _has_work_since(before, request)
    return before.actor == "user" or is_held


def answered_request(before: WorkState, reply: str) -> StateItem | None:
    """Return the latest request if it wants no work, or files were changed for it and the last reply leaves none.

    Args:
        before: The state after that reply.
        reply: The last reply.
    """
    request = before.get("request", "latest")
    if request is None:
        return None
    is_done = _has_work_since(before, request) and not _leaves_work(before, request, reply)
    return request if is_done or _wants_no_work(request.text) else None


def _has_work_since(before: WorkState, request: StateItem) -> bool:
    return any(item.turn >= request.turn for item in before.of("file"))


def _leaves_work(before: WorkState, request: StateItem, reply: str) -> bool:
    """Return True if tasks are open, the request approved a plan, or a reply says that the work is not finished."""
    is_open = any(task.state in ("pending", "in progress") for task in before.of("task"))
    has_plan = any(plan.state == "approved" and plan.message == request.message for plan in before.of("plan"))
    return is_open or has_plan or _LEAVES.search(reply[-_MAX_REQUEST:]) is not None


def _wants_no_work(text: str) -> bool:
    return _is_question(text) or holds_on(text) or (len(text) <= _MAX_REQUEST and _asks_only(text))


@lru_cache(maxsize=4_096)
def pause_of(rule: str) -> Unit:
    """Return the unit of work after which a rule wants the agent to stop; "" for any other rule."""
    has_unit = any(map(rule.lower().__contains__, ("after ", "between ")))
    match = _PAUSE.search(rule) if has_unit and not _LIFTED.search(rule) else None
    return _UNITS[(match[1] or match[2]).lower()] if match else ""


def lifts_pause(sentence: str) -> bool:
    """Return True if a sentence of the user says that the agent may go on without stopping."""
    return _LIFTED.search(sentence) is not None


def units_of(call: CallEffects, before: WorkState) -> Iterator[tuple[Unit, str]]:
    """Yield the units of work that a call does, each with its name.

    Args:
        call: The call.
        before: The state before it, which knows the tasks that were done earlier.
    """
    for change in call.files:
        yield "file", change.path
        yield "edit", f"{change.path} ({call.call})"
    if call.agent and call.agent.split(" ", 1)[0].lower() in _WRITES:
        yield "file", call.agent
    for task in call.tasks:
        old = before.numbered(task.number) if task.number else before.get("task", task.text)
        if task.state == "done" and old is not None and old.state != "done":
            yield "task", old.text
    if any(tuple(words[:2]) == ("git", "commit") for words, _ in commands_in(call.command)):
        yield "commit", f"{call.command} ({call.call})"


def does_work(call: CallEffects) -> bool:
    """Return True if a call changes or sends something, other than files that are thrown away."""
    is_scratch = bool(call.files) and all(_SCRATCH.match(change.path) for change in call.files)
    acts = any(one.actions & _ACTS for one in done_by(call) if not one.path)
    return (changes_something(call) or acts) and not is_scratch
