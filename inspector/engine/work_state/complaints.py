"""Broken rules about which the user complains, or the agent is sorry, afterwards: "I told you not to push"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.core.conversation import Message
from inspector.core.text import cued_pattern, cues_of, lazy_pattern, said_in, word_set
from inspector.engine.facts import sentences_of
from inspector.engine.work_state.ban_checks import is_banned
from inspector.engine.work_state.done_actions import done_by
from inspector.engine.work_state.effect_values import CallEffects
from inspector.engine.work_state.later_permissions import permits
from inspector.engine.work_state.message_steps import said_by, steps_of
from inspector.engine.work_state.other_breaks import other_break
from inspector.engine.work_state.plain_sentences import plain_sentence
from inspector.engine.work_state.promised_rules import answered_by
from inspector.engine.work_state.rule_bans import bans_in
from inspector.engine.work_state.rule_verbs import FORM
from inspector.engine.work_state.state_items import StateItem

_OBJECT = rf"(?P<verb>(?:{FORM})\b)(?P<what>(?:[^.,;:!?\n]|\.(?=\w)){{0,80}})"
_REPROACHES = word_set("said asked supposed meant allowed ask want shouldn should had") | {"told"}
_FORMS = tuple(
    (cued_pattern(rf"(?i){pattern}", cues), order)
    for cues, pattern, order in (
        (
            "why how",
            r"\b(?:why|how come) (?:did|have|are|were|would|do) you (?:just |even |still |already |go and )?" + _OBJECT,
            r"do not \g<verb>\g<what>",
        ),
        (
            _REPROACHES,
            r"\b(?:(?:told|asked|warned)(?: you)?|said) (?:not to|to not|never to) " + _OBJECT,
            r"do not \g<verb>\g<what>",
        ),
        (
            _REPROACHES,
            r"\b(?:weren't|were not|aren't|are not|shouldn't|should not) (?:(?:supposed|meant|allowed) to|have) "
            + _OBJECT,
            r"do not \g<verb>\g<what>",
        ),
        (
            _REPROACHES,
            r"^(?P<what>.{0,200}\b(?:told you|(?:i|we) said|asked you|supposed to|meant to|allowed to|ask you"
            r"|want you to|should(?:n't| not) have|had to (?:undo|revert|restore))\b.{0,200})",
            r"\g<what>",
        ),
    )
)
"""Complaints of a user about what the agent did, with the order that each goes back to."""
_REGRETS = tuple(
    (cued_pattern(rf"(?i){pattern}", cues), r"do not \g<verb>\g<what>")
    for cues, pattern in (("shouldn should", r"\bi (?:shouldn't|should not|should never) have " + _OBJECT),)
)
"""Regrets of the agent, with the order that each goes back to."""

_MAY_BE = frozenset[str]().union(*(cue for pattern, _ in (*_FORMS, *_REGRETS) for cue in cues_of(pattern)))
"""Words in lower case, one of which every complaint and every regret contains."""
_SAID = lazy_pattern(r"(?i)\b(?:i|we)(?:'ve|'d| had| have)? (?:\w+ )?(?:said|told|asked|wrote|warned)\b")


def told_of(
    message: Message, followed: Sequence[Message], before: Sequence[Message]
) -> Iterator[tuple[str, StateItem, str]]:
    """Yield the calls that a message complains of, or regrets, with what the user had said before a compaction.

    Args:
        message: Words of the user or a reply.
        followed: The messages since the compaction, with this one.
        before: The messages that the compaction replaced.

    Yields:
        The id of the message with the call, the rule, and the command or path.
    """
    for order, was_said in _orders_in(message):
        for source, call in _newest_calls(followed):
            target = _broken_by(call, order)
            rule = target and _rule_behind(order, was_said, before, followed[: followed.index(source)])
            if rule:
                yield source.id, rule, target
                break


def _orders_in(message: Message) -> Iterator[tuple[str, bool]]:
    """Yield the orders that sentences of a message go back to, with whether one says that it was given before."""
    words = steps_of(message).words
    if not (words or message.is_reply):
        return
    text = (words.text if words else said_by(message))[:2_000]
    for sentence in () if _MAY_BE.isdisjoint(said_in(text)) else sentences_of(text):
        plain = plain_sentence(sentence)
        said = _SAID.search(plain) is not None
        for pattern, order in _FORMS if words else _REGRETS:
            if match := pattern.search(plain):
                yield match.expand(order), said


def _newest_calls(messages: Sequence[Message]) -> Iterator[tuple[Message, CallEffects]]:
    """Yield the calls of messages, newest first."""
    for message in reversed(messages):
        if message.is_reply:
            for call in steps_of(message).calls:
                yield message, call


def _broken_by(call: CallEffects, order: str) -> str:
    bans = bans_in(order)
    done = (one.target for one in done_by(call) if any(is_banned(one, ban) for ban in bans))
    return next(done, "") or other_break(order, call, "", (), (), "")


def _rule_behind(order: str, was_said: bool, before: Sequence[Message], after: Sequence[Message]) -> StateItem | None:
    """Return what the user had said before a compaction that an order goes back to, unless he allowed it since."""
    heard = [(one, words.text) for one in (*before, *after) if (words := steps_of(one).words) and not words.command]
    for place in range(len(heard) - 1, -1, -1):
        message, text = heard[place]
        if any(permits(sentence, order) for sentence in sentences_of(text[:4_000])):
            return None
        if message in before and (said := answered_by(order, text, was_said)):
            return StateItem("rule", said, said, "", "", message.id)
    return None
