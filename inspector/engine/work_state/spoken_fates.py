"""Fates of what was said: of rules, requests and questions across a compaction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from inspector.core.text import lazy_pattern, one_line
from inspector.engine.facts import content_words, is_negated, sentences_of
from inspector.engine.work_state.declined_traces import is_form, telling_words
from inspector.engine.work_state.languages import language_names, named_language
from inspector.engine.work_state.later_permissions import permits
from inspector.engine.work_state.new_context import MAX_SHOWN, NewContext
from inspector.engine.work_state.open_questions import waits
from inspector.engine.work_state.rule_bans import bans_in
from inspector.engine.work_state.ruled_things import target_words
from inspector.engine.work_state.spoken_rules import rules_in
from inspector.engine.work_state.standing_directions import directs
from inspector.engine.work_state.state_items import Fate, StateItem
from inspector.engine.work_state.stated_clauses import in_clauses
from inspector.engine.work_state.summary_points import SummaryPoint, is_about, matching, shortened

_HALF = 0.5
"""Share of the words of a clause of a request that a summary says."""
_MAX_SPACES = 5
"""Spaces in a request that one telling word can state: "macos is missing still"."""
_SHORT_RULE = 2
"""Number of words of a rule that many sentences contain."""
_CLAUSE = lazy_pattern(r"[,;:()]| (?:and|but|so|or) ")
_TAKES_AWAY = lazy_pattern(r"(?i)\b(?:remov|without|avoid|forbid|forbad|exclud|eliminat|prohibit|reject|drop)\w*")
_SPARES = lazy_pattern(
    r"(?i)\b(?:kept|preserved|untouched|unchanged|unmodified|intact|left (?:alone|as)|remains?|stays?)\b"
)
"""Words of a statement that a thing is as it was: "The originals are kept"."""
_NAME = lazy_pattern(r"[\w-]{1,80}(?:[./][\w-]{1,80}){1,8}|--[a-z][\w-]{1,40}")
"""A path, a name of a file, or an option."""
_LEAVES = lazy_pattern(r"(?i)\bleave(?= [^.,;:!?\n]{2,60} (?:at|on|below|under) [\w.])")
"""A verb that denies nothing: "leave the seed at 13"."""
_STANDS = lazy_pattern(r"(?i)\b(?:user|must|always|each|every|all|only|everything|needs?|have to|has to)\b")
"""Words of a statement that a rule holds."""
_ALLOWS = lazy_pattern(
    r"(?i)\buser (?:has |had |then |later |now |also ){0,2}(?:approved|agreed|accepted|allowed|confirmed)\b"
)
"""Words of a statement that the user allows something."""
_PERMITS = lazy_pattern(
    r"(?i)\b(?:may|free to|allowed|permitted|permission|ok(?:ay)? to|fine to|go ahead|can (?:now |freely |safely )?be"
    r"|(?:you|we|agent|assistant|it) can)\b"
)
"""Words of a statement that allows something."""
_UNDECIDED = lazy_pattern(r"(?i)\b(?:whether|if|consider|discuss|decide|ask|asked|unless|until)\b|\?")
"""Words of a statement that leaves open what is to be done."""
_LEAVES_FLOOR = lazy_pattern(
    r"(?i)\b(?:waiting (?:for|on)|awaiting|asked (?:(?:the user|you) )?(?:whether|which|if)|asked the user"
    r"|user (?:has to|must|still has)|user[’']s (?:answer|decision|choice|call|reply)|no (?:answer|reply|decision)"
    r"|not (?:yet )?(?:answered|decided)|unanswered|undecided)\b"
)
"""Words of a summary by which the user acts next."""


def leaves_floor(summary: str) -> bool:
    """Return True if a summary says that the user acts next."""
    return waits(summary) or _LEAVES_FLOOR.search(summary) is not None


def fate_of_sentence(item: StateItem, context: NewContext) -> tuple[Fate, str]:
    """Judge a sentence of the user: a rule or a request."""
    if item.name == "language":
        return _language(item, context)
    line = one_line(item.text)
    if context.points.contains(line):
        return "kept", line[:MAX_SHOWN]
    if item.part == "request":
        return _request(item, context)
    points = matching(context.points, item.text, 0.55)
    wanted = is_negated(item.text)
    same = [point for point in points if _denies(point.text) == wanted and _is_alike(point, item.text)]
    if not same:
        is_outdated = bool(points) and item.part == "rule" and not wanted
        return _fate_in_other_words(item, context) or ("stale" if is_outdated else "dropped", "")
    close = matching(same, item.text, 0.7)
    return ("kept" if close else "paraphrased"), one_line(same[0].text)[:MAX_SHOWN]


def _fate_in_other_words(item: StateItem, context: NewContext) -> tuple[Fate, str] | None:
    """Return the fate of a rule by what it forbids or in other words, with the statement; None without one."""
    if said := next(_with_same_ban(item.text, context), ""):
        return "kept", one_line(said)[:MAX_SHOWN]
    if planned := next(chain(_against_ban(item, context), _permitted(item, context)), ""):
        return "revived", one_line(planned)[:MAX_SHOWN]
    said = next(_in_other_words(item.text, context), "")
    return ("kept", one_line(said)[:MAX_SHOWN]) if said else None


def _in_other_words(rule: str, context: NewContext) -> Iterator[str]:
    """Yield what a summary says of a rule in another order, of its names, or of the language of what is written."""
    rule, points = _LEAVES.sub("keep", rule), context.points.summary
    wanted = _denies(rule)
    clauses = (clause for clause in _CLAUSE.split(rule) if _denies(clause) == wanted)
    said = (one for clause in clauses for one in in_clauses(points, clause))
    yield from (one.text for one in said if _denies(one.text) == wanted and _shares_words(one, rule))
    if directs(rule):
        yield from _with_its_names(rule, points, wanted)


def _shares_words(point: SummaryPoint, rule: str) -> bool:
    """Return True if a statement has two words of a rule, in any form. "Work" alone does not say "this worktree"."""
    words = content_words(rule)
    return sum(any(is_form(one, other) for other in words) for one in point.words) >= min(_SHORT_RULE, len(words))


def _with_its_names(rule: str, points: Sequence[SummaryPoint], wanted: bool) -> Iterator[str]:
    """Yield the statements with the names of a rule, its language, or its telling words."""
    names = _NAME.findall(rule) + list(language_names(named_language(rule)))
    standing = (one.text for one in points if _STANDS.search(one.text) or directs(one.text))
    yield from (one for one in standing if any(name in one.lower() for name in names))
    telling = telling_words(rule, 3)
    same = (one for one in points if telling and _denies(one.text) == wanted)
    yield from (one.text for one in same if 2 * len(telling & one.words) >= len(telling))


def _with_same_ban(rule: str, context: NewContext) -> Iterator[str]:
    """Yield the statements of a summary that forbid what a rule forbids, in whatever words."""
    for ban in bans_in(rule):
        for point in context.points.summary:
            about = [thing.words for thing in ban.things if thing.words <= point.words]
            others = (other for other in bans_in(point.text) if other.actions & ban.actions) if about else ()
            named = chain(*([thing.words for thing in other.things] for other in others))
            if about and (any(words in about for words in named) or _is_spared(point.text, about)):
                yield point.text


def _against_ban(rule: StateItem, context: NewContext) -> Iterator[str]:
    """Yield the statements of a summary by which the work that a rule forbids without a condition is to be done."""
    bans = bans_in(rule.text) if rule.part == "rule" else ()
    for ban in bans:
        verbs = content_words(" ".join(ban.verbs))
        things = () if ban.ending or ban.spared or ban.is_only else ban.things
        for point in context.points.summary if things else ():
            is_same = verbs & point.words and any(thing.words <= point.words for thing in things if thing.words)
            if is_same and _is_planned(point):
                yield point.text


def _permitted(rule: StateItem, context: NewContext) -> Iterator[str]:
    """Yield the statements of a summary that allow what a rule forbids: "You may push to main"."""
    things = [thing.words for ban in bans_in(rule.text) for thing in ban.things]
    if rule.part != "rule" or _PERMITS.search(rule.text):
        return
    for text in (point.text for point in context.points.summary if _PERMITS.search(point.text)):
        is_about = not things or any(words <= target_words(text) for words in things)
        if is_about and not _UNDECIDED.search(text) and permits(text, rule.text):
            yield text


def _is_planned(point: SummaryPoint) -> bool:
    """Return True if a statement says that something is to be done, or that the user allows it."""
    is_planned = point.is_open or _ALLOWS.search(point.text)
    return bool(is_planned) and not (_denies(point.text) or _UNDECIDED.search(point.text))


def _is_spared(statement: str, things: Sequence[frozenset[str]]) -> bool:
    """Return True if a statement says of one of some things that it is as it was."""
    spared = _SPARES.search(statement)
    before = content_words(_CLAUSE.split(statement[: spared.start()])[-1]) if spared else frozenset[str]()
    return any(words <= before for words in things)


def _language(rule: StateItem, context: NewContext) -> tuple[Fate, str]:
    name = next((name for name in language_names(rule.state) if name in context.text.lower()), "")
    return ("kept", name) if name else ("dropped", "")


def _denies(text: str) -> bool:
    """Return True if a sentence says no to something, or that it was taken away."""
    return is_negated(text) or _TAKES_AWAY.search(text) is not None


def _is_alike(point: SummaryPoint, rule: str) -> bool:
    """Return True if a statement says not much more than a rule of one or two words: "Do NOT commit."."""
    words = content_words(rule)
    clauses = _CLAUSE.split(point.text) if len(words) <= _SHORT_RULE else ()
    alike = (one for one in clauses if _denies(one) == _denies(rule))
    said = map(content_words, alike)
    return len(words) > _SHORT_RULE or any(one & words and len(one) < 2 * len(words) for one in said)


def _request(item: StateItem, context: NewContext) -> tuple[Fate, str]:
    """Judge a request by its sentences: those that the new context states, with their polarity."""
    every = [sentence for sentence in sentences_of(item.text[:2_000]) if content_words(sentence)]
    sentences = [sentence for sentence in every if not rules_in(sentence)] or every
    stated = [
        point
        for sentence in sentences
        for point in matching(context.points, sentence)[:3]
        if _is_denied(point.text, content_words(sentence)) == is_negated(sentence)
    ]
    if stated:
        return "kept", one_line(stated[0].text)[:MAX_SHOWN]
    wanted = (point for point in context.points.summary if point.section == "request")
    plan = next((point for point in wanted for plan in context.declined if is_about(point.text, plan.text)), None)
    if plan:
        return "stale", one_line(plan.text)[:MAX_SHOWN]
    return _shortly(sentences, context)


def _shortly(sentences: Iterable[str], context: NewContext) -> tuple[Fate, str]:
    """Judge a request of which the summary can say a clause, or a part of a sentence that declines nothing."""
    points = [point for point in context.points.summary if not _denies(point.text)]
    said = next(chain.from_iterable(_short_forms(sentence, points) for sentence in sentences), None)
    return ("kept", one_line(said.text)[:MAX_SHOWN]) if said else ("dropped", "")


def _short_forms(sentence: str, points: Sequence[SummaryPoint]) -> Iterator[SummaryPoint]:
    """Yield the statements that say a part or a clause of a sentence, or the telling word of a short one."""
    if not _denies(sentence):
        yield from shortened(points, sentence)
    for clause in _CLAUSE.split(sentence):
        same = in_clauses(points, clause, least=_HALF)
        yield from (one for one in same if _denies(one.text) == _denies(clause))
    names = telling_words(sentence, 3) if sentence.count(" ") < _MAX_SPACES else frozenset[str]()
    about = (one for one in points if names and (one.is_open or one.section in ("open", "request")))
    yield from (one for one in about if 2 * len(names & one.words) >= len(names))


def _is_denied(text: str, words: frozenset[str]) -> bool:
    """Return True if a clause of a text that has some words says no."""
    return any(is_negated(clause) for clause in _CLAUSE.split(text) if content_words(clause) & words)


def fate_of_question(item: StateItem, context: NewContext) -> tuple[Fate, str]:
    """Judge the question that the user has not answered."""
    points = matching(context.points, item.text, 0.4)
    is_open = points and ("?" in context.summary or leaves_floor(context.summary))
    return ("kept", points[0].text[:MAX_SHOWN]) if is_open else ("dropped", "")
