"""Cue phrases for constraints: prohibitions, obligations and wishes about how something is done."""

from __future__ import annotations

import re

from inspector.core.text import lazy_pattern
from inspector.engine.facts.cue_tables import joined, mark_table

_GUESSING = (
    r"have (?:been|had|come|gone|\w+ly \w+ed|\w+ed (?:the|it|to|from|in|by|on))"
    "|be (?:that|because|so|such|really|very|nice|great|hard|tough|amazing|exciting|fun)|admit|confess"
    "|feel|seem|sound|taste|smell"
)
"""Words after "must" that express a guess or a feeling rather than a rule: "must have been a typo"."""
_CHATTING = (
    "contain|exist|appear|seem|affect|belong|matter|worry|think|know|see|need|have|want|require|mind|forget"
    "|hesitate|mean"
)
"""Verbs after "don't" or "never" that do not state a rule: "don't worry"."""
_TELLING_TO = (
    rf"(?:^|[,.;:(—–-] ?|\b(?:please|and|but|just|also|so|then|or) )(?:do not|don[’']?t|never)\b(?! (?:{_CHATTING})\b)"
    r"(?! \w{2,12}[^s\W]s\b)(?! (?!(?:embed|exceed|feed|need|proceed|seed|shed|speed|succeed)\b)\w{2,14}ed\b)"
)
"""A prohibition at the start of a clause: "Please don't push to main"."""
_SUBJECT = r"\b(?:you|can|may|should|shall|must|will|is|are|be|\w-\d+)"
_BEFORE_NO = (
    r"(?:^|[.;:,] ?|please )no (?!such\b)(?:\w+,? ){1,4}(?:at the end|and no|or|outside|above|below|longer|over)\b"
)
"""A clause that starts with "no": "no trailing comma at the end"."""
_COUNT = (
    r"(?:[$€£]|[A-Z]{3} )?\d|(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|fifty"
    r"|sixty|half|twice|once)\b"
)
"""Numbers after "at most", in digits or words."""
_BY_RULE = (
    r"polic(?:y|ies)|due to|(?:as|since|because) (?:it|they|the|this)|unless|under the|terms|rules|regulations"
    r"|guidelines|eligib\w+|without (?:an?|the|your|prior)"
)
"""Signs that something is not permitted, rather than failing: "unable to refund it due to policy"."""
_FAILING = "(?:find|locate|see|access|reach|open|connect|determine|load|read|reproduce|identify|run|fetch|tell)\\b"
_BY_RULE_FIRST = (
    # "Because the fare is basic economy, I am unable to change it"
    r"^(?:since|because|as|under) [^.;!?]{5,200}, (?:\w+ )?(?:I am|I[’']m|we are|we[’']re) (?:unable|not able) to\b"
)
"""The same with the reason first."""
_ACTING = "be|have|use|contain|exceed|lose|change|touch|make|run|add|write|delete"
_CHANGED = (
    "updated|changed|moved|deleted|removed|exceeded|shared|edited|modified|touched|longer|wider|cancell?ed|refunded"
    "|booked|combined|transferred|returned|exchanged|reversed|undone|extended|waived|upgraded"
)
"""Participles after "cannot be" that state a rule: "cannot be refunded"."""
_TO_NOTHING = "please|share|change|touch|delete|remove|send|say|tell|add|write|promise|give|commit|push|publish|rename"
"""Verbs before "nothing": "please change nothing else"."""
_RULED = "use|keep|run|write|ask|check|put|call|add|return|include|start|begin|prefer|answer|say|make"
"""Verbs after "always" that state a rule: "always run the linter"."""

_WORKED_ON = (
    "fixed|added|updated|changed|converted|addressed|moved|removed|replaced|renamed|refactored|extracted|implemented"
    "|created|handled|resolved|cleaned|rewritten|adjusted|modified|migrated|deleted|imported|exported|registered"
    "|passed|defined|restored|reverted|tested|checked|verified|investigated|documented|reviewed|done|built|wired"
)
"""Participles after "needs to be" that state work rather than a rule."""

