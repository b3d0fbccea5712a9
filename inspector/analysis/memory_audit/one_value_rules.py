"""Short rules that say the same except for one value: "Deploy with Docker", "Deploy with Nomad"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from inspector.analysis.memory_audit.one_values import OneValueRule
from inspector.analysis.memory_audit.same_words import LOWER, REASON, UPPER, key_words, with_plain_bounds
from inspector.core.text import NUMBER_WORDS, cued_pattern, lazy_pattern, said_in, word_set
from inspector.engine.facts import content_words, is_imperative, is_negated, stem, stem_set

_MAX_WORDS = 14
_MAX_VALUE_WORDS = 3
_PREPOSITIONS = word_set("with in into under as to via using from against")
_MEANS = word_set("with via using")
_KINDS = _MEANS | {"as"}
_SAME_PLACE = {"into": "in", "under": "in"}
_PUTS = lazy_pattern(r"(?i)\b(?:go|goes|belongs?|moved?|saved?|stored?|put|written|write|collected)$")
_PLACES = lazy_pattern(r"(?i)^(?:put|keep|place|store) |\b(?:goe?s?|belongs?|lives?)$")
_PASSIVE = cued_pattern(r"(?i)\b(?:is|are|get|gets|must be|should be) \w{2,20}(?:ed|en|wn|lt)$", "is are get gets be")
_NAME = lazy_pattern(r"[`/_\d]|\w\.\w|[A-Z]")
"""Sign of a name in a value: code, a path, a number or a capital letter."""
_SEVERAL = lazy_pattern(r"(?i)[,;(]|:(?:\s|$)|\b(?:and|or|both|either|any|all|each|on|in|for)\b")
_COEXIST = stem_set(
    "test tested check support supported work compatible see read compare example try integrate listen like add "
    "include import contribute describe reply"
)
"""Stems of verbs of which several values hold at once: "Test with Firefox", "Test with Chrome"."""
_USE_FOR = cued_pattern(r"(?i)^(?:always |please )?(?:use|prefer) (.{1,40}?) (for|to) (.{3,60})$", "for to")
_USED = cued_pattern(r"(?i)^([\w` .+-]{2,30}?) (?:is|are) used (?:for|to) (.{3,50})$", "used")
_INSTEAD = cued_pattern(
    r"(?i)^(?:always |please )?(?:use|prefer|write) (.{1,40}?)"
    r"(?: instead of| over| rather than|(?:,| ?[—–]| -) (?:not|no|never)) (.{1,40})$",
    "instead over rather not no never",
)
_PREFERRED = cued_pattern(r"(?i)^(.{2,40}?) (?:is|are) preferred (?:over|to) (.{2,40})$", "preferred")
_NAMED = lazy_pattern(r"(?i)^name (.{3,40}?) (`[^`]{1,40}`)$")
_CALLED = cued_pattern(
    r"(?i)^(.{3,40}?)(?: names?)? (?:looks? like|(?:are|is) (?:called|named)|(?:have|has|follows?) the form)"
    r" (`[^`]{1,40}`)$",
    "look looks called named form",
)
_WHO = lazy_pattern(
    r"(?i)^(?:only |any |every )?((?:\w{2,12} )?(?:manager|maintainer|lead|user|owner|reviewer|author|developer|agent"
    r"|bot|ci|team|human|engineer|admin)s?) (?:may |can |must |should |always )?"
    r"((?:merge|publish|deploy|release|approve|push|tag|close|commit|decide)(?:e?s)? .{2,50})$"
)
"""Who does what one of them does: "The author merges the pull request"."""
_PLAIN = cued_pattern(
    r"(?i)\b(?:plain|simple|pure|regular|normal|ordinary|new|(?:his|her|their|its|your) own) ",
    "plain simple pure regular normal ordinary new own",
)
"""Words before a value or a topic that choose nothing."""
_FUNCTION = cued_pattern(
    r"(?i)^((?:.{0,40}(?:['’]s |\b(?:favou?rite|default|primary|preferred|main|minimum|maximum)\b)).{0,40}?)"
    r" (?:is|are) (?:now )?(.{1,40})$",
    "is are",
)
"""A sentence about something of which there is one: "Kim's manager is Ruth"."""
_NOT = cued_pattern(
    r"(?i)^(.{2,60}?) (?:(?:is|are|do|does|can|may|will)(?: not|n[’']t)|(?:must|should|shall) (?:not|never)"
    r"|(?:needs?|ha(?:s|ve)) no|(?<!must )(?<!should )never)"
    r" (.{2,60})$",
    "not t never no",
)
_DIGIT = lazy_pattern(r"\d")
_NUMBER_WORDS = frozenset(NUMBER_WORDS[1:11])
_NUMBER = lazy_pattern(
    r"(?i)(?<![\w.#/:-])(\d{1,2}:\d\d|\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten)"
    r"(?: ?(%|[kmgt]i?b|ms|milliseconds?|s|seconds?|min|minutes?|h|hours?|days?|weeks?|months?|years?"
    r"|(?:characters?|chars|columns|lines?|words?|approvals?|reviewers?|retries|files|workers)))?(?![\w/:-])"
)
_OF_NUMBERS = stem_set(
    "after before within project code app entry entries valid expire last remain keep kept limit limited start run "
    "listen server service daily nightly night day version later newer higher support target up long maximum length "
    "size count enough give retain many take valid access merge pr pull-request prs minimum exactly more than per be "
    "fire trip trigger elapse timeout deadline may set configure allow utc gmt cet clock delete remove purge prune "
    "drop need require alive live ttl lifetime data window cover"
)
"""Stems that do not identify the object of a number."""
_AFTERTHOUGHT = lazy_pattern(r"(?i), (?:one|each|with|so|as|which|where) .{2,60}$")
_NUMBERED = lazy_pattern(r"(?i)^\W*(?:\w+ )?\d|\d\s*[:)](?!\d)|\b(?:steps?|phases?|levels?|tiers?|parts?|priority)\b")
_NAMED_BY_NUMBER = lazy_pattern(
    r"(?i)\b(?:of|in|for|from|at|on) (?:the )?(?!port|version|least|most|about|around|under|over|exactly|roughly"
    r"|max|min|only|every|python|node|java|go|php|ruby|rust|django|react|next|postgres|http|tls)[a-z]{2,20}"
    r" \d{1,6}(?![\w.:%])"
)
"""A thing with a number as its name: "in room 12". A number as a value follows other words: "on port 80"."""
_OF_LINES = stem_set("line lines wrap column columns margin")
_LENGTH = lazy_pattern(r"(?i)\b(?:length|width)\b")
_SAME_UNIT = {"char": "character", "column": "character", "hour": "h", "minute": "min", "second": "s"}
# "Kim lives in Graz", "employer is Acme", "goes by Kay"
_ATTRIBUTE = cued_pattern(
    r"(?i)^(.{0,60}?) ?\b(?:now )?(?:(?P<place>lives? in|resides? in|is based in|(?:has )?(?:moved|relocated) to"
    r"|home is(?: in)?)|(?P<employer>(?<!used to )works? (?:at|for)|is employed (?:at|by)|(?:has )?joined|employer is"
    r"|is an? [a-z ]{3,30} at)|(?P<name>name is|is named|is called|goes by)"
    r"|(?P<deadline>deadline is(?: on)?|is due(?: on)?|must be (?:finished|done) by)"
    r"|(?P<birthday>birthday is(?: on)?|(?:was )?born on)) ([\w .&-]{2,40})",
    "live lives reside resides based moved relocated home work works employed joined employer name named called goes a "
    "an birthday born deadline due must",
)
_MAX_PLAIN_WORDS = 10
_ROLES = {
    word: role
    for role, words in (("place", "in into inside under at next alongside"), ("form", "as"), ("goal", "to"))
    for word in words.split()
}
# "Footnotes come at the end of the page"
_PLAINLY = cued_pattern(
    r"(?i)^(.{3,50}?) (in|into|inside|under|at|next to|alongside|as|to) ((?![\d`]*\d)[^.;:()]{3,40})$",
    frozenset(_ROLES),
)
_STATIVE = stem_set(
    "send sent post deliver forward route come standing sit stay live belong go put place placed keep kept store "
    "stored write written save saved be remain locate located define defined declare declared handle handled do "
    "done happen perform performed collect collected report return"
)
"""Stems of verbs that state where something is, or nothing about the thing."""
_CONTAINERS = stem_set("file files")
_MADE = stem_set(
    "draw drawn build built make made render rendered implement create save manage handle represent represented serve "
    "served deliver delivered do done style return returned present presented define declare give given"
)
"""Stems of verbs that say little about what is chosen for a thing."""
_TAKES = cued_pattern(
    r"(?i)^(.{3,40}?)(?<! may)(?<! can) (?:uses?|takes?|follows?|"
    r"runs?(?: on(?= (?-i:[A-Z])))?(?! (?:on|at|in|as|with|for|by|after|before|every|from|once)\b)) (.{2,40})$",
    "use uses take takes follow follows run runs",
)
_STATE = cued_pattern(
    r"(?i)^(.{3,40}?) (?:is|are|must be|should be) (?:(\w{3,20}(?:ed|en|wn|lt|pt)) (?:with|as|via|using) )?(.{2,40})$",
    "is are be",
)
_QUALIFIED = lazy_pattern(r"(?i)^(?:always |please )?(?:use|prefer) ([\w.-]{2,20}) ([\w-]{3,20}s?)$")
_LABELLED = lazy_pattern(r"^([A-Z][\w -]{2,30}): (\S.{0,60})$")
_NO_LABELS = stem_set(
    "note important example remember tip warning todo default usage type file path entry see input output"
)
"""Stems of labels of which there may be several."""
_EXACT = frozenset({"number", "who"})
"""Choices that "only" does not change."""
_PRONOUNS = stem_set("user he she they it")
_CONDITION = lazy_pattern(r"(?i)(?:if|when|unless|while|once)\b")
_NO_RULES = ("<", ">", "[", "\\[", "|")
"""Beginnings of marks, quotes and tasks."""


def one_value_rules(sentence: str) -> Iterator[OneValueRule]:
    """Yield what a sentence chooses, with its code marks."""
    text = (
        with_plain_bounds(sentence).strip().rstrip(".!").replace(" the ", " ").replace(" a ", " ").replace(" an ", " ")
    )
    if len(text.split()) > _MAX_WORDS or text.endswith("?") or text.startswith(_NO_RULES) or _CONDITION.match(text):
        return
    text = _PREFERRED.sub(r"Prefer \1 over \2", text)
    is_only = "only" in text.lower().split()
    text = text.replace(" only ", " ").removesuffix(" only")
    if match := _NOT.match(text):
        yield from _of_polarity(f"{match[1]} {match[2]}", "no")
        return
    yield from _of_polarity(text, "yes")
    yield from _of_attribute(text)
    if match := _INSTEAD.match(text):
        plain = (_PLAIN.sub("", f"{value} ") for value in match.groups())
        chosen, rejected = (frozenset(map(stem, value.lower().split())) for value in plain)
        yield OneValueRule(("instead", chosen | rejected), " ".join(sorted(chosen - rejected)), True)
        return
    if not is_negated(text):
        for rule in _affirmed(text):
            yield rule._replace(is_only=is_only) if rule.about[0] not in _EXACT else rule


def _of_attribute(text: str) -> Iterator[OneValueRule]:
    """Yield an attribute of a person: "Kim lives in Graz"."""
    if match := _ATTRIBUTE.match(text):
        name = next(name for name, words in match.groupdict().items() if words)
        yield OneValueRule((name, _stems(match[1]) - _PRONOUNS), _plain_value(match[7]), True)


def _affirmed(text: str) -> Iterator[OneValueRule]:
    """Yield what a sentence without a negation chooses."""
    yield from _of_number(text)
    if match := _WHO.match(text.removeprefix("The ")):
        yield OneValueRule(("who", key_words(_PLAIN.sub("", match[2]))), _plain_value(match[1]), True)
    yield from _of_place(text)
    yield from _of_named_value(_AFTERTHOUGHT.sub("", text))


def _stems(text: str) -> frozenset[str]:
    return frozenset(content_words(text.replace("`", "")))


def _plain_value(text: str) -> str:
    return text.strip(" `\"'").lower()


def _of_polarity(text: str, value: str) -> Iterator[OneValueRule]:
    stems = _stems(text)
    if len(stems) > 1 and not is_negated(text):
        yield OneValueRule(("polarity", stems), value, True)


def _of_number(text: str) -> Iterator[OneValueRule]:
    has_number = _DIGIT.search(text) or not _NUMBER_WORDS.isdisjoint(said_in(text))
    numbers = list(_NUMBER.finditer(text)) if has_number else []
    if len(numbers) != 1:
        return
    rest, value = _number_of(text, numbers[0])
    if rest and not _names_thing(numbers[0], text) and not stem_set(text.split(" ", 1)[0]) & _COEXIST:
        yield OneValueRule(("number", rest), value, True, _bound_of(text))


def _number_of(text: str, number: re.Match[str]) -> tuple[frozenset[str], str]:
    """Return the stems of what has a number, and the number with its unit."""
    plain = REASON.sub(" ", _NUMBER.sub(" ", text))
    unit = frozenset({(number[2] or "").rstrip("s")})
    rest = (key_words(plain) - _OF_NUMBERS) or (unit if _stems(plain) else frozenset())
    value = _plain_number(number)
    if rest & _OF_LINES and (value.endswith("character") or _LENGTH.search(text)):
        return rest - _OF_LINES | {"line"}, f"{value.removesuffix('character')}character"
    return rest, value


def _bound_of(text: str) -> str:
    return "most" if UPPER.search(text) else "least" if LOWER.search(text) else ""


def _names_thing(number: re.Match[str], text: str) -> bool:
    """Return True if a number names a thing, or a step."""
    return bool(_NUMBERED.search(text) or (not number[2] and _NAMED_BY_NUMBER.search(text)))


def _plain_number(match: re.Match[str]) -> str:
    unit = (match[2] or "").lower()
    unit = unit if unit in ("s", "ms") else unit.rstrip("s")
    return f"{match[1].lower()}{_SAME_UNIT.get(unit, unit)}"


def _of_place(text: str) -> Iterator[OneValueRule]:
    """Yield the place, means or form of a thing if a short sentence only states it: "Notes are in the margin"."""
    match = _PLAINLY.match(text)
    value = match[3].split(",")[0] if match else ""
    if match is None or len(text.split()) > _MAX_PLAIN_WORDS or _SEVERAL.search(f"{match[1]} {value}"):
        return
    topic = key_words(match[1].replace("`", "")) - _STATIVE - _CONTAINERS
    verbs = stem_set(match[1].lower().replace("`", ""))
    if topic and not verbs & _COEXIST:
        role = _ROLES[match[2].lower().split()[0]]
        is_sure = role == "form" or bool(verbs & _STATIVE)
        yield OneValueRule((role, topic), _plain_value(value), bool(_NAME.search(value)), "", is_sure, is_plain=True)


def _of_named_value(text: str) -> Iterator[OneValueRule]:
    if (match := _LABELLED.match(text)) and not stem_set(match[1].lower()) & _NO_LABELS:
        label, text = match.groups()
        yield from _chosen("label", label, text)
        if len(text.split()) > _MAX_VALUE_WORDS:
            for rule in _of_named_value(text):
                yield rule._replace(about=(rule.about[0], rule.about[1] | _stems(label)))
    elif match := _USE_FOR.match(text):
        about = "with" if match[2].lower() == "to" else "for"
        yield from _chosen(about, match[3], match[1], is_sure=True)
        yield from _kind(match[3], match[1], is_sure=True)
    elif match := _USED.match(text):
        yield from _kind(match[2], match[1], is_sure=True)
    elif match := _NAMED.match(text) or _CALLED.match(text):
        yield from _chosen("name", match[1], match[2])
    elif match := _FUNCTION.match(text):
        yield from _chosen("is", match[1], match[2])
    else:
        yield from _of_kind(text)


def _of_kind(text: str) -> Iterator[OneValueRule]:
    """Yield what a sentence says that a thing is, uses, or is made with."""
    if match := _QUALIFIED.match(text):
        yield OneValueRule(("kind", _topic(match[2])), _plain_value(match[1]), False, "adjective")
    elif match := _TAKES.match(text):
        yield from _kind(match[1], match[2], is_sure=True)
    else:
        if match := _STATE.match(text):
            yield from _kind(f"{match[2] or ''} {match[1]}", match[3], is_sure=bool(match[2]))
        yield from _of_last_words(text.split())


def _of_last_words(words: list[str]) -> Iterator[OneValueRule]:
    """Yield the choice of the value after each preposition of a sentence."""
    places = [number for number, word in enumerate(words) if word.lower() in _PREPOSITIONS]
    for place, end in pairwise([*places, len(words)]):
        if 0 < place < end - 1 and end - place - 1 <= _MAX_VALUE_WORDS:
            head, preposition = " ".join(words[:place]), words[place].lower()
            about = "with" if preposition in _MEANS else preposition
            value = " ".join(words[place + 1 : end])
            yield from _chosen(about, head, value, is_sure=bool(_PASSIVE.search(head)))
            if end == len(words) and preposition in _KINDS and is_imperative(head):
                yield from _kind(head, value, is_sure=True)


def _topic_of(head: str) -> frozenset[str]:
    """Return the stems of what is chosen for; "translation files" are translations."""
    stems = key_words(_PLAIN.sub("", head.replace("`", "")))
    return stems - _CONTAINERS or stems


def _topic(text: str) -> frozenset[str]:
    return key_words(text.replace("`", "")) - _MADE


def _names_place(about: str, head: str) -> bool:
    """Return True if a sentence names the place of a thing with a name of several words: "business rules belong in"."""
    return about in ("in", "into", "under") and bool(_PLACES.search(head)) and len(_topic_of(head)) > 1


def _kind(topic: str, value: str, *, is_sure: bool) -> Iterator[OneValueRule]:
    """Yield the kind of thing that is used for a topic, however the rule says it."""
    value = value.strip(" .")
    is_name = bool(_NAME.search(value))
    stems = _topic(topic)
    is_one = not _SEVERAL.search(value) and len(value.split()) <= _MAX_VALUE_WORDS - 1
    if stems and is_one and (is_name or is_sure) and not stem_set(topic.lower().strip()) & _COEXIST:
        yield OneValueRule(("kind", stems), _plain_value(value), is_name)


def _chosen(about: str, head: str, value: str, *, is_sure: bool = False) -> Iterator[OneValueRule]:
    """Yield the choice of a value."""
    value = value.replace("()", "")
    is_name = bool(_NAME.search(value))
    if _SEVERAL.search(value) or len(value.split()) > _MAX_VALUE_WORDS:
        return
    is_name = is_name or _names_place(about, head)
    verb = head.split()[-1 if _PASSIVE.search(head) else 0]
    about = "in" if about == "to" and _PUTS.search(head) else _SAME_PLACE.get(about, about)
    if (stems := _topic_of(head)) and (about == "name" or stem(verb.lower()) not in _COEXIST):
        yield OneValueRule((about, stems), _plain_value(value), is_name, is_sure=is_name or is_sure)
