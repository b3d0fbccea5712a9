"""Exclude sentences that contain a cue phrase but are not of its class, such as headings, guesses and announcements."""

from __future__ import annotations

import re

from inspector.core.text import lazy_pattern
from inspector.engine.facts.constraint_cues import SELF, WISH

_NO_ERROR = lazy_pattern(
    r"\b(?:0|no|without|zero|any) (?:\w+ )?(?:errors?|failures?|failed)"
    r"|\bif (?:there|you|any|the user)\b"
    r"|\bif (?:it|they) (?:\w+ ){0,6}(?:crash|fail)"
    r"|\berror\??: (?:(?:str|int(?:eger)?|bool(?:ean)?|object)\b|\w{2,30}(?:Error|Exception)\??$)"
    r"|^\W*(?:do|does|don[’']?t|doesn[’']?t|can|could|should|would) [^?]{0,200}\?$"
    r"|: \(none\)|\b(?:any|every)thing that fails\b|Error: If "
    r"|\berrors?[=:] ?0\b|\bfail(?:ed|ures?)[=:] {0,8}0\b|\.{3} ok\b"
    r"|(?<!FAILED! )=>(?! (?-i:ERROR)\b)(?!.{0,200}\bis not assignable)|[{};,]\s*$"
    r"|\berror\??: (?:null|none|undefined|nil|true|false|string|unknown(?! \()"
    r"|any|err|error(?!: )|e|an?)\b",
    re.IGNORECASE,
)
"""Lines that mention errors without reporting one, such as "0 errors" and code."""
_MINOR = lazy_pattern(
    r"\s*(?!Warning {2,}[A-Z])(?:(?i:hint|warning|warn)\b(?:\[[\w:-]{1,60}\])?:? "
    r"|(?:[^\s]{1,40} ){0,4}\[?(?:WARN|WARNING|INFO|LOG|DEBUG|TRACE|NOTICE|level=(?:info|warn|warning|debug))\]?:? )"
)
"""Start of a hint, a warning or a log line below the level of an error: "2026-01-02 10:00 INFO "."""
_GUESS = lazy_pattern(
    r"(?i)\b(?:may|might|could)(?: not|n[’']t)? have (?!to\b)\w|^here(?:[’']s| is| are)\b.{0,200}:$|^must-have \w+$"
    r"|^(?:so|since|because) [^`]{0,80}`|\bif (?:\w+ ){1,4}(?:is|are) required\b"
    # "This should resolve the conflict", "the file must be created somewhere"
    r"|^(?:this|these|that|it|which|the) (?:\w+ )?should (?:now|only|also|just|be (?:fine|enough|ok)|fix|resolve|solve"
    r"|address|help|work|match|prevent|correct|ensure|allow|give|make|render)\b"
    r"|\bmust be (?:\w+ )?(?:\w+ed )?somewhere\b|\b(?:might|may|could) (?:also |still )?need\b"
    r"|^(?:the|this|that|my) (?:change|fix|edit|diff|scope|patch|impact)s? (?:is|are|was|were) (?:limited|restricted)\b"
    r"|\bthere (?:would|will|is|are|was|were)(?: be)? (?:\w+ )?no\b"
)
"""A guess about the past, the introduction of a list, or a heading: "It may not have run"."""
_PRINTED = lazy_pattern(r"^assert |^Commit [0-9a-f]{7,40}\b|^\{\"|[\"'`)]\)?[;{]$")
"""A line that a program printed or runs, within written text: "Commit 1dc6edd …", "fail('never');"."""
_SOURCE = lazy_pattern(r"[{}=<>\\$]|;\s*$|\w\(|::|->|^\s*[#/@]|\"\"\"")


def describes_no_error(sentence: str) -> bool:
    """Return True for sentences that mention errors without reporting one, and for those that only introduce one."""
    return bool(_NO_ERROR.search(sentence) or _SUPPOSED.search(sentence)) or sentence.endswith((" error:", " because:"))


_SUPPOSED = lazy_pattern(
    r"^(?:let me|i[’']ll|i will|i[’']m going)\b|\bwhy (?:the|it|this|that)\b|\bit would be (?:great|nice|good)\b"
    r"|^(?:what )?if\b[^?]{0,200}\?$|^(?:step \d+: )?run \w[^.:]{0,40} to verify\b|\\n",
    re.IGNORECASE,
)
"""Failures that are supposed, looked into or wished away, and escaped text: "let me see why it failed"."""


_COUNTED = lazy_pattern(r"\b(?:Failures|Errors|Failed): [1-9]|\b[1-9]\d{0,3} failed\b")
"""Number of failed tests, often next to other numbers that are 0: "Failures: 2, Errors: 0"."""


def reports_no_error(line: str) -> bool:
    """Return True for lines that mention errors without reporting one, and for hints, warnings and minor log lines."""
    if line.startswith("E   "):
        return bool(_DETAIL.match(line))
    if _COUNTED.search(line) or _THROWN.match(line):
        return bool(_MINOR.match(line)) and "] BUILD FAIL" not in line and "FAILURE [" not in line
    return bool(_NO_ERROR.search(line) or _MINOR.match(line) or _DOCUMENTED.match(line))