CONSTRAINT = mark_table(
    ("must", rf"\bmust(?:n[’']t)?\b(?! (?:{_GUESSING})\b)"),
    ("never", rf"{_TELLING_TO}|{_SUBJECT} never (?!(?:been|had|was|were|got|\w{{3,12}}ed)\b)\w+"),
    ("do not|don't|don’t", _TELLING_TO),
    (
        "should not|shouldn|shall not|may not",
        rf"\b(?:should|shall|may)(?: ?not|n[’']t) (?:{_ACTING})\b|(?<!may or )\bmay not\b"
        r"(?! (?:have|cover|work|reflect|contain|include|exist|need|support|always|necessarily|match|fit|appear"
        r"|show)\b)",
    ),
    ("may ", r"\b(?:only(?: \w+)?|nothing|none|nobody|no \w+) may\b|\bmay only\b"),
    (
        "can not|cannot|can't|can’t",
        # "cannot be refunded", "you cannot transfer it"
        rf"\bcan(?: ?not|[’']t) (?:\w+ )?be (?:{_CHANGED})\b|\byou can(?: ?not|[’']t) (?!just\b|see\b|tell\b|find\b)\w",
    ),
    (
        "at most|no more than|no less than|not more than|no fewer than",
        rf"\b(?:at most|no more than|no less than|not more than|no fewer than) (?:{_COUNT})",
    ),
    ("at least", r"\bat least (?:[$€£]|[A-Z]{3} )?\d"),
    (
        "not allowed|forbidden|required|mandatory|prohibited|not permitted",
        # "a receipt is required"
        r"\b(?:is|are) (?:not allowed|forbidden|required|mandatory|prohibited|not permitted)\b|\bnot allowed to\b",
    ),
    (
        "refundable|eligible|transferable",
        # "the fare is not refundable"
        r"\b(?:not|non)[ -](?:refundable|eligible|transferable)\b|\b(?:is|are) ineligible\b",
    ),
    (
        "has to |have to |needs to |need to ",
        # "the list needs to be sorted", not "the docs need to be updated", which is work
        rf"(?<!n[o’']t )\b(?:has|have|needs?) to (?:stay|remain|keep|be(?! (?:{_WORKED_ON})\b))\b(?! re-?\w)",
    ),
    (
        "make sure",
        # "please make sure", "you need to make sure"
        r"(?:^|[.;:,–—-] |\b(?:please|and|also|then|but|you|must|should|needs? to|ha(?:s|ve) to) )make sure\b",
    ),
    ("avoid ", r"(?:^|[.;:,] |please |and )avoid \w+\b"),
    ("always", rf"\balways (?:{_RULED})\b|(?:^|[.;:] |please )always (?!\w+[^s\W]s\b)\w+\b"),
    (
        "important|critical|essential",
        r"\b(?:is|are|[’']s) (?:\w+ ){0,2}(?:important|critical|essential) (?:that|to)\b"
        r"(?! (?:note|know|understand|remember|mention|recogni[sz]e|reali[sz]e|consider|be aware)\b)",
    ),
    # "only if the tests pass", "you can only cancel once"
    ("only ", r"(?:^|[.;:,] )only (?:in|if|when|for|from|with)\b|\b(?:can|may|must|should|will|shall) only\b"),
    ("only.|only,", r"(?<!-)\bonly[.,](?![^()]{0,80}\))"),
    ("stay as|stays as", r"\bstays? as (?:is|it is|they are)\b"),
    # "the width should always be even", "it should include only real commits"
    ("should ", r"\bshould (?:always|never|\w+ only)\b"),
    ("at the latest", r"\bat the latest\b"),
    ("no ", _BEFORE_NO),
    ("should", r"(?-i:\bSHOULD(?: NOT)? [a-z])"),
    ("circumstances|account|no means", r"\b(?:under no circumstances|on no account|by no means)\b"),
    ("exceptions", r"\bno exceptions\b"),
    ("should", r"\bshould (?!i\b|we\b|be noted\b)\w+[^.;!?]{2,100}, (?:and )?not \w"),
    ("note|aware|in mind", r"\bplease (?:note|be aware|(?:keep|bear) in mind) that\b"),
    ("always be", r"\bcan always be \w+ed\b"),
    ("an option", r"\b(?:is|are|[’']s) not an option\b"),
    (
        "off-limits|off limits|out of bounds|non-negotiable|unacceptable|obligatory|banned|prohibited|disallowed",
        # "the schema is strictly off-limits"
        r"\b(?:is|are|stays?|remains?|[’']s) (?:strictly |completely |absolutely )?(?:off[- ]limits|out of bounds"
        r"|non-negotiable|unacceptable|obligatory|banned|prohibited|disallowed)\b",
    ),
    (
        "limited to|restricted to|confined to|capped at",
        r"\b(?:is|are|be) (?:(?:limit|restrict|confin)ed to|capped at)\b",
    ),
    (
        "no later than|not later than|no longer than",
        rf"\b(?:no|not) (?:later|longer) than (?:the \w|end\b|{_COUNT}|(?-i:[A-Z]))",
    ),
    ("at all costs|at all times|whatever you do", r"\b(?:at all (?:costs|times)|whatever you do)\b"),
    (
        "ought to|supposed to",
        r"\b(?:ought|(?:is|are) (?:only |not )?supposed) to (?:be|have|stay|only|never)\b",
    ),
    (
        "unable to|not able to",
        rf"\b(?:unable|not able) to (?!{_FAILING})\w[^.;!?]{{2,120}}\b(?:{_BY_RULE})\b|{_BY_RULE_FIRST}",
    ),
    ("nothing", rf"(?:^|[.;:,] ?|please |and )(?:{_TO_NOTHING}) nothing\b"),
)
PRINTED_CONSTRAINT = joined(
    CONSTRAINT.only(
        (*("must", "never", "do not", "don't", "at most", "at least", "may "), "may not", "at the latest"),
    ),
    mark_table(
        ("cannot be", rf"\bcannot be (?:{_CHANGED})\b"),
        (
            "should",
            # "you should not edit this file"
            r"\byou (?:\w+ and )?should(?: not|n[’']t)? (?!see\b|get\b|have\b|find\b|notice\b|be able\b|now\b)\w"
            r"|^the [\w` ]{2,40} should be (?:an?|the) ",
        ),
    ),
)
"""Cue phrases that also count in tool output."""
SELF = lazy_pattern(
    # "I don't know", "we should check"
    r"\b(?:I|we) (?:must(?! not\b)|don[’']?t|never|do not|have to|had to|should|could|can[’']?t|also|need to)\b"
    r"|\b(?:cause|reason|problem|bug|issue|fault|there) must be\b"
    r"|\b(?:let me|I[’']ll|I will|I[’']m going to) \b|^the user (?:wants|asked|is asking|would like)\b",
    re.IGNORECASE,
)
"""Speakers describing their own next step, habit or guess, or what they do not know: "I must check that first"."""

