"""The window of one agent while its log grows, seen through a stack of plans.

A `WindowCursor` steps through a log message by message. The compression engine, replays and comparisons all use one, so
that they agree on every window. `at_turn` returns the window that was sent for one reply of a recorded session.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from inspector.core.conversation import MAIN, Message, RequestContext, Session
from inspector.engine.window.groups import OpenCalls
from inspector.engine.window.plan import BY_HAND, Plan, apply, archived_ids, view
from inspector.engine.window.section_layout import Layout
from inspector.engine.window.sections import REPLY_PRIMER, request_sections
from inspector.engine.window.window import Window
from inspector.llm.tokens import Sizes

_LOOKBACK = 40
"""Number of messages at the end of a window to search before searching all of it."""


class WindowCursor:
    """A growing log and its window, empty at first.

    The window equals `view` of the whole log through all plans that apply at `turn`. Appending a message takes constant
    time, applying a plan takes time linear in the window, and going back takes time linear in the log.

    Args:
        context: Request context of the session.
        sizes: Token counts of the session.
        limit: Tokens the model accepts; the limit in `sizes` by default.
        agent: Agent whose window this is.
        preserve_system: False if system messages can be removed.
        originals: All messages that will be appended, by id; collected while they arrive by default.
    """

    def __init__(
        self,
        context: RequestContext,
        sizes: Sizes,
        *,
        limit: int = 0,
        agent: str = MAIN,
        preserve_system: bool = True,
        originals: Mapping[str, Message] | None = None,
    ) -> None:
        self.context = context
        self.sizes = sizes
        self._set_limit = limit
        self.limit = limit or sizes.limit
        self.agent = agent
        self.preserve_system = preserve_system
        self.unrecorded = 0
        """Tokens sent with every request that are not in the log."""
        self.removed = 0
        """Tokens of the log's messages that were not sent, according to the reported size."""
        self.reported: int | None = None
        """Input tokens that the provider reported for this turn's request; None if not recorded."""
        self.log: list[Message] = []
        """All appended messages, oldest first."""
        self.log_tokens: list[int] = []
        self.plans: list[Plan] = []
        """Plans through which the log is viewed, oldest first."""
        self._stable_length = 0
        self._collection: dict[str, Message] = {}
        self._originals = self._collection if originals is None else originals
        self._collects = originals is None
        self._messages: list[Message] = []
        self._tokens: list[int] = []
        self._window_tokens = self._context_tokens = self._context_length = 0
        self._turn = 1
        self._own_pins = self._pins = frozenset[str]()
        self._orders = self._leads = False
        self._later = sys.maxsize
        """Next turn at which further plans of the stack begin to apply."""
        self._plan_ids: set[str] = set()
        """Ids of the messages that an active plan names."""
        self._stale = False
        self._last_window: Window | None = None
        self._layout: Layout | None = None
        self._log_calls: OpenCalls | None = None
        self._archived_ids: set[str] = set()
        self._archived: tuple[Message, ...] | None = None

    def __len__(self) -> int:
        if self._stale:
            self._refresh()
        return len(self._messages)

    @property
    def messages(self) -> Sequence[Message]:
        if self._stale:
            self._refresh()
        return self._messages

    @property
    def tokens(self) -> Sequence[int]:
        if self._stale:
            self._refresh()
        return self._tokens

    @property
    def stable_length(self) -> int:
        """Length of the window's prefix that has not changed since this attribute was last set."""
        if self._stale:
            self._refresh()
        return self._stable_length

    @stable_length.setter
    def stable_length(self, length: int) -> None:
        self._stable_length = length

    @property
    def turn(self) -> int:
        """Number of the next reply. Plans made at a later turn do not apply."""
        return self._turn

    @turn.setter
    def turn(self, turn: int) -> None:
        moved = turn < self._turn or turn >= self._later
        self._turn = turn
        if moved and self.plans:
            self._restack()

    @property
    def pins(self) -> frozenset[str]:
        """Ids of messages to keep word for word: those set here and those that plans pin."""
        if self._stale:
            self._refresh()
        return self._pins

    @pins.setter
    def pins(self, ids: frozenset[str]) -> None:
        self._own_pins = self._pins = ids
        self._stale = self._stale or any(plan.strategy == BY_HAND for plan in self.plans)

    @property
    def around(self) -> int:
        """Tokens of a request other than its messages."""
        return self.sizes.tools + self.unrecorded

    @property
    def total(self) -> int:
        """Tokens of the window, equal to `window().total` without building the window."""
        if self._stale:
            self._refresh()
        return max(0, self._window_tokens - self.removed) + self.around + (REPLY_PRIMER if self._messages else 0)

    @property
    def full_total(self) -> int:
        """Tokens of the window without any plan."""
        sent = max(0, self._context_tokens - self.removed)
        return sent + self.around + (REPLY_PRIMER if self._context_length else 0)

    @property
    def request(self) -> Message | None:
        """Current request of the window, or None. The window is not built."""
        if self._stale:
            self._refresh()
        return self._layout_of().totals.request

    @property
    def archived(self) -> tuple[Message, ...]:
        """Messages of the log that active plans have archived, oldest first. The same object until that changes."""
        if self._stale:
            self._refresh()
        if self._archived is None:
            ids = self._archived_ids
            self._archived = tuple([message for message in self.log if message.id in ids]) if ids else ()
        return self._archived

    def sections(self) -> tuple[int, ...]:
        """Return the tokens of the six sections, equal to `window().breakdown` without building the window."""
        if self._stale:
            self._refresh()
        sums = self._layout_of().totals.sums
        return request_sections(sums, self.sizes, self.unrecorded, bool(self._messages), self.removed)

    def window(self) -> Window:
        """Return the current window, even if a provider would reject it."""
        if self._stale:
            self._refresh()
        now = self._turn, self._pins, self.unrecorded, self.reported, self.removed, self.limit
        window = self._last_window
        if window is None:
            window = self._window(self._messages, self._tokens, self._pins)
        elif (window.turn, window.pins, window.unrecorded, window.reported, window.removed, window.limit) != now:
            turn, pins, rest, sent, removed, limit = now
            window = replace(window, turn=turn, pins=pins, unrecorded=rest, reported=sent, removed=removed, limit=limit)
        self._last_window = window
        return window

    def full_window(self) -> Window:
        """Return the whole log as one window, without any plan."""
        places = [place for place, message in enumerate(self.log) if message.kind != "notice"]
        tokens = [self.log_tokens[place] for place in places]
        return self._window([self.log[place] for place in places], tokens, self._own_pins)

    def _window(self, messages: Sequence[Message], tokens: Sequence[int], pins: frozenset[str]) -> Window:
        return Window(
            self.context,
            self.sizes,
            self._turn,
            tuple(messages),
            tuple(tokens),
            self.limit,
            self.unrecorded,
            self.agent,
            pins,
            self.preserve_system,
            self._originals,
            self._context_length > 0,
            self.reported,
            self.removed,
        )

    def enter(self, session: Session, turn: int) -> None:
        """Set the turn, and the tokens reported, unrecorded and accepted at it in the session the log comes from."""
        self.turn = turn
        replies = session.turns(self.agent)
        reply = session.messages[replies[turn - 1]] if turn <= len(replies) else None
        self.reported = reply.usage.input if reply and reply.usage else None
        end = reply.parent if reply else session.last_position(self.agent)
        self.unrecorded = self.sizes.unrecorded_before(reply) if reply else self.sizes.unrecorded_at(end)
        self.removed = self.sizes.removed_at(end)
        self.limit = self._set_limit or session.limit_at(turn, self.agent) or self.sizes.limit

    def append(self, message: Message, tokens: int) -> None:
        """Append a message of `tokens` tokens to the log and, unless it is a notice, to the window.

        If a plan altered the window, a result is inserted after its call, or removed if the plan removed the call, and
        system messages are inserted at the start.
        """
        self.log.append(message)
        self.log_tokens.append(tokens)
        if self._collects:
            self._collection[message.id] = message
        if message.kind == "notice":
            return
        self._context_length += 1
        self._context_tokens += tokens
        if self._stale or message.id in self._plan_ids:
            self._make_stale()
        else:
            self._append(message, tokens)

    def extend(self, messages: Sequence[Message], tokens: Sequence[int]) -> None:
        """Append messages to the log, like `append`. `tokens` has the size of each, in the same order."""
        if self.plans or self._layout or self._collects:
            for message, size in zip(messages, tokens, strict=True):
                self.append(message, size)
            return
        self.log += messages
        self.log_tokens += tokens
        places = [place for place, message in enumerate(messages) if message.kind != "notice"]
        self._messages += [messages[place] for place in places]
        self._tokens += (sizes := [tokens[place] for place in places])
        total = sum(sizes)
        self._context_length, self._context_tokens = self._context_length + len(places), self._context_tokens + total
        self._window_tokens += total
        self._last_window = None

    def _append(self, message: Message, tokens: int) -> None:
        if self._orders:
            place = self._next_place(message)
            if place is None:
                return
            self._messages.insert(place, message)
            self._tokens.insert(place, tokens)
            self._stable_length = min(self._stable_length, place)
        else:
            self._messages.append(message)
            self._tokens.append(tokens)
        self._window_tokens += tokens
        self._last_window = None
        if self._layout:
            self._layout.add(message, tokens, ordered=self._orders)

    def _next_place(self, message: Message) -> int | None:
        """Return the position of the newest message in an ordered window; None if it is removed with its call."""
        answers_call, layout = self._answers_call(message), self._layout_of()
        if self._leads and message.role == "system":
            return layout.lead
        if caller := layout.calls.caller_of(message):
            return self._place_of(caller) + 1 + layout.answers[caller]
        return None if answers_call and self._leads else len(self._messages)

    def _answers_call(self, message: Message) -> bool:
        """Return True if the newest message of the log is a result that answers an open call of the log."""
        if self._log_calls is None:
            self._log_calls = OpenCalls([earlier for earlier in self.log[:-1] if earlier.kind != "notice"])
        return self._log_calls.feed(message) is not None

    def _place_of(self, message: Message) -> int:
        near = range(len(self._messages) - 1, max(-1, len(self._messages) - 1 - _LOOKBACK), -1)
        place = next((place for place in near if self._messages[place] is message), None)
        return self._messages.index(message) if place is None else place

    def rewind(self, length: int) -> None:
        """Truncate the log to its first `length` messages. Plans are kept and also apply to messages appended later."""
        if length >= len(self.log):
            return
        for message, tokens in zip(self.log[length:], self.log_tokens[length:], strict=True):
            if message.kind != "notice":
                self._context_length -= 1
                self._context_tokens -= tokens
        del self.log[length:], self.log_tokens[length:]
        self._make_stale()

    def apply(self, plan: Plan, after: Window | None = None) -> Window:
        """Push a plan onto the stack and return the new window. `after` is that window if it is already known."""
        before = self.window()
        self.plans.append(plan)
        if plan.turn > self._turn:
            self._later = min(self._later, plan.turn)
            return before
        self._note([plan])
        self._become(apply(before, plan) if after is None else after)
        return self.window()

    def undo(self) -> Plan | None:
        """Pop the newest plan and return it; None if the stack is empty."""
        if not self.plans:
            return None
        plan = self.plans.pop()
        self._restack()
        return plan

    def reset(self, plans: Iterable[Plan] = ()) -> None:
        """Replace the stack of plans."""
        self.plans = list(plans)
        self._restack()

    def _restack(self) -> None:
        """Recompute the state that depends on which plans are active."""
        self._orders = self._leads = False
        self._plan_ids, self._archived_ids = set(), set()
        self._later = min((plan.turn for plan in self.plans if plan.turn > self._turn), default=sys.maxsize)
        self._note([plan for plan in self.plans if plan.turn <= self._turn])
        self._make_stale()

    def _note(self, plans: Sequence[Plan]) -> None:
        """Record the effect of plans on message order (see `apply`), and the messages they name or archive."""
        for plan in plans:
            self._plan_ids.update(plan.ids)
            if ids := archived_ids(plan):
                self._archived_ids.update(ids)
                self._archived = None
            if not plan.has_failed:
                self._leads = self._leads or plan.alters
                self._orders = self._orders or plan.alters or plan.strategy != BY_HAND

    def _make_stale(self) -> None:
        self._stale = True
        self._log_calls = self._archived = None

    def _refresh(self) -> None:
        self._become(view(self.full_window(), self.plans))

    def _become(self, window: Window) -> None:
        pairs = enumerate(zip(self._messages[: self._stable_length], window.messages, strict=False))
        length = min(self._stable_length, len(window.messages))
        self._stable_length = next((place for place, (old, new) in pairs if old is not new), length)
        self._messages, self._tokens = list(window.messages), list(window.tokens)
        self._window_tokens = sum(window.tokens)
        self._pins = window.pins
        self._stale, self._layout, self._last_window = False, None, window

    def _layout_of(self) -> Layout:
        if self._layout is None:
            self._layout = Layout(self._messages, self._tokens)
        return self._layout


def at_turn(session: Session, sizes: Sizes, turn: int | None = None, agent: str = MAIN, limit: int = 0) -> Window:
    """Return the window of `agent` at a turn of a recorded session.

    Args:
        session: The recorded session.
        sizes: Token counts of the session's messages.
        turn: Number of the reply, from 1. One past the last reply, or None, is the current context.
        agent: Agent whose window this is.
        limit: Tokens the model accepts; the limit in `sizes` by default.

    Raises:
        ValueError: The session has no such turn.
    """
    last = len(session.turns(agent)) + 1
    turn = last if turn is None else turn
    if not 1 <= turn <= last:
        raise ValueError(f"there is no turn {turn}: the last turn is {last - 1}, and {last} is the current context")
    cursor = WindowCursor(session.context, sizes, limit=limit, agent=agent, originals=session.by_id)
    cursor.enter(session, turn)
    path = session.path_to(session.context_end(turn, agent))
    cursor.extend([session.messages[position] for position in path], [sizes.tokens[position] for position in path])
    return cursor.window()
