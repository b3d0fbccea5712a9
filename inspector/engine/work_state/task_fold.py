"""Tasks in the state of the work, as calls and users change them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from inspector.core.text import lazy_pattern
from inspector.engine.facts import best_match, content_words, sentences_of, shared_words
from inspector.engine.work_state.declined_work import named_task
from inspector.engine.work_state.effect_values import CallEffects, TaskChange
from inspector.engine.work_state.state_items import StateItem, WorkState

DROPPED_BY_USER = "dropped"
_SHORT = 3
_POINTERS = frozenset(("that", "this", "it"))
_NUMBER = lazy_pattern(
    r"(?i)(?:\b(?:point|step|task|item|number|no\.?|punkt|schritt|aufgabe|nr\.?|étape|tâche|numéro|punto|paso|tarea"
    r"|número|ponto|passo|tarefa|passaggio|stap|taak|пункт|шаг|задач\w)|#|第) ?#?(\d{1,3})(?:\b"
    r"|(?=[个個项項步点點条條番]))|\b(first|second|third|fourth|fifth|sixth|last)\b|\b(?:skip|drop|scratch|leave"
    r"|forget|cut|omit|cancel|ditch|lass|streiche?|quita|saute|oublie|salta) (?:out |weg |el |la "
    r"|le )?(\d{1,2})\b(?! ?(?:%|ms|px|files?|lines?|tests?|of))|^(\d{1,2})(?= (?:is|can|has|isn[’']t|won[’']t|we"
    r"|fällt|ist|kann|est|es|out|off|not|no longer|raus|weg)\b)"
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


def with_tasks(state: WorkState, call: CallEffects, message: str, number: str = "") -> WorkState:
    """Return the state after a call that states or changes tasks.

    Args:
        state: The state before.
        call: The call.
        message: Id of the message with the call, or with its result.
        number: Number that the tool gave to a task that the call created.
    """
    if number:
        return _numbered(state, call.tasks[0], number)
    if not call.tasks[0].is_list:
        return _single(state, call.tasks[0], message)
    named = {change.text for change in call.tasks}
    for item in state.of("task"):
        if item.text not in named and item.state in ("pending", "in progress") and item.detail == "list":
            state = state.end(item, message, "removed")
    for change in call.tasks:
        state = _put(state, change, message)
    return state


def _put(state: WorkState, change: TaskChange, message: str) -> WorkState:
    old = state.items.get("task", {}).get(change.text)
    word = change.state or "pending"
    if old is not None and old.holds and (old.state == word or old.state == DROPPED_BY_USER):
        return state
    if old is not None and old.holds:
        return replace(state.change(old, message, word), last_task=change.text)
    item = StateItem("task", change.text, change.text, word, "list", message, state.turn)
    return replace(state.put(item), last_task=change.text)


def _single(state: WorkState, change: TaskChange, message: str) -> WorkState:
    if not change.number:
        item = StateItem("task", change.text, change.text, change.state, "", message, state.turn)
        return replace(state.put(item), last_task=change.text)
    known = state.numbered(change.number)
    if known is None or not change.state or known.state == change.state:
        return state
    return replace(state.change(known, message, change.state), last_task=known.name)


def _numbered(state: WorkState, change: TaskChange, number: str) -> WorkState:
    item = state.items.get("task", {}).get(change.text)
    return state.put(replace(item, detail=f"#{number}")) if item and not item.detail else state


def drop_tasks(state: WorkState, sentence: str, context: str, message: str) -> WorkState:
    """Return the state after a sentence of the user that drops a task: "skip that point".

    The task is the one with the named number; or the one that shares the most words with the sentence or the words
    around it; or, if it shares none and the sentence points to it, the one that was changed last.

    Args:
        state: The state before.
        sentence: The sentence.
        context: The whole text of the user.
        message: Id of the message.
    """
    items = state.of("task")
    texts = [item.text for item in items]
    number = _task_number(sentence)
    if number and abs(number) <= len(items):
        return state.change(items[number - (number > 0)], message, DROPPED_BY_USER)
    place = _named_task(sentence, context, texts)
    if place >= 0:
        return state.change(items[place], message, DROPPED_BY_USER)
    last = state.get("task", state.last_task)
    points = not _POINTERS.isdisjoint(sentence.lower().replace(",", " ").replace(".", " ").split())
    return state.change(last, message, DROPPED_BY_USER) if points and last and last.state != "done" else state


def _named_task(sentence: str, context: str, texts: Sequence[str]) -> int:
    """Return the index of the task that a sentence names by itself, or with the words around it; -1 for none."""
    before = [one for one in sentences_of(context[: max(0, context.find(sentence))]) if content_words(one)][-1:]
    place = best_match(sentence, texts)
    shared = [count for text in texts if (count := len(shared_words(sentence, text)))]
    for said in (sentence, *before):
        if (named := named_task(said, texts)) >= 0:
            return named
        if shared and (len(shared) == 1 or max(shared) > 1):
            return place
    around = best_match(context, texts, least=2)
    return around if around >= 0 else place if place >= 0 else _named_in_code(context, texts)


def _named_in_code(context: str, texts: Sequence[str]) -> int:
    """Return the index of the only task that shares a name of code with a text; -1 for none or several."""
    names = {word for word in context.replace(",", " ").split() if not word.isalpha() and len(word) > _SHORT}
    naming = [place for place, text in enumerate(texts) if not names.isdisjoint(text.split())]
    return naming[0] if len(naming) == 1 else -1


def _task_number(sentence: str) -> int:
    """Return the number of the task that a sentence names, from 1; -1 for the last one; 0 for none."""
    match = _NUMBER.search(sentence)
    if not match:
        return 0
    if number := match[1] or match[3] or match[4]:
        return int(number)
    word = match[2].lower()
    return -1 if word == "last" else _ORDINALS.index(word) + 1
