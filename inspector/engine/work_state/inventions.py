"""Statements of a summary that nothing before it states: words of the user, results, decisions and values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain, pairwise

from inspector.core.caches import text_of
from inspector.core.conversation import Message
from inspector.core.text import lazy_pattern, one_line
from inspector.engine.facts import content_words, is_negated, sentences_of
from inspector.engine.work_state.block_text import without_block
from inspector.engine.work_state.claims import claims_in, is_contradicted, may_contradict
from inspector.engine.work_state.declined_traces import telling_words
from inspector.engine.work_state.invented_wishes import invented_wishes, user_texts
from inspector.engine.work_state.languages import is_common, language_of
from inspector.engine.work_state.message_steps import steps_of
from inspector.engine.work_state.reversed_changes import reversed_changes
from inspector.engine.work_state.state_items import WorkState
from inspector.engine.work_state.stated_results import unstated_results
from inspector.engine.work_state.summary_points import SummaryPoint, flat_text, points_in
from inspector.engine.work_state.work_history import Transition

_ASKED = lazy_pattern(
    r"(?i)\b(?:the )?user(?:[’']s)? (?:also |then |explicitly |specifically |clearly |has |had |repeatedly |does not "
    r"|doesn[’']t |did not |didn[’']t )*"
    r"(?:ask(?:ed|s)?|want(?:ed|s)?|request(?:ed|s)?|said|says|insist(?:ed|s)?|instruct(?:ed|s)?|require[ds]?"
    r"|told|decided|chose|chosen"
    r"|prefer(?:red|s)?|approved|agreed|confirmed|forbade|stated)\b"
    r"(?! (?:about|where|why|how|whether|if|what|when|which|who)\b)(?: (?:me|us|that|to|for|not)\b)*([^.;\n]{8,400})"
)
"""A statement that a summary attributes to the user, such as "The user asked not to commit"."""
_ASKED_ELSEWHERE = lazy_pattern(
    r"(?i)\b(?:(?:be)?nutzer(?:in)?|anwender(?:in)?|usuari[oa]|utilisat(?:eur|rice)|utilizador[a]?|utente|gebruiker"
    r"|пользователь) (?:(?:hat|ha|a|heeft|também|también|auch|aussi|ook|explizit|ausdrücklich) ){0,3}(?:verlang\w*"
    r"|woll\w*|will|möcht\w*|bat|bittet|wünsch\w*|forder\w*|gefordert|gewünscht|gebeten|entschied\w*|pid\w+|quier\w*"
    r"|solicit\w*|exig\w*|indic\w*|dij\w*|decid\w*|demand\w*|veut|voul\w*|souhait\w*|précis\w*|pediu|pede|quer\w*"
    r"|chies\w*|vuole|richies\w*|vroeg|wil|gevraagd|попросил\w*|просил\w*|хочет|требует)\b[,:]?([^.;\n]{8,400})"
    r"|(?:用户|ユーザー|사용자)(?:は|が|가|는)?(?:明确)?(?:要求|希望|指定|决定|依頼|指示|요청)([^。；\n]{4,200})"
)
"""The same in other languages than English: "Der Nutzer hat verlangt, dass …"."""
_CLAUSE = lazy_pattern(r"[.?!,;\n]")
_OPTION_WORDS = 5
"""Words on either side of "or" that may name an option."""
_TOKEN = lazy_pattern(r"[^\s)(\"'<>`,;*]{6,300}")
_VALUE = lazy_pattern(
    r"https?://.+|[\w.~-]*/[\w./-]*\.[A-Za-z]\w{0,5}|[0-9a-f]{7,40}|[A-Z]{2,10}-\d{1,6}|v?\d{1,4}\.\d{1,4}\.\d{1,6}"
)
"""A URL, a path with a file name, a hash or a version."""
_VERSION = lazy_pattern(r"^v(?=\d)")
_MOST_MISSING = 0.05
"""Largest share of the values that can be invented. If more are missing, a part of the context is not in the file."""
_EXCLUDES = lazy_pattern(r"(?i)\b(?:only|just|solely|rather|else|enough)\b")
"""Words with which a user excludes something without a negation: "only end-to-end tests"."""
_LETTERS = lazy_pattern(r"[^\W\d_]+")
_MAX_FOUND = 12
_OF_MESSAGE = 0.6
"""Least share of the words of a statement in the messages that supports it."""
_QUOTE = lazy_pattern(r"[\"“]([^\"“”\n]{8,200})[\"”]")
_LONG, _HEAD = 4, 16
"""Words of a long claim, and characters at its start that may negate it."""
_AGREED = lazy_pattern(r"(?i)\b(?:decided|chose|chosen|approved|agreed|confirmed)\b")
"""Verbs for what the agent has said and the user has accepted."""
_COUNT = lazy_pattern(
    r"(?i)(?<![\w.,:+/-])(\d{1,3}(?:,\d{3}){1,3}|\d{2,7}) (?:(?:unit |integration |e2e )?(?:tests?|specs?|examples) )?"
    r"(?:(?:have |are |all )?(?:pass(?:ed|ing)?|fail(?:ed|ing)?))\b"
)
"""Count of tests that pass or fail."""
_MEASURE = lazy_pattern(
    r"(?<![\w.,:/-])(\d{0,6}\.\d{1,3}) ?(?:%|ms\b|s\b|[kMG]B\b|fps\b|rps\b)|(?<![\w.,:/~-])(\d{1,5}) ?(?:%"
    r"|ms\b|x\b(?= (?:fast|slow|small|larg|speed))|[MG]B\b|fps\b|rps\b)"
)
"""A measured value with decimals, or with a unit."""
_RULE = lazy_pattern(
    r"(?im)^[ \t]{0,12}(?:[-*•+]|\d{1,2}[.)])? ?\*{0,2}((?:(?:constraint|rule|preference|requirement"
    r"|instruction)s?:\*{0,2} )([^\n]{8,300})|(?:never|always|do not|don[’']t|must not) [^\n]{8,300})"
)
"""A rule in a summary: "Constraint: never rename exported functions"."""
_LEAST_SUPPORT = 0.33
_LEAST_SAID = 0.4
"""Share of the words of a statement in another language that words of the user support."""
_LEAST_OF_RULE = 3
"""Least number of words of a rule that can be invented."""
_LEAST_REPEATED = 40
"""Characters of a statement that its sources can have word for word. A short one, "Tests pass", may be outdated."""
_SETTLED = lazy_pattern(
    r"(?i)\buser (?:has )?(?:chose|chosen|picked|selected|decided|approved|confirmed|agreed|accepted|answered|opted)\b"
)
"""A statement that the user has answered a question: "The user chose (a)"."""
_SETTLING = content_words(
    "chose chosen picked selected decided approved confirmed agreed accepted answered opted option"
)
_TO_USER = lazy_pattern(
    r"(?i)\b(?:user|unless|request\w*|nothing|starts?|wait\w*|await|approv\w*|confirm\w*|ask|tell|report|summari[sz]e)\b"
)
"""Words of a step that only tells or asks something."""
_LEAST_UNASKED, _MOST_UNASKED = 2, 0.75
"""Number and share of the words of an open point that nothing before says."""
_LEAST_RATIO = 2
"""Size of the replaced context relative to its summary, below which a part of it may not be in the recording."""
_LEAST_RECORDED = 0.65
"""Least share of the words of a summary that a recorded context of that size has."""


def inventions_in(transition: Transition, summary: str) -> Iterator[str]:
    """Yield the statements of a summary that nothing in the replaced context states, at most 12.

    Args:
        transition: The compaction. Nothing is found in a summary whose context is not recorded (`is_recorded`).
        summary: Text of the summary.

    Raises:
        OSError: If the recording can no longer be read.
    """
    summary = without_block(summary)
    if not is_recorded(transition, summary):
        return
    statements_in: dict[str, None] = {}
    for statements in (
        _words_of_user(transition.replaced, summary),
        invented_wishes(transition.before, user_texts(transition.replaced), summary),
        _words_in_other_language(transition.replaced, summary),
        _results(transition.before, summary),
        reversed_changes((*transition.replaced, *transition.kept), summary),
        _decisions(transition.before, summary),
        _unasked_work((*transition.replaced, *transition.kept), summary),
        _values((*transition.replaced, *transition.after), summary),
        _counted_values((*transition.replaced, *transition.kept), summary),
        _rules(transition.replaced, summary),
        unstated_results((*transition.replaced, *transition.kept), summary),
    ):
        fresh = (one for one in statements if not any(one in known or known in one for known in statements_in))
        statements_in.update(dict.fromkeys(list(fresh)))
    yield from (one for one in list(statements_in)[:_MAX_FOUND] if not _is_repeated(one, transition.replaced))


def is_recorded(transition: Transition, summary: str) -> bool:
    """Return True if the context that a summary replaced is in the recording, so that its statements can be checked.

    That is so if the recorded context is long, or if it has most words of the summary.

    Raises:
        OSError: If the recording can no longer be read.
    """
    if sum(message.chars for message in transition.replaced) >= _LEAST_RATIO * len(summary):
        return True
    words = content_words(summary)
    recorded = frozenset(chain.from_iterable(content_words(text_of(message)) for message in transition.replaced))
    return bool(words) and len(words & recorded) >= _LEAST_RECORDED * len(words)


def _is_repeated(statement: str, messages: Sequence[Message]) -> bool:
    """Return True if a message has a long statement word for word, as the sources of an extractive summary do."""
    return len(statement) >= _LEAST_REPEATED and any(statement in flat_text(message) for message in messages)


def _words_of_user(messages: Sequence[Message], summary: str) -> Iterator[str]:
    claims = [*_ASKED.finditer(summary)]
    texts = user_texts(messages) if claims else ()
    everything = frozenset[str]().union(*map(_split_words, (*texts, *_agreed_to(messages, claims))))
    sentences = [sentence for text in texts for sentence in sentences_of(text[:20_000])]
    for match in claims:
        words = _split_words(match[1])
        if len(words) < (2 if _is_ban(match) else 4) or _is_quoted(match, texts):
            continue
        if not _is_supported(words, everything, sentences) or _is_reversed(match, sentences):
            yield one_line(_whole_sentence(summary, match.start(), match.end()))


def _words_in_other_language(messages: Sequence[Message], summary: str) -> Iterator[str]:
    """Yield the statements about the user in another language than English that no words of the user support.

    A summary in a language that the user did not write in is a translation, whose words cannot be compared.
    """
    claims = [*_ASKED_ELSEWHERE.finditer(summary)]
    text = _said_by_user(messages) if claims else ""
    spoken = language_of(text[:4_000])
    said = _beginnings(text)
    for match in claims if spoken else ():
        words = _beginnings(match[1] or match[2])
        sentence = _whole_sentence(summary, match.start(), match.end())
        if len(words) >= 2 and language_of(sentence) in (spoken, "") and len(words & said) < _LEAST_SAID * len(words):
            yield one_line(sentence)


def _beginnings(text: str) -> frozenset[str]:
    """Return the beginnings of the words of a text that are not common in a language, or its pairs of characters."""
    words = (word for word in _LETTERS.findall(text.lower()) if not is_common(word))
    parts = ((word[:5],) if word < "\u3000" else map("".join, pairwise(word)) for word in words)
    return frozenset(chain.from_iterable(parts))


def _agreed_to(messages: Sequence[Message], claims: Sequence[re.Match[str]]) -> Iterator[str]:
    """Yield the texts of replies if a claim is that the user has accepted something."""
    if any(_AGREED.search(match[0]) for match in claims):
        yield from (message.text for message in messages if message.is_reply)


def _is_quoted(claim: re.Match[str], texts: Sequence[str]) -> bool:
    """Return True if a claim quotes words that are in one of some texts."""
    quotes = [quote[1].lower() for quote in _QUOTE.finditer(claim[1])]
    return any(quote in text.lower() for text in texts for quote in quotes)


def _is_supported(words: frozenset[str], everything: frozenset[str], sentences: Sequence[str]) -> bool:
    """Return True if enough of some words occur in the messages, or in one of their sentences."""
    enough = _LEAST_SUPPORT * len(words)
    is_said = len(words & everything) >= _OF_MESSAGE * len(words)
    return is_said or any(len(words & _split_words(one)) >= enough for one in sentences)


def _split_words(text: str) -> frozenset[str]:
    """Return the content words of a text, with the parts of compounds: "double-check"."""
    return content_words(text.replace("-", " "))


def _is_ban(claim: re.Match[str]) -> bool:
    """Return True if a claim begins with a negation: "The user asked not to commit", not "… when there is no SHA"."""
    start = claim.start(1) - claim.start()
    return is_negated(claim[0][: start + _HEAD])


def _is_reversed(claim: re.Match[str], sentences: Sequence[str]) -> bool:
    """Return True if a claim negates something that the user only said without a negation."""
    words = _split_words(claim[1])
    about = [one for one in sentences if _is_ban(claim) and words & _split_words(one)]
    denied = (one for one in about if is_negated(one) or _EXCLUDES.search(one))
    least = min(2, len(words)) if len(words) < _LONG else _LEAST_SUPPORT * len(words)
    return bool(about) and not any(len(words & _split_words(one)) >= least for one in denied)


def _whole_sentence(text: str, start: int, end: int) -> str:
    first = max(text.rfind("\n", 0, start) + 1, text.rfind(". ", 0, start) + 1)
    last = min((place for place in (text.find("\n", end), text.find(". ", end)) if place >= 0), default=len(text))
    return text[first:last].strip()[:400]


def _results(before: WorkState, summary: str) -> Iterator[str]:
    for claim in claims_in(summary) if may_contradict(before) else ():
        if is_contradicted(claim, before):
            yield one_line(claim.text)[:400]


def _counted_values(messages: Sequence[Message], summary: str) -> Iterator[str]:
    """Yield the sentences with a count of tests or a measured value that no message contains."""
    matches = (match for pattern in (_COUNT, _MEASURE) for match in pattern.finditer(summary))
    stated = {match[match.lastindex or 0]: match for match in matches}
    missing = {value: value.replace(",", "") for value in stated}
    for message in messages if missing else ():
        text = text_of(message).replace(",", "")
        missing = {value: number for value, number in missing.items() if not _has_number(text, number)}
    for value in missing:
        yield one_line(_whole_sentence(summary, stated[value].start(), stated[value].end()))


def _has_number(text: str, number: str) -> bool:
    """Return True if a text contains a number, not only as a part of another one."""
    parts = text.split(number)
    return any(not one[-1:].isdigit() and not other[:1].isdigit() for one, other in pairwise(parts))


def _rules(messages: Sequence[Message], summary: str) -> Iterator[str]:
    """Yield the rules of a summary of which no line of a message says most."""
    stated = {match[1]: content_words(match[2] or match[1]) for match in _RULE.finditer(summary)}
    missing = {rule: words for rule, words in stated.items() if len(words) >= _LEAST_OF_RULE}
    for message in messages if missing else ():
        lines = text_of(message).lower().split("\n")
        missing = {rule: words for rule, words in missing.items() if not _say_most(lines, words)}
    for rule in missing:
        yield one_line(rule.replace("*", ""))[:400]


def _say_most(lines: Sequence[str], words: frozenset[str]) -> bool:
    """Return True if a line contains most of some stems."""
    enough = _OF_MESSAGE * len(words)
    return any(sum(word in line for word in words) >= enough for line in lines)


def _decisions(before: WorkState, summary: str) -> Iterator[str]:
    """Yield the options of a question that the user has not answered, where the summary states one as work to do."""
    asked = before.get("question", "open") if before.actor == "user" else None
    if asked is None:
        return
    known = content_words(asked.text) | _SETTLING
    yield from (one.text for one in points_in(summary) if one.words <= known and _SETTLED.search(one.text))
    points = [point for point in points_in(summary) if point.is_open and " or " not in point.text]
    for one, other in pairwise(asked.text.split(" or ")):
        options = [content_words(" ".join(one.split()[-_OPTION_WORDS:])), content_words(" ".join(_first_words(other)))]
        telling = [option - (options[0] & options[1]) for option in options]
        yield from (one_line(point.text)[:400] for point in points if _takes_one(point, telling))


def _takes_one(point: SummaryPoint, options: Sequence[frozenset[str]]) -> bool:
    """Return True if a statement has most words of one of two options and not of the other."""
    said = [2 * len(option & point.words) > len(option) for option in options if option]
    return len(said) == len(options) and sum(said) == 1 and not point.text.endswith("?")


def _unasked_work(messages: Sequence[Message], summary: str) -> Iterator[str]:
    """Yield the open points of a summary of which nothing before says most words, if it is in the user's language."""
    work = _open_clauses(summary)
    candidates = {clause: telling_words(clause, 3) for clause in work}
    missing = {text: words for text, words in candidates.items() if len(words) >= _LEAST_UNASKED}
    if not missing or language_of(_said_by_user(messages)[:4_000]) not in ("", language_of(summary)):
        return
    for message in sorted(messages, key=lambda one: one.chars):
        if not missing:
            return
        text = text_of(message).lower()
        missing = {one: frozenset(word for word in words if word not in text) for one, words in missing.items()}
        missing = {one: words for one, words in missing.items() if len(words) >= _unasked(candidates[one])}
    yield from dict.fromkeys(one_line(work[one])[:400] for one in missing)


