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
    agree appreciate assume avoid believe expect feel finish forgive guess have hold imagine know mean mind need note
    notice remember say see suggest talk tell thank think trust try understand wait want wonder worry be answer
    reply respond continue proceed stop go
    """
)
"""Verbs that never request work, whatever precedes them."""
_MORE = word_set(
    """
    wire bump rebase polish scaffold stub dedupe regenerate rerun re-run rebuild hook thread rename clone upgrade
    downgrade inline lint release tag configure register squash restore paginate download
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

STEP_POINT = lazy_pattern(r"^[ \t]{0,8}(?:#{1,6} )?(?:\*\*)?(?:Step |Phase )?\d{1,2}[.):][ \t]+[^\n]{3,600}", re.M)
WORK_POINT = lazy_pattern(
    r"^[ \t]{0,12}(?:[-*+•]|Lines? \d[\d, and–-]{0,30}:)[ \t]+(?:Access|Add|Adjust|Apply|Build|Bump|Change|Clean"
    r"|Configure|Convert|Create|Delete|Deploy"
    r"|Deprecate|Disable|Document|Drop|Enable|Expose|Extend|Extract|Fix|Generate|Handle|Implement|Improve|Inline"
    r"|Install"
    r"|Integrate|Introduce|Investigate|Loop|Make|Merge|Migrate|Modify|Move|Pass|Patch|Port|Publish|Refactor|Register"
    r"|Release|Remove|Rename|Reorganize|Replace|Resolve|Restore|Restructure|Rewrite|Set up|Simplify|Split|Store|Support"
    r"|Swap|Switch|Test|Track|Translate|Tweak|Update|Upgrade|Use|Analyze|Calculate|Check|Collect|Compare|Compute"
    r"|Count|Determine|Download|Evaluate|Filter|Find|Group|Identify"
    r"|Load|Parse|Print|Review|Run|Save|Search|Send|Sort|Train|Validate|Verify|Wire|Wrap|Write|add|change|create"
    r"|delete|fix|implement|move|refactor|remove|rename|replace|update|write) [^\n]{3,600}",
    re.M,
)
"""List point that asks for work: "- Rename the config module", "Lines 12-40: Remove the cache"."""


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
    if _GUIDED.match(rest):
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


