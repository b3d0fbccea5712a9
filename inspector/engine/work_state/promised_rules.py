"""Rules that the agent acknowledges in its own words: "Understood, I'll work around src/auth"."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from inspector.core.text import lazy_pattern, said_in, word_set
from inspector.engine.facts import content_words, is_negated, sentences_of, shared_words, stem_set
from inspector.engine.work_state.object_rules import object_rule_of
from inspector.engine.work_state.other_breaks import states_other_rule
from inspector.engine.work_state.rule_bans import bans_in
from inspector.engine.work_state.rule_verbs import FORM, FORMS, MEANT
from inspector.engine.work_state.ruled_things import PATH
from inspector.engine.work_state.state_items import StateItem, WorkState

ACKNOWLEDGED = "acknowledged"
"""State of a rule that the agent has acknowledged; its detail is the agent's sentence."""
_CUES = word_set(
    "won not never leave leaving keep keeping avoid avoiding stay staying steer around clear without only untouched"
    " alone off limits hands hold holding refrain ask check wait no nothing stays remains stick sticking limit"
    " limiting intact out shouldn"
)
"""Words in lower case, one of which every promise contains."""
_NEAR = 3
"""Sentences of a reply that belong to an answer before them."""
_COMMITS = lazy_pattern(
    r"(?i)\b(?:i|we)(?:'ll| will| won't| shall|'m going to| am going to|'m not| am not"
    r"|'m leaving|'m keeping|'m staying)\b|\blet me (?:leave|keep|avoid)\b"
)
"""Words by which the agent says what it is going to do."""
_MAX_PROMISE, _MAX_SAID, _MOST_REPLIES = 300, 1_200, 3
_PUTS_OFF = lazy_pattern(
    r"(?i)\b(?:for now|for the moment|right now|(?<!not )yet|at this (?:point|stage|step)|in this step|first|later"
    r"|unless|if (?:it|that|the|this)|because|since i|then)\b|\?$|\bbefore (?:i|touching|chang|edit|writ|mak|mov)"
)
"""Words about the time of or the reason for a step of the agent, which is no promise."""
_ME = lazy_pattern(r"(?i)\b(?:you|your|yours)\b")
_TO_USER = {"you": "me", "your": "my", "yours": "mine"}
_I = r"\b(?:(?:i|we)(?:'ll| will|'m going to| am going to|'m| am| can| have to| should| must)?|let me) "
_OTHERS = r"(?:you|him|her|them|the \w+|(?-i:[A-Z])\w+)\b"
_ADVERBS = r"(?:(?:also|just|definitely|certainly|therefore|then|simply|of course|make sure to|be sure to) )*"
_AWAY = (
    r"(?:work(?:ing)? around|route around|steer(?:ing)? clear of|stay(?:ing)? (?:well )?(?:out of|away from|off"
    r"|clear of)|keep(?:ing)? (?:well )?(?:out of|away from|off|clear of|my hands off(?: of)?)"
    r"|keep(?:ing)? (?:it|them|this) away from|go(?:ing)? around|respect(?:ing)?)"
)
_REWRITES = tuple(
    (lazy_pattern(rf"(?i){pattern}"), order)
    for pattern, order in (
        (rf"{_I}{_ADVERBS}{_AWAY}(?= \S)", "do not touch"),
        (
            rf"{_I}{_ADVERBS}(?:avoid|refrain(?:ing)? from|hold(?:ing)? off(?: on| with)?|skip|stop) (?=(?:{FORM})\b)",
            "do not ",
        ),
        (
            rf"{_I}{_ADVERBS}leave (?:the )?(?P<verb>(?:{FORM})\b)(?P<what>[^.,;!?\n]{{0,60}}?)"
            rf" (?:to|for|up to) {_OTHERS}",
            r"do not \g<verb>\g<what>; ",
        ),
        (
            rf"{_I}{_ADVERBS}(?:leave|keep) (?P<what>(?:[\w./-]{{1,40}} ){{1,4}})(?:up|on|running)\b",
            r"do not stop \g<what>; ",
        ),
        (r"\bwithout (?:her|him|them|you|(?-i:[A-Z])\w{1,20})(?:'s \w{2,20}| \w{2,12}ing)?\b", "before I approve"),
        (
            r"\b(?:i|we) (?:won't|will not|will never|'ll not|'ll never|shall not|must not"
            r"|should not|shouldn't|may not)(?: have)? ",
            "do not ",
        ),
        (r"\b(?:i|we)(?:'m| am|'re| are) not (?:going to )?", "do not "),
        (rf"{_I}{_ADVERBS}(?=(?:not|never) )", "do "),
        (rf"{_I}{_ADVERBS}(?=(?:leave|keep|only|ask|check|wait|hold|stay|stick|limit|restrict|confine|change) )", ""),
        (
            r"\b(?:make|making|be|being) (?:very )?(?:sure|careful) not to "
            rf"|,? (?:and|but|so) (?:i )?(?:won't|will not|not) (?=(?:{FORM})\b)",
            "; do not ",
        ),
        (rf",? without (?=(?:{FORM})\b)", "; do not "),
        (r"\bleaving (?=\S)", "leave "),
        (r"\bkeeping (?=\S)", "keep "),
    )
)
"""Beginnings of promises, with the words of an order for each."""
_DO_NEVER = lazy_pattern(r"(?i)\bdo never\b")
_POINTS = lazy_pattern(r"(?i)\b(?:it|that|them|this|there|those|that (?:one|file|folder|table|branch))\b")
_REQUEST = lazy_pattern(
    rf"(?i)^\W*(?:(?:and|but|so|also|then|now|ok(?:ay)?|please|pls|just|first|could you|can you|would you|let's|you can"
    rf"|we need to|i want you to|i'd like you to)[, ]+)*(?:{'|'.join(MEANT)}|make|look|check|help|build"
    r"|clean|try|find|bring|put|get|set|take|go|do|speed|tidy|add|implement|investigate|debug|finish|continue)\b"
)
"""Start of a sentence that asks for work."""
_REPORT = lazy_pattern(
    r"(?i)\b(?:fail(?:s|ed|ing|ure)?|wrong|broken|bugs?|buggy|slow|crash\w*|errors?|flaky|outdated|stale|suspect"
    r"|red since|go ahead|feel free|you (?:can|may)|thumbs up|(?:is|are) (?:fine|ok|okay))\b|\?$"
)
"""Words of a sentence that reports a defect or allows something."""
_ANSWERS = lazy_pattern(
    r"(?i)^\W*(?:understood|got it|noted|sure|right|of course|will do|makes sense|fair|absolutely|good to know|thanks"
    r"|ok|okay|alright|all right|clear|sorry|apologies|you're right|i see|roger|agreed|verstanden|alles klar|compris"
    r"|entendido|capito|begrepen)\b\W*"
)
"""Start of a promise that answers the user."""
_CLAUSES = lazy_pattern(r"[;:!?\n]\s|[,.]\s|\s[-–—]+\s|\s\(|\s(?:because|since|but|so|and)\s")
_VERBS = stem_set(
    f"{' '.join(FORMS)} ask wait check do not never again alone leave keep before anything something her him them"
    " approve"
)
_COMMON = word_set(
    "src lib app apps main packages package tests test docs internal pkg cmd core common . .. ~ home work"
)
"""Names of folders that say nothing of what is in them."""
_LAST = lazy_pattern(r"(?<=\w)\.[a-z]\w{0,5}$")
"""The ending of the name of a file."""
_WORD = lazy_pattern(r"\w+")
_SEPARATORS = lazy_pattern(r"\W+|_")
_MARKS = lazy_pattern(
    r"(?i)\b(?:no(?:t|thing|body)?|never|only|until|till|before|after|once|first|mine|belongs?|owns?|asked|ask|careful"
    r"|job|call|has to|have to|must|stays?|would|myself|review\w*|generated|revert\w*|undo|ha[ds] to|behind)\b"
    r"|n['’]t\b|\w['’]d\b|\w['’]s\b"
)
"""Words of a statement that can restrict the work."""
_MAX_WORDS, _MAX_SENTENCE = 4_000, 400