def _said_by_user(messages: Sequence[Message]) -> str:
    """Return the words of the user in some messages, without those that were inserted."""
    return " ".join(one.text for message in messages if message.role == "user" and (one := steps_of(message).words))


def _open_clauses(summary: str) -> dict[str, str]:
    """Return the clauses of a summary that list work, each with its statement."""
    points = [point for point in points_in(summary) if point.section == "open" and not point.is_done]
    clauses = ((clause, point) for point in points for clause in _CLAUSE.split(point.text))
    return {clause: point.text for clause, point in clauses if not _TO_USER.search(clause)}


def _unasked(words: frozenset[str]) -> float:
    """Return how many of the words of an open point nothing before says if it is invented."""
    return max(_LEAST_UNASKED, _MOST_UNASKED * len(words))


def _first_words(text: str) -> list[str]:
    """Return the first words of a text, up to the end of its sentence."""
    return _CLAUSE.split(text, maxsplit=1)[0].split()[:_OPTION_WORDS]


def _values(messages: Sequence[Message], summary: str) -> Iterator[str]:
    """Yield the sentences with a URL, path, hash or version that no message contains, before or after it.

    There is none if many are missing: then a part of the replaced context is not in the recording.
    """
    candidates = ((match[0].rstrip(".:"), match) for match in _TOKEN.finditer(summary))
    tokens = {value: match for value, match in candidates if _is_value(value)}
    missing = {value: _VERSION.sub("", value.rstrip("/").rsplit("/", 1)[-1]) for value in tokens}
    most = max(1, int(_MOST_MISSING * len(missing)))
    for message in messages:
        if not missing:
            return
        text = text_of(message)
        missing = {value: name for value, name in missing.items() if name not in text}
    for value in missing if len(missing) <= most else ():
        yield one_line(_whole_sentence(summary, tokens[value].start(), tokens[value].end()))


@lru_cache(maxsize=1 << 14)
def _is_value(token: str) -> bool:
    """Return True if a token is a URL, a path, a version, or a hash, which has digits and letters."""
    is_hash = not token.isalpha() and not token.isdigit()
    return _VALUE.fullmatch(token) is not None and (is_hash or "/" in token)
