"""Rules in roundabout words, said in the words that the rules of prohibitions read: wishes and reservations."""

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
            "off taboo go out banned forbidden allowed option welcome",
            r"^(?:and |but |so |please |the |using |any )*(?P<what>sudo|docker|podman|npm|npx|yarn|pnpm|pip|conda|brew"
            r"|ssh|kubectl|helm|curl|wget|sed|symlinks?|root) (?:is|are|stays?) (?:strictly "
            r"|absolutely )?(?:off[- ]limits|taboo|a no-go|out|banned|forbidden|not (?:allowed|an option|welcome"
            r"|permitted))\b",
            r"never use \g<what>",
        ),
        (
            "history origin remote upstream pushed published shared",
            rf"\b(?:(?:the|our|remote|git|published) ){{0,3}}{_PUBLISHED}(?: (?:on|of|in) [\w /-]{{2,30}}?)?"
            r" (?:is|are|must|may|should|shall"
            r"|will|can)(?: not|n't| never)(?: to)?(?: ever)?(?: be| get)? (?:rewritten|changed)\b",
            "never force-push",
        ),
    )
)
_WORDS = frozenset[str]().union(*(cue for pattern, _ in _PARAPHRASES for cue in cues_of(pattern)))


def in_plain_words(text: str) -> str:
    """Return a sentence in which a roundabout rule is an order."""
    for pattern, said in () if _WORDS.isdisjoint(said_in(text)) else _PARAPHRASES:
        text = pattern.sub(said, text)
    return text
