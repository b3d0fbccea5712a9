"""Breaks of rules that are no prohibition of a change: forms of commits, duties in order, files not to be read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from inspector.core.text import cued_pattern, lazy_pattern
from inspector.engine.commands import check_kind, commands_in
from inspector.engine.facts import content_words, is_negated
from inspector.engine.work_state.ban_patterns import SPARED
from inspector.engine.work_state.commit_forms import breaks_form, commit_form_of
from inspector.engine.work_state.done_actions import done_by
from inspector.engine.work_state.effect_values import CallEffects
from inspector.engine.work_state.forbidden_reads import is_unreadable, read_by, unreadable_in
from inspector.engine.work_state.object_breaks import breaks_object_rule
from inspector.engine.work_state.object_rules import asks_for_action, object_rule_of, objects_in
from inspector.engine.work_state.plain_sentences import plain_sentence
from inspector.engine.work_state.rule_verbs import FORM, FORMS, MEANT
from inspector.engine.work_state.ruled_things import things_in
from inspector.engine.work_state.value_rules import breaks_value, ends_value, value_rules_of


@lru_cache(maxsize=4_096)
def states_other_rule(sentence: str) -> bool:
    """Return True if a sentence is a rule about the form of commits, an order of work, reading or a concrete thing."""
    others = commit_form_of(sentence) or _ordered_duty_of(sentence) or unreadable_in(sentence)
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
    duty = _ordered_duty_of(rule)
    if duty and _neglects(duty, call, earlier, before):
        return call.command
    forbidden = unreadable_in(rule)
    paths = (*read_by(call.command), *([path] if path else [])) if forbidden else ()
    return next((one for one in paths if is_unreadable(one, forbidden)), "")


def _named_break(rule: str, call: CallEffects, branch: str) -> str:
    """Return the command or path of a call that breaks a rule about a concrete thing or a value; "" for none."""
    about = object_rule_of(rule)
    if about and (target := breaks_object_rule(about, call, branch)) and not _is_spared(rule, target):
        return target
    return next(filter(None, (breaks_value(value, call) for value in value_rules_of(rule))), "")


def _is_spared(rule: str, target: str) -> bool:
    """Return True if a rule excepts what a command or path names: "nothing in vendor/, except vendor/patches"."""
    spared = (thing.phrase.strip("`/ ") for match in SPARED.finditer(rule) for thing in things_in(match[1] or match[2]))
    return any(name and name in target for name in spared)


def ends_other_rule(rule: str, sentence: str) -> bool:
    """Return True if a later sentence of the user takes such a rule back, or asks for the file that it protects.

    A rule about "this worktree" also ends when the user moves the work to another place.
    """
    if _HERE_ONLY.search(rule) and _MOVES_ON.search(sentence) and not is_negated(sentence):
        return True
    if not states_other_rule(rule) or sentence.endswith("?"):
        return False
    if _is_asked_for(rule, sentence) or ends_value(rule, sentence):
        return True
    if unreadable := unreadable_in(rule):
        return any(path.strip("/") in sentence for path in unreadable) and not is_negated(sentence)
    return _lifts_duty(sentence) and bool(content_words(rule) & content_words(sentence))


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


_HERE_ONLY = cued_pattern(
    r"(?i)\b(?:in|inside|within|on|from|leave) (?:this|the|your|my) (?:[\w./-]{1,40} ){0,3}?(?:work[- ]?tree|branch"
    r"|checkout"
    r"|clone|copy|folder|directory)\b",
    "worktree tree branch checkout clone copy folder directory",
)
"""A rule about the place of the work: "Work in this worktree only"."""
_MOVES_ON = lazy_pattern(
    r"(?i)(?:^|[,;:] ?|\b(?:and|then|so|now|please) )(?:work|continue|carry on|go (?:on|back)|switch(?: back)?"
    r"|move(?: back)?)\b"
    r"(?: only)?(?: (?:on|directly|the work|everything|over|again)){0,2} (?:in|on|to|from) (?:the )?(?:[/~][\w./-]+"
    r"|main\b"
    r"|master\b|trunk\b|develop\b|dev\b|root\b|(?:main|original|real|normal|other) (?:checkout|repo\w*|clone|folder"
    r"|tree"
    r"|branch|worktree)\b)"
)
"""Words of a user who moves the work: "Work in /srv/shop on main from now on"."""
_DUTIES: Mapping[str, re.Pattern[str]] = {
    "tests": lazy_pattern(r"(?i)\b(?:tests?|test suite|suite|pytest|vitest|jest|specs?)\b"),
    "lint": lazy_pattern(r"(?i)\b(?:lint\w*|ruff|eslint|clippy|formatter|pre-commit|checks?)\b"),
    "types": lazy_pattern(r"(?i)\b(?:mypy|pyright|tsc|type[- ]?check\w*)\b"),
    "build": lazy_pattern(r"(?i)\bbuild\b"),
    "changelog": lazy_pattern(r"(?i)\bchange-?log\b|\bchanges\.md\b|\brelease notes?\b"),
    "dump": lazy_pattern(r"(?i)\b(?:dump|backup|back-up|snapshot|pg_dump|mysqldump)\b"),
}
_RUNNERS = lazy_pattern(
    r"(?i)^(?:make|just|task|npm|pnpm|yarn|bun|nox|tox|pre-commit|\./|\S*/\S|sh|bash|python\S*|uv|poetry|rake|mise|nx"
    r"|turbo)\b"
)
"""A command that runs a target or script, whose name says what it does."""
_CHECKS_ALL = lazy_pattern(
    r"(?i)^(?:(?:make|just|task)(?: -\S+)*(?: (?:all|ci|check\S*|verify|validate|qa|pre-?commit|prepush))?$"
    r"|(?:npm|pnpm|yarn|bun) run (?:ci|check\S*|verify|validate|all|qa|pre-?commit|prepush)\b"
    r"|(?:nox|tox|pre-commit)\b|(?:\S*/)?(?:ci|checks?|verify|precommit)(?:\.\w+)?$)"
)
"""A command that is likely to run every check."""
_NAME_PARTS = lazy_pattern(r"[_\W]+")
_SAVES = lazy_pattern(r"(?i)dump|backup|back_up|snapshot|\.bak\b|export|clone|copy")
_CODE = lazy_pattern(r"`([^`\n]{2,60})`")
_FINAL = frozenset(("commit", "push", "merge", "deploy", "publish"))
_AHEAD = lazy_pattern(r"(?i)before|ahead of|prior to")
_WHEN = r"(?:before|ahead of|prior to)"
_DO = r"(?:run|execute|take|make|create|do|write|get|have|pass)"
_SCHEMA = r"(?P<{0}>(?:schema|database|db|table) (?:change|migration|edit|alteration)s?|(?:alter|dropp?)(?:s|ing)?\b)"
_ORDERS = (
    lazy_pattern(
        rf"(?i)(?:(?:^|[,;:] ?|\b(?:please|always|must|should|and|to|also) ){_DO}|\b(?:each|every"
        rf"|any) (?:[\w-]{{2,20}} ){{1,3}}(?:gets?|needs?|has|carries)) (?P<duty>(?:[^.,;!?\n]"
        rf"|\.(?=\w)){{3,60}}?) {_WHEN} (?:(?:you|each|every|any|all|the|a|making|doing|actually|ever|touching"
        rf"|new) )*(?:(?P<verb>{FORM})\b|{_SCHEMA.format('data')})"
    ),
    lazy_pattern(
        rf"(?i)\b{_WHEN} (?:(?:you|each|every|any|all|the|a|making|doing|actually|ever|touching|new) )*"
        rf"(?:(?P<verb>{FORM})\b|{_SCHEMA.format('data')})[^.;!?\n]{{0,40}}?[, ]"
        rf"(?:(?:you|please|always|first|must|should) )*{_DO} (?P<duty>[^.,;!?\n]{{3,60}})"
    ),
)
_ASKING = lazy_pattern(r"(?i)\b(?:i|me|we|us|my|they|he|she|users?|not|never|don't|how|why|would|could)\b")
_LIFTS = lazy_pattern(r"(?i)\b(?:without|skip|no need|don't (?:need|bother|run|wait)|not necessary|later|never mind)\b")


class OrderedDuty(NamedTuple):
    """A duty, and the actions that it comes before."""

    kind: str
    """A kind of duty, or "command"."""
    command: str
    """The command that the rule quotes, if any."""
    actions: frozenset[str]
    """The actions that come after it, as in `rule_verbs`; none for changes of data."""


@lru_cache(maxsize=4_096)
def _ordered_duty_of(rule: str) -> OrderedDuty | None:
    """Return the duty in a rule; None for a rule without one, or with one that no command shows."""
    rule = plain_sentence(rule)
    if rule.endswith("?") or not _AHEAD.search(rule):
        return None
    match = _ORDERS[0].search(rule) or _ORDERS[1].search(rule)
    if match is None or _ASKING.search(match["duty"]) or _ASKING.search(rule[: match.start()]):
        return None
    code = _CODE.search(match["duty"])
    kind = "command" if code else _kind_in(match["duty"])
    actions = MEANT[FORMS[match["verb"].lower()]] if match["verb"] else frozenset[str]()
    duty = OrderedDuty(kind, code[1] if code else "", actions & _FINAL)
    return duty if kind and _is_checkable(duty, bool(match["data"])) else None


def _kind_in(text: str) -> str:
    return next((kind for kind, named in _DUTIES.items() if named.search(text)), "")


def _is_checkable(duty: OrderedDuty, is_of_data: bool) -> bool:
    return duty.kind == "dump" if is_of_data else bool(duty.actions)


def _neglects(duty: OrderedDuty, call: CallEffects, earlier: Iterable[CallEffects], before: Iterable[str]) -> bool:
    """Return True if a call does what comes after a duty, and the duty was not done.

    Args:
        duty: The duty.
        call: The call.
        earlier: The calls since the compaction.
        before: The commands before the compaction.
    """
    calls = [*earlier]
    if not _is_after(duty, call) or any(one.agent or _meets(duty, one) for one in (*calls, call)):
        return False
    is_again = duty.kind != "dump" and any(one.files for one in calls)
    return is_again or not any(_is_met(duty, command) for command in before)


def _meets(duty: OrderedDuty, call: CallEffects) -> bool:
    """Return True if a call does a duty, with a command or in the file that it is about."""
    is_written = duty.kind == "changelog" and any(_DUTIES["changelog"].search(change.path) for change in call.files)
    return is_written or _is_met(duty, call.command)


def _is_met(duty: OrderedDuty, command: str) -> bool:
    return any(_does(duty, line) for line in _commands_of(command))


def _lifts_duty(sentence: str) -> bool:
    """Return True if words of a user take a duty back: "commit it without the tests"."""
    return _LIFTS.search(sentence) is not None


def _commands_of(command: str) -> Iterable[str]:
    return (" ".join(words) for words, _ in commands_in(command))


def _is_after(duty: OrderedDuty, call: CallEffects) -> bool:
    done = frozenset[str]().union(*(one.actions for one in done_by(call) if not one.path))
    if duty.actions:
        return bool(duty.actions & done)
    return bool(call.command) and bool(done & {"change", "delete"}) and _ON_DATA.search(call.command) is not None


def _does(duty: OrderedDuty, line: str) -> bool:
    """Return True if a command does a duty, or runs a target or script that is named after it or checks all."""
    if duty.kind == "command":
        return line.startswith(duty.command) or duty.command in line
    if duty.kind == "dump":
        return _SAVES.search(line) is not None
    names_it = _RUNNERS.match(line) and _DUTIES[duty.kind].search(_NAME_PARTS.sub(" ", line))
    return check_kind(line) == duty.kind or bool(names_it) or _CHECKS_ALL.match(line) is not None


_ON_DATA = lazy_pattern(r"(?i)\b(?:alter|drop|create|truncate) (?:table|index|column|schema|type|database)\b")