def may_promise(said: str) -> tuple[str, ...]:
    """Return the sentences of a reply that can promise to leave something, by their words.

    A sentence after an answer such as "Understood." is returned with it.
    """
    said = said[:_MAX_SAID]
    if _CUES.isdisjoint(_WORD.findall(said.lower())):
        return ()
    sentences = [one.replace("’", "'") for one in sentences_of(said) if len(one) <= _MAX_PROMISE]
    answer = sentences[0] if sentences and _ANSWERS.fullmatch(sentences[0]) else ""
    rows = (f"{answer} {one}" if answer and at < _NEAR else one for at, one in enumerate(sentences))
    return tuple(one for one in rows if not _CUES.isdisjoint(said_in(one)))


@lru_cache(maxsize=1_024)
def order_in(promise: str) -> str:
    """Return the order that a promise obeys: "do not touch src/auth" for "I'll work around src/auth"."""
    order = _ANSWERS.sub("", promise)
    if _PUTS_OFF.search(promise) or not (order != promise or _COMMITS.search(order)):
        return ""
    for pattern, words in _REWRITES:
        order = pattern.sub(words, order)
    order = _DO_NEVER.sub("never", _ME.sub(lambda match: _TO_USER[match[0].lower()], order)).strip()
    forbids = bans_in(order) or states_other_rule(order)
    return order if forbids or (_POINTS.search(order) and is_negated(order)) else ""


