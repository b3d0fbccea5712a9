"""Clauses of a user's sentence, of which one can state a rule: "tidy up utils but names stay as they are"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.core.text import cued_pattern, lazy_pattern
from inspector.engine.work_state.allowing_words import places_allowed
from inspector.engine.work_state.ban_patterns import IN_BRACKETS
from inspector.engine.work_state.object_rules import object_rule_of, objects_in, points_back
from inspector.engine.work_state.rule_bans import bans_in

_TAG = lazy_pattern(
    r"(?i)[,.!]?\s(?:ok(?:ay)?|right|alright|yeah|yes|please|deal|got it|understood|t[áa]|certo|vale|s[íi]|de acuerdo"
    r"|d[’']accord|hein|ja|oder|gell|ne|klar|verstanden|va bene|capito|no|toch|ладно|хорошо|да|好吗|好嗎)\s?\?$"
)
"""A question at the end of a sentence that is none: "não mexe no compose, tá?"."""
_BREAK = lazy_pattern(
    r"(?i)[;:(–—]\s|\s[-–—]+\s|,\s(?:(?:but|and|so|or|aber|und|also|mais|et|pero|y|ma|e|maar|en|mas)\s)?"
    r"|\s(?:but|aber|mais|pero|maar|sondern|however|though)\s|\.\s(?=[a-z])|(?<=\w)\s(?:and|so|und|et)\s(?="
    r"(?:please |pls |bitte )?(?:do not|don[’']?t|never|no|keep|leave|only|nothing|nur|kein|nicht|pas|ne)\b)"
)
_MIN_CLAUSE = 6
_BARE = lazy_pattern(
    r"(?i)(?:(?:so|please|pls|just) ){0,2}(?:hands off|(?:do not|don[’']?t|never) (?:ever )?(?:touch|edit|change|modify"
    r"|delete|restart|stop|kill|move|rename|push|commit|overwrite|run)(?: (?:it|that|this|them))?"
    r"|leave (?:it|that|this|them)(?: alone)?)(?: (?:please|pls|ok))?[.!]*"
)
"""A prohibition that does not name its object."""
_REACH = 2
"""Sentences before a pronoun in which the thing is sought."""
_MAX_JOINED = 400
_PASTED = lazy_pattern(
    r"(?i)^(?:(?:\w{0,40}error|warning|exception|fatal|npm err!|traceback)\b|at \S{1,200}[(:/]|\$|>|\||<|\{|\d+[|:→])"
    r"|\bno such (?:file|table|module|column|host)\b|\b(?:error|warning|fatal): "
)
"""Output that was pasted."""
_NO_ORDER = cued_pattern(
    r"(?i)\b(?:always|never) (?:here|there|happy|glad|up for|a |been|had|seen|heard|knew|thought|was|were|fun|good"
    r"|great|nice)\b|\b(?:never|don[’']?t|do not) (?:ever )?(?:give up|quit\b(?! the)|be (?:afraid|scared|shy|sorry"
    r"|silly|too hard)|let (?:it|that|this|them|anything|anyone|anybody)\b|sweat|stress|beat yourself)|\bkeep (?:it up"
    r"|going|up the|at it|shining|pushing|in touch|me posted)\b|^no (?:[\w-]+ ){1,3}(?:\w+ed|found|given|yet|available"
    r"|left)[.!]?$|^(?!note|important|rules?\b|please|remember|nb|warning|reminder)[\w /-]{3,40}: no [\w-]+(?:"
    r" [\w-]+)?[.!]?$|^(?:yes|no) [-–—] |^(?:verify|expect(?:ed|ation)?|result|assert)\b[^:]{0,20}: "
    r"|^(?:the |this |an? )?(?:error|message|warning|log|output|linter|compiler)\w* (?:says?|said|reads?|states?)\b"
    r"|^only (?:\d+|one|two|three|four|five|six|a few|some|half) \w+ (?!in\b|of\b|at\b|per\b)"
    r"|^(?:no (?:worries|problem|rush|hurry|stress|pressure|big deal)|never ?mind|don[’']?t worry)\b"
    r"(?![^\n]*\b(?:but|never|do not|don[’']?t|only|please)\b)"
    r"|[-–—:,] no (?:errors?|warnings?|failures?|issues|problems|regressions)[.!]?$",
    "always never don dont do not keep no mind worry only says said say reads states verify expect expected "
    "expectation result assert",
)
"""Encouragement, a report, or an expected result, with words of rules: "Never give up!", "No fixes applied"."""
_FILE = lazy_pattern(r"\w\.[A-Za-z]\w{0,8}\b|\w/")


def without_tag(sentence: str) -> str:
    """Return a sentence without a question such as "ok?" at its end, which asks for no answer."""
    return _TAG.sub("", sentence).rstrip()


def is_no_order(sentence: str) -> bool:
    """Return True if a sentence is pasted output, encouragement, a report or an expected result."""
    return bool(_PASTED.search(sentence) or _NO_ORDER.search(sentence))


def clauses_of(sentence: str) -> Iterator[str]:
    """Yield the clauses of a sentence that has several, with the ending of a list of verbs left out."""
    parts = [part.strip(" ,;:()") for part in _BREAK.split(sentence) if part]
    if len(parts) > 1:
        yield from (part for part in parts if len(part) >= _MIN_CLAUSE)


def with_named_things(sentences: Sequence[str]) -> Iterator[str]:
    """Yield sentences; one such as "Hands off!" or "Don't nuke it" with those before it, if they name the thing."""
    for place, sentence in enumerate(sentences):
        before = sentences[place - 1] if place else ""
        is_named = _BARE.fullmatch(sentence) and (_FILE.search(before) or before.endswith(";"))
        whole = f"{before} {sentence}"
        whole = whole if is_named else _with_its_thing(sentences, place)
        yield whole if whole != sentence else _with_its_place(sentence, "".join(sentences[place + 1 : place + 2]))


def _with_its_place(sentence: str, after: str) -> str:
    """Return a sentence with a rule and the one after it, if that says where the thing of the rule is."""
    is_located = len(after) <= _MAX_JOINED and IN_BRACKETS.match(f". {after}") and not _FILE.search(sentence)
    return f"{sentence} {after}" if is_located and bans_in(sentence) else sentence


def _with_its_thing(sentences: Sequence[str], place: int) -> str:
    """Return a sentence with the one or two before it, if they name the concrete thing that its pronoun points to."""
    sentence = sentences[place]
    parts = [sentences[place - 1], sentence] if place else [sentence]
    whole = " ".join(parts)
    if len(whole) <= _MAX_JOINED and places_allowed(whole) and not any(map(places_allowed, parts)):
        return whole
    if not points_back(sentence) or object_rule_of(sentence):
        return sentence
    for start in range(place - 1, max(-1, place - _REACH - 1), -1):
        before = sentences[start]
        if any(objects_in(before)):
            whole = " ".join((*sentences[start:place], sentence))
            known = before.endswith("?") or object_rule_of(before) is not None
            return whole if not known and object_rule_of(whole) else sentence
    return sentence
