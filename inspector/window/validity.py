"""Would the provider take this window? Its rules, and its own words where it would not.

A window is judged as it stands: each message in its own form where that is the provider's, and in the order that it
has. What the form itself settles is no problem (results of one batch become one message, neighbours of one side too,
system messages lead); what an export would have to invent, leave out or move about is. So whatever is told here is
what `export` puts right, and where nothing is told, nothing has to be.

Heads of messages tell nearly all; a body is read only where its head is suspicious, or where all of them are to be
looked at `closely`. Indices and ids that would differ from request to request stand as "…" in the provider's words.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from operator import attrgetter

from inspector.conversation import Message, Problem, Provider, Thinking
from inspector.providers import FOR_EVER, SAME_ID, Fault, Lengths, asked_between, blemishes_in, standing
from inspector.window.groups import speaks
from inspector.window.window import Window

_Rule = Callable[[Window, Provider, Lengths], Iterable[Fault]]

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
_ORPHAN: Mapping[Provider, str] = {
    "openai": "Invalid parameter: messages with role 'tool' must be a response to a preceding message with"
    " 'tool_calls'.",
    "openai-responses": "No tool call found for function call output with call_id {ids}.",
    "anthropic": "unexpected `tool_use_id` found in `tool_result` blocks: {ids}. Each `tool_result` block must have a"
    " corresponding `tool_use` block in the previous message.",
}
_SECOND: Mapping[Provider, str] = {
    "openai": _ORPHAN["openai"],
    "openai-responses": SAME_ID["openai-responses"],
    "anthropic": "each tool_use must have a single result. Found multiple `tool_result` blocks with id: {ids}",
}
_UNANSWERED: Mapping[Provider, str] = {
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
    provider = provider or window.context.dialect
    length = len(window.messages)
    found = standing(faults(window, provider, [length], closely=closely), length)
    told = dict.fromkeys(problem_at(window, place, text) for place, text in found if place >= 0 or _was_sent(window))
    return tuple(told)


def problem_at(window: Window, place: int, text: str) -> Problem:
    """What is refused of the message at a place; of the whole window where that is -1."""
    return Problem(text, message=window.messages[place].id if place >= 0 else None)


def faults(window: Window, provider: Provider, lengths: Lengths, *, closely: bool = False) -> list[Fault]:
    """All that is refused of any of the window's beginnings that are asked for, from the top. Linear in all of them."""
    found = list(_disorder_in(window, provider, lengths))
    found += blemishes_in(window.messages, provider, lengths, closely)
    return sorted(found, key=attrgetter("place"))


def disorder(window: Window, provider: Provider) -> Iterator[tuple[int, str]]:
    """What is wrong with how messages stand to each other. No strategy leaves any of it behind."""
    length = len(window.messages)
    found = standing(_disorder_in(window, provider, [length]), length)
    return ((place, words) for place, words in found if place >= 0 or _was_sent(window))


def _disorder_in(window: Window, provider: Provider, lengths: Lengths) -> Iterator[Fault]:
    for rule in _RULES[provider]:
        yield from rule(window, provider, lengths)


def _nothing(window: Window, provider: Provider, _lengths: Lengths) -> Iterator[Fault]:
    """A request with no message in it. System messages are none where the form sets them apart."""
    messages = window.messages
    apart = provider != "openai"
    first = next((index for index, message in enumerate(messages) if not apart or message.role != "system"), FOR_EVER)
    yield Fault(-1, NOTHING[provider], 0, first)


def _was_sent(window: Window) -> bool:
    """Whether anything was recorded for the turn of a window, whatever plans have left of it."""
    return window.had_messages or bool(window.messages)


def _opening(window: Window, _provider: Provider, _lengths: Lengths) -> Iterator[Fault]:
    """A conversation that begins with a reply."""
    first = next((index for index, message in enumerate(window.messages) if message.role != "system"), None)
    if first is not None and window.messages[first].role == "assistant":
        yield Fault(first, OPENING, first + 1)


def _stray(window: Window, provider: Provider, _lengths: Lengths) -> Iterator[Fault]:
    """Results that no call asked for, and second results of a call."""
    orphans = window.groups.orphans
    asked: set[str] = set()
    for index, message in enumerate(window.messages if orphans else ()):
        if index in orphans:
            words = _SECOND if message.answers in asked else _ORPHAN
            yield Fault(index, words[provider].format(ids=message.answers), index + 1)
        elif message.role not in ("tool", "system"):
            if provider != "openai-responses":
                asked.clear()
            asked.update([call.id for call in message.calls])