_THROWN = lazy_pattern(
    r"(?:\w{1,60}\.){0,8}[A-Z]\w{0,80}(?:Error|Exception): (?!If |When |Raised |Thrown |Represents )\S"
    r"|\[INFO\] BUILD FAIL|\[INFO\] \S[^\n]{0,160}\bFAILURE \["
)
"""Exception with its message, whatever that contains: "org.opentest4j.AssertionFailedError: expected: <3>"."""
_DETAIL = lazy_pattern(r"E {3,12}(?:Use -v |Full diff|[+?-] |\+  )")
"""Line of a difference below the failed comparison, as pytest prints it: "E       Use -v to get more diff"."""
_DOCUMENTED = lazy_pattern(
    r"\S{1,200}\.(?:md|mdx|rst|txt|adoc|jsonl):\d+:(?!\d)|(?:\s*\d{1,6}[:→-])?\s*[-+*•] (?!\w{2,60}(?:Error"
    r"|Exception)\b)[^`\n]{0,200}`"
    r"|(?:\s*\d{1,6}[:→-])?\s*[-+*•](?:[ \t]{1,4}[-+*•])?[ \t]{1,4}(?:an?|any|the|no|all) "
    r"|.{0,200}\b(?:throws|raises|rejects?|returns)\b.{0,60}\b(?:on|if|when|before)\b"
    r"|.{0,200}(?:\b(?:returns?|answers?|responds? with|gives?|throws?|yields?) |(?:→|->|=>) ?)`?[45]\d\d\b"
    r"|.{0,200}`[45]\d\d [A-Z][^`\n]{1,40}` (?:→|—|-|for|if|when|on|\()|.{1,200}: (?:If|When) "
    r"|[^<\n]{0,100}<\w{1,30}>[^<\n]{0,80}<\w{1,30}>"
    r"|\W*(?:If|When|Whenever|Unless|In case) |debug\d?: |L\d+[-:]"
    r"|.{0,200}\b(?:[Ii]f (?:the|an?|it|this|that|no|not|you)"
    r"|will (?:show|be|fail|return|throw|raise|cause|get))\b"
)
"""Line of documentation: "docs/api.md:12: …", "- bad input: `400`", "If the file does not exist"."""


def decides_nothing(sentence: str) -> bool:
    """Return True for headings and questions: "Decision: a union or an exception?"."""
    if _DECISION_HEADING.fullmatch(sentence) or sentence.endswith("?") or sentence.startswith("<"):
        return True
    return bool(_VERSUS.match(sentence) or _ANNOUNCED.search(sentence))


_VERSUS = lazy_pattern(
    r"(?:\w+ )?Decision: (?:(?:When|How|Which|Whether|What|Where) |(?:[\w`-]+ ){1,8}(?:vs\.?|or|versus) )"
)
"""Heading of a decision to be made: "Decision: Return None vs Raise"."""
_ANNOUNCED = lazy_pattern(
    r"\b(?:use|keep) (?:the |an? )?(?:[\w`-]+ ){0,4}"
    r"(?:skills?|tools?|commands?|agents?|subagents?|functions?|scripts?|response|reply|brief|guidance|guide|workflow"
    r"|checklist)\b"
    r"|\buse (?-i:Edit|Write|Read|Bash|Grep|Glob|Task)\b"
    r"|\bkeep [^.;]{1,60}\b(?:alive|running|going)\b|\b(?:I[’']ll|I will) use [^.;]{1,80} to [a-z]|\bwhy (?:an?"
    r"|the) |^if (?:i|you|the user) |\b(?:likely"
    r"|probably|possibly|perhaps)\b"
    r"|(?<!decided the )\b(?:first|next) (?:\w+ )?step\b|\bmoving to the .{1,60}\bnow\b|\b(?:i|we) could\b|^(?:i|we"
    r"|let)[ ’'](?!.{1,200}\b(?:instead|go (?:for|with))\b).{1,200}:$|\\n",
    re.IGNORECASE,
)
"""The tool or form of the next step: "I'll use the review skill"."""


def is_no_printed_decision(sentence: str) -> bool:
    """Return True for printed lines that are no prose, and for headings and questions."""
    return not is_prose(sentence) or decides_nothing(sentence)


def is_no_task(sentence: str) -> bool:
    """Return True for introductions of a list, and for work that is not or may not be needed."""
    if sentence.endswith(":") or (sentence.endswith("?") and not _OPEN.search(sentence)):
        return True
    return bool(_NOT_NEEDED.search(sentence) or _PRINTED.search(sentence)) or sentence.startswith("<")


