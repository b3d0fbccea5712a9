"""Recognise the requests of a prompt that asks for several things in its sentences, and the steps of a plan.

A prompt with one request is not a list of tasks: it is the current request, which is kept as such.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.core.text import lazy_pattern, word_set
from inspector.engine.facts.instructions import VERBS
from inspector.engine.facts.sentence_ends import sentences_of

_LEAD = lazy_pattern(
    r"(?:(?:ok|okay|yes|yeah|yep|sure|great|perfect|thanks|so|and|but|also|now|then|please|just|next|finally|first"
    r"|firstly|second|secondly|third|lastly|instead|afterwards|additionally|in addition|after that|once done|alright"
    r"|actually|maybe|rather|again|at the end|can you|could you|would you|will you|can we|i want you to|i need you to"
    r"|i[’']d like you to|i would like you to|i want to|i need to|i[’']d like to|i would like to|we want to"
    r"|you should|you need to|let[’']?s|we should|we need to|we have to"
    r"|we also need to|we can|we could|i think(?: that)? we should|i think we need to|go ahead and|make sure to"
    r"|remember to|try to|want you to|help me)\b[,:]? )",
    re.IGNORECASE,
)
"""Words before the verb of a request: "ok, then please also"."""
_MAX_LEADS = 6
_ADVERB = lazy_pattern(r"[a-z]{3,14}ly ", re.IGNORECASE)
_INSTEAD = lazy_pattern(r"instead of [^.;!?]{3,120}?, ", re.IGNORECASE)
"""Alternative before a request: "instead of changing the test, "."""
_VERB = lazy_pattern(r"([A-Za-z]{2,20}(?:-[a-z]{2,20})?)(?= (?! )(?![\d:=|/]))")
_TALK = word_set(
    """
    access act agree aim answer anticipate appreciate assume avoid bear begin believe clear close complete consider
    continue contain correct count cover deal debug design do document end exit expect export feel focus follow
    forgive get give go guess have help hold ignore imagine import intend issue judge keep know learn leave let
    limit list look make mean mind name need never note notice pass plan play point prefer present print proceed
    process question remain remember reply request research respond return say see set show sign sort start state
    stay step stop suggest support talk tell test thank think time touch trust try type understand wait walk want
    warn watch wonder work worry
    """
)
"""Verbs that ask for an answer or a form, or that are nouns as well. They request work only after a lead."""
_SPOKEN = word_set(
    """
    agree appreciate assume believe expect feel finish forgive guess have hold imagine know mean mind need note
    notice remember say see suggest talk tell thank think trust try understand wait want wonder worry be answer
    reply respond continue proceed stop go
    """
)
"""Verbs that never request work, whatever precedes them."""
_MORE = word_set(
    """
    wire bump rebase polish scaffold stub dedupe regenerate rerun re-run rebuild hook thread rename clone upgrade
    downgrade inline lint configure register squash restore paginate download
    """
)
"""Verbs of programmers that `VERBS` does not list."""
_CODE_LINE = lazy_pattern(r"[{}=;<>|│├└]|^\s*[/@$]|\w\(|\w/\w+/\w|^[a-z]+ [a-z]+ \d|\.\.\.$|  ")
_FENCE = lazy_pattern(r"^(?:```|~~~)[^\n]*\n.*?(?:^(?:```|~~~)|\Z)", re.S | re.M)
_MIN_WORDS, _MAX_LENGTH = 4, 400
_FEWEST = 2
"""Fewest requests of a prompt that is a list of tasks."""
_LONG, _LEAST_SHARE = 800, 0.2
"""Characters of a prompt that may contain a pasted text, and the share of its sentences that must be requests."""


def requests_in(text: str) -> Iterator[str]:
    """Yield the sentences of a typed text that each request work, if there are at least two."""
    prose = _FENCE.sub("\n", text) if "```" in text or "~~~" in text else text
    sentences = list(sentences_of(prose))
    requests = [sentence for sentence in sentences if is_request(sentence)]
    is_pasted = len(prose) > _LONG and len(requests) < _LEAST_SHARE * len(sentences)
    if len(dict.fromkeys(requests)) >= _FEWEST and not is_pasted:
        yield from requests


def is_request(sentence: str) -> bool:
    """Return True if a sentence requests work: "then also update the tests", "can you rename the module?"."""
    if sentence.count(" ") < _MIN_WORDS - 1 or len(sentence) > _MAX_LENGTH:
        return False
    rest, has_lead = _after_leads(sentence.lstrip("\"'“‘"))
    verb = _VERB.match(rest)
    if not verb or sentence.endswith(":" if has_lead else ("?", ":")):
        return False
    return _asks_for_work(verb[1].lower(), has_lead) and not _CODE_LINE.search(_SPAN.sub("code", sentence))


def _after_leads(sentence: str) -> tuple[str, bool]:
    """Return a sentence without the words before its verb, and True if it had any."""
    rest = sentence
    for count in range(_MAX_LEADS):
        lead = _INSTEAD.match(rest) or _LEAD.match(rest) or (_ADVERB.match(rest) if count else None)
        if not lead:
            break
        rest = rest[lead.end() :]
    return rest, rest != sentence


def _asks_for_work(verb: str, has_lead: bool) -> bool:
    return (verb in VERBS or verb in _MORE) and verb not in _SPOKEN and (has_lead or verb not in _TALK)


_SPAN = lazy_pattern(r"`[^`\n]{1,200}`|@?[\w./-]{0,80}\.\w{1,5}\b(?:\(\))?|\b\w{1,60}\(\)|https?://\S{1,200}")
"""Code and files within a sentence, whose signs are not those of a line of code."""
_ITEM = lazy_pattern(r"^[ \t]{0,8}(\d{1,2})[.)][ \t]+(?:\*\*)?([^\n]{8,400})", re.M)
_PLANNED = lazy_pattern(
    r"(?i)\b(?:plan|steps?|to ?do|need to|needs to|we should|going to|let me|next|remaining|tasks?|wants? to|proposal"
    r"|to (?:troubleshoot|debug|diagnose|resolve|address|narrow down)"
    r"|suggest\w*|recommend\w*|i[’']ll|i will)\b[^\n]{0,80}:[*\s]{0,6}\Z"
)
"""End of a line that introduces the steps of a plan: "Here is the plan:"."""
_INSTRUCTED = lazy_pattern(
    r"(?i)^\W*(?:this|these|it|the (?:\w+ )?(?:code|changes?|method|function|script|fix|update|class))\b"
    r"|\byou\b|\bto (?:run|use|install|see|start|set up|try|play)\b|\b(?:follow|usage|how to)\b"
)
"""Words of a line that introduces instructions for the reader instead: "To run it, you need to:"."""


def planned_steps(text: str) -> Iterator[str]:
    """Yield the numbered steps of a plan: two or more imperatives below a line that announces them."""
    steps, is_plan = list[str](), False
    for match in _ITEM.finditer(text):
        if match[1] == "1":
            is_plan = _steps_follow(text[max(0, match.start() - 200) : match.start()])
        verb = _VERB.match(match[2]) if is_plan else None
        if (
            verb
            and match[2][-1] != ":"
            and verb[1][0].isupper()
            and (verb[1].lower() in VERBS or verb[1].lower() in _MORE)
        ):
            steps.append(match[0])
    if len(steps) >= _FEWEST:
        yield from steps


def _steps_follow(before: str) -> bool:
    """Return True if the last line of a text announces the steps of a plan."""
    line = before.rstrip().rpartition("\n")[2]
    return bool(_PLANNED.search(line)) and not _INSTRUCTED.search(line)