def _unanswered(window: Window, provider: Provider, lengths: Lengths) -> Iterator[Fault]:
    """Calls without a result; where results have to stand right behind their call, also those that stand elsewhere.

    As long as nobody has spoken since, a call may wait. A result that comes later than that stands elsewhere.
    """
    if provider == "openai-responses":
        yield from _not_answered_yet(window, lengths)
        return
    elsewhere = _displaced(window, lifted=provider == "anthropic")
    for caller, end in _ends_of(window, {*window.groups.pending, *elsewhere}).items():
        message, places = window.messages[caller], elsewhere.get(caller, [])
        answers = [window.messages[place].answers or "" for place in places]
        if lacking := {*answers, *_open_ids(window, caller)}:
            yield Fault(caller, _words_for(message, lacking, provider), end + 1)
        first, last = bisect_left(lengths, places[0] + 1) if places else 0, bisect_right(lengths, end)
        for length in lengths[first:last] if places else ():
            ids = set(answers[: bisect_left(places, length)])
            yield Fault(caller, _words_for(message, ids, provider), length, length)


def _not_answered_yet(window: Window, lengths: Lengths) -> Iterator[Fault]:
    """Calls without a result where results may stand anywhere behind them: each until it has one."""
    groups, messages = window.groups, window.messages
    callers = set(groups.pending)
    if lengths[0] < len(messages):
        callers.update(members[0] for members in groups.members if len(members) > 1)
    for caller, end in _ends_of(window, callers).items():
        answered = {messages[place].answers or "": place for place in groups.members[groups.of[caller]][1:]}
        waiting = answered | dict.fromkeys(_open_ids(window, caller), FOR_EVER)
        for each in _in_order(messages[caller], set(waiting)):
            if waiting[each] > end:
                yield Fault(caller, _UNANSWERED["openai-responses"].format(ids=each), end + 1, waiting[each])


def _open_ids(window: Window, caller: int) -> set[str]:
    """The ids of a message's calls that nothing answers."""
    calls = window.messages[caller].calls
    return {calls[place].id for place in window.groups.pending.get(caller, ())}


def _ends_of(window: Window, callers: Collection[int]) -> dict[int, int]:
    """For each message with calls, the place of the next one in which somebody speaks; from there on no call waits."""
    if not callers:
        return {}
    speaking = [index for index, message in enumerate(window.messages) if speaks(message)]
    behind = dict(zip(speaking, [*speaking[1:], FOR_EVER], strict=False))
    return {caller: behind.get(caller, caller) for caller in callers}


def _words_for(message: Message, ids: set[str], provider: Provider) -> str:
    return _UNANSWERED[provider].format(ids=", ".join(_in_order(message, ids)))


def _in_order(message: Message, ids: set[str]) -> list[str]:
    """Those ids of a message's calls, as they were called."""
    return list(dict.fromkeys(call.id for call in message.calls if call.id in ids))


def _displaced(window: Window, lifted: bool) -> dict[int, list[int]]:
    """Results that do not stand right behind their call and its other results, by the message that called for them.

    Where system messages are `lifted` out of the conversation, they stand between nothing.
    """
    of, orphans, members = window.groups.of, window.groups.orphans, window.groups.members
    found: dict[int, list[int]] = {}
    block = -1
    for index, message in enumerate(window.messages):
        if message.role == "tool":
            if of[index] != block and index not in orphans:
                found.setdefault(members[of[index]][0], []).append(index)
        elif not lifted or message.role != "system":
            block = of[index]
    return found


def _thinking(window: Window, _provider: Provider, lengths: Lengths) -> Iterator[Fault]:
    """Thinking of the newest step, taken out or changed while the results that it asked for are being sent."""
    originals = window.originals
    changed = {
        index
        for index, now in enumerate(window.messages)
        if now.role == "assistant" and now.calls and originals.get(now.id, now) is not now
    }
    for index, end in _ends_of(window, changed).items():
        now = window.messages[index]
        before = originals[now.id]
        if not before.thinks or before.dialect != "anthropic" or not asked_between(lengths, index + 1, end):
            continue
        if not now.thinks:
            yield Fault(index, THINKING_GONE, index + 1, end)
        elif _thoughts(before) != _thoughts(now):
            yield Fault(index, THINKING_CHANGED, index + 1, end)


def _thoughts(message: Message) -> list[Thinking]:
    return [part for part in message.parts if isinstance(part, Thinking)]


_RULES: Mapping[Provider, tuple[_Rule, ...]] = {
    "openai": (_nothing, _stray, _unanswered),
    "openai-responses": (_nothing, _stray, _unanswered),
    "anthropic": (_nothing, _opening, _stray, _unanswered, _thinking),
}
