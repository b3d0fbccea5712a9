"""Wishes, words and approvals that a summary attributes to a user who never stated them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from inspector.core.conversation import Message
from inspector.core.text import cued_pattern, lazy_pattern, one_line
from inspector.engine.facts import content_words, is_negated
from inspector.engine.work_state.message_steps import steps_of
from inspector.engine.work_state.rule_bans import bans_in
from inspector.engine.work_state.rule_verbs import FORMS
from inspector.engine.work_state.state_items import WorkState

_WANTED = (
    r"(?:request(?:ed|s)?|ask(?:ed|s)?|want(?:ed|s)?|instruct(?:ed|s)?|order(?:ed|s)?|approved?|agreed|confirmed"
    r"|decided|chose|demanded|specified|told)"
)
_SHORT = cued_pattern(
    rf"(?i)\b(?:the )?user (?:has |had |also |then |explicitly |already ){{0,3}}{_WANTED}"
    r"(?! (?:about|where|why|how|whether|if|what|when|which|who)\b) (?:(?:me|us|that|to|for|on) ){0,3}"
    r"([^.;\n]{3,200})",
    "user",
)
"""A statement about a wish of the user: "The user asked to push when done"."""
_BY_USER = cued_pattern(
    rf"(?i)\b{_WANTED} (?:earlier |explicitly )?by the user\b|\b(?:at|per|on|upon) (?:the )?user[’']?s?"
    r" (?:explicit )?(?:request|instruction|wish|order|approval)s?\b|\bas the user (?:has |had )?(?:requested|asked"
    r"|wanted|instructed|ordered|approved|agreed)\b",
    "user users",
)
"""The end of a statement of work that is attributed to the user: "deploy to staging as requested by the user"."""
_CUT = lazy_pattern(r"[.;:,()\n]\s|\n|^\s*[-*•]\s")
_SECTION = lazy_pattern(
    r"(?im)^[#*\d. \t-]{0,8}(?:all )?(?:user messages?|messages? (?:of|from) the user)\b[^\n:]{0,30}:"
)
_NEXT = lazy_pattern(r"\n(?:\d{1,2}\. |#|\*\*[A-Z])")
_QUOTE = lazy_pattern(r"[\"“]([^\"“”\n]{8,400})[\"”]")
_LEFT_OUT = lazy_pattern(r"\[[^\[\]\n]{1,200}\]|(?<!\S)\S{0,100}/\S{0,100}|\.\.\.|…")
"""Words of a summary in a quotation, and paths, which are often cut short: "[long log] is wrong"."""
_APPROVES = lazy_pattern(r"(?i)\b(?:approved?|agreed|confirmed|decided|chose)\b")
_REFRAINS = lazy_pattern(
    r"(?i)\b(?:only|without|avoid\w*|stop\w*|leav\w+|keep\w*|skip\w*|refrain\w*|un\w{4,}|no|nothing|before|until)\b"
)
"""Words of a wish that something is not done."""
_MOST_WORDS = 3
"""Words of a short claim, which is compared word by word."""
_LEAST_QUOTED = 0.6
_COMMON = content_words(
    "user plan request requested work task change move use go continue proceed step approach option idea fix add create"
    " implement finish done complete thing next make run get see look following way this"
)


def user_texts(messages: Sequence[Message]) -> tuple[str, ...]:
    """Return the texts that a summary can take the user's words from."""
    return tuple(_spoken(messages))


def _spoken(messages: Sequence[Message]) -> Iterator[str]:
    for message in messages:
        if message.kind == "summary":
            yield message.text
        elif message.role == "user":
            words = steps_of(message).words
            yield words.text if words else message.text
        elif message.answers is not None and message.chars < 3_000:
            yield message.text


def invented_wishes(before: WorkState, texts: Sequence[str], summary: str) -> Iterator[str]:
    """Yield the statements of a summary about wishes and words that the user never stated, or stated the opposite of.

    Args:
        before: The state before the compaction.
        texts: Texts that the user's words can be in.
        summary: Text of the summary.
    """
    said = "\n".join(texts).lower()
    for match in _SHORT.finditer(summary):
        if not is_negated(match[0]) and not _REFRAINS.search(match[1]):
            offers = _offers(before) if _APPROVES.search(match[0]) else ""
            if _is_forbidden(match[1], before) or _is_unknown(match[1], f"{said}\n{offers}"):
                yield one_line(match[0])
    for match in _BY_USER.finditer(summary):
        clause = _CUT.split(summary[max(0, match.start() - 200) : match.start()])[-1]
        if not is_negated(clause) and (_is_forbidden(clause, before) or _is_unknown(clause, said)):
            yield one_line(f"{clause}{match[0]}")
    yield from _unsaid_quotes(texts, summary)


def _offers(before: WorkState) -> str:
    """Return the plans and replies of the agent that the user has not refused."""
    plans = (plan.detail for plan in before.all("plan") if plan.state not in ("refused", "shelved"))
    replies = before.samples if not any(plan.state in ("refused", "shelved") for plan in before.all("plan")) else ()
    return "\n".join((*plans, *replies)).lower()


def _is_unknown(claim: str, said: str) -> bool:
    """Return True if some words contain none of the telling words of a short claim."""
    words = content_words(claim) - _COMMON
    return 0 < len(words) <= _MOST_WORDS and not any(word[:6] in said for word in words)


def _is_forbidden(claim: str, before: WorkState) -> bool:
    """Return True if a rule of the user forbids the action that a claim begins with."""
    verb = FORMS.get(claim.split(" ", 1)[0].strip("`*").lower(), "")
    return bool(verb) and any(verb in verbs for verbs in map(_forbidden_by, (rule.text for rule in before.of("rule"))))


@cache
def _forbidden_by(rule: str) -> frozenset[str]:
    """Return the verbs that a rule forbids on everything."""
    bans = (ban for ban in bans_in(rule) if not (ban.things or ban.is_only or ban.ending))
    return frozenset(FORMS.get(verb, verb) for ban in bans for verb in ban.verbs)


def _unsaid_quotes(texts: Sequence[str], summary: str) -> Iterator[str]:
    """Yield the quotations of the user in a list of messages that no message contains.

    There is none if many are missing: then a part of the replaced context is not in the recording.
    """
    known = [content_words(text.replace("-", " ")) for text in texts]
    for section in _SECTION.finditer(summary):
        end = _NEXT.search(summary, section.end())
        quotes = list(_QUOTE.finditer(summary, section.end(), end.start() if end else len(summary)))
        unsaid = [one_line(quote[0]) for quote in quotes if _is_unsaid(quote[1], known)]
        yield from unsaid if len(unsaid) <= max(1, len(quotes) // 4) else ()


def _is_unsaid(quote: str, known: Sequence[frozenset[str]]) -> bool:
    """Return True if no message, of which the words are known, contains most words of a quotation."""
    words = content_words(_LEFT_OUT.sub(" ", quote).replace("-", " "))
    return len(words) >= 2 and all(len(words & other) < _LEAST_QUOTED * len(words) for other in known)