_OPEN = lazy_pattern(r"(?i)\bopen question|\b(?:todo|fixme|pending)\b")
_NOT_NEEDED = lazy_pattern(
    r"(?i)(?:n[’']t|\b(?:not|never|no longer|may|might|could)) (?:still )?needs?\b|^(?:if|use when|what) "
    r"|^\W*still to \w+\W*$"
    r"|^(?:\w+[,.]? ){0,3}let me (?:also |first |just )?(?:check|see|look|read|find|verify|search)\b"
    r"|\b(?:if|whether|which|what|files that) (?:\w+ ){0,2}needs? (?!to be\b)"
)
"""Work that is not or may not be needed: "it may still need a rebase"."""


def is_own_step(sentence: str) -> bool:
    """Return True for the speaker's own next step, habit or guess, for headings and questions."""
    if sentence.endswith("?") and ". " not in sentence:
        return True
    return any(pattern.search(sentence) for pattern in (SELF, _GUESS, _PRINTED, _NARRATED, _REPORTED_SPEECH, _FINISHED))


_FINISHED = lazy_pattern(
    r"^\W{0,4}(?:Clarified|Updated|Fixed|Added|Changed|Removed|Corrected|Ensured|Verified|Documented|Explained|Noted"
    r"|Confirmed|Refactored|Renamed|Moved|Improved|Replaced|Rewrote|Implemented"
    r"|Created)\b(?!.{0,300}\b(?:should|must|may|shall|can)(?: not|n[’']t)\b)"
)
"""Start of a report about finished work: "Clarified that the index always points to a message"."""


_NARRATED = lazy_pattern(r"\bI[’']m (?:now |also |still )?\w{2,20}ing\b")
"""Agents describing what they do: "I'm now listing what needs to be passed"."""
_REPORTED_SPEECH = lazy_pattern(
    r"(?i)\b(?:error|message|warning|exception)s?:? [\"“`][^\"“”`]{0,160}\b(?:must|cannot|never|required|not allowed)\b"
    r"|[\"“`][^\"“”`]{0,160}\b(?:must|cannot|never|required|not allowed)\b[^\"“”`]{0,160}[\"”`]"
    r" (?:error|message|warning)\b"
)
"""Quotation of a message that a program printed: 'This causes the error "arrays must have the same length"'."""


def is_no_wish(sentence: str) -> bool:
    """Return True for typed sentences about the speaker without a wish, introductions of a list, and questions."""
    if is_question(sentence) or _ASKED.search(sentence) or _only_leads(sentence) or _PRINTED.search(sentence):
        return True
    if _FINISHED.match(sentence) or _UNSURE.search(sentence):
        return True
    return bool(SELF.search(sentence)) and not WISH.search(sentence)


_ASKED = lazy_pattern(r"\b(?:where|what|how|which|whether|why|who)\b[^,.;:]{0,40} should\b", re.IGNORECASE)
"""A question about what should be, not a statement: "how it should look"."""


_UNSURE = lazy_pattern(r"(?<![,.;]) no\?(?: |$)|\bmay or may not\b|\byou don[’']?t need to be\b", re.IGNORECASE)
"""A question in the form of a statement, or what is left open: "it must point at a message no?"."""


def is_question(sentence: str) -> bool:
    """Return True for questions, except statements that only end like one: "keep the names, ok?"."""
    return sentence.endswith("?") and not _ASSURED.search(sentence)


_ASSURED = lazy_pattern(r"[,.;] (?:right|ok|okay|yes|no|no way|can we|does that make sense)?\?$|\bwithout\b")
"""End of a statement in the form of a question: "keep the names, ok?"."""


def _only_leads(sentence: str) -> bool:
    """Return True for a few words that introduce a list, such as "Focus on:"."""
    return sentence.endswith(":") and sentence.count(" ") < _MIN_SPACES


_MIN_SPACES = 3


def is_no_rule(sentence: str) -> bool:
    """Return True for printed lines that are no prose, are about the speaker, or are demands of a compiler."""
    return not is_prose(sentence) or bool(SELF.search(sentence) or _DEMANDED.search(sentence))


_DEMANDED = lazy_pattern(
    r"\bmust (?:have|be|match|implement|return|satisfy|extend) (?:the same|of type|of the same|assignable|constant"
    r"|defined|declared|an? (?:valid|string|number|function|type|array|integer|object|interface|pointer|list)"
    r"|string|number|boolean|integer|null|numeric|unique|positive)\b",
    re.IGNORECASE,
)
"""Requirements of a compiler or library on code: "operands must have the same type"."""


def is_prose(sentence: str) -> bool:
    """Return True if an output line is written language rather than source code or a table row."""
    if _SOURCE.search(sentence) or len(sentence) < _MIN_PROSE_LENGTH:
        return False
    letters = sum(map(str.isalpha, sentence)) + sentence.count(" ")
    return letters >= 0.7 * len(sentence) and sentence.count(" ") >= 3


_MIN_PROSE_LENGTH = 20


_DECISION_HEADING = lazy_pattern(
    r"\W{0,6}(?:(?:key|main|other|important|design|technical) ){0,3}(?:decisions?|choices)(?: (?:made|taken))?\W{0,4}",
    re.IGNORECASE,
)
"""Heading of a list of decisions: "Key decisions made:"."""
