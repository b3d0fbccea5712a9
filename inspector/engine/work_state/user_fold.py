"""The state of the work after words of the user."""

from __future__ import annotations

from dataclasses import replace

from inspector.core.text import one_line
from inspector.engine.facts import content_words, sentences_of
from inspector.engine.work_state.languages import requested_language
from inspector.engine.work_state.message_steps import MessageSteps
from inspector.engine.work_state.pauses import lifts_pause, pause_of
from inspector.engine.work_state.rule_checks import is_met, overrides, prohibition_of
from inspector.engine.work_state.state_items import StateItem, WorkState
from inspector.engine.work_state.task_fold import DROPPED_BY_USER, drop_tasks
from inspector.engine.work_state.user_words import UserWords
from inspector.engine.work_state.work_plans import COMMON_VERBS, mentions

_MAX_TEXT = 4_000
_UNCHANGED = frozenset(
    [
        "compact",
        "clear",
        "cost",
        "model",
        "context",
        "config",
        "help",
        "status",
        "resume",
        "memory",
        "login",
        "logout",
        "doctor",
        "mcp",
        "export",
        "usage",
    ]
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
    if words.command:
        if words.command in _UNCHANGED:
            return state
        request = StateItem("request", "latest", words.text[:_MAX_TEXT], "", "", message, turn)
        return replace(state.put(request), actor="agent")
    if not words.text.strip():
        return state
    state = _plans_after(state, words, message)
    state = _rules_after(state, words, message)
    for sentence in words.drops:
        state = drop_tasks(state, sentence, words.text, message)
    state = _tasks_asked_for(state, words, message)
    if asked := state.get("question", "open"):
        state = state.end(asked, message, "answered")
    items = [_rule(rule, steps, message, turn) for rule in words.rules]
    if steps.requested and not any(item.name == "language" for item in items):
        items.append(
            StateItem("rule", "language", _sentence_with(words.text, steps), steps.requested, "", message, turn)
        )
    request = StateItem("request", "latest", words.text.strip()[:_MAX_TEXT], "", "", message, turn)
    return replace(state.put(*items, request), actor="agent")


def _rule(rule: str, steps: MessageSteps, message: str, turn: int) -> StateItem:
    is_language = steps.requested and content_words(rule) and rule == _sentence_with(rule, steps)
    if is_language:
        return StateItem("rule", "language", rule, steps.requested, "", message, turn)
    return StateItem("rule", rule, rule, "", "", message, turn)


def _sentence_with(text: str, steps: MessageSteps) -> str:
    """Return the sentence that asks for a language."""
    fitting = (sentence for sentence in sentences_of(text) if requested_language(sentence) == steps.requested)
    return one_line(next(fitting, ""))[:400]


def _plans_after(state: WorkState, words: UserWords, message: str) -> WorkState:
    plans = state.of("plan")
    for item in plans:
        if word := _answer_to(item, words, item is plans[-1]):
            state = state.change(item, message, word)
    return state


def _answer_to(plan: StateItem, words: UserWords, is_newest: bool) -> str:
    """Return the state of a plan after words of the user; "" if they do not change it."""
    if plan.state == "proposed":
        return ("refused" if words.shelves else "approved" if words.approves else "") if is_newest else ""
    if any(mentions(sentence, plan) for sentence in words.shelves):
        return "shelved" if plan.state in ("approved", "refused") else ""
    is_resumed = plan.state in ("refused", "shelved") and words.approves and mentions(words.text, plan)
    return "approved" if is_resumed and not words.shelves else ""


def _rules_after(state: WorkState, words: UserWords, message: str) -> WorkState:
    sentences = [sentence for sentence in sentences_of(words.text) if len(sentence) < 800]
    approves = words.approves and not words.shelves
    for item in state.of("rule"):
        shared = content_words(item.text)
        about = prohibition_of(item.text)
        endings = ("answer", "approval") if approves else ("answer",)
        if any(shared & content_words(sentence) for sentence in words.withdrawals):
            state = state.end(item, message, "withdrawn")
        elif (about and about.ending in endings) or any(_ends(sentence, item.text) for sentence in sentences):
            state = state.end(item, message, "over")
    return state


def _ends(sentence: str, rule: str) -> bool:
    """Return True if a sentence of the user ends a rule."""
    is_lifted = lifts_pause(sentence) and bool(pause_of(rule))
    return is_lifted or overrides(sentence, rule) or is_met(rule, sentence)


def _tasks_asked_for(state: WorkState, words: UserWords, message: str) -> WorkState:
    """Return the state in which dropped or finished tasks that the user asks for again are pending."""
    if words.drops or words.shelves:
        return state
    asked = content_words(words.text)
    for item in state.of("task"):
        own = content_words(item.text)
        is_dropped = item.state == DROPPED_BY_USER
        telling = own - COMMON_VERBS if is_dropped and words.approves else own
        least = 1 if is_dropped and words.approves else 2
        enough = max(least, -(-2 * len(telling) // 3))
        if (is_dropped or item.state == "done") and telling and len(telling & asked) >= enough:
            state = state.change(item, message, "pending")
    return state
