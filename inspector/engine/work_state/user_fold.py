"""The state of the work after words of the user."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import filterfalse

from inspector.core.text import lazy_pattern, one_line, word_set
from inspector.engine.facts import content_words, is_negated, sentences_of
from inspector.engine.work_state.background_work import without_reported
from inspector.engine.work_state.declined_traces import telling_words
from inspector.engine.work_state.declined_work import (
    answers_with_other,
    declined_part,
    declined_task,
    declines,
    named_task,
)
from inspector.engine.work_state.instruction_rules import OF_INSTRUCTION
from inspector.engine.work_state.languages import requested_language
from inspector.engine.work_state.later_permissions import is_about, is_met, may_permit, permits
from inspector.engine.work_state.message_steps import MessageSteps
from inspector.engine.work_state.object_rules import object_rule_of
from inspector.engine.work_state.other_breaks import ends_other_rule
from inspector.engine.work_state.pauses import holds_on, lifts_pause, pause_of
from inspector.engine.work_state.picked_steps import left_of_proposal
from inspector.engine.work_state.plan_answers import with_answer
from inspector.engine.work_state.promised_rules import is_asked_for, order_of
from inspector.engine.work_state.rule_bans import bans_in
from inspector.engine.work_state.state_items import StateItem, WorkState
from inspector.engine.work_state.task_fold import DROPPED_BY_USER, drop_tasks
from inspector.engine.work_state.user_words import UserWords, spoken_sentences
from inspector.engine.work_state.work_folders import COPY, names_copy
from inspector.engine.work_state.work_plans import (
    COMMON_VERBS,
    asks_for,
    has_plan,
    is_waiting,
    mentions,
    offered_in,
    resumes,
    steps_of_plan,
    suggested_in,
    with_plan,
)

_MAX_TEXT = 4_000
_GOES_ON = lazy_pattern(
    r"(?i)(?:(?:ok(?:ay)?|yes|please)[,.! ]*)?(?:ok(?:ay)?|go on|continue|carry on|keep going|proceed|next|weiter"
    r"|mach weiter)[.! ]*"
)
"""Words that ask the agent to go on, and approve nothing unless it asked."""
_TAKES_UP = lazy_pattern(
    r"(?i)\b(?:actually|after all|anyway|changed my mind|on second thoughts?|nevertheless|doch|finalement|al final)\b"
)
"""Words that take back what the user said before."""
_REDO = lazy_pattern(
    r"(?i)([^,;:.!?\n]{0,40})\b(?:re-?(?:do|open)|(?:do|write) (?:it|that|this)(?: one)? (?:again|over))\b"
)
"""Words that ask for finished work again, after their clause: "redo that one"."""
_REOPENS = lazy_pattern(r"(?i)\b(?:re-?open|(?:open|take|pick) (?:it|that|this)(?: one)? (?:up )?again)\b")
_DO_IT = lazy_pattern(r"(?i)\b(?:build|do|implement|start|make|use|go (?:ahead|for)) (?:it|that)\b(?!['’])")
_ORDERS_IT = lazy_pattern(
    r"(?i)^\W*(?:(?:ok(?:ay)?|yes|great|then|now|so|and),? )*(?:(?:can|could|would|will) you (?:please )?|please |pls "
    r"|let[’']?s |go ahead and )?(?:do|make|apply|implement) (?:the|that|this|these|those|both|all) "
    r"(?:fix|fixes|changes?|refactor\w*|edits?|plan)\b"
)
"""Start of a request that carries out what the agent proposed: "can you do the fix?"."""
_RETHINKS = lazy_pattern(
    r"(?i)^\W*(?:on (?:second thoughts?|reflection)|(?:i|we)(?:[’']ve| have)? changed (?:my|our) minds?|scratch that"
    r"|(?:(?:actually|no|hm+|sorry|ok(?:ay)?|oh|nah)[,.]? )*(?:scrap|forget|drop|cancel|kill|ditch|undo) (?:that|it"
    r"|this)\b|hold on|wait,|stop,|stop[.!])(?![^.!?\n]{0,80}\b(?:go ahead|do it|after all|approve))"
)
"""Start of a message that takes back what the user approved."""
_NO = lazy_pattern(
    r"(?i)^(?:(?:h?mm?|uh|well|oh|lol|haha|thanks|thx),? ){0,2}(?:no|nope|nah|please (?:not|don[’']?t)|not (?:now|yet"
    r"|that|this|today|needed)|don[’']?t|do not|never|leave (?:it|that|them)|park (?:it|that)|skip (?:it|that)"
    r"|hold off|nein|nicht|non|não|nee|нет)\b(?! problem)"
)
"""Start of an answer that says no."""
_AMENDS = lazy_pattern(
    r"(?i)^\W*(?:yes|yep|ok(?:ay)?|fine|good|great|sure|agreed|looks good|sounds good|approved)[,.]? (?:but|only|except"
    r"|just|with)\b(?! (?:not|no|for|too|we|first)\b)|\b(?:otherwise|apart from that|besides that)[^.!?\n]{0,20}"
    r"\b(?:good|fine|ok(?:ay)?|go ahead)\b"
)
"""Words that accept a plan with a change: "Fine, but call the file socket.ts"."""
_GIVES_PLAN = lazy_pattern(r"(?i)\s{0,9}(?:please )?implement (?:the following|this) plan:\s{0,9}\n\s{0,99}(?=\S)")
"""Start of a message with a plan to carry out, as Claude Code writes it after it cleared the context."""
_INSTEAD = lazy_pattern(
    r"(?i)\b(?:instead|stattdessen|lieber|plutôt|à la place|en su lugar|en lugar de eso|mejor|invece|em vez disso"
    r"|in plaats daarvan|zamiast tego)[.!]?$"
)
"""End of an answer that asks for something else: "Fix the query instead."."""
_MAX_ANSWER = 160
_TYPED = lazy_pattern(r"^/([a-z][a-z-]{1,20})(?:\s.*)?$", re.DOTALL)
"""A slash command as it is typed."""
_MAX_NAME = 30
_PICKS = lazy_pattern(r"(?i)(?:(?:option|variant|choice|number) |#)?(?:[1-9]|[a-e])[.)!]?(?: please| pls)?")
"""An answer that only picks one of several options."""
_LENT = "allowed for now"
"""Last state of a rule of an instruction that the user lifts for one request."""
_LAST_STATES = {OF_INSTRUCTION: _LENT}
_UNCHANGED = word_set(
    "compact clear exit quit permissions hooks agents plugin theme vim ide add-dir rewind rename "
    "terminal-setup statusline output-style upgrade feedback stats todos tasks fast effort cost model "
    "context config help status resume memory login logout doctor mcp export usage"
)
"""Slash commands that ask nothing of the agent."""


def hear(state: WorkState, steps: MessageSteps, message: str, turn: int) -> WorkState:
    """Return the state after words of the user.

    Args:
        state: The state before.
        steps: The contribution of the message, with words.
        message: Id of the message.
        turn: Turn of the message.
    """
    words = steps.words
    assert words is not None, "it is a message of the user"
    if words.interrupted:
        return replace(state, actor="user")
    if (words.command or _TYPED.sub(r"\1", words.text[:_MAX_NAME])) in _UNCHANGED:
        return state
    if words.command:
        request = StateItem("request", "latest", words.text[:_MAX_TEXT], "", "", message, turn)
        return replace(state.put(request), actor="agent")
    if not words.text.strip():
        return state
    state = _given_plan(state, words.text, message) or _plans_after(state, words, message)
    state = _rules_after(state, words, message)
    state = _without_dropped(state, words, message)
    state = without_reported(_tasks_asked_for(state, words, message), words.text[:_MAX_TEXT], message)
    if asked := state.get("question", "open"):
        state = state.end(asked, message, "answered")
    items = _rules_in(words, steps, message, turn)
    if (folder := state.text("where", "folder")) and names_copy(words.text, folder):
        items.append(StateItem("where", COPY, folder, "named", "", message, turn))
    request = StateItem("request", "latest", words.text.strip()[:_MAX_TEXT], "", "", message, turn)
    return replace(state.put(*items, request), actor="user" if holds_on(words.text) else "agent")


def _without_dropped(state: WorkState, words: UserWords, message: str) -> WorkState:
    """Return the state without the tasks that words of the user drop or decline."""
    for sentence in words.drops:
        state = drop_tasks(state, sentence, words.text, message)
    return _declined_tasks(state, words, message)


def _declined_tasks(state: WorkState, words: UserWords, message: str) -> WorkState:
    """Return the state without the open tasks that words of the user decline by name.

    Without a list of tasks, a part of the latest request is declined.
    """
    tasks = [item for item in state.of("task") if item.state in ("pending", "in progress")]
    request = "" if state.of("task") else state.text("request", "latest")
    for sentence in sentences_of(words.text[:_MAX_TEXT]) if tasks or request else ():
        if request:
            if part := declined_part(sentence, request, sentence in words.drops):
                state = state.put(StateItem("task", part, part, DROPPED_BY_USER, "", message, state.turn))
        elif tasks and (place := declined_task(sentence, [item.text for item in tasks])) >= 0:
            state = state.change(tasks.pop(place), message, DROPPED_BY_USER)
    return state


def _rules_in(words: UserWords, steps: MessageSteps, message: str, turn: int) -> list[StateItem]:
    """Return the rules in words of the user, with the language that they ask for."""
    items = [_rule(rule, steps, message, turn) for rule in words.rules]
    if steps.requested and not any(item.name == "language" for item in items):
        asked = _sentence_with(words.text, steps)
        items.append(StateItem("rule", "language", asked, steps.requested, "", message, turn))
    return items


def _rule(rule: str, steps: MessageSteps, message: str, turn: int) -> StateItem:
    is_language = steps.requested and content_words(rule) and rule == _sentence_with(rule, steps)
    if is_language:
        return StateItem("rule", "language", rule, steps.requested, "", message, turn)
    return StateItem("rule", rule, rule, "", "", message, turn)


def _sentence_with(text: str, steps: MessageSteps) -> str:
    """Return the sentence that asks for a language."""
    fitting = (sentence for sentence in spoken_sentences(text) if requested_language(sentence) == steps.requested)
    return one_line(next(fitting, ""))[:400]


def _given_plan(state: WorkState, text: str, message: str) -> WorkState | None:
    """Return the state with the plan that a user gives to be carried out; None for any other words."""
    start = _GIVES_PLAN.match(text)
    if start is None or has_plan(state, text[start.end() :]):
        return None
    state = with_plan(state, text[start.end() :].strip(), message)
    plan = next(plan for plan in reversed(state.of("plan")) if plan.message == message)
    return state.change(plan, message, "approved")


def _plans_after(state: WorkState, words: UserWords, message: str) -> WorkState:
    plans = state.of("plan")
    answered = next((plan for plan in plans[-1:] if is_waiting(plan, state)), None)
    newest = "".join(state.samples[-1:])
    steps = steps_of_plan(answered.detail if answered else newest)
    offered = steps if answered else steps_of_plan(_offer_in(state))
    if left := left_of_proposal(words.text, newest, steps, offered):
        return _without_steps(state, answered, left, message)
    if answered is None and _refuses(words) and (offer := _offer_in(state)):
        return _with_refused(state, offer, message)
    for item in plans:
        if word := _answer_to(item, words, item is plans[-1] and is_waiting(item, state), len(plans) == 1):
            state = with_answer(state, item, message, word)
    return state


def _with_refused(state: WorkState, offer: str, message: str) -> WorkState:
    """Return the state with what the agent offers as a plan that the user refuses."""
    asked = state.get("question", "open")
    source = asked.message if asked else message
    state = with_plan(state, offer, source)
    plan = next(plan for plan in reversed(state.of("plan")) if plan.message == source)
    return state.change(plan, message, "refused")


def _without_steps(state: WorkState, plan: StateItem | None, left: Sequence[str], message: str) -> WorkState:
    """Return the state in which some steps of a plan, or of what the newest reply suggests, are refused."""
    if plan is not None:
        rest = "\n".join(line for line in plan.detail.split("\n") if not any(step in one_line(line) for step in left))
        state = with_answer(state, replace(plan, detail=rest), message, "approved")
    return state.put(
        StateItem("plan", left[0], left[0], "refused", "\n".join(f"- {one}" for one in left), message, state.turn)
    )


def _offer_in(state: WorkState) -> str:
    """Return what the open question offers, or what the newest reply suggests; "" for nothing."""
    return offered_in(state.text("question", "open")) or suggested_in("".join(state.samples[-1:]))


def _refuses(words: UserWords) -> bool:
    """Return True if words of a user say no to what the agent offers."""
    text = words.text.strip()
    if match := _NO.match(text):
        return not (text.endswith("?") and match[0].lower().startswith(("do", "never")))
    if len(text) > _MAX_ANSWER or words.approves:
        return False
    puts_off = text.startswith((*words.shelves[:1], *words.drops[:1], "\0"))
    return puts_off or any(map(declines, sentences_of(text))) or _INSTEAD.search(text) is not None


def _answer_to(plan: StateItem, words: UserWords, is_waiting: bool, is_only: bool) -> str:
    """Return the state of a plan after words of the user; "" if they do not change it.

    Args:
        plan: The plan.
        words: The words.
        is_waiting: True if the plan waits for an answer. Only then, words such as "go on" and "ok" approve it.
        is_only: True if the user can mean no other plan.
    """
    is_waiting = is_waiting and plan.state == "proposed"
    if (is_only and _RETHINKS.search(words.text[:400])) or _puts_off(plan, words, is_waiting):
        return {"proposed": "refused", "approved": "shelved", "refused": "shelved"}.get(plan.state, "")
    if is_waiting and not words.approves and answers_with_other(words.text, plan.detail):
        return "refused"
    if words.shelves or plan.state not in ("proposed", "refused", "shelved"):
        return ""
    return "approved" if _takes_up(plan, words, is_waiting, is_only) else ""


def _puts_off(plan: StateItem, words: UserWords, is_waiting: bool) -> bool:
    return any(is_waiting or mentions(sentence, plan) for sentence in words.shelves)


def _takes_up(plan: StateItem, words: UserWords, is_waiting: bool, is_only: bool) -> bool:
    """Return True if words of the user approve a plan, or ask for one that was refused or shelved."""
    if _takes_back(plan, words, is_only) or _orders(plan, words, is_only):
        return True
    if is_waiting and _PICKS.fullmatch(words.text.strip()):
        return True
    if not words.approves:
        return plan.state != "proposed" and asks_for(words.text, plan)
    takes_back = (
        is_only and plan.state != "proposed" and bool(_TAKES_UP.search(words.text) or _DO_IT.search(words.text))
    )
    return is_waiting or takes_back or resumes(words.text, plan, is_only)


def _orders(plan: StateItem, words: UserWords, is_only: bool) -> bool:
    """Return True if words of a user ask for what a proposed plan is about."""
    return is_only and plan.state == "proposed" and _ORDERS_IT.match(words.text) is not None


def _takes_back(plan: StateItem, words: UserWords, is_only: bool) -> bool:
    """Return True if words of a user ask for a refused plan by its name, or accept it with a change."""
    if plan.state != "refused":
        return False
    if _TAKES_UP.search(words.text) and _names_plan(words.text, plan):
        return True
    return is_only and not words.shelves and _AMENDS.search(words.text[:400]) is not None


def _names_plan(text: str, plan: StateItem) -> bool:
    """Return True if words of a user name what a plan is about, and decline nothing."""
    return bool(telling_words(text) & telling_words(plan.detail)) and not any(map(declines, sentences_of(text)))


def _rules_after(state: WorkState, words: UserWords, message: str) -> WorkState:
    state = _taken_back(state)
    rules = state.of("rule")
    if not rules:
        return state
    sentences = [sentence for sentence in sentences_of(words.text) if len(sentence) < 800]
    asking = list(filter(may_permit, sentences))
    approves = words.approves and not words.shelves and _is_answer(state, words)
    endings = ("answer", "approval") if approves else ("answer",)
    asked = state.text("question", "open").rstrip("? ") if approves else ""
    for item in rules:
        rule = order_of(item)
        shared = content_words(rule) | content_words(item.text)
        if any(is_about(sentence, rule, shared) for sentence in words.withdrawals):
            state = state.end(item, message, "withdrawn")
        elif _is_over(rule, endings, sentences, asking, asked) or _is_taken_back(item, rule, sentences):
            state = state.end(item, message, _LAST_STATES.get(item.state, "over"))
    return state


def _taken_back(state: WorkState) -> WorkState:
    """Return the state in which the rules of instructions hold again that the user lifted for one request."""
    lent = [item for item in state.all("rule") if item.state == _LENT]
    rows = {**state.items.get("rule", {})} if lent else {}
    rows.update((item.name, replace(item, state=OF_INSTRUCTION, ended_by="", ended_turn=0)) for item in lent)
    return state.with_items({**state.items, "rule": rows}) if lent else state


def _is_over(rule: str, endings: Sequence[str], sentences: Sequence[str], asking: Sequence[str], asked: str) -> bool:
    """Return True if words of the user end a rule, by their kind, a sentence, or the question that they say yes to.

    Args:
        rule: The rule.
        endings: Kinds of rules that the words end.
        sentences: Sentences of the words.
        asking: Those that ask for or allow something.
        asked: The question that the words say yes to; "" for none.
    """
    bans, about = bans_in(rule), object_rule_of(rule)
    if not bans and not pause_of(rule):
        return about is not None and about.ending in endings
    is_ended = any(ban.ending in endings for ban in bans)
    return is_ended or (bool(asked) and permits(asked, rule)) or _ends(rule, sentences, asking)


def _is_taken_back(item: StateItem, rule: str, sentences: Sequence[str]) -> bool:
    """Return True if words of the user end a promise, or a rule about commit messages, an order of work or reading."""
    return is_asked_for(item, sentences) or any(ends_other_rule(rule, sentence) for sentence in sentences)


def _is_answer(state: WorkState, words: UserWords) -> bool:
    """Return True unless words only ask the agent to go on although it asked nothing."""
    return state.get("question", "open") is not None or not _GOES_ON.fullmatch(words.text.strip())


def _ends(rule: str, sentences: Sequence[str], asking: Sequence[str]) -> bool:
    """Return True if a sentence asks for what a rule forbids, or is what the rule waits for."""
    if any(permits(sentence, rule) for sentence in asking):
        return True
    pauses = bool(pause_of(rule))
    return any((pauses and lifts_pause(sentence)) or is_met(rule, sentence) for sentence in sentences)


def _tasks_asked_for(state: WorkState, words: UserWords, message: str) -> WorkState:
    """Return the state in which dropped or finished tasks that the user asks for again are pending."""
    closed = [item for item in state.of("task") if item.state in (DROPPED_BY_USER, "done")]
    if not closed or words.shelves or (words.drops and not _REOPENS.search(words.text)):
        return state
    said = filterfalse(declines, sentences_of(words.text[:_MAX_TEXT]))
    asking = " ".join(filterfalse(words.drops.__contains__, said))
    asked = content_words(asking)
    named = named_task(asking, [item.text for item in closed]) if _TAKES_UP.search(asking) else -1
    for place, item in enumerate(closed):
        if place == named or _asks_again(item, words, asked):
            state = state.change(item, message, "pending")
    return state


def _asks_again(task: StateItem, words: UserWords, asked: frozenset[str]) -> bool:
    """Return True if a user asks for a dropped or finished task again.

    With most of its words; with fewer when taking words back, or asking to redo work on one of its files.
    """
    own = content_words(task.text)
    is_dropped = task.state == DROPPED_BY_USER
    telling = own - COMMON_VERBS if is_dropped and words.approves else own
    enough = max(1 if is_dropped and words.approves else 2, -(-2 * len(telling) // 3))
    redo = _REDO.search(words.text) if any("." in word for word in own & asked) else None
    is_file_redone = redo is not None and not is_negated(redo[1])
    return is_file_redone or (bool(telling) and len(telling & asked) >= enough)
