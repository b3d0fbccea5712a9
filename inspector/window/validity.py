"""Would the provider take this window? Its rules, and its own words where it would not.

A window is judged as it stands: each message in its own form where that is the provider's, and in the order that it
has. What the form itself settles is no problem (results of one batch become one message, neighbours of one side too,
system messages lead); what an export would have to invent, leave out or move about is. So whatever is told here is
what `export` puts right, and where nothing is told, nothing has to be.

Heads of messages tell nearly all; a body is read only where its head is suspicious, or where all of them are to be
looked at `closely`. Indices and ids that would differ from request to request stand as "…" in the provider's words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from operator import itemgetter

from inspector.conversation import Message, Problem, Provider, Thinking
from inspector.window.blemishes import SAME_ID, Fault, blemishes
from inspector.window.window import Window, at_turn

Rule = Callable[[Window, Provider], Iterable[Fault]]

PROVIDERS: Mapping[Provider, str] = {
    "openai": "OpenAI chat",
    "openai-responses": "OpenAI Responses",
    "anthropic": "Anthropic",
}
"""The providers, by the names that people know."""

NOTHING: Mapping[Provider, str] = {
    "openai": "[] is too short - 'messages'",
    "openai-responses": "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation_id' must be"
    " provided.",
    "anthropic": "messages: at least one message is required",
}
ORPHAN: Mapping[Provider, str] = {
    "openai": "Invalid parameter: messages with role 'tool' must be a response to a preceding message with"
    " 'tool_calls'.",
    "openai-responses": "No tool call found for function call output with call_id {ids}.",
    "anthropic": "unexpected `tool_use_id` found in `tool_result` blocks: {ids}. Each `tool_result` block must have a"
    " corresponding `tool_use` block in the previous message.",
}
SECOND: Mapping[Provider, str] = {
    "openai": ORPHAN["openai"],
    "openai-responses": SAME_ID["openai-responses"],
    "anthropic": "each tool_use must have a single result. Found multiple `tool_result` blocks with id: {ids}",
}
UNANSWERED: Mapping[Provider, str] = {
    "openai": "An assistant message with 'tool_calls' must be followed by tool messages responding to each"
    " 'tool_call_id'. The following tool_call_ids did not have response messages: {ids}",
    "openai-responses": "No tool output found for function call {ids}.",
    "anthropic": "`tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each `tool_use`"
    " block must have a corresponding `tool_result` block in the next message.",
}
OPENING = 'messages: first message must use the "user" role'
THINKING_GONE = (
    "Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant`"
    " message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks)."
)
THINKING_CHANGED = (
    "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must"
    " remain as they were in the original response."
)


def problems(window: Window, provider: Provider | None = None, *, closely: bool = False) -> tuple[Problem, ...]:
    """What the provider would refuse this window for, from the top; empty when it is valid.

    By default, the session's own provider. Calls of the live turn that still wait for a result are no problem. A window
    before which nothing was recorded has nothing to refuse. `closely` reads every message, not only what is known of
    it, and so finds what stands inside: empty blocks, roles that there are not, reasoning torn from its item.
    """
    provider = provider or window.session.dialect
    found = [*disorder(window, provider), *blemishes(window.messages, provider, closely=closely)]
    found.sort(key=itemgetter(0))
    told = dict.fromkeys((text, window.messages[place].id if place >= 0 else None) for place, text in found)
    return tuple([Problem(text, message=message) for text, message in told])


def disorder(window: Window, provider: Provider) -> Iterator[Fault]:
    """What is wrong with how messages stand to each other. No strategy leaves any of it behind."""
    return chain.from_iterable(rule(window, provider) for rule in RULES[provider])


def nothing(window: Window, provider: Provider) -> Iterator[Fault]:
    """A request with no message in it. System messages are none where the form sets them apart."""
    apart = provider != "openai"
    if not any(message.role != "system" or not apart for message in window.messages) and was_sent(window):
        yield -1, NOTHING[provider]


def was_sent(window: Window) -> bool:
    """Whether anything was recorded for the turn of a window, whatever plans have left of it."""
    if window.messages or not 1 <= window.turn <= len(window.session.turns(window.agent)) + 1:
        return True
    return bool(at_turn(window.session, window.sizes, window.turn, window.agent).messages)


def opening(window: Window, _provider: Provider) -> Iterator[Fault]:
    """A conversation that begins with a reply."""
    first = next((index for index, message in enumerate(window.messages) if message.role != "system"), None)
    if first is not None and window.messages[first].role == "assistant":
        yield first, OPENING


def stray(window: Window, provider: Provider) -> Iterator[Fault]:
    """Results that no call asked for, and second results of a call."""
    orphans = window.groups.orphans
    asked: set[str] = set()
    for index, message in enumerate(window.messages if orphans else ()):
        if index in orphans:
            words = SECOND if message.answers in asked else ORPHAN
            yield index, words[provider].format(ids=message.answers)
        elif message.role not in ("tool", "system"):
            calls = {call.id for call in message.calls}
            asked = asked | calls if provider == "openai-responses" else calls


def unanswered(window: Window, provider: Provider) -> Iterator[Fault]:
    """Calls without a result; where results have to stand right behind their call, also those that stand elsewhere."""
    groups, messages = window.groups, window.messages
    lacking: defaultdict[int, set[str]] = defaultdict(set)
    for index in groups.pending.keys() - window.live:
        lacking[index].update(messages[index].calls[place].id for place in groups.pending[index])
    if provider == "openai-responses":
        for index, ids in lacking.items():
            yield from ((index, UNANSWERED[provider].format(ids=each)) for each in in_order(messages[index], ids))
        return
    for index in displaced(window, lifted=provider == "anthropic"):
        lacking[groups.members[groups.of[index]][0]].add(messages[index].answers or "")
    for index, ids in lacking.items():
        yield index, UNANSWERED[provider].format(ids=", ".join(in_order(messages[index], ids)))


def in_order(message: Message, ids: set[str]) -> list[str]:
    """Those ids of a message's calls, as they were called."""
    return list(dict.fromkeys(call.id for call in message.calls if call.id in ids))


def displaced(window: Window, lifted: bool) -> Iterator[int]:
    """Results that do not stand right behind their call and its other results.

    Where system messages are `lifted` out of the conversation, they stand between nothing.
    """
    of, orphans = window.groups.of, window.groups.orphans
    block = -1
    for index, message in enumerate(window.messages):
        if message.role == "tool":
            if of[index] != block and index not in orphans:
                yield index
        elif not lifted or message.role != "system":
            block = of[index]


def thinking(window: Window, _provider: Provider) -> Iterator[Fault]:
    """Thinking of the newest step, taken out or changed while the results that it asked for are being sent."""
    messages = window.messages
    last = next((index for index in range(len(messages) - 1, -1, -1) if messages[index].role == "assistant"), None)
    if last is None or not messages[last].calls or (window.request is not None and window.request > last):
        return
    now = messages[last]
    before = window.session.by_id.get(now.id, now)
    if before is now or not before.thinks or before.dialect != "anthropic":
        return
    if not now.thinks:
        yield last, THINKING_GONE
    elif thoughts(before) != thoughts(now):
        yield last, THINKING_CHANGED


def thoughts(message: Message) -> list[Thinking]:
    return [part for part in message.parts if isinstance(part, Thinking)]


RULES: Mapping[Provider, tuple[Rule, ...]] = {
    "openai": (nothing, stray, unanswered),
    "openai-responses": (nothing, stray, unanswered),
    "anthropic": (nothing, opening, stray, unanswered, thinking),
}
