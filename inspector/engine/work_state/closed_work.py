"""Calls that carry out work that was finished, dropped or refused before a compaction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from inspector.core.text import lazy_pattern
from inspector.engine.commands import check_kind
from inspector.engine.facts import is_negated, sentences_of
from inspector.engine.work_state.declined_traces import carries_out, is_form, telling_words, words_touched
from inspector.engine.work_state.declined_work import asks_for_any, asks_for_work, declines
from inspector.engine.work_state.effect_values import CallEffects
from inspector.engine.work_state.message_steps import steps_of
from inspector.engine.work_state.plan_traces import belongs_to_plan, does_same, does_task
from inspector.engine.work_state.state_items import StateItem, WorkState
from inspector.engine.work_state.summary_points import SummaryPoint, lists_task, same_points
from inspector.engine.work_state.task_fold import DROPPED_BY_USER
from inspector.engine.work_state.user_words import UserWords
from inspector.engine.work_state.work_history import Transition

_CLAUSE = lazy_pattern(r"[.;,!?\n:]\s|[，。；！]|\s(?:but|aber|pero|mais)\s")
_DONE = lazy_pattern(
    r"(?i)\b(?:is|are|was|were|been|i|i['’]ve|i have|now|ist|sind|wurden?|habe|est|sont|été|está|están|he|é"
    r"|foi)\b[^.;!?\n]{0,40}?\b(?:\w{3,16}(?:ed|t)|done|built|written|made|in place|there|ready|live|fertig|eingebaut"
    r"|drin|da|fait\w*|\w{2,16}é|list[oa]s?|\w{3,16}(?:ad|id)[oa]s?|pront[oa])\b|^(?:added|built|implemented|created"
    r"|wrote|finished|done)\b|已|完成|しました"
)
"""Words of a reply that says that something is done."""
_LEFT = lazy_pattern(
    r"(?i)\b(?:skip\w*|left|leav\w+|drop\w*|without|instead|later|still|remain\w*|next|todo|pending|open|will|would|if"
    r"|as you|already|exist\w*|untouched|unchanged|nicht|noch|ohne|kein\w*|sans|pas|sin|aún|todavía)\b|\?\s*$|没|不"
)
"""Words of a sentence that says something else of a task."""
_TELLS = lazy_pattern(r"(?i)(?:announce|post|publish|tweet|e?mail|message|notify|tell|inform|ask|call|ping|invite)\b")
"""Start of a task that changes no file of the project."""
_MAX_ASKED = 2_000
_MAX_OFFER = 600
"""Maximum length of a plan that single words distinguish from other work."""


class ClosedWork:
    """Work that is not to be done, as it is known at a compaction."""

    def __init__(self, transition: Transition, points: Sequence[SummaryPoint]) -> None:
        """Take the compaction and the points of its summary."""
        self.transition = transition
        self.points = points
        self._refusals: dict[str, frozenset[str]] = {}
        self._are_open: dict[str, bool] = {}
        """For the texts of tasks, True if the summary lists them as open work."""

    def does_plan(self, call: CallEffects, plan: StateItem, words: Sequence[UserWords], approved: Sequence[str]) -> str:
        """Return the path or command of a call that carries out a refused plan; "" for any other call.

        Args:
            call: The call.
            plan: The plan.
            words: Words of the user after the compaction.
            approved: Texts of the plans that may be carried out.
        """
        said = [self.transition.before.text("request", "latest"), *(one.text for one in words)]
        known = self.known_words | self._asked_beside(plan)
        if any(asks_for_any(text, telling_words(plan.detail) - known) for text in said[1:]):
            return ""
        target = belongs_to_plan(call, plan, said, approved)
        if target or len(plan.detail) > _MAX_OFFER:
            return target
        later = frozenset[str]().union(*map(telling_words, (*said[1:], *approved)))
        return carries_out(call, plan.detail, known | later)

    def does_again(self, call: CallEffects, task: StateItem, before: WorkState, words: Sequence[UserWords]) -> str:
        """Return the target of a call that does a finished or dropped task; "" for any other call.

        Args:
            call: The call.
            task: The task. A finished one must be open work in the summary.
            before: The state before the call.
            words: Words of the user after the compaction.
        """
        is_dropped = task.state == DROPPED_BY_USER
        if not (is_dropped or self._is_open(task)):
            return ""
        others = [one.text for one in before.of("task") if one.state in ("pending", "in progress")]
        target = does_task(call, task.text, others) or self._runs_again(call, task)
        if target or not is_dropped:
            return target
        said = frozenset[str]().union(*map(telling_words, (*others, *(one.text for one in words))))
        target = carries_out(call, self._with_files(task), self.known_words | said)
        return "" if _TELLS.match(task.text) and any(one.path == target for one in call.files) else target

    def claims_done(self, reply: str, task: StateItem) -> str:
        """Return the sentence of a reply that says that a dropped task is done; "" for none."""
        own = telling_words(task.text, 3)
        for sentence in sentences_of(reply[-_MAX_ASKED:]) if own else ():
            words = telling_words(sentence, 3)
            hits = sum(any(is_form(word, other) for other in words) for word in own)
            is_claim = _DONE.search(sentence) and not (_LEFT.search(sentence) or is_negated(sentence))
            if is_claim and hits >= max(1, 0.6 * len(own)) and not declines(sentence):
                return sentence
        return ""

    def _runs_again(self, call: CallEffects, task: StateItem) -> str:
        """Return the command of a call that ran before and made what a finished task is about."""
        if task.state != "done" or not call.command or check_kind(call.command):
            return ""
        return call.command if does_same(call.command, self.commands, task.text) else ""

    @cached_property
    def _open_points(self) -> Sequence[SummaryPoint]:
        return [point for point in self.points if point.is_open]

    def _is_open(self, task: StateItem) -> bool:
        known = self._are_open.get(task.text)
        if known is None:
            lists = (point for point in self._open_points if lists_task(point, task.text))
            points = [*same_points(self.points, task.text), *lists]
            known = any(point.is_open for point in points) and not any(point.is_done for point in points)
            self._are_open[task.text] = known
        return known

    def _with_files(self, task: StateItem) -> str:
        """Return the text of a task with the points of the summary that repeat it, which may name its files."""
        own = telling_words(task.text, 3)
        points = (point.text for point in self.points if own and own <= telling_words(point.text, 3))
        return " ".join((task.text, *points))

    @cached_property
    def commands(self) -> Sequence[str]:
        """The commands before the compaction."""
        return [call.command for call in self._calls]

    @cached_property
    def known_words(self) -> frozenset[str]:
        """The words in the paths and commands that were changed and run before the compaction."""
        return words_touched(self._calls)

    def _asked_beside(self, plan: StateItem) -> frozenset[str]:
        """Return the words of what the user asked for, without the reasons for which a plan was refused."""
        if plan.message not in self._refusals:
            clauses = self._clauses(plan.message)
            self._refusals[plan.message] = frozenset(word for clause in clauses for word in telling_words(clause))
        return self._refusals[plan.message]

    @cached_property
    def _calls(self) -> Sequence[CallEffects]:
        return [call for message in self.transition.replaced for call in steps_of(message).calls]

    def _clauses(self, refusal: str) -> Iterator[str]:
        """Yield the clauses of the user that ask for something or state something; only the former of a refusal."""
        for message in self.transition.replaced:
            words = steps_of(message).words
            clauses = _CLAUSE.split(words.text[:_MAX_ASKED]) if words else ()
            said = (clause for clause in clauses if not (is_negated(clause) or declines(clause)))
            yield from (clause for clause in said if message.id != refusal or asks_for_work(clause))


def states_in(call: CallEffects, task: StateItem, before: WorkState) -> frozenset[str]:
    """Return the states that a call gives to a task, which it names by its text or its number."""
    numbered = (before.numbered(one.number) for one in call.tasks if one.number)
    is_named = any(other is not None and other.name == task.name for other in numbered)
    return frozenset(one.state for one in call.tasks if is_named or one.text == task.text)
