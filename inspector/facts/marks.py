"""The words that mark a sentence as a constraint, a decision, a task or an error, each with the pattern that decides.

`classify` says which table counts for which text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

Marks = Mapping[str, re.Pattern[str]]
"""Words in small letters without which no sentence is of a class, each with the pattern that decides."""


def _marks(*rows: tuple[str, str], flags: int = re.IGNORECASE) -> Marks:
    """A table from rows of marks, with `|` between them, and their pattern."""
    return {mark: re.compile(pattern, flags) for marks, pattern in rows for mark in marks.split("|")}


def _both(one: Marks, other: Marks) -> Marks:
    """Two tables as one; a mark that stands in both has either pattern. Both are made with the same flags."""
    shared = {
        mark: re.compile(f"{one[mark].pattern}|{other[mark].pattern}", one[mark].flags)
        for mark in one.keys() & other.keys()
    }
    return {**one, **other, **shared}


_GUESSING = "have (?:been|had)|be (?:that|because)|admit|confess"
"""What follows a "must" that binds nobody."""
_CHATTING = "worry|think|know|see|need|have|want|mind|forget to|hesitate|mean"
_TELLING_TO = (
    rf"(?:^|[,.;:(—–-] ?|\b(?:please|and|but|just|also|so|then|or) )(?:do not|don[’']?t|never)\b(?! (?:{_CHATTING})\b)"
)
_SUBJECT = r"\b(?:you|can|may|should|shall|must|will|is|are|be|\w-\d+)"
_BEFORE_NO = (
    r"(?:^|[.;:,] ?|please )no (?!such\b)(?:\w+,? ){1,4}(?:at the end|and no|or|outside|above|below|longer|over)\b"
)
_COUNT = (
    r"(?:[$€£]|[A-Z]{3} )?\d|(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|fifty"
    r"|sixty|half|twice|once)\b"
)
"""What follows "at most", in digits or in words."""
_ACTING = "be|have|use|contain|exceed|lose|change|touch|make|run|add|write|delete"
_CHANGED = (
    "updated|changed|moved|deleted|removed|exceeded|shared|edited|modified|touched|longer|wider|cancell?ed|refunded"
    "|booked|combined|transferred|returned|exchanged|reversed|undone|extended|waived|upgraded"
)
_TO_NOTHING = "please|share|change|touch|delete|remove|send|say|tell|add|write|promise|give|commit|push|publish|rename"
_RULED = "use|keep|run|write|ask|check|put|call|add|return|include|start|begin|prefer|answer|say|make"

CONSTRAINT = _marks(
    ("must", rf"\bmust(?:n[’']t)?\b(?! (?:{_GUESSING})\b)"),
    ("never", rf"{_TELLING_TO}|{_SUBJECT} never (?!(?:been|had|was|were|got|\w{{3,12}}ed)\b)\w+"),
    ("do not|don't|don’t", _TELLING_TO),
    ("should not|shouldn|shall not|may not", rf"\b(?:should|shall|may)(?: ?not|n[’']t) (?:{_ACTING})\b|\bmay not\b"),
    ("may ", r"\b(?:only(?: \w+)?|nothing|none|nobody|no \w+) may\b|\bmay only\b"),
    (
        "can not|cannot|can't|can’t",
        rf"\bcan(?: ?not|[’']t) (?:\w+ )?be (?:{_CHANGED})\b|\byou can(?: ?not|[’']t) (?!just\b|see\b|tell\b|find\b)\w",
    ),
    (
        "at most|no more than|no less than|not more than|no fewer than",
        rf"\b(?:at most|no more than|no less than|not more than|no fewer than) (?:{_COUNT})",
    ),
    ("at least", r"\bat least (?:[$€£]|[A-Z]{3} )?\d"),
    (
        "not allowed|forbidden|required|mandatory|prohibited|not permitted",
        r"\b(?:is|are) (?:not allowed|forbidden|required|mandatory|prohibited|not permitted)\b|\bnot allowed to\b",
    ),
    (
        "refundable|eligible|transferable",
        r"\b(?:not|non)[ -](?:refundable|eligible|transferable)\b|\b(?:is|are) ineligible\b",
    ),
    ("has to |have to |needs to |need to ", r"\b(?:has|have|needs?) to (?:be|stay|remain|keep)\b(?! re-?\w)"),
    ("make sure", r"\bmake sure\b"),
    ("avoid ", r"(?:^|[.;:,] |please |and )avoid \w+\b"),
    ("always", rf"\balways (?:{_RULED})\b|(?:^|[.;:] |please )always \w+\b"),
    ("important|critical|essential", r"\b(?:is|are|[’']s) (?:important|critical|essential) (?:that|to)\b"),
    ("only ", r"(?:^|[.;:,] )only (?:in|if|when|for|from|with)\b|\b(?:can|may|must|should|will|shall) only\b"),
    ("only.|only,", r"\bonly[.,]"),
    ("stay as|stays as", r"\bstays? as\b"),
    ("at the latest", r"\bat the latest\b"),
    ("no ", _BEFORE_NO),
    ("nothing", rf"(?:^|[.;:,] ?|please |and )(?:{_TO_NOTHING}) nothing\b"),
)
PRINTED_CONSTRAINT = {
    **{
        mark: CONSTRAINT[mark]
        for mark in (*("must", "never", "do not", "don't", "at most", "at least", "may "), "may not", "at the latest")
    },
    **_marks(("cannot be", rf"\bcannot be (?:{_CHANGED})\b")),
}
"""Those that count in what tools print as well."""
SELF = re.compile(
    r"\b(?:I|we) (?:must(?! not\b)|don[’']?t|never|do not|have to|had to|should|could|can[’']?t|also|need to)\b"
    r"|\b(?:cause|reason|problem|bug|issue|fault|there) must be\b"
    r"|\b(?:let me|I[’']ll|I will|I[’']m going to) \b",
    re.IGNORECASE,
)
"""Somebody speaking of their own next step, their habits, a guess or what they do not know."""

_SHOWING = (
    "be|have|show|use|stay|remain|only|always|not|never|also|just|contain|include|return|work|support|keep|look|follow"
    "|match|take|give|get|go|come|start|stop|end|live|sit|point|read|run|call|say|display|allow|handle|default|fall|pick"
)
_HELD = (
    r"keep (?!(?:exactly|notes?|that as|it up|up|in mind|going|working|track|me posted)\b)(?![^.;!?]{0,80} as an? )"
    "|leave|preserve|avoid|stick to|limit|ensure|follow(?![ -]up)|respect|minimi[sz]e|stay|prefer|restrict|maintain"
    "|retain|reuse|match|focus on|concentrate on|hold off|refrain from|be sure|be careful|be concise|be brief|use only"
    "|(?:try|remember) to|try not to|only \\w+|no need (?:to|for)|stop \\w+ing|skip the|answer (?:in|with|only)"
)
"""Verbs of wishes that hold for longer than the next step."""
TYPED_CONSTRAINT = _both(
    CONSTRAINT,
    _marks(
        (
            "don't |don’t |do not |dont ",
            r"\b(?:i|we)(?: \w+ly)? (?:do not|don[’']?t)(?: \w+ly)? (?:want|like|need)\b(?! to (?:know|bother))",
        ),
        (
            "should",
            rf"(?<!\bi )\bshould(?: not|n[’']t)? (?:{_SHOWING})\b"
            r"(?! (?:been|fine|ok|okay|good|able|eligible|easy|enough|done|there|possible|under"
            r"|straightforward|interesting))",
        ),
        (
            "needs to |need to |has to |have to ",
            r"(?<!\bi )(?<!\bwe )(?<!\bi really )(?<!\bi also )(?<!\bi just )(?<!\bi still )\b(?:needs?"
            r"|ha(?:s|ve)) to (?!know\b|see\b|re-?\w)\w+",
        ),
        ("without ", r"\bwithout (?:\w+ly )?(?!ing\b)\w{2,14}ing\b"),
        ("instead", r"\binstead\b[.!]*$"),
        ("prefer|rather", r"\b(?:i|we)(?:[’']d| would| do)?(?: really| strongly)? (?:prefer|rather)\b"),
        (
            "want ",
            r"\b(?:i|we)(?: \w+)?(?: \w+)? want (?:it|this|that|them|these|those|the \w+|\w+) to (?:be"
            r"|stay|remain|keep|look"
            r"|only|not|never|always)\b|\bwe want (?:something|it|one) that\b|\bwant an? \w+ly\b",
        ),
        ("in such a way|so that it |so that you |so that we ", r"\bin such a way\b|\bso that (?:it|you|we)\b"),
        (
            "limit|budget|deadline",
            r"\b(?:limit|budget|deadline) (?:of|is|for)\b|\bwithin (?:a|the|my|our) [^.;?!]{0,30}(?:limit|budget)\b",
        ),
        ("within ", r"\bwithin (?:a|the|my|our) (?:\w+ ){0,2}(?:fee|price|range|limit|budget) of\b|\bwithin \d+"),
        (
            "keep|leave|preserve|limit|ensure|follow|respect|remember to|minimi|stay|restrict|maintain|retain"
            "|reuse|match|focus|concentrate|hold off|refrain|be sure|be careful|be concise|be brief|try |no need|stop "
            "|skip|answer",
            rf"(?:^|[.;:—–] ?|\b(?:please|but|and|so|also|then|just|yeah|yes|ok|okay),? )(?:{_HELD})",
        ),
        ("hands off", r"^(?:\w+,? ){0,2}hands off\b|[.;:—–] ?hands off\b"),
        ("only ", r"(?:^|[.;:,—–] ?|\b(?:please|but|and|to|just|so|it|we|you) )only (?!one (?:who|that|way)\b)\w+"),
        ("at least", rf"\bat least (?:{_COUNT})"),
        ("can not|cannot|can't|can’t", r"\b(?:it|they|he|she|there|that|this|users?|we) (?:can(?: ?not|[’']t)) be\b"),
        (
            "under |below |above |over ",
            r"\b(?:stay|keep|be|remain|fits?) (?:\w+ ){0,2}(?:under|below|above|over) [$€£]?\d",
        ),
        (
            "when |whenever ",
            r"^(?:when|whenever) (?:you|\w+ing)\b[^.;:!?]{2,120}, (?!i\b|it\b|we\b|there\b|the\b|does\b"
            r"|is\b|can\b|do\b)\w+",
        ),
        ("until|before ", r"\b(?:not|nothing|don[’']t|wait|hold|off|no)\b[^.;!?]{1,80}\b(?:until|before)\b"),
    ),
)
"""What somebody who types wishes; an agent says much of this of its own work, without any rule in it."""
WISH = re.compile(
    r"\b(?:I|we)(?: \w+ly)? (?:don[’']?t|do not)(?: \w+ly)? (?:want|like|need)\b"
    r"|\b(?:I|we)(?:[’']d| would)? (?:prefer|rather)\b",
    re.IGNORECASE,
)
"""Somebody speaking of themselves whose wish is a rule."""

_WE = r"(?:we|i)(?:[’'](?:ll|re|m)| will| shall| are| am)?"
_TAKING = "use|go with|keep|take|stay with|stick with|switch to|move to"
DECISION = _marks(
    ("decided", r"\bdecided\b(?! (?:whether|if|which|what|how|later|by|on your|so far)\b)"),
    ("decision", r"\bdecision(?: ?[:=]| is\b| was\b|s? made\b)|\b(?:that|as) a decision\b"),
    ("agreed ", r"\b(?:we|i|they)(?: have|[’']ve)? agreed (?:to|on|that|upon)\b"),
    ("going with|go with|went with", r"\b(?:going|go|went) with\b(?! (?:it|me|you|him|her|them)\b)"),
    ("chose|opted", r"\b(?:chose|opted)\b|\b(?:have|has|had|[’']ve|was|were|is|are|been) chosen\b"),
    ("picked", r"\b(?:we|i)(?: have|[’']ve)? picked\b"),
    ("settled ", r"\bsettled (?:on|for)\b"),
    ("accepted", r"\b(?:is|are) (?:\w+ and )?accepted\b"),
    (
        "instead of",
        rf"^instead of [^.;:]{{1,80}} {_WE}\b|\b{_WE} (?:{_TAKING})\b[^.;:]{{1,80}} instead of\b",
    ),
    ("switching to|moving to|sticking with", rf"\b{_WE} (?:switching to|moving to|sticking with)\b"),
    ("plan is to", rf"\bplan is to (?:{_TAKING})\b"),
    (
        "let's |let’s ",
        r"\blet[’']s (?:use|take|keep|stay|go with|stick)\b(?! (?:a look|you|(?:the )?`?\w*_\w"
        r"|(?:the )?`?\w+`? (?:command|tool)))",
    ),
    (
        "we'll |we’ll |i'll |i’ll |we will |i will |we shall ",
        r"\b(?:we|i)(?:[’']ll| will| shall) (?:use|go with|keep|take|stay with|stick|switch to)\b"
        r"(?! (?:care|you|an? |look|(?:the )?`?\w*_\w|(?:the )?`?\w+`? (?:command|tool)))",
    ),
)
PRINTED_DECISION = {mark: DECISION[mark] for mark in ("decided", "decision", "accepted")}
"""Those that count in what tools print as well."""
_YES = r"(?:yes|yeah|yep|yup|ok|okay|sure|alright|all right|fine|great|perfect|right|no|nope|nah|cool|good|agreed)"
_LOOKING = (
    "see|look|check|try|find|start|begin|talk|discuss|say|be|make sure|continue|move on|think|review|read|test|run|get"
    "|wait|take a look"
    "|debug|investigate|explore|figure|go over|go through|first|have|not|know|proceed"
)
"""What follows "let's" where a step is announced and nothing is chosen."""
_CHOSEN = (
    "add|apply|book|build|cancel|change|choose|commit|confirm|convert|create|delete|do|drop|fix|go|implement|include|keep"
    "|leave|make|merge|move|pick|proceed|process|push|put|refactor|remove|rename|replace|revert|send|ship|show|skip|split"
    "|stay|store|switch|take|update|upgrade|use|write"
)
"""Verbs by which somebody takes an offer: "yes, use the second one"."""
TYPED_DECISION = _both(
    DECISION,
    _marks(
        (
            "go ahead|proceed",
            r"(?:^|[.;!,:] ?|\bplease |[’']s )(?:please |just |also )?(?:go ahead|proceed)\b(?![^.!?]{0,150}\?)",
        ),
        ("let's |let’s |lets ", rf"\blet[’']?s (?:just |also |please |instead )?(?!(?:{_LOOKING})\b)\w+"),
        (
            "i think we|feel like we|guess we|i think i",
            r"\b(?:think|guess|feel like) (?:we|i)(?:[’']ll| will)? (?:should|want|need|can|go|use|keep|take|just)\b",
        ),
        (
            "we want |we are |we're |we’re ",
            r"\bwe want (?:to|an?|the|either|it|something)\b|\bwe(?: are|[’']re) (?:\w+ )?(?:changing"
            r"|switching|moving|dropping"
            r"|keeping|using|going (?:to|for)|replacing|removing|renaming|adopting)\b",
        ),
        ("i'd like |i’d like |i would like ", r"\bi(?:[’']d| would) like (?:the|an?|option|both|all)\b"),
        ("would appreciate", r"\bi would appreciate (?:receiving|being|getting|an?|the)\b"),
        (
            "willing to|happy to|fine with|ok with|okay with",
            r"\bi[’']?a?m (?:willing|happy|fine|ok|okay) (?:to|with)\b",
        ),
        ("live with|works for me|sounds good", r"\bcan live with\b|(?<!of those )(?<!options )\bworks for me\b"),
        ("i'll |i’ll |i will ", r"\bi(?:[’']ll| will) (?:go for|accept|choose|have)\b"),
        (
            "yes|yeah|yep|yup|ok|sure|alright|fine|great|perfect|right|cool|agreed",
            rf"^{_YES}(?:[,.!] ?| )(?:(?:and|then|so|please|just|now|let[’']?s),? ){{0,3}}(?:{_CHOSEN})\b"
            r"(?![^.!?]{0,150}\?)",
        ),
        ("just ", rf"^(?:please )?just (?:{_CHOSEN})\b(?![^.!?]{{0,150}}\?)"),
        (
            "the early|we'll |we’ll |we will ",
            r"\bwe(?:[’']ll| will) (?:need|have|want|go|do|support|build|start with)\b",
        ),
        ("i agree|i choose|i confirm|i prefer|i pick", r"\bi (?:agree (?:to|with)|choose|confirm|pick)\b"),
    ),
)
"""What somebody who types says when they choose, or take an offer; agents announce their next step in such words."""

_DOING = "done|committed|pushed|deployed|tested|implemented|started|fixed|written"
TASK = _marks(
    ("todo|fixme|xxx", r"\b(?:TODO|FIXME|XXX)\b[:(]"),
    ("to do:|to-do:", r"\b[Tt]o[- ]do:"),
    ("next", r"\b[Nn]ext (?:\w+ )?(?:steps?|up|task|thing) (?:is|are|will be|would be|involves?)\b"),
    ("still ", r"\b[Ss]till (?:to|needs?|has to|have to|missing|open)\b"),
    ("remains to be|remain to be", r"\bremains? to be \w+"),
    ("open question:|open task:|open point:", r"\b[Oo]pen (?:question|task|point):"),
    ("pending|in progress|unfinished", r"\b(?:is|are|remains?) (?:still )?(?:pending|in progress|unfinished)\b"),
    ("not done|left to|to be done", r"\b(?:is|are|remains?) (?:still )?(?:to be done|not done|left to)\b"),
    ("yet", rf"\b[Nn]ot (?:{_DOING}) yet\b|\b[Nn]ot yet (?:{_DOING})\b"),
    ("nothing is ", r"\b[Nn]othing is (?:committed|pushed|done)\b"),
    ("progress", r"\b[Ii]n progress\b\W*$"),
    ("follow-up:|follow up:", r"\b[Ff]ollow[- ]up:"),
    flags=0,
)
TYPED_TASK = _both(
    TASK,
    _marks(
        (
            "done|finished|complete",
            r"\b(?:[Aa]fter|[Oo]nce|[Ww]hen) (?:you|that|this|it|everything)(?:[’'](?:re|s|ve)| are| is"
            r"| have)? (?:\w+ )?"
            r"(?:done|finished|completed?)\b[^.!?]{0,160}, \w",
        ),
        flags=0,
    ),
)
"""What somebody who types wants to be done later."""
TODO = re.compile(r"\b(?:TODO|FIXME)\b[:(][^\n]{5,200}")
"""A note in source code of what is to be done."""
PRINTED_TASK = dict.fromkeys(("todo", "fixme"), TODO)
OPEN_BOX = re.compile(r"^[ \t>]{0,12}(?:[-*+•]|\d{1,3}[.)])[ \t]+\[ \][ \t]+[^\n]{3,600}", re.M)
"""A point of a list that is to be ticked off, and is not yet."""
HEADINGS = ("next", "to do", "to-do", "todo", "open ", "remaining", "pending", "left to", "decision")
"""One of these stands in every heading that `OPEN_HEADING` or `DECISION_HEADING` matches."""
DECISION_HEADING = re.compile(
    r"[\s#*]{0,8}(?:(?:key|main|important|final|agreed|design|technical|architectur(?:e|al)|implementation"
    r"|project) ){0,3}"
    r"decisions?(?: made| so far| taken)?[*:\s]{0,4}",
    re.IGNORECASE,
)
OPEN_HEADING = re.compile(
    r"[\s#*]{0,8}(?:next(?: (?:steps?|tasks?|actions?))?|to[- ]?do(?: list)?|todos?|open (?:tasks?"
    r"|questions?|items?|points?)"
    r"|(?:still )?remaining(?: \w+)?|pending(?: \w+)?|still to do|(?:what[’']s )?left to do)"
    r"(?: ?\([^()\n]{1,30}\))?(?: (?:is|are))?[*:\s]{0,4}",
    re.IGNORECASE,
)

_NAMED = r"(?-i:\b\w{0,80}(?:Error|Exception|Fault)\b(?:: |:?$| \d{3}\b))"
_STARTED = r"^\s*\[?(?:error|fatal|panic|critical|fail(?:ed|ure)?|E)\]?(?:\[\w+\])?(?:: |\()"
PRINTED_ERROR = _marks(
    (
        "error",
        rf"{_NAMED}|{_STARTED}|\berror(?: ?\[\w+\]| \w{{1,8}}\d+)?: |\.{{3}} (?-i:ERROR)|^\s*npm (?:ERR!|error) "
        r"|\b(?:I/O|disk|read|write|network|syntax|parse|build|server|runtime) error\b"
        r"|\berror(?: on | in line | at line | while | opening | reading )|^\s*(?:=> "
        r"|\[[\w:.-]{1,40}\] )?(?-i:ERROR)\b",
    ),
    ("exception|fault", _NAMED),
    (
        "fail",
        rf"{_STARTED}|^\s*(?-i:FAILED|FAIL)\b|\bfailed(?:: |$| to \w| with \w| while \w)|\.{{3}} (?-i:FAIL)"
        r"|\b[1-9]\d{0,3} failed\b|\bfailed; |^\s*--- (?-i:FAIL):|\[build failed\]",
    ),
    ("fatal|panic", _STARTED),
    ("traceback", r"\bTraceback \(most recent"),
    ("denied", r"\b(?:permission|access) denied\b"),
    ("no such|not found", r"\bno such file\b|\b(?:command|module) not found\b"),
    ("refused|timed out", r"\bconnection (?:refused|reset|timed out)\b|\btimed out\b"),
    ("exit", r"\bexit(?:ed with)? (?:code|status)(?: |: |=)(?!0\b)\d+"),
    ("cannot ", r"\bcannot (?:find|open|read|import|resolve|access|assign) "),
    ("conflict (", r"\bCONFLICT \("),
    (
        "undefined|unexpected|redeclared|mismatch|unused|unresolved|undeclared",
        r"^\s*(?:\[[\w:.-]{1,40}\] )?\S{1,200}\.\w{1,6}:\d+: \S",
    ),
    ("× |✗ ", r"^\s*[×✗] \S"),
)
_QUOTED = r"\b[A-Z]\w{0,80}(?:Error|Exception): \S|^\s*(?:error|Error)(?:\[\w+\])?: \S"
_MET = r"\b(?:raised|threw|got|hit|(?:crashed|failed|died|ended) with) (?:an? |the )?[A-Z]\w{0,80}(?:Error|Exception)\b"
_JOBS = (
    "build|tests?|merge|push|fetch|login|compilation|lint|check|validation|job|run|command|request|call|upload|download"
    "|import|migration|deployment|installation"
)
ERROR = _marks(
    ("error|exception", rf"{_QUOTED}|{_MET}"),
    ("fatal|panic", r"^\s*(?:fatal|panic): \S"),
    ("traceback", r"\bTraceback \(most recent"),
    ("crashed", r"\bcrashed\b"),
    ("failed", rf"\bfailed (?:with|while) \w|\b(?:{_JOBS}) (?:has |have )?failed\b"),
    ("denied", r"\b[Pp]ermission denied\b|\b[Aa]ccess (?:is|was) denied\b"),
    ("no such|not found", r"\b[Nn]o such file\b|\b(?:[Cc]ommand|[Mm]odule) not found\b"),
    ("refused|timed out", r"\b[Cc]onnection (?:was |is )?(?:refused|reset)\b|\btimed out\b"),
    ("exit", r"\bexit(?:ed with)? (?:code|status)(?: |: |=)(?!0\b)\d+"),
    ("conflict (", r"\bCONFLICT \("),
    flags=0,
)
"""What somebody says of a failure that happened: of errors as such much is said that tells of none."""
_BY_HAND = "parse|start|run|open|load|build|compile|work|boot|connect|install|render|save|show|update|stop|respond"
TYPED_ERROR = _both(
    ERROR,
    _marks(
        (
            "error",
            r"^\s*(?:=> |\[[\w:.-]{1,40}\] )?(?:ERROR|npm (?:ERR!|error))\s|: error(?: \w\w++(?<=\d))?: |\b(?:an?"
            r"|this|the same|following) error\b(?= ?[:.!]| when| on| in)",
        ),
        (
            "broken|failing",
            r"\b(?:is|are|still|seems?|keeps?) failing\b|\bstill broken\b"
            r"|\b(?:build|tests?|page|links?|feature|command|script|app|layout|pipeline|code|api"
            r"|endpoint) (?:is|are) broken\b",
        ),
        (
            "n't |n’t |not ",
            rf"\b(?:does|do|did|is|are|wo)(?:n[’']t| not) (?:\w+ )?(?:{_BY_HAND}|working)(?:ing)?\b|\bnot working\b",
        ),
        ("crash", r"\bcrash(?:es|ed|ing)\b"),
        ("fail:", r"^\s*--- FAIL: |^FAIL: "),
        ("fails", r"\bfails? (?:to|with|on|when|because)\b"),
        ("lost ", r"\b[Ii](?: just|[’']ve| have)? lost (?:my|all|the)\b"),
        flags=0,
    ),
)
"""What somebody who types tells of a failure, in words or as a program printed it."""
