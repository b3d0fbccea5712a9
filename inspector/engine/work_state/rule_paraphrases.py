"""Rules in roundabout words, said in the words that the rules of prohibitions read: wishes, questions, reservations."""

from __future__ import annotations

import re
from collections.abc import Callable

from inspector.core.text import cued_pattern, cues_of, said_in

_PRESENT = {
    "left": "leave",
    "kept": "keep",
    "stayed": "stay",
    "stuck": "stick",
    "used": "use",
    "avoided": "avoid",
    "spared": "spare",
    "ran": "run",
    "went": "go",
}
_STATES = frozenset(("want", "need", "accept", "allow", "tolerate", "take", "have"))
"""Verbs that say of a thing only whether it may be there."""
_WISH = (
    r"\b(?:i|we)(?:'d| would)(?: much| really| all)? (?:rather|prefer(?: it)?(?: if| that)?"
    r"|(?:appreciate|like|love) it if|be (?:happier|happy|glad|grateful|relieved) if)"
)
_STAY = r"(?:as (?:it|they) (?:is|are)|as[- ]is|alone|untouched|unchanged|the way (?:it|they) (?:is|are)|be\b|out\b)"
_ASKS = (
    r"^(?:(?:hm+|so|and|but|well|ok(?:ay)?|hey|sorry)[,.]? )*(?:can't|couldn't|shouldn't|can|could|should|may|might"
    r"|why (?:don't|not)|what if|how about|what about)(?: (?:we|you|i))?(?: (?:please|just|simply|maybe|perhaps|not))*"
)
_WHO = (
    r"(?:me|us|him|her|them|myself|(?:the|our) (?:[\w-]{2,20} (?:team|lead|crew|group|people|owner)|[\w-]{2,20})"
    r"|[\w-]{2,20})"
)
_NOW = r"(?: until\b| right now\b| this\b| today\b| at the moment\b)"
_TAKEN = (
    r"(?:is|are) (?:currently |already |still |all )*(?:(?:reserved|booked|taken|claimed|occupied|earmarked|spoken for"
    rf"|locked)(?= by (?!an?\b|another\b|some|something\b|which\b|what\b)| for\b|[.,;!]|$|{_NOW})|(?:being used"
    rf"|in use)(?= by\b| for\b|{_NOW}))"
)
_PUBLISHED = (
    r"(?:history|(?:what(?:ever)?|anything|commits?)(?: that)?(?:'s| is| are)? (?:already )?(?:on|in) (?:origin"
    r"|upstream|the remote)|(?:pushed|published|shared) (?:commits?|branch(?:es)?))"
)
"""Commits that others may have."""
_Said = str | Callable[[re.Match[str]], str]
_PARAPHRASES: tuple[tuple[re.Pattern[str], _Said], ...] = tuple(
    (cued_pattern(rf"(?i){pattern}", cues), said)
    for cues, pattern, said in (
        (
            "out",
            rf"{_WISH} (?:you |we )?(?:left|kept) (?P<what>(?:the |our "
            rf"|my )?`?[\w@./-]{{2,40}}`?(?: [\w-]{{2,20}})?) out\b"
            r"(?: of [\w./ -]{2,40})?",
            r"do not touch or use \g<what>",
        ),
        (
            "rather prefer appreciate like love if",
            rf"{_WISH} (?:you |we )?({'|'.join(_PRESENT)})\b",
            lambda match: _PRESENT[match[1].lower()],
        ),
        (
            "rather prefer appreciate like love if",
            rf"{_WISH} (?:you |we )?(?:did not|didn't|do not|don't|would not|wouldn't|not)\b",
            "do not",
        ),
        (
            "rather prefer appreciate like love if",
            rf"{_WISH} (?P<what>(?:the |our |my |all )?[\w./ `-]{{2,50}}?) (?:was|were|is|are|stayed|remained)"
            rf" (?:left |kept )?(?={_STAY})",
            r"leave \g<what> ",
        ),
        (
            "leave leaving keep keeping",
            rf"{_ASKS} (?:leave|leaving|keep|keeping) (?P<what>(?:[^?.,;!\n]"
            rf"|\.(?=\w)){{2,60}}? {_STAY}[^?.;!\n]{{0,30}})\?$",
            r"leave \g<what>.",
        ),
        (
            "stay stick avoid",
            rf"{_ASKS} (?P<what>(?:stay|stick|avoid)\b[^?.;!\n]{{3,80}})\?$",
            r"\g<what>.",
        ),
        (
            "reserved booked taken claimed occupied earmarked spoken used use locked",
            rf"(?<![\w.])(?:port )?:?(?P<what>[1-9]\d{{3,4}}) {_TAKEN}",
            r"port \g<what> is off limits",
        ),
        (
            "reserved booked taken claimed occupied earmarked spoken used use locked",
            rf"^(?P<what>(?:the |our |my )?[\w./`-]+(?: [\w./`-]+){{0,2}}) {_TAKEN}",
            r"\g<what> is off limits",
        ),
        (
            "nobody one",
            rf"\b(?:nobody|no one|no-one)(?: else)? (?:but|except(?: for)?|besides|other than|apart from) {_WHO}"
            r" (?:may |can |should |gets? to |is allowed to |ever )?(?=[a-z]{3})",
            "never ",
        ),
        (
            "no",
            r"\b(?:we|you|i|the team) (?P<verb>add|use|commit|write|import|install|introduce|create|push|deploy|want"
            r"|need|accept|allow|tolerate|take|have) no (?=\w)",
            lambda match: "no " if match["verb"].lower() in _STATES else f"do not {match['verb']} ",
        ),
        (
            "lose",
            r"\b(?:do not|don't|never|must not) lose (?=it\b|them\b|the\b|`)",
            "do not delete ",
        ),
        (
            "without",
            r"\b(?:get by|get along|make do|manage|do|live|work) without (?:any )?(?=\w)",
            "no ",
        ),
        (
            "no",
            r"\bthere (?:should|must|shall|may|is to|are to) be no (?=\w)",
            "no ",
        ),
        (
            "out",
            r"\b(?:keep|leave) (?P<what>(?!it\b|that\b|this\b|them\b|me\b|us\b)`?[\w@./-]{2,40}`?) out of (?:the |our "
            r"|this |my )?[\w./ -]{2,30}(?=[.,;!]|$)",
            r"do not touch or use \g<what>",
        ),
        (
            "out",
            r"^(?P<what>`?[\w@./-]{2,40}`?) (?:stays?|has to stay|must stay"
            r"|remains?) out(?: of [\w./ -]{2,40})?(?=[.,;!]|$)",
            r"do not touch or use \g<what>",
        ),
        (
            "test tests suite",
            r"(?:(?:unit|integration|e2e|all|our|the|every|these) ){0,3}\btests? (?:have to|has to|must|should"
            r"|needs? to|shall|are to) (?:run|work|pass|be|stay|remain)(?: fully| completely"
            r"| always)* (?:offline|hermetic|without (?:any )?(?:network|internet)(?: access)?)",
            "no http calls in tests",
        ),
        (
            "test tests",
            r"\bno tests? (?:may|should|must|can|is to|shall) (?:ever )?(?:reach out to|reach|touch|hit|use|access"
            r"|call|need|go to) (?:the )?(?:network|internet|web|real \w+|external \w+)",
            "no http calls in tests",
        ),
        (
            "region regions",
            r"\b(?:everything|all|it)\b[^,;.!?\n]{0,30} (?:lives?|is|are|runs?"
            r"|stays?) in (?P<region>[a-z]{2}-[a-z]{4,12}-\d)[^.!?\n]*\bother regions?\b[^.!?\n]*",
            r"only in \g<region>",
        ),
        (
            "need needs",
            r"^(?P<what>[\w.-]{2,30}) is all (?:the |that )?(?:[\w-]+ ){0,3}(?:we|you) (?:ever )?need\b",
            r"use only \g<what>",
        ),
        (
            "reading looking querying read query look",
            r"\b(?:(?:just )?(?:reading|looking|querying) is all (?:that )?(?:you|we) (?:do|may do|can do|need)"
            r"|only (?:ever )?(?:read|query|look)(?: from| at)?)(?: there| in there| with it| on it| it)(?=[.,;!]|$)",
            "do not change it",
        ),
        (
            "root sudo",
            r"\b(?:anything|whatever|everything|commands?)(?: that)? (?:needs?|requires?|wants?) (?:root|sudo)\b"
            r"[^.;!?\n]{0,40}\b(?:me|myself|i)\b",
            "never use sudo,",
        ),
        (
            "off taboo go out banned forbidden allowed option welcome",
            r"^(?:and |but |so |please |the |using |any )*(?P<what>sudo|docker|podman|npm|npx|yarn|pnpm|pip|conda|brew"
            r"|ssh|kubectl|helm|curl|wget|sed|symlinks?|root) (?:is|are|stays?) (?:strictly "
            r"|absolutely )?(?:off[- ]limits|taboo|a no-go|out|banned|forbidden|not (?:allowed|an option|welcome"
            r"|permitted))\b",
            r"never use \g<what>",
        ),
        (
            "history origin remote upstream pushed published shared",
            rf"\b(?:rewrit(?:e|ing)|chang(?:e|ing)) (?:(?:the|our|any|remote|git|published) ){{0,3}}{_PUBLISHED}\b",
            "force-push",
        ),
        (
            "history origin remote upstream pushed published shared",
            rf"\b(?:(?:the|our|remote|git|published) ){{0,3}}{_PUBLISHED}(?: (?:on|of|in) [\w /-]{{2,30}}?)?"
            r" (?:is|are|must|may|should|shall"
            r"|will|can)(?: not|n't| never)(?: to)?(?: ever)?(?: be| get)? (?:rewritten|changed)\b",
            "never force-push",
        ),
        (
            "don doesn t not",
            r"\bwe (?:do not|don't) do (?=[a-z][\w -]{2,30}\b)",
            "no ",
        ),
    )
)
_WORDS = frozenset[str]().union(*(cue for pattern, _ in _PARAPHRASES for cue in cues_of(pattern)))


def in_plain_words(text: str) -> str:
    """Return a sentence in which a roundabout rule is an order."""
    for pattern, said in () if _WORDS.isdisjoint(said_in(text)) else _PARAPHRASES:
        text = pattern.sub(said, text)
    return text
