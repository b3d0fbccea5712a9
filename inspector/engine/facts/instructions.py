"""Recognise rules in a system prompt, where nearly every request is one.

Elsewhere an imperative requests the next step ("read the file"), but in a system prompt it applies to everything that
follows ("keep a question short"). So all its sentences are checked, not only those with a cue phrase.
"""

from __future__ import annotations

import re
from functools import lru_cache

from inspector.core.text import lazy_pattern, word_set

VERBS = word_set(
    """
    accelerate accept access accommodate accumulate acknowledge act activate adapt add address adhere adjourn adjust
    admit advise affirm aggregate agree aim align allow amend analyse analyze annotate announce answer anticipate
    apologize append apply appoint appreciate approach approve archive argue arrange articulate ascertain ask assemble
    assert assess assign assist assume assure attach attempt attend audit augment authenticate authorise authorize
    automate avoid await ban base batch bear begin behave bind block bookmark brainstorm break bring broaden browse
    build bundle bypass calculate calibrate call cancel capitalise capitalize capture carry categorise categorize cease
    certify challenge change characterise characterize check choose circumvent cite claim clarify classify clean clear
    close collaborate collect combine commit communicate compare compile complete compose compress compute concede
    concentrate conclude condense conduct confine confirm congratulate connect conserve consider constrain construct
    consult contact contain contextualise contextualize continue contribute converse convert convey cooperate
    coordinate copy correct count cover craft create credit critique cross-check cultivate curate customise customize
    cut deal debug decide decline deduce deduplicate deepen default defend defer define deflect delegate delete
    deliberate deliver demonstrate denote deny deploy derive describe design detect determine devise diagnose
    differentiate disable discard disclaim disclose discourage discover discuss display disregard distinguish diversify
    divide do document double-check draft draw drop duplicate ease edit educate elaborate elevate elicit eliminate
    embed embody embrace emit empathise empathize emphasize employ empower enable enclose encourage end enforce engage
    enhance enquire enrich ensure enter enumerate envision err escalate establish estimate evaluate examine exceed
    exclude execute exemplify exercise exhaust exhibit exit expand expect explain explore expose express extract
    extrapolate facilitate fall familiarise familiarize favor favour fetch fill filter finalize find finish fix flag
    flatter focus follow forbid forget forgo form format formulate forward foster fulfil fulfill gain gather gauge
    generate get give go grant greet group grow guard guide halt handle harmonise harmonize have help hesitate hide
    highlight hold honor honour hyphenate identify ignore illuminate illustrate imagine imitate impersonate implement
    imply import improve incline include incorporate increase indent indicate infer inform initialise initialize
    initiate inject innovate inquire insert inspect inspire install instantiate instil instill instruct integrate
    intend interact intercept interleave interpolate interpret interrupt intervene introduce invent investigate invoke
    issue italicise italicize iterate join jot judge jump justify keep know label launch lead learn leave let limit
    link list load locate log look mail maintain make manage map mark match maximise maximize measure meet mention
    merge migrate mimic mind minimise minimize mirror mix mock modify monitor motivate move mute name narrate navigate
    neglect negotiate normalise normalize note notice notify nudge obey observe obtain offer omit open operate optimise
    optimize orchestrate organise organize orient originate outline output override overwrite pack paraphrase parse
    participate partition pass paste pause pay perform persist personalise personalize persuade pick pin place plan
    point populate pose post practise preface prefer prepare present preserve press pretend prevent preview print
    prioritise prioritize proceed process produce progress prohibit prompt proofread propose protect prove provide
    publish pull punctuate pursue push put quantify query quit quote raise rank reach read reaffirm reassure rebase
    rebuild recall recheck recognise recognize recommend reconcile reconsider reconstruct record recover redact
    redirect reduce refactor refer reference refine reflect reformat refrain refresh refund refuse refute regulate
    reiterate reject relate relax relay relocate rely remain remember remind remove render reorder reorganise
    reorganize repeat rephrase replace reply report reproduce request require research reserve reset resist resolve
    respect respond restart restate restrict resume retain rethink retitle retract retrieve retry return reuse revert
    review revise revisit revoke rewrite roll rotate round route run sanitise sanitize satisfy save say scan scope
    search seek select self-check send separate serialise serialize serve set share ship shorten show sign simplify
    skim skip solve sort speak specialise specialize specify spell split stage start state stay step stick stop store
    strike strip strive structure submit subscribe substantiate substitute suggest summarise summarize supplement
    supply support suppress suspend sustain swap switch synchronise synchronize synthesise synthesize tackle tailor
    take teach tell terminate test thank think tidy tolerate touch trace track trade transcribe transfer transform
    translate treat triage trim troubleshoot truncate trust try tune turn type uncover underline understand undo unify
    unlock update uphold upload use utilise utilize validate vary verbalise verbalize verify vet view visualise
    visualize wait walk warn watch weave weigh welcome wire withhold work worry wrap write yield
    """
)
"""Verbs that can start an instruction."""
_LEADS = word_set(
    """
    please always first firstly second third then next finally lastly also instead otherwise similarly simply just
    now and but so or likewise additionally furthermore moreover therefore thus only generally ideally wherever
    afterwards later yes ok further rather either again sometimes often usually when thereafter meanwhile remember
    conversely alternatively
    """
)
"""Words that can precede the verb."""
_CLAUSE = lazy_pattern(
    r"(?:if|when|whenever|wherever|for|before|after|once|where|while|unless|in|on|to|with|as|by|during|until|at|upon|from|given)"
    r"\b(?:[^.;:!?\n(]|\([^()\n]{0,120}\)){2,200}?(?:, |(?<=\)) )(?:then )?",
    re.IGNORECASE,
)
"""Clause that can start an instruction: "when a test fails, "."""
_LABEL = lazy_pattern(r"[A-Z][\w /&’'-]{1,40}: (?=[A-Za-z])")
_FIRST = lazy_pattern(r"[A-Za-z]+(?:-[a-z]+)?")
_ADVERB = lazy_pattern(r"[A-Za-z]{3,20}ly,?")
_MAX_LEADS = 4
_TITLE = lazy_pattern(r"[A-Z][a-z]+(?: (?:[A-Z][a-z]*|and|of|the|for|to|&))+")
_MODAL = lazy_pattern(
    r"\b(?:must|shall|should|(?<!may or )may not|cannot|can not|can[’']t|needs? to|ha(?:s|ve) to|at most|at least"
    r"|(?:no|not) more than"
    r"|never|requires|is required|are required|(?<!-)only|regardless|within \d+|up to \d+|prohibited|forbidden"
    r"|mandatory|strictly?|not (?:refundable|eligible|allowed|permitted|supported|possible|transferable|acceptable)"
    r"|(?:do|does|will) not (?:apply|support|offer|allow|include|provide|accept|permit|cover|exist)|non-refundable"
    r"|(?:is|are|it[’']s) (?:very |extremely |absolutely )?(?:important|crucial|critical|essential(?! for any)|vital"
    r"|imperative|limited to|restricted to|confined to|reserved for|responsible for|off[- ]limits|out of scope"
    r"|non-negotiable|unacceptable|obligatory|banned|discouraged|preferred|preferable|recommended|better to|best to)"
    r"|under no circumstances|on no account|no exceptions|at all (?:costs|times)|by no means|no (?:later|longer) than"
    r"|(?:ought|supposed) to|tasked with|had better|not an option|(?:goes|belongs?) (?:in|into|under|to|on|at)"
    r"|unless (?:explicitly|specifically|the user|asked|told)"
    r"|I (?:always|never|only|don[’']t|do not|won[’']t|will not)"
    r"|you(?: will|[’']ll) (?!be|find|see|receive|get|have|notice|encounter|learn|need)"
    r"|will (?:always|go to|be (?:refunded|charged|rejected|ignored|lost|penali[sz]ed|terminated))"
    r"|can (?:always )?be \w+ed (?:if|within|only|when|before|after|up to|at)"
    r"|you(?:[’']re| are) (?:not |only )?(?:expected|allowed|required|supposed|permitted) to)\b",
    re.IGNORECASE,
)
"""Expressions of a rule in a system prompt, for any subject: "refunds are limited to 30 days"."""
_NEVER_ANY = lazy_pattern(
    r"(?i:no|zero) (?!one\b|matter\b|problem|doubt\b|wonder\b|longer\b|idea\b|need\b|way\b|such\b)"
    r"(?:[a-z][\w-]{2,} |[\"“])"
)
"""Start of a rule that prohibits something: "No emojis in code"."""
_ARROW = lazy_pattern(r" (?:→|->|=>) (?:then |please |do not |don[’']t |never |always )?([a-z]+)\b", re.IGNORECASE)
"""Arrow between a case and its action: "refund request → escalate"."""
_YOU_THEN = lazy_pattern(
    r"(?:if|when|once|whenever|before|after|where|unless) [^.;:!?\n]{5,300}?, "
    r"(?:then )?you (?:also |then |first )?(\w+)",
    re.IGNORECASE,
)
"""Action after a condition: "If the user is angry, you then apologize"."""
_MEETS = word_set("get see find have receive know notice feel are were lose need want")
"""Verbs for things that happen to someone, which are not rules."""
_POINTING = lazy_pattern(r"\b(?:follow|these|this|below|following|here|example|includes?)\b", re.IGNORECASE)
"""Words in an introducing line whose content is in the lines below."""
_CONDITION = lazy_pattern(
    r"(?:if|when|once|whenever) (?!\S+ (?:is|are) (?:not )?(?:provided|given|specified|omitted)\b)[^.;:!?\n]{5,300}?, "
    r"(?:then )?(?:\d|(?:the|an?) \w+ (?:can|may|will|is|are)\b|you (?:can|may|will|are)\b|it (?:can|may|is)\b)",
    re.IGNORECASE,
)
"""Consequence of a condition: "If the ticket is closed, the agent can reopen it"."""
_NO_RULE = lazy_pattern(
    r"\bfor example\b[^.]{0,40}$|^(?:e\.g|example|note that this is an example)\b|[{}<>]\s*$|^\W*\w+ ?[=(]"
    r"|: ?\[[^\]]{0,80}\]$|^use when\b|^Commit [0-9a-f]{7,40}\b|^base directory\b"
    r"|\b(?:runs|shows|returns|contains|provides|covers|lists|tests|checks|reads|handles) (?:\w+ ){1,4}only\b",
    re.IGNORECASE,
)
"""Examples, code and data instead of a rule: "e.g. a short title", "limit = 5"."""
_MIN_WORDS = 3
_MIN_POINTING = 7
"""Minimum number of spaces in an introducing line that also states something itself."""


