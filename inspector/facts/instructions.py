"""What rules look like in a system prompt, where nearly every sentence that asks for something is one.

Elsewhere an imperative is a request for the next step ("read the file"); in a system prompt it holds for all that
comes ("keep a question short"). So of these texts every sentence is looked at, not only those with a word that marks.
"""

from __future__ import annotations

import re

from inspector.facts.lexicon import words

VERBS = words(
    """
    accept acknowledge act adapt add address adhere adjust admit advise agree aim align allow analyse analyze announce
    answer append apologize apply approach approve ask assess assign assist assume attach attempt avoid await base
    batch begin block break bring build calculate call cancel carry challenge change check choose cite clarify classify
    clean clear close collect combine commit communicate compare compile complete compose compress compute conclude
    conduct confirm consider consult contact continue convert copy correct count cover create credit cut debug decide
    decline default defer define delegate delete deliver deny derive describe design determine disclose discuss display
    distinguish divide do document double-check draft draw drop edit elaborate eliminate embed emit emphasize enable
    encourage end enforce engage ensure enter escalate establish estimate evaluate examine exclude execute exit expand
    expect explain explore expose express extract fall favor favour fetch fill finalize find finish fix flag focus
    follow form format formulate gather generate get give greet group guard guide handle have hide highlight hold
    identify ignore implement improve include incorporate increase indent indicate infer inform insert inspect install
    instruct integrate interpret introduce invent investigate invoke issue join judge keep label launch lead learn
    leave let limit link list load locate log look mail maintain make manage map mark match measure mention merge mind
    minimise minimize mirror mix modify monitor move name navigate note notify obey observe obtain offer omit open
    organise organize output pass paste pause pay perform pick place plan point populate post practise prefer prepare
    present preserve press prevent prioritise prioritize proceed process produce progress prompt propose protect prove
    provide publish pull push put query quote raise rank reach read recall recheck recognise recognize recommend record
    redirect reduce refer refine reflect refrain refund refuse reject rely remain remember remind remove render reorder
    repeat rephrase replace reply report request require research reset resist resolve respect respond restart restate
    restrict retain retrieve retry return reuse revert review revise rewrite round run save scan scope search seek
    select send separate serve set share ship shorten show sign simplify skip solve sort speak specify split stage
    start state stay step stick stop store strip structure submit substitute suggest summarise summarize support swap
    switch take tell terminate test thank think tidy trace track trade transfer translate treat trim trust try tune
    turn type understand update upload use utilize validate vary verify view wait walk warn watch weigh wrap write
    print
    """
)
"""Verbs that an instruction may begin with."""
_LEADS = words(
    """
    please always first firstly second third then next finally lastly also instead otherwise similarly simply just
    now and but so or likewise additionally furthermore moreover therefore thus only generally ideally wherever
    afterwards later yes ok further rather either again sometimes often usually when
    """
)
"""Words before the verb."""
_CLAUSE = re.compile(
    r"(?:if|when|whenever|for|before|after|once|where|while|unless|in|on|to|with|as|by|during|until|at|upon|from|given)"
    r"\b[^.;:!?\n]{2,200}?, (?:then )?",
    re.IGNORECASE,
)
"""A clause that an instruction may begin with: "when a test fails, "."""
_LABEL = re.compile(r"[A-Z][\w /&’'-]{1,40}: (?=[A-Z])")
_FIRST = re.compile(r"[A-Za-z]+(?:-[a-z]+)?")
_ADVERB = re.compile(r"[A-Za-z]{3,20}ly,?")
_MOST_LEADS = 4
_TITLE = re.compile(r"[A-Z][a-z]+(?: (?:[A-Z][a-z]*|and|of|the|for|to|&))+")
_MODAL = re.compile(
    r"\b(?:must|shall|should|may not|cannot|can not|can[’']t|needs? to|ha(?:s|ve) to|at most|at least"
    r"|(?:no|not) more than"
    r"|never|requires|is required|are required|(?<!-)only|regardless|within \d+|up to \d+|prohibited|forbidden"
    r"|mandatory|strictly?|not (?:refundable|eligible|allowed|permitted|supported|possible|transferable|acceptable)"
    r"|(?:do|does|will) not (?:apply|support|offer|allow|include|provide|accept|permit|cover|exist)|non-refundable"
    r"|(?:is|are) (?:very |extremely )?(?:important|crucial|critical|essential|limited to|restricted to"
    r"|responsible for)"
    r"|will (?:always|go to|be (?:refunded|charged|rejected|ignored|lost|penali[sz]ed|terminated))"
    r"|can (?:always )?be \w+ed (?:if|within|only|when|before|after|up to|at)"
    r"|you(?:[’']re| are) (?:not |only )?(?:expected|allowed|required|supposed|permitted) to)\b",
    re.IGNORECASE,
)
"""Words by which a system prompt rules, whoever is spoken of."""
_CONDITION = re.compile(
    r"(?:if|when|once|whenever) (?!\S+ (?:is|are) (?:not )?(?:provided|given|specified|omitted)\b)[^.;:!?\n]{5,300}?, "
    r"(?:then )?(?:\d|(?:the|an?) \w+ (?:can|may|will|is|are)\b|you (?:can|may|will|are)\b|it (?:can|may|is)\b)",
    re.IGNORECASE,
)
_NO_RULE = re.compile(
    r"\bfor example\b[^.]{0,40}$|^(?:e\.g|example|note that this is an example)\b|[{}<>]\s*$|^\W*\w+ ?[=(]", re.I
)
_FEWEST_WORDS = 3


def is_instruction(sentence: str) -> bool:
    """Whether a sentence of a system prompt, without its bullet, is a rule for what comes."""
    if sentence.count(" ") < _FEWEST_WORDS - 1 or sentence.endswith((":", "?")) or _NO_RULE.search(sentence):
        return False
    return bool(_MODAL.search(sentence) or _CONDITION.match(sentence)) or is_imperative(sentence)


def is_imperative(sentence: str) -> bool:
    """Whether a sentence begins with a verb that asks for something, behind a label, a clause or an adverb."""
    label = _LABEL.match(sentence)
    rest = sentence[label.end() :] if label else sentence
    if not rest[:1].isupper() or _TITLE.fullmatch(sentence):
        return False
    for _ in range(_MOST_LEADS):
        first = _FIRST.match(rest)
        if not first:
            return False
        word, behind = first[0].lower(), rest[first.end() : first.end() + 1]
        if word in VERBS and behind in (" ", ",", ""):
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
