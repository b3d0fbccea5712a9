"""Standing rules in the sentences of a user."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from inspector.core.text import lazy_pattern, one_line
from inspector.engine.facts import content_words
from inspector.engine.work_state.other_breaks import states_other_rule
from inspector.engine.work_state.owned_things import AGREED
from inspector.engine.work_state.pauses import pause_of
from inspector.engine.work_state.rule_bans import bans_in
from inspector.engine.work_state.spoken_clauses import clauses_of, is_no_order, without_tag
from inspector.engine.work_state.standing_directions import directs

_MAX_RULE, _MIN_RULE, _MIN_WORDS = 400, 8, 2
_ASIDE = lazy_pattern(
    r"(?i)\b(?:don[’']?t|do not) (?:worry|think so|know|see|you\b|get me|understand|mind|care|forget)\b|\b(?:i|we|they"
    r"|it|users?|that|which|who|tests?|you) (?:really |still |just )?(?:don[’']?t|do not|never|can(?:no|')t)\b|^(?:why"
    r"|what|how|when|where|who|is|are|does|did|can|could|would|should|shall|will|do)\b(?! not)[^.!\n]*\?"
)
"""Sentences with a cue that are no rule: reports and questions."""
_RULE = lazy_pattern(
    r"(?i)^(?:and |but |also |so |please |pls |plz |ok(?:ay)?,? |yes,? |no,? |note:? |important:? |remember:? |just "
    r"|bitte |let[’']?s ){0,3}(?:(?:do not|don[’']?t|never|no (?:more )?(?!problem|worries|need|idea|longer|one"
    r"|(?:just|i|we|it|that|this|you|the|way|thanks|doubt|wait)\b)\w+(?: \w+){0,4}(?=[.!]?$)|avoid|always|only"
    r"|use only|(?:use|run|prefer) \S+,? (?:not|never|(?:instead of|rather than) [\w./@`-]+(?=[.,;!]|$| for\b| when\b"
    r"| in\b))|from now on|make sure|ensure|under no circumstances|at no point|hands off|stay (?:in|on|within|out)"
    r"|work (?:only )?(?:in|on)\b.*\bonly|work on (?:the )?(?:branch [\w./-]+|[\w./-]+ branch)(?=[.,;!]|$| and\b)"
    r"|keep (?:your )?(?:hands|the|all|every|it|replies|answers)"
    r"|leave [^.!?]{2,60}\b(?:alone|untouched|as (?:it )?(?:is|are))|(?:change|touch|edit|modify|delete|commit|push"
    r"|run|write|do) (?:nothing|only|none)\b|you (?:must|should|may|are)(?: not| never|n[’']t| only| always)\b"
    r"|you must\b|we (?:must|never|always)\b|(?:the|our|my) (?:[\w./-]+ ){1,4}(?:must|has to|have to|shall|should"
    r"|may) (?:not be|never|stay|remain|be left)\b|(?:the|our|my) (?:[\w./-]+ ){1,4}must (?:be|use|match|follow"
    r"|have(?! (?:been|\w+ed)\b))"
    r"|(?:(?:that|this|the|those|these) )?[\w./()\[\]-]+(?: \w+){0,3} (?:should|must|shall) have nothing to do with"
    r"|(?:that|this|the|those|these) (?:[\w./-]+ ){1,4}(?:doesn[’']?t|don[’']?t|does not"
    r"|do not) need to (?:be )?(?:changed?|touched)|(?:think|talk|discuss|plan|brainstorm|look"
    r"|wait)\w* (?:\w+ ){0,4}?first\b.{0,20}\bbefore (?:we|you) (?:change|touch|edit|write|implement|start|build)"
    r"|(?:output|return|print|give|respond|reply|answer)\b[^.\n]{2,80}\bnothing else|everything (?:must|has to"
    r"|should)\b|(?:everything|all (?:the )?(?:work|changes|edits|code))\b[^.;!?\n]{0,40}? (?:goes|go|stays?|happens?"
    r"|belongs?|lands?) (?:in|into|on|inside|under) (?:(?:this|the|our|my) (?:[\w-]+ ){0,3}(?:worktree|branch|folder"
    r"|directory|repo\w*|checkout|package|crate|workspace|fork)|[\w-]*/[\w./-]*\w)"
    r"|nothing (?:may|must|should|gets)\b|(?:all|every) \w+(?: \w+)? (?:must|has to|have to)\b"
    r"|answer (?:only |always )?in|reply (?:only |always )?in|respond (?:only |always )?in|ask (?:me )?before"
    r"|wait (?:for me|until)|antworte|schreibe? (?:immer|nur)|niemals|ändere nichts|lösche (?:nicht|nie)"
    r"|committe? nicht|réponds (?:toujours )?en|ne [^.!?]{2,60} (?:pas|jamais)|responde (?:siempre )?en|no (?:borres"
    r"|toques|cambies|hagas)|nunca)\b|(?:when|whenever|before|after|if|until"
    r"|unless) [^.!?]{3,120}, (?:please )?(?:always|never|do not|don[’']?t|only|ask|wait|stop)\b)"
)
"""Start of a standing rule: "Do not delete the coupon table", "Work in this worktree only", "Leave it as it is"."""
_LATER = lazy_pattern(
    r"(?i)[,;:] ?(?:but |and |so |please )*((?:do not|don[’']?t|never|only|always|leave(?= [^.,;!?\n]{2,60} (?:alone"
    r"|untouched|unchanged|as (?:it|they|is|are)\b))|without (?:touch|chang|delet|commit|push))\b[^;]{3,200})"
)
"""Rule after the first clause of a sentence: "Fix the tax code, but don't touch the invoices"."""
_UNWANTED = lazy_pattern(
    r"(?i)(?:(?:ok(?:ay)?|so|and|but|also|well|no|please),? )*(?:we|i) (?:(?:explicitly|really|definitely|absolutely"
    r"|certainly|also|still) )?(?:do not|don[’']?t|never) want (?:(?:to (?:see|have|use|add|introduce|touch|break"
    r"|change)|any|more) )?(?!to\b|it\b|that\b|this\b|you\b|them\b|me\b|us\b)[\w`]"
)
"""Start of a sentence that says what its author does not want: "We explicitly don't want hardcoded tests"."""
_LASTING = lazy_pattern(r"(?i)\b(?:everywhere|always|from now on|at all times|every time)\b")
_SUBORDINATE = lazy_pattern(
    r"(?i)\b(?:where|which|that|when|because|since|how) (?:we|they|it|you|i|users?|the \w+)\b[^,;:.]{0,80}(?:but|and) $"
)
"""Start of a report that a negated clause goes on with."""
_SAME_VERB = lazy_pattern(r"(?i)(?:don[’']?t|do not|never)\b")
_POINTS_BACK = lazy_pattern(r"(?i)\b(?:it|them|there|those|that one|in here)\b(?=[.,;!]|$)")
"""Words of a rule that point to the clause before it: "audit_log is append-only, so never delete rows there"."""
_ABOUT_WORK = lazy_pattern(
    r"(?i)^(?:(?:please|and|but|also|so|just)[, ]+)*(?:only|make sure|ensure|keep|all|every|everything)\b"
)
"""Start of a wish that can be about the result as well as about the work."""
_STANDING = lazy_pattern(
    r"(?i)\b(?:always|from (?:now|here) on|every time|each time|whenever|throughout|in (?:this|the|our) (?:repo|project"
    r"|session|branch)|you|your|answer|reply|respond|repl(?:y|ies)|answers|short|concise|brief|simple|minimal|style"
    r"|naming|conventions?|comments?|commits?|spec|specs|tests?|lint\w*|docs|changelog|below|under|at most|no more than"
    r"|less than|at least|everywhere|we made|we have|existing|within|compatib\w+|backwards?|unchanged|as is"
    r"|worktree|branch|checkout)\b|\d"
)
"""Words of such a wish that is a standing rule about the work: "Keep commits small"."""


@lru_cache(maxsize=4_096)
def rules_in(sentence: str) -> tuple[str, ...]:
    """Return the standing rules in a sentence of a user."""
    sentence = without_tag(one_line(sentence).strip())
    least = _MIN_RULE if sentence.isascii() else _MIN_RULE // 2
    if not least <= len(sentence) <= _MAX_RULE or is_no_order(sentence):
        return ()
    if sentence.endswith("?"):
        rules: tuple[str, ...] = (sentence,) if bans_in(sentence) else ()
    else:
        rules = _with_whole(sentence, tuple(dict.fromkeys((*_rule_in(sentence), *_rules_of_clauses(sentence)))))
    return rules if rules and content_words(sentence) else ()


def _with_whole(sentence: str, rules: tuple[str, ...]) -> tuple[str, ...]:
    """Return rules in the clauses of a sentence, or the sentence in place of those that say less about its bans."""
    bans = set(bans_in(sentence))
    if not bans or sentence in rules or bans <= {ban for rule in rules for ban in bans_in(rule)}:
        return rules
    return (sentence,)


def _rule_in(sentence: str) -> Iterator[str]:
    """Yield the rule in a sentence that is no question, at most one."""
    if _UNWANTED.match(sentence):
        yield sentence
        return
    is_order = _RULE.match(sentence)
    is_aside = _ASIDE.search(sentence.split(", ", 1)[0] if is_order else sentence)
    if not is_aside and (_is_rule(sentence) or pause_of(sentence)):
        yield sentence
    elif (later := _LATER.search(sentence)) and not (_ASIDE.search(later[1]) or _goes_on(sentence, later)):
        yield _with_its_object(sentence, later[1].strip())
    elif _forbids(sentence):
        yield sentence


def _forbids(sentence: str) -> bool:
    return bool(bans_in(sentence)) or states_other_rule(sentence) or directs(sentence)


def _rules_of_clauses(sentence: str) -> Iterator[str]:
    """Yield the clauses of a sentence that state a rule of which the sentence as a whole says nothing."""
    whole = tuple(_rule_in(sentence))
    known = bool(whole) and _forbids(sentence)
    for clause in clauses_of(sentence):
        bans = bans_in(clause)
        is_ban = bool(bans) and not (_continues(sentence, clause) or _is_agreed(sentence))
        is_lasting = _LASTING.search(clause) is not None and _RULE.match(clause) is not None
        is_lasting = sentence not in whole and (is_lasting or directs(clause))
        if (is_ban or is_lasting) and not _ASIDE.search(clause) and not known:
            yield clause


def _is_agreed(sentence: str) -> bool:
    """Return True if a sentence takes the rule of a clause back: "it belongs to them, but they gave their consent"."""
    return AGREED.search(sentence) is not None and not bans_in(sentence)


def _continues(sentence: str, clause: str) -> bool:
    """Return True if a clause has the subject of a report before it: "where we use git add but don't change it"."""
    before = sentence[: max(0, sentence.find(clause))]
    return _SAME_VERB.match(clause) is not None and _SUBORDINATE.search(before) is not None


def _is_rule(sentence: str) -> bool:
    """Return True if a sentence begins as a standing rule. A wish about the result is none."""
    if not _RULE.match(sentence):
        return states_other_rule(sentence)
    return not _ABOUT_WORK.match(sentence) or bool(_STANDING.search(sentence) or bans_in(sentence))


def _goes_on(sentence: str, later: re.Match[str]) -> bool:
    """Return True if a later clause has the subject of an earlier one: "that they don't repeat it, don't test x"."""
    return bool(_ASIDE.search(sentence, 0, later.start()) and _SAME_VERB.match(later[1]))


def _with_its_object(sentence: str, rule: str) -> str:
    """Return the rule in a later clause of a sentence, or the sentence if only that names what the rule is about."""
    points = _POINTS_BACK.search(rule) is not None or not bans_in(rule)
    is_short = len(content_words(rule)) < _MIN_WORDS
    return sentence if is_short or (points and bans_in(sentence)) else rule
