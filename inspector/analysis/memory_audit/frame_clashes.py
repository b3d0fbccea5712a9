"""Pairs of sentences of rule files that contradict each other by the tools and the code that they demand and reject."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations, product
from typing import NamedTuple

from inspector.analysis.memory_audit.action_words import BANNING_WORDS
from inspector.analysis.memory_audit.added_things import addition_clashes
from inspector.analysis.memory_audit.exclusive_tools import ProjectTool, words_of_purpose
from inspector.analysis.memory_audit.opposite_rules import stance_clashes
from inspector.analysis.memory_audit.rule_frames import RuleFrame, frame_of
from inspector.analysis.memory_audit.rule_measures import Measure, differ
from inspector.analysis.memory_audit.same_words import key_words
from inspector.core.text import lazy_pattern, said_in, word_set
from inspector.engine.facts import stem_set

_MAX_GROUP = 30
"""Maximum number of sentences that name tools for one purpose and are compared in pairs."""
_REJECTING = BANNING_WORDS | word_set(
    "disallowed limits legacy deprecated obsolete given abandoned retired dropped removed gone refused rejected "
    "replaced longer place instead neither none reject refuse forbid ban drop isn aren doesn mustn shouldn can cannot"
)
"""Words one of which each sentence has that rejects code."""
_OUTSIDE = lazy_pattern(r"(?i)\boutside(?: of)? ((?:[\w`./-]{1,40} ?){1,3})")
_SYMBOL = lazy_pattern(r"(?i)`[@.]?\w[\w.:]*(?:\(\)|!)`")
"""A function or macro in code."""
_TWICE = lazy_pattern(r"(?i)\b(?:not|\w+n[’']t|without|never|no)\b.{1,80}\b(?:not|never|forbidden|refused|rejected)\b")
"""A sentence with two negations, which demands."""
_OTHER_USE = lazy_pattern(
    r"(?i)\b(?:publish(?:es|ed|ing)?|convert\w*|migrat\w*|remov\w*|delet\w*|replac\w*|uninstall\w*)\b"
)
"""Words of a sentence about a tool that is not what is used."""


_DESCRIBES = lazy_pattern(r"`[^`\n]{1,80}`,? (?:\(|[a-z]{2,20}s\b)")
"""A sentence that says what a command does."""
_FORBIDS = lazy_pattern(
    r"(?i)\b(?:forbidden|banned|prohibited|off[- ]limits|disallowed|(?:is|are) (?:not|never) (?:used|allowed)"
    r"|must not use)\b"
)
_PERMITS = lazy_pattern(r"(?i)\b(?:may|can|fine|allowed|ok|okay)\b")
_TRIALS = frozenset({"--dry-run", "--help", "--version", "--check", "--list"})
"""Arguments with which a command changes nothing."""
_OTHER_SUBJECT = lazy_pattern(r"(?i)^(?!.{0,30}\bcoverage (?:is|must|has)\b).{2,40} (?:has|have|needs?|must have)\b")


class FrameClash(NamedTuple):
    """Two sentences that contradict each other, by the numbers of their items."""

    first: int
    second: int
    value: str
    confidence: float
    texts: tuple[str, str]


def frame_clashes(sentences: Sequence[tuple[int, str]]) -> Iterator[FrameClash]:
    """Yield sentences, each with the number of its item, that contradict each other."""
    frames = [(number, frame_of(text)) for number, text in sentences]
    yield from _tool_clashes(frames)
    yield from _command_clashes(frames)
    yield from _measure_clashes(frames)
    yield from _pair_of_stances(frames)


_Frames = Sequence[tuple[int, RuleFrame]]


def _pair(one: tuple[int, RuleFrame], other: tuple[int, RuleFrame], value: str, confidence: float) -> FrameClash:
    (first, frame), (second, second_frame) = sorted((one, other), key=lambda row: row[0])
    return FrameClash(first, second, value, confidence, (frame.text, second_frame.text))


def _tool_clashes(frames: _Frames) -> Iterator[FrameClash]:
    """Yield sentences that choose other tools for one purpose, or of which one rejects a tool that the other uses."""
    used: dict[str, list[tuple[int, RuleFrame, ProjectTool]]] = defaultdict(list)
    for number, frame in frames:
        for purpose, tool in _chosen_in(frame).items():
            used[purpose].append((number, frame, tool))
    for purpose, rows in used.items():
        for one, other in combinations(rows[:_MAX_GROUP], 2):
            if one[0] != other[0] and one[2] != other[2] and _hold_alike(one[1], other[1], purpose):
                yield _pair(one[:2], other[:2], f"{purpose}: {one[2].name} / {other[2].name}", 0.7)
    yield from _banned_uses(frames, used)


def _banned_uses(
    frames: _Frames, used: Mapping[str, Sequence[tuple[int, RuleFrame, ProjectTool]]]
) -> Iterator[FrameClash]:
    """Yield sentences of which one rejects a tool that the other uses."""
    for tool, bans in _banned_tools(frames).items():
        for ban, (number, frame, own) in product(bans[:_MAX_GROUP], used.get(tool.purpose, ())[:_MAX_GROUP]):
            if own == tool and ban[0] != number and _is_used_there(ban[1], frame, tool):
                yield _pair(ban, (number, frame), f"{tool.name} / not {tool.name}", 0.75)


def _is_used_there(ban: RuleFrame, frame: RuleFrame, tool: ProjectTool) -> bool:
    """Return True if a sentence uses a tool where it is rejected. A permission for one place is an exception."""
    is_exception = frame.scope - ban.stems and _PERMITS.search(frame.text)
    return not is_exception and _narrow(ban, tool.purpose) <= frame.stems | frame.scope


def _banned_tools(frames: _Frames) -> Mapping[ProjectTool, _Frames]:
    denied: dict[ProjectTool, list[tuple[int, RuleFrame]]] = defaultdict(list)
    for number, frame in frames:
        for tool in {use.tool for use in frame.tools if use.is_denied}:
            if not frame.is_hedged:
                denied[tool].append((number, frame))
    return denied


def _chosen_in(frame: RuleFrame) -> Mapping[str, ProjectTool]:
    """Return the only tool that a sentence chooses for each purpose."""
    names: dict[str, set[ProjectTool]] = defaultdict(set)
    if not (frame.is_hedged or _OTHER_USE.search(frame.text) or _DESCRIBES.match(frame.text)):
        for use in frame.tools:
            if not use.is_denied:
                names[use.tool.purpose].add(use.tool)
    return {purpose: tools.pop() for purpose, tools in names.items() if len(tools) == 1}


def _narrow(frame: RuleFrame, purpose: str) -> frozenset[str]:
    """Return the stems that narrow a choice: neither of the purpose nor of its tools."""
    names = key_words(" ".join(use.tool.name for use in frame.tools))
    scope = frame.scope - words_of_purpose(purpose) - names - _GENERIC
    return frozenset(word for word in scope if not any(map(word.startswith, names)))


def _hold_alike(one: RuleFrame, other: RuleFrame, purpose: str) -> bool:
    first, second = _narrow(one, purpose), _narrow(other, purpose)
    return not (first or second) or (bool(first & second) and (first <= second or second <= first))


_LIGHT = stem_set("run use call cd")
_GENERIC = stem_set("folder directory file module package part")


def _command_clashes(frames: _Frames) -> Iterator[FrameClash]:
    """Yield sentences of which one rejects a command or a function that the other uses."""
    for number, ban, words in _banned_commands(frames):
        longest = max(words, key=len)
        near = [row for row in frames if "`" in row[1].text and longest in row[1].text.lower()]
        for other, frame in near[:_MAX_GROUP]:
            if other != number and _uses(frame, words) and _is_banned_there(ban, frame):
                name = " ".join(sorted(words))
                yield _pair((number, ban), (other, frame), f"{name} / not {name}", 0.7)


def _uses(frame: RuleFrame, words: frozenset[str]) -> bool:
    """Return True if a sentence has code with these words, and rejects nothing."""
    if frame.is_denied or frame.is_hedged:
        return False
    return any(_names_all(words, own) and not is_denied for own, is_denied in frame.commands)


def _names_all(words: frozenset[str], own: frozenset[str]) -> bool:
    """Return True if code has these words, or names from the package that the only word names: `anyhow::Result`."""
    if words <= own:
        return not own & _TRIALS - words
    name = next(iter(words)) if len(words) == 1 else ""
    return name.isidentifier() and any(word.startswith((f"{name}::", f"{name}/")) for word in own)


def _banned_commands(frames: _Frames) -> Iterator[tuple[int, RuleFrame, frozenset[str]]]:
    for number, ban in frames:
        if "`" in ban.text and not _REJECTING.isdisjoint(said_in(ban.text)):
            for words, is_denied in ban.commands:
                if is_denied and not ban.is_hedged and _is_action(words, ban):
                    yield number, ban, words


def _is_action(words: frozenset[str], ban: RuleFrame) -> bool:
    """Return True if code is a command of several words, a function, or a sign."""
    if _TWICE.search(ban.text) or any("/" in word and word.strip("/") for word in words):
        return False
    is_sign = not any(map(str.isalnum, "".join(words)))
    is_named = _SYMBOL.search(ban.text) or is_sign or _FORBIDS.search(ban.text)
    return len(words) > 1 or bool(words and is_named)


def _is_banned_there(ban: RuleFrame, frame: RuleFrame) -> bool:
    if frame.scope - ban.stems and _PERMITS.search(frame.text):
        return False
    if match := _OUTSIDE.search(ban.text):
        return key_words(match[1]).isdisjoint(frame.stems | frame.scope)
    return key_words(" ".join(ban.scope)) - _LIGHT <= frame.stems | key_words(" ".join(frame.scope))


def _pair_of_stances(frames: _Frames) -> Iterator[FrameClash]:
    texts = [frame for _, frame in frames]
    for first, second, value, confidence in chain(stance_clashes(texts), addition_clashes(texts)):
        if frames[first][0] != frames[second][0]:
            yield _pair(frames[first], frames[second], value, confidence)


_GENERAL = key_words("limit maximum minimum default length size line time")


def _measure_clashes(frames: _Frames) -> Iterator[FrameClash]:
    """Yield sentences with other numbers of one thing."""
    groups: dict[str, list[tuple[int, RuleFrame, Measure]]] = defaultdict(list)
    for number, frame in frames:
        for measure in () if frame.is_hedged else frame.measures:
            groups[measure.what].append((number, frame, measure))
    for what, rows in groups.items():
        for one, other in combinations(rows[:_MAX_GROUP], 2):
            if one[0] != other[0] and differ(one[2], other[2]) and _measure_alike(one[1], other[1], one[2]):
                yield _pair(one[:2], other[:2], f"{what}: {one[2].value} / {other[2].value}", 0.65)


def _measure_alike(one: RuleFrame, other: RuleFrame, measure: Measure) -> bool:
    """Return True if the numbers of two sentences hold for one thing and for the same cases."""
    first, second = (_measured_things(frame, measure) for frame in (one, other))
    if measure.needs_topic and len(first & second) < max(1, min(2, len(first), len(second))):
        return False
    if measure.what == "coverage" and (_OTHER_SUBJECT.match(one.text) or _OTHER_SUBJECT.match(other.text)):
        return False
    is_one_place = not (one.scope and other.scope and one.scope.isdisjoint(other.scope))
    kinds = _KINDS | _LONG_KINDS if measure.what.endswith("length") else _KINDS
    return first & kinds == second & kinds and is_one_place


def _measured_things(frame: RuleFrame, measure: Measure) -> frozenset[str]:
    stems = frame.stems - key_words(measure.what) - _GENERAL
    return frozenset(word for word in stems if not word[0].isdigit())


_KINDS = key_words(
    "branch unit integration e2e frontend backend admin metrics debug dev staging production postgres redis database "
    "documentation docstring comment markdown markup title subject body description python typescript prod"
)
"""Stems that tell two numbers of one kind from each other."""
_LONG_KINDS = key_words("test sql yaml json html css script")
"""Stems of files and functions that may be longer than others."""