def order_of(rule: StateItem) -> str:
    """Return the words of a rule that say what it forbids: the promise, if the agent has acknowledged it."""
    if rule.state != ACKNOWLEDGED:
        return rule.text
    order = order_in(rule.detail)
    if _named_by(order) or not _POINTS.search(order):
        return order
    paths = PATH.findall(rule.text)
    return _POINTS.sub(paths[-1], order, count=1) if paths else f"{rule.text.rstrip('.!')}; {order}"


def is_asked_for(rule: StateItem, sentences: Sequence[str]) -> bool:
    """Return True if the user asks after all for the work of which the agent promised to leave something alone."""
    if rule.state != ACKNOWLEDGED:
        return False
    asked = (text for text in sentences if "after all" in text.lower() and _CUES.isdisjoint(said_in(text)))
    return any(len(shared_words(text, rule.text)) > 1 for text in asked)


def with_promises(state: WorkState, sentences: Sequence[str]) -> WorkState:
    """Return the state with the rules in the user's latest words that sentences of a reply promise to obey."""
    request = state.get("request", "latest") if sentences else None
    if request is None or state.turn - request.turn > _MOST_REPLIES:
        return state
    known = {item.text for item in state.all("rule")}
    for promise in filter(order_in, sentences):
        said = answered_by(order_in(promise), request.text, bool(_ANSWERS.match(promise)))
        if said and not any(said in text or text in said for text in known):
            rule = StateItem("rule", said, said, ACKNOWLEDGED, promise, request.message, request.turn)
            state = state.put(rule) if bans_in(order := order_of(rule)) or states_other_rule(order) else state
    return state


def answered_by(order: str, words: str, answers: bool = False) -> str:
    """Return what words of the user say about the thing of an order, if they may restrict it; "" for nothing.

    Args:
        order: The order. That of a promise is in other words than the user's.
        words: The words.
        answers: True if the agent answered the words with it.
    """
    named = _named_by(order)
    sentences = [one for one in sentences_of(words[:_MAX_WORDS]) if len(one) <= _MAX_SENTENCE]
    stated = [at for at, one in enumerate(sentences) if any(map(_states, _CLAUSES.split(one)))]
    for at in stated:
        if _may_be_about(sentences[at], named, answers or _MARKS.search(sentences[at]) is not None):
            return sentences[at]
    return _only_one(sentences, stated, order, answers) if answers or not named else ""


def _may_be_about(sentence: str, named: Sequence[tuple[frozenset[str], bool]], may_restrict: bool) -> bool:
    """Return True if a sentence names one of some things; one that restricts nothing has to name it as a path."""
    said, paths = _stems_of(sentence), _stems_of(" ".join(PATH.findall(sentence)))
    return any(name <= (said if is_own or may_restrict else paths) for name, is_own in named)


def _only_one(sentences: Sequence[str], stated: Sequence[int], order: str, answers: bool) -> str:
    """Return the only statement that can restrict the action of an order, with a path that it points back to.

    The agent answers the last one of several.
    """
    marked = [at for at in stated if _MARKS.search(sentences[at])] or (stated if answers else [])
    done = content_words(order) & _VERBS
    marked = [at for at in marked if done & _stems_of(sentences[at])] or marked
    if not marked or (len(marked) > 1 and not (answers and marked[-1] == len(sentences) - 1)):
        return ""
    return _with_path(sentences[marked[-1]], sentences[marked[-1] - 1] if marked[-1] else "")


def _with_path(sentence: str, before: str) -> str:
    """Return a sentence, with the one before it if it points back to a path there."""
    points = _POINTS.search(sentence) is not None and not PATH.search(sentence)
    return f"{before} {sentence}" if points and PATH.search(before) else sentence


def _named_by(order: str) -> list[tuple[frozenset[str], bool]]:
    """Return the stems that name each thing that an order protects, with whether it is a name and no plain noun."""
    about = object_rule_of(order)
    things = [thing for ban in bans_in(order) for thing in ban.things]
    names = [*(one.name for one in (about.objects if about else ())), *(thing.name or thing.head for thing in things)]
    parts = ((part, name) for name in names for part in _LAST.sub("", name.strip("`/")).split("/"))
    rows = ((_stems_of(part) - _VERBS, name) for part, name in parts if part.lower() not in _COMMON)
    return [(stems, not name.isalpha()) for stems, name in rows if stems]


def _stems_of(text: str) -> frozenset[str]:
    """Return the stems of the words of a text, and of the parts of its names."""
    return content_words(_SEPARATORS.sub(" ", text))


def _states(clause: str) -> bool:
    """Return True if a clause is a statement that is neither a request nor a report of a defect."""
    return bool(clause.strip()) and not (_REQUEST.match(clause) or _REPORT.search(clause))
