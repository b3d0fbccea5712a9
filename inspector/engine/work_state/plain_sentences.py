"""Sentences in plain words: verbs of several words are one verb, and roundabout rules are orders."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from inspector.core.text import cued_pattern, cues_of, lazy_pattern, said_in, word_set
from inspector.engine.work_state.rule_verbs import CHANGE, FORMS, MEANT, PARTICIPLE

_PHRASES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (cued_pattern(rf"(?i)\b(?:{pattern})", cues), verb)
    for cues, pattern, verb in (
        ("bring bringing", r"bring(?:ing)? (?P<what>(?:\S{1,30} ){1,3}?)(?:back )?in(?=[.,;!]|$)", r"use \g<what>"),
        ("down", r"(?:take|taking|bring|bringing|shut|shutting|tear|tearing) down\b", "stop"),
        ("off out", r"(?:turn|turning|switch|switching) off\b|comment(?:ing)? out\b", "disable"),
        (
            "fall falling reach reaching resort resorting rely relying bring",
            r"fall(?:ing)? back (?:to|on)\b|reach(?:ing)? for\b|resort(?:ing)? to\b|rely(?:ing)? on\b|bring in\b",
            "use",
        ),
        ("rid away", r"(?:get|getting) rid of\b|throw(?:ing)? away\b|blow(?:ing)? away\b", "delete"),
        (
            "roll rolling live",
            r"roll(?:ing)? (?:it |this |that |them |anything |something )?out\b|go(?:ing)? live\b",
            "deploy",
        ),
        (
            "change changes edit edits modification modifications",
            r"(?:make|making|do|doing) (?:any )?(?:changes?|edits?|modifications?) (?:to|in)\b",
            "change",
        ),
        (
            "with hands",
            r"(?:mess|fiddle|tamper|fool|muck)(?:ing)? (?:around )?with\b|(?:put|lay) (?:your )?hands on\b",
            "change",
        ),
        ("check checking", r"check(?:ing)? in(?:to git)?(?=[.,;!]| any| the| my| your|$)", "commit"),
        ("commit commits", r"(?:make|making|create|creating|do|doing) (?:any |a |more )*commits?\b", "commit"),
        ("bounce bouncing", r"bounc(?:e|ing)\b", "restart"),
        ("pull pulling", r"pull(?:ing)? in\b", "pull-in"),
        ("hand", r"hand-(?:edit|chang|modif|writ|patch)(?:e|y|ing)?\b|hand-edit(?:ed)?\b", "edit"),
        ("live real prod production", r"(?:talk|talking|go|going) to (?=the (?:live|real|prod))", "call "),
        ("avoid", r"avoid (?!\w{2,20}ing\b)(?:using )?(?=\w)", "never use "),
        ("without", r"without (?=(?:sudo|docker|root|npm|pip|regex|jquery|mocks?)\b)", "never use "),
        ("force", r"force[- ]push(?:es|ed)?\b", "force-push"),
        ("re record rerecord", r"re-?record(?:s|ing|ed)?\b", "update"),
        ("cherry", r"cherry[- ]pick(?:ing)?\b", "cherry-pick"),
        ("up", r"spin(?:ning)? up\b|fir(?:e|ing) up\b|boot(?:ing)? up\b", "start"),
    )
)
_PHRASE_WORDS = frozenset[str]().union(*(cue for pattern, _ in _PHRASES for cue in cues_of(pattern)))
"""Words, one of which every phrase contains."""
_SPELLINGS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (lazy_pattern(rf"(?i)(?<![\w/.`-])(?:{pattern})(?![\w/`])"), word)
    for pattern, word in (
        (r"b4", "before"),
        (r"w/o", "without"),
        (r"p(?:ls|lz|lease)e?", "please"),
        (r"dont|do nt", "don't"),
        (r"cant", "can't"),
        (r"mustnt", "mustn't"),
        (r"shouldnt", "shouldn't"),
    )
)
"""Spellings of chats, with the words for them."""
_INFORMAL = cued_pattern(
    r"(?i)b4|w/o|pl[sz]|(?:do|ca|must|should) ?nt\b", "b4 w pls plz plse plze nt dont cant mustnt shouldnt"
)
_QUOTES = lazy_pattern(r"[’‘]")
_MARKS = lazy_pattern(r"\*{1,3}|(?<![\w/.`-])_{1,2}(?=\w)(?=[^_]{1,60}_{1,2}(?!\w))")


@lru_cache(maxsize=4_096)
def plain_sentence(sentence: str) -> str:
    """Return a sentence in which verbs of several words are one, and marks of emphasis are left out."""
    text = sentence if sentence.isascii() else _QUOTES.sub("'", sentence)
    text = _MARKS.sub("", text) if "*" in text or "_" in text else text
    for pattern, word in _SPELLINGS if _INFORMAL.search(text) else ():
        text = pattern.sub(word, text)
    for pattern, verb in () if _PHRASE_WORDS.isdisjoint(said_in(text)) else _PHRASES:
        text = pattern.sub(verb, text)
    return _in_plain_words(text)


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
    r"(?:\b(?:i|we)(?:'d| would)(?: much| really| all)? (?:rather|prefer(?: it)?(?: if| that)?"
    r"|(?:appreciate|like|love) it if|be (?:happier|happy|glad|grateful|relieved) if)"
    r"|\b(?:it )?(?:would|['’]d) be (?:great|good|nice|better|best|helpful|lovely) if)"
)
_WHO = (
    r"(?:me|us|him|her|them|myself|(?:the|our) (?:[\w-]{2,20} (?:team|lead|crew|group|people|owner)|[\w-]{2,20})"
    r"|[\w-]{2,20})"
)
_OF_USER = word_set("commit push merge rebase deploy release publish ship tag install apply")
"""Actions that people keep for themselves."""
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
_TEAM = lazy_pattern(r"(?i)(?:i|we)|.* (?:team|lead|crew|group|people|owner)")


def _is_kept(who: str, verb: str) -> bool:
    """Return True if an action that only somebody does is one that people keep for themselves."""
    plain = FORMS.get(verb.lower(), "")
    return plain in _OF_USER or (bool(MEANT.get(plain, CHANGE) & {"change"}) and _TEAM.fullmatch(who) is not None)


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
        ("let lets", r"\blet'?s not (?=\w)", "do not "),
        (
            "nothing",
            r"(?:^|[,;:.] |\b(?:and|but|so|please) )(?P<verb>[a-z-]{3,14}) nothing\b(?! (?:but|except|other|else)\b)",
            lambda match: f"do not {match['verb']} anything" if match["verb"].lower() in MEANT else match[0],
        ),
        (
            "stick confine limit restrict",
            r"(?:^|[,;:.] |\b(?:and|but|so|please|just) )(?:stick|(?:confine|limit|restrict) (?:yourself"
            r"|(?:all |the |any |your )*(?:changes|edits|work))) to (?=(?:the |our |my )?(?:files?|code|folders?) "
            r"|`?[\w.-]*/)",
            "only change ",
        ),
        (
            "only",
            rf"(?:^|[,;:.] )only (?P<who>i|we|{_WHO}) (?:may |can |should |will |gets? to )?(?P<verb>[a-z-]{{3,12}})\b",
            lambda match: f"never {match['verb']}" if _is_kept(match["who"], match["verb"]) else match[0],
        ),
        (
            "do don never",
            r"(?:do not|don't|never) (?=`[a-z])",
            "never use ",
        ),
        (
            "you",
            rf"(?P<what>(?:the |our |my )?[\w./-]{{2,30}}(?: [\w./-]{{2,30}}){{0,2}}) (?:is|are) (?P<verb>{PARTICIPLE})"
            rf" by {_WHO},? (?:and )?not (?:by )?you\b",
            lambda match: f"do not {FORMS[match['verb'].lower()]} {match['what']}",
        ),
        (
            "before",
            rf"\bi (?:want|need|have) to (?:see|review|check|approve) [^.;!?\n]{{2,40}}? before (?:it|they|anything)"
            rf"(?:'s| is| are| gets?) (?P<verb>{PARTICIPLE})\b",
            lambda match: f"ask me before you {FORMS[match['verb'].lower()]}",
        ),
        (
            "before",
            rf"\b(?:reviewed|seen|checked|approved|read) by me before (?:it|they|anything)(?:'s| is| are| gets?)"
            rf" (?P<verb>{PARTICIPLE})\b",
            lambda match: f"; ask me before you {FORMS[match['verb'].lower()]}",
        ),
        (
            "up out off down away back",
            r"\b(?P<verb>[a-z]{3,10}) (?P<what>it|them|these|those|this|that) (?:up|out|off|down|away|back)"
            r"(?=[.,;!]|$)",
            r"\g<verb> \g<what>",
        ),
        (
            "no",
            r"\bno (?:direct |more |new )*(?P<verb>commit|push|merge|deploy)(?:s|es|ments?)? (?:to|on|into|onto)"
            r" (?=\w)",
            r"do not \g<verb> to ",
        ),
        ("calls call", r"\bno (?:more |real )?calls? to (?=\w)", "do not call "),
        ("hold", r"\bhold off (?:on|with) (?=[a-z]{3,14}ing\b)", "do not "),
        (
            "changes edits modifications",
            r"(?:^|[,;:.] |\b(?:are|be) )no (?P<what>[a-z-]{2,20}) (?:changes|edits|modifications)(?= until\b| before\b"
            r"| this\b| today\b| please\b|[.!]?$)",
            r"do not change the \g<what>",
        ),
        (
            "with",
            r"\b(?:make do|get by|work|manage) with (?:the )?(?P<what>dependencies|packages|libraries) (?:that )?we"
            r" have\b",
            r"no new \g<what>",
        ),
        (
            "work changes edits code",
            r"^all (?:of )?(?:the |your |this )*(?:work|changes|edits|code) (?:belongs?|goes|go|stays?|happens?)"
            r" (?:in|under|inside|into) ",
            "only change files in ",
        ),
        (
            "wait",
            r"\bwait (?:for|until|till) (?:me|i|us|we) (?:to )?(?:have )?(?P<verb>merge|push|deploy|publish|release"
            r"|tag)\w*",
            r"do not \g<verb> until i say so",
        ),
        (
            "history",
            r"(?:\b(?:we|you) )?(?:do not|don't|never) (?:rewrite|alter|edit|change) (?:the |our |any |git |published "
            r"|shared |its )*history\b",
            "do not amend, rebase or force-push",
        ),
        (
            "want",
            r"\b(?:i|we)(?: really)? (?:do not|don't) want (?:to see )?(?:any |more )*(?:changes?|edits?"
            r"|modifications?) (?:to|in|under|inside|on) ",
            "do not change ",
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


def _in_plain_words(text: str) -> str:
    """Return a sentence in which a roundabout rule is an order."""
    for pattern, said in () if _WORDS.isdisjoint(said_in(text)) else _PARAPHRASES:
        text = pattern.sub(said, text)
    return text