_GUIDED = lazy_pattern(
    r"(?i)(?:solve|answer) (?:the|this) (?:problem|task|question)\b"
    r"|(?:give|provide) [^.;]{3,80} as (?:the|your) answer\b"
    r"|use [^.;]{3,120}\b(?:as (?:an? |the )?(?:guid|reference|basis|source|template)"
    r"|(?:documentation|guidance) (?:and|from)|when(?:ever)?\b|if\b|where\b)"
)
"""A rule about how to work: "use the style guide as reference"."""
_SPAN = lazy_pattern(
    r"`[^`\n]{1,200}`|(?<=[a-z] )\w{2,40}(?:/\w{2,40}){2,5}(?= [a-z]|[,.;]? ?$)|@?[\w./-]{0,80}\.\w{1,5}\b(?:\(\))?|\b\w{1,60}\(\)|https?://\S{1,200}"
)
"""Code and files within a sentence, whose signs are not those of a line of code."""
_ITEM = lazy_pattern(
    r"^[ \t]{0,8}(?:(\d{1,2})[.)]|[-*•])[ \t]+(?:\[ \] )?((?:\*\*)?[^\n]{8,400})"
    r"|^[ \t]{0,3}(?:#{1,5} )?(?:\*\*)?(?:Phase|Task|Stage|Milestone) \d{1,2}[.:][ \t]+([^\n]{8,300})",
    re.M,
)
"""A list item, with its number, or a heading of a phase."""
_LABEL = lazy_pattern(r"(?:\*\*[^*\n]{2,80}\*\*[^—–:\n-]{0,30}|`[^`\n]{1,80}` )(?:—|–|-|:) (?=[A-Za-z])")
"""Name of a step before what is to be done: "**Upstream** (later) — Add a preset", "`load.py` - Remove the cache"."""
_PLANNED = lazy_pattern(
    r"(?i)\b(?:plan|steps?|to ?do|need to|needs to|we should|going to|let me|next|remaining|tasks?|wants? to|proposal"
    r"|to (?:troubleshoot|debug|diagnose|resolve|address|narrow down)"
    r"|suggest\w*|recommend\w*|i[’']ll|i will|in order|workflow is)\b[^\n]{0,80}:[*\s]{0,6}\Z"
)
"""End of a line that introduces the steps of a plan: "Here is the plan:"."""
_PLAN_HEADING = lazy_pattern(
    r"(?i)^\W{0,4}(?:#{1,5} |\*\*)[^\n]{0,40}\b(?:plan|phase \d|roadmap|milestones?|recommended|recommendations?|next"
    r"|remaining|proposed|proposal|action items|follow-?ups?|gaps|to-?dos?|work items|priorit\w+|rollout|sequence"
    r"|order)\b[^\n]{0,60}\Z"
)
"""Heading of a plan: "### Phase 2 — next week"."""
_OFFERED = lazy_pattern(
    r"(?i)\b(?:want me to|shall I|should I|would you like me to) (?:start|begin|proceed|go ahead|build|implement|do)\b"
)
"""Question after the steps of a plan: "Want me to start with this?"."""
_MAX_LIST = 3_000
"""Maximum characters between the first step of a plan and the question whether to begin."""
_INSTRUCTED = lazy_pattern(
    r"(?i)^\W*(?:this|these|it|the (?:\w+ )?(?:code|changes?|method|function|script|fix|update|class))\b"
    r"|\byou\b|\bto (?:run|use|install|see|start|set up|try|play|reproduce)\b|\b(?:follow|usage|how to)\b"
    r"|\bgetting started\b"
)
"""Words of a line that introduces instructions for the reader instead: "To run it, you need to:"."""


def planned_steps(text: str) -> Iterator[str]:
    """Yield the steps of a plan: two or more imperatives in lists that are announced, or as headings of phases."""
    steps = [match[0] for match in _points_of_plans(text) if _is_step(match[2] or match[3])]
    if len(steps) >= _FEWEST:
        yield from steps


def _points_of_plans(text: str) -> Iterator[re.Match[str]]:
    """Yield the items of announced lists, and the headings of phases."""
    is_plan, end = False, -1
    for match in _ITEM.finditer(text):
        if match[2]:
            if _begins_list(match, end):
                is_plan = _steps_follow(text[max(0, match.start() - 200) : match.start()]) or bool(
                    _OFFERED.search(text, match.end(), match.end() + _MAX_LIST)
                )
            end = match.end()
        if is_plan or match[3]:
            yield match


def _begins_list(item: re.Match[str], end: int) -> bool:
    """Return True for the first item of a list. `end` is the end of the item before it, or -1."""
    return item[1] == "1" or (not item[1] and (end < 0 or item.string.count("\n", end, item.start()) > 1))


def _is_step(point: str) -> bool:
    """Return True if a point of a plan is an imperative, after its name if it has one."""
    if point.rstrip(" *")[-1:] == ":":
        return False
    label = _LABEL.match(point)
    named = _VERB.match(point, label.end()) if label else None
    verb = _VERB.match(point, 2 if point.startswith("**") else 0)
    verbs = [named[1].lower() if named else "", verb[1].lower() if verb and verb[1][0].isupper() else ""]
    return any(one in VERBS or one in _MORE for one in verbs)


def _steps_follow(before: str) -> bool:
    """Return True if the last line of a text announces the steps of a plan."""
    line = before.rstrip().rpartition("\n")[2]
    return bool(_PLANNED.search(line) or _PLAN_HEADING.search(line)) and not _INSTRUCTED.search(line)