def is_instruction(sentence: str) -> bool:
    """Return True if a sentence of a system prompt, without its bullet, is a rule for everything that follows."""
    if sentence.count(" ") < _MIN_WORDS - 1 or sentence.endswith("?") or _NO_RULE.search(sentence):
        return False
    if sentence.endswith(":"):
        fewest = _MIN_POINTING if _POINTING.search(sentence) else _MIN_WORDS
        return sentence.count(" ") >= fewest and is_imperative(sentence)
    return bool(_MODAL.search(sentence) or _CONDITION.match(sentence)) or _asks(sentence) or is_imperative(sentence)


def _asks(sentence: str) -> bool:
    """Return True if a sentence gives the action for a case, or prohibits something."""
    if _NEVER_ANY.match(sentence):
        return True
    match = _YOU_THEN.match(sentence) or (_ARROW.search(sentence) if "→" in sentence or ">" in sentence else None)
    return match is not None and match[1].lower() in VERBS - _MEETS


@lru_cache(maxsize=1 << 13)
def is_imperative(sentence: str) -> bool:
    """Return True if a sentence starts with a verb that requests something, optionally after a label or clause."""
    label = _LABEL.match(sentence)
    rest = sentence[label.end() :] if label else sentence
    if not sentence[:1].isupper() or _TITLE.fullmatch(sentence):
        return False
    for _ in range(_MAX_LEADS):
        first = _FIRST.match(rest)
        if not first:
            return False
        word, behind = first[0].lower(), rest[first.end() : first.end() + 1]
        if word in VERBS and behind in (" ", ",", ".", "!", ""):
            return True
        if word not in _LEADS and not _ADVERB.match(rest):
            clause = _CLAUSE.match(rest)
            if not clause:
                return False
            rest = rest[clause.end() :]
        else:
            clause = _CLAUSE.match(rest)
            rest = rest[clause.end() :] if clause else rest[first.end() :].lstrip(" ,")
    return False
