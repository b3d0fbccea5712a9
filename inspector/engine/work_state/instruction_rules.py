"""Standing rules in the text of a skill or a memory file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from inspector.core.text import lazy_pattern
from inspector.engine.facts import content_words, is_negated, sentences_of
from inspector.engine.work_state.pauses import pause_of
from inspector.engine.work_state.rule_bans import bans_in
from inspector.engine.work_state.rule_verbs import FORMS
from inspector.engine.work_state.spoken_clauses import with_named_things
from inspector.engine.work_state.spoken_rules import rules_in

OF_INSTRUCTION = "of an instruction"
"""State of a rule that a skill or a memory file states. Its `detail` is the name of the instruction."""
_FENCED = lazy_pattern(r"^(?:```|~~~)[^\n]*\n.*?(?:^(?:```|~~~)|\Z)", re.MULTILINE | re.DOTALL)
_BULLET = lazy_pattern(r"^[ \t]{0,12}(?:[-*•+]|\d{1,2}[.)])? *")
_GOES_ON = lazy_pattern(r"[ \t]{1,12}[a-z`(]|[a-z(]")
"""Start of a line that goes on with the sentence of the line before it."""
_ENDS = lazy_pattern(r"(?:[.!?:;|>]|^#.{0,400}|^[ \t]{0,12}(?:```|~~~).{0,400})$")
_VAGUE = lazy_pattern(r"(?i)\b(?:it|this|that|them)[.!]*$")
_ADVICE = lazy_pattern(r"(?i)(?:keep|make sure|ensure)\b")
"""Start of advice that cannot be broken by an action: "Keep it short"."""
_DESCRIBES = lazy_pattern(
    r"^(?:Does not|Doesn[’']t|Is not|Isn[’']t|Uses|Sets|Returns|Creates|Runs)\b"
    r"|(?:^| [-–—] )(?!(?:[Yy]ou|[Ww]e|I|[Cc]laude|(?:the |The )?(?:[Aa]gents?|[Aa]ssistant|[Mm]odel|AI))\b)"
    r"[^,.;:!?]{2,80}? never [a-z]{2,12}[a-rt-z]s\b|\buses? [^.;]{2,80} to avoid\b"
    r"|\b(?:continue|proceed|go|skip|jump|return) (?:back )?(?:to|with) (?:the )?(?:[Ss]tep|[Pp]hase|[Ss]ection) \w"
)
"""A sentence that describes the code, or the order of steps: "Cobra never prints errors", "If empty, go to Step 2"."""
_COMMAND = lazy_pattern(r"(?m)^[ \t]{0,12}(?:[-*•+]|\d{1,2}[.)])? *`/[^`\n]{1,80}` {0,2}[-–—:][^\n]*")
"""Point that describes a slash command: "`/plan-save` - Save only, do not implement"."""
_CUES = lazy_pattern(
    r"(?i)n[’']t\b|\b(?:no|not|never|always|only|must|should|shall|may|avoid|without|stop|pause|halt|wait|ask|check in"
    r"|agents?|sub-?agents?|one|use|run|prefer|from now|under no|hands|stay|leave|keep|make sure|ensure|everything"
    r"|nothing|none|all|every|preserve|banned|forbidden"
    r"|answer|reply|respond|hand back|get|nie(?:mals)?|nicht|keine?n?|nur|immer"
    r"|lass\w*|finger|pas|jamais|rien|aucune?|sans|toujours|nunca|jamás|não|non|mai|niet|nooit|geen|ning\w*|nada|sin|siempre"
    r"|antworte|schreibe?|responde\w*|réponds)\b"
)
"""Words, one of which every rule contains. Looking for them is much cheaper."""
_FORBIDS = lazy_pattern(
    r"(?i)[#* \t]{0,12}(?:never|don[’']?ts?|do not|you must not|forbidden|not allowed|prohibited"
    r"|what not to do)[*: \t]{0,6}$"
)
"""A heading, or a line before a list, whose points are forbidden."""
_POINT = lazy_pattern(r"^[ \t]{0,12}(?:[-*•+]|\d{1,2}[.)]) +(?P<first>`|[\w-]{2,20}\b)")
_HEADING = "#"
_MAX_LINE = 400
_MAX_START = 12
"""Characters at the start of a point that may say no."""
_MAX_RULES = 40
_LEAST_WORDS = 2
"""Least number of content words of a rule that points to something: "You must use it" is none."""


@lru_cache(maxsize=64)
def rules_of_instruction(text: str) -> tuple[str, ...]:
    """Return the rules in the text of an instruction, at most 40. Examples in fenced code are none."""
    rules: dict[str, None] = {}
    for line in _forbidden(_unwrapped(_COMMAND.sub("", _FENCED.sub("", text)).split("\n"))):
        if len(line) < _MAX_LINE and not line.startswith((_HEADING, "|", ">", "<")):
            rules.update(dict.fromkeys(_rules_of(_BULLET.sub("", line, count=1).replace("*", "").strip())))
    return tuple(rules)[:_MAX_RULES]


def _unwrapped(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines, with the rest of a sentence that goes on in the next line."""
    whole = ""
    for line in lines:
        if whole and len(whole) < _MAX_LINE and _GOES_ON.match(line) and not _ENDS.search(whole):
            whole = f"{whole} {line.strip()}"
            continue
        yield whole
        whole = line.rstrip()
    yield whole


def _forbidden(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines, with "never" before the orders in a list under a heading such as "Never:"."""
    forbids = False
    for line in lines:
        point = _POINT.match(line)
        if line.strip() and not point:
            forbids = _FORBIDS.fullmatch(line) is not None
        yield _negated(line, point) if point and forbids else line


def _negated(line: str, point: re.Match[str]) -> str:
    """Return a point of a list as a prohibition: one with a verb of rules or code, or that says no by itself; or ""."""
    first = point["first"].lower()
    if first != "`" and first not in FORMS:
        return line if is_negated(line[point.end("first") - len(first) :][:_MAX_START]) else ""
    return f"{'Never use' if first == '`' else 'Never'} {first}{line[point.end() :]}"


def _rules_of(line: str) -> Iterator[str]:
    for sentence in _maybe_rules(line):
        if sentence.endswith(":") or _DESCRIBES.search(sentence):  # the rule is in the lines below it
            continue
        bans = bans_in(sentence)
        if any(ban.most for ban in bans) or pause_of(sentence):
            yield sentence
        elif not _is_vague(sentence) and any(rules_in(sentence)) and (bans or not _ADVICE.match(sentence)):
            yield line if sentence.count("`") % 2 else sentence  # a point in code ends no sentence


def _maybe_rules(line: str) -> Iterator[str]:
    """Yield the sentences of a line that can contain a rule."""
    if _CUES.search(line):
        yield from filter(_CUES.search, with_named_things(tuple(sentences_of(line))))


def _is_vague(sentence: str) -> bool:
    """Return True if a sentence says almost nothing without the one before it: "You must use it"."""
    return _VAGUE.search(sentence) is not None and len(content_words(sentence)) < _LEAST_WORDS