_SAYING = (
    "give|return|answer|output|print|reply|respond|list|tell|provide|state|write|say|name|send|post|quote|report|put"
    "|include|use|touch|change|edit"
)
"""Verbs after "just" that restrict the answer: "just give the total"."""
_FORM = (
    r"as (?:an?|one|plain|json|csv|markdown|comma)"
    r"|in (?:the (?:form|format|style)|json|csv|one|two|three|english|plain|at most|under|\d)"
    r"|to (?:the nearest|\w+ (?:decimal|place|digit|significant)|\d)|without|using only|with only"
    r"|with (?:no|just|exactly|one|\d)"
)
"""Required forms of an answer: "as plain text", "in two sentences", "to the nearest euro"."""
_WANTED = "use|want|need|make|put|keep|call|mean|meant|should|add|trying|like|show|return|write|send|take|change"
"""Verbs of a correction: "put it in the header, not in the footer"."""
_SHOWING = (
    "be|have|show|use|stay|remain|only|always|not|never|also|just|contain|include|return|work|support|keep|look|follow"
    "|match|take|give|get|go|come|start|stop|end|live|sit|point|read|run|call|say|display|allow|handle|default|fall"
    "|pick"
)
"""Verbs after "should" that describe the result: "the list should stay sorted"."""
_HELD = (
    r"keep (?!(?:exactly|notes?|that as|it up|up|in mind|going|working|track|me posted)\b)(?![^.;!?]{0,80} as an? )"
    r"|leave|preserve|avoid|stick to|limit|ensure|follow(?!ing\b|[ -]up)|respect|minimi[sz]e|stay|prefer|restrict"
    "|maintain|retain|reuse|match|focus on|concentrate on|hold off|refrain from|be sure|be careful|be concise|be brief"
    "|use only|(?:try|remember) to|try not to|only \\w+|no need (?:to|for)|stop \\w+ing|skip the"
    "|answer (?:in|with|only)"
)
"""Verbs of wishes that apply beyond the next step: "stick to the public API"."""
TYPED_CONSTRAINT = joined(
    CONSTRAINT,
    mark_table(
        (
            "don't |don’t |do not |dont ",
            # "I really don't want new dependencies"
            r"\b(?:i|we)(?: \w+ly)? (?:do not|don[’']?t)(?: \w+ly)? (?:want|like|need)\b(?! to (?:know|bother))",
        ),
        (
            "should",
            # "the list should still show closed tickets"
            rf"(?<!\bi )\bshould(?: not|n[’']t)? (?:(?:\w{{2,12}}ly|still|just|all|both|at least) )?(?:{_SHOWING})\b"
            r"(?! (?:been|fine|ok|okay|good|able|eligible|easy|enough|done|there|possible|under"
            r"|straightforward|interesting))",
        ),
        (
            "needs to |need to |has to |have to ",
            # "it has to work offline"
            r"(?<!\bi )(?<!\bwe )(?<!\bi really )(?<!\bi also )(?<!\bi just )(?<!\bi still )\b(?:needs?"
            r"|ha(?:s|ve)) to (?!know\b|see\b|re-?\w|(?:move|update|fix|add|change|implement|write|create"
            r"|establish|check"
            r"|look|find|build|improve|explain|adapt)\b)\w+",
        ),
        (
            "just |simply |only ",
            # "Please just give the total"
            rf"(?:^|[.;:!—–] ?|\bplease )(?:please )?(?:just|simply|only) (?:{_SAYING})\b(?! (?:me )?if\b)",
        ),
        (
            "answer|respond|reply|output|return|format|round|express|write|give",
            # "answer in plain text", "round the result to the nearest euro"
            r"(?:^|[.;:!—–] ?|\bplease |\band )(?:answer|respond|reply|output|return|format|round|express|write|give)"
            rf"(?: (?:your|the|all|it|them|each|every|both|this))?(?: \w+){{0,3}}? (?:{_FORM})\b",
        ),
        ("return|output|report", r"(?:^|[.;:] )(?:return|output|report back) (?:the|only|all|each|your)\b"),
        # "nothing over my budget"
        ("budget", r"\b(?:above|over|beyond|outside(?: of)?|within|below|under) (?:my|our|the) budget\b"),
        (
            "should",
            # "it should round up", "names should come first, not last"
            r"\b(?:you|they|it|he|she|this|that|there) should (?!be\b|have\b|see\b|know\b|find\b|get\b|probably\b"
            r"|also\b)\w{2,}"
            r"|\bshould \w+[^.;!?]{2,80}, not \w|\bfees? should\b",
        ),
        ("consider ", r"(?:^|[.;:,!—–] ?|\b(?:also|please) )(?:please )?consider using\b"),
        # "everything else stays the same"
        ("else|other ", r"\b(?:any|every)thing else (?:is|must|should|stays?|remains?|can|has)\b|\bno other \w+"),
        (
            "as is|as-is|alone|untouched|unchanged|intact",
            # "leave the public names untouched"
            r"\b(?:leave|keep|stay|remain|left|kept)s? [^.;!?]{1,60}\b"
            r"(?:as[ -]is|alone|untouched|unchanged|intact)\b",
        ),
        (
            ", not |, and not ",
            # "put it in the header, not in the footer"
            rf"\b(?:{_WANTED})\b[^.;!?]{{1,100}}, (?:and )?not (?!sure\b|yet\b|that\b|only\b|to mention\b)\w",
        ),
        (
            "important|crucial|essential|critical|vital",
            # "it's very important that the order is kept"
            r"\b(?:is|are|[’']s) (?:\w+ ){0,2}(?:important|crucial|essential|critical|vital) (?:to|that|for)\b",
        ),
        (
            "only ",
            # "only after the tests pass", "we only support Python"
            r"(?-i:\bONLY\b)|\bonly (?:when|if|after|once)\b|\b(?:i|we)(?: would|[’']d| really| will| can)? only"
            r" (?:want|need|care|like|accept|have|use|support)\b",
        ),
        (
            "deadline|due by|due on|due before",
            r"\b(?:is |are )due (?:by|on|before)\b|\bdeadline\b[^.;!?]{0,30}\b(?:is|on|by)\b",
        ),
        (
            "as long as|provided that|on condition|on the condition",
            # "as long as it is free"
            r"\b(?:as long as|provided that|on (?:the )?condition that) (?:it|they|you|we|the|this|that|no)\b",
        ),
        (
            "except|other than|but ",
            r"\b(?:everything|anything|anyone|nothing|nobody) (?:except|other than|but)\b",
        ),
        ("maximum|minimum|max |min ", r"\b(?:maximum|minimum|max|min)(?: \w+){0,3}(?: of| is|:|=)? [$€£]?\d"),
        ("up to ", r"\b(?:spend|pay|take|use|go|wait|allow|accept) up to (?:a maximum of )?[$€£]?\d"),
        ("without ", r"\bwithout (?:\w+ly )?(?!ing\b)\w{2,14}ing\b"),
        ("instead", r"\binstead\b[.!]*$"),
        ("prefer|rather", r"\b(?:i|we)(?:[’']d| would| do)?(?: really| strongly)? (?:prefer|rather)\b"),
        (
            "want ",
            # "I want the table to stay sorted"
            r"\b(?:i|we)(?: \w+)?(?: \w+)? want (?:it|this|that|them|these|those|the \w+|\w+) to (?:be"
            r"|stay|remain|keep|look"
            r"|only|not|never|always)\b|\bwe want (?:something|it|one) that\b|\bwant an? \w+ly\b",
        ),
        ("in such a way|so that it |so that you |so that we ", r"\bin such a way\b|\bso that (?:it|you|we)\b"),
        (
            "limit|budget|deadline",
            # "a budget of 400", "within the weekly limit"
            r"\b(?:limit|budget|deadline) (?:of|is|for)\b|\bwithin (?:a|the|my|our) [^.;?!]{0,30}(?:limit|budget)\b",
        ),
        # "within a price range of 40 euros", "within 3 days"
        ("within ", r"\bwithin (?:a|the|my|our) (?:\w+ ){0,2}(?:fee|price|range|limit|budget) of\b|\bwithin \d+"),
        (
            "keep|leave|preserve|limit|ensure|follow|respect|remember to|minimi|stay|restrict|maintain|retain"
            "|reuse|match|focus|concentrate|hold off|refrain|be sure|be careful|be concise|be brief|try |no need|stop "
            "|skip|answer",
            # "please keep the old names"
            rf"(?:^|[.;:—–] ?| - |\b(?:please|but|and|so|also|then|just|yeah|yes|ok|okay),? )(?:{_HELD})",
        ),
        ("hands off", r"^(?:\w+,? ){0,2}hands off\b|[.;:—–] ?hands off\b"),
        (
            "only ",
            # "and only change the title"
            r"(?:^|[.;:,—–] ?|\b(?:please|but|and|to|just|so|you) )only "
            r"(?!(?:one (?:who|that|way)|\w+ed|made|did|got|gave|saw|went|took)\b)\w+"
            r"|\b(?:use|do|run|call|apply|change) (?:it|them|this|that) only\b",
        ),
        ("at least", rf"\bat least (?:{_COUNT})"),
        ("can not|cannot|can't|can’t", r"\b(?:it|they|he|she|there|that|this|users?|we) (?:can(?: ?not|[’']t)) be\b"),
        (
            "under |below |above |over ",
            r"\b(?:stay|keep|be|remain|fits?) (?:\w+ ){0,2}(?:under|below|above|over) [$€£]?\d",
        ),
        (
            "when |whenever ",
            # "When you rename a file, update the imports"
            r"^(?:when|whenever) (?:you|\w+ing)\b[^.;:!?]{2,120}, (?!i\b|it\b|we\b|there\b|the\b|does\b"
            r"|is\b|can\b|do\b)\w+",
        ),
        ("until|before ", r"\b(?:not|nothing|don[’']t|wait|hold|off|no)\b[^.;!?]{1,80}\b(?:until|before)\b"),
    ),
)
"""Cue phrases for text typed by the user. Agents use many of them about their own work without stating a rule."""
WISH = lazy_pattern(
    # "I don't want new dependencies", "we'd prefer tabs"
    r"\b(?:I|we)(?: \w+ly)? (?:don[’']?t|do not)(?: \w+ly)? (?:want|like|need)\b"
    r"|\b(?:I|we)(?:[’']d| would)? (?:prefer|rather)\b",
    re.IGNORECASE,
)
"""Speakers describing a personal wish that is a rule."""
