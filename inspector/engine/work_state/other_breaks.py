"""Breaks of rules that are no prohibition of a change: forms of commits, duties in order, files not to be read."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from inspector.engine.commands import commands_in
from inspector.engine.facts import content_words, is_negated
from inspector.engine.work_state.commit_forms import breaks_form, commit_form_of
from inspector.engine.work_state.effect_values import CallEffects
from inspector.engine.work_state.forbidden_reads import is_unreadable, read_by, unreadable_in
from inspector.engine.work_state.object_breaks import breaks_object_rule
from inspector.engine.work_state.object_rules import asks_for_action, object_rule_of, objects_in
from inspector.engine.work_state.ordered_duties import lifts_duty, neglects, ordered_duty_of
from inspector.engine.work_state.value_rules import breaks_value, ends_value, value_rules_of


@lru_cache(maxsize=4_096)
def states_other_rule(sentence: str) -> bool:
    """Return True if a sentence is a rule about the form of commits, an order of work, reading or a concrete thing."""
    others = commit_form_of(sentence) or ordered_duty_of(sentence) or unreadable_in(sentence)
    return bool(others or object_rule_of(sentence) or value_rules_of(sentence))


def other_break(
    rule: str, call: CallEffects, path: str, earlier: Sequence[CallEffects], before: Sequence[str], branch: str
) -> str:
    """Return the command or path of a call that breaks a rule; "" for any other call.

    Args:
        rule: The rule.
        call: The call.
        path: The file that the call shows, if it is one of a reading tool.
        earlier: The calls since the compaction.
        before: The commands before the compaction.
        branch: The branch that is checked out.
    """
    if target := _named_break(rule, call, branch):
        return target
    form = commit_form_of(rule)
    if form and any(breaks_form(form, words) for words, _ in commands_in(call.command)):
        return call.command
    duty = ordered_duty_of(rule)
    if duty and neglects(duty, call, earlier, before):
        return call.command
    forbidden = unreadable_in(rule)
    paths = (*read_by(call.command), *([path] if path else [])) if forbidden else ()
    return next((one for one in paths if is_unreadable(one, forbidden)), "")


def _named_break(rule: str, call: CallEffects, branch: str) -> str:
    """Return the command or path of a call that breaks a rule about a concrete thing or a value; "" for none."""
    about = object_rule_of(rule)
    if about and (target := breaks_object_rule(about, call, branch)):
        return target
    return next(filter(None, (breaks_value(value, call) for value in value_rules_of(rule))), "")


def ends_other_rule(rule: str, sentence: str) -> bool:
    """Return True if a later sentence of the user takes such a rule back, or asks for the file that it protects."""
    if not states_other_rule(rule) or sentence.endswith("?"):
        return False
    if _is_asked_for(rule, sentence) or ends_value(rule, sentence):
        return True
    if unreadable := unreadable_in(rule):
        return any(path.strip("/") in sentence for path in unreadable) and not is_negated(sentence)
    return lifts_duty(sentence) and bool(content_words(rule) & content_words(sentence))


def _is_asked_for(rule: str, sentence: str) -> bool:
    """Return True if a sentence asks for an action on the concrete thing that a rule protects."""
    about = object_rule_of(rule)
    if about is None or is_negated(sentence) or object_rule_of(sentence) or not asks_for_action(sentence):
        return False
    return not _named_in(sentence).isdisjoint(one.name for one in about.objects)


@lru_cache(maxsize=256)
def _named_in(sentence: str) -> frozenset[str]:
    """Return the words of a sentence and the names of the things in it."""
    return frozenset(one.name for one in objects_in(sentence)).union(sentence.lower().replace(",", " ").split())
