"""The six sections of a window, added up while it grows: what `Window.sized` says, in constant time a message."""

from __future__ import annotations

from collections import defaultdict

from inspector.conversation import Message
from inspector.window import PROMPT, REPLY_PRIMER, SECTIONS, SYSTEM_SHARE, Window

_SYSTEM, _MEMORY, _TOOLS, _HISTORY, _INPUT, _SCRATCHPAD = range(len(SECTIONS))


class Sections:
    """Tokens by section. `of` begins anew with a whole window; `add` takes one more message."""

    def __init__(self) -> None:
        self.sums = [0] * len(SECTIONS)
        self.asked = self.started = False
        self.count = 0
        self.start = 0
        """The number of the message with which the current request begins."""
        self.waiting: defaultdict[str, list[int]] = defaultdict(list)
        """The numbers of the messages with calls that wait for a result, by the ids of the calls."""

    def of(self, window: Window) -> None:
        """Begin anew with the messages of a window."""
        self.__init__()  # type: ignore[misc]  # the state of a fresh one, whatever was there
        for message, tokens in zip(window.messages, window.tokens, strict=True):
            self.add(message, tokens)

    def waits(self, call: str | None) -> bool:
        """Whether a call with this id waits for its result."""
        return call is not None and bool(self.waiting.get(call))

    def add(self, message: Message, tokens: int, *, behind_call: bool = False) -> None:
        """One more message, at the end; or where it is a result and has to stand there, right behind its call."""
        said = message.role == "user" and message.kind == "said"
        if message.role == "user" and (said or not self.asked):
            self.asked, self.started = self.asked or said, True
            self.sums[_HISTORY] += self.sums[_INPUT] + self.sums[_SCRATCHPAD]
            self.sums[_INPUT] = self.sums[_SCRATCHPAD] = 0
            self.start = self.count
        place = self.place(message, said)
        if message.answers is not None and self.waits(message.answers):
            caller = self.waiting[message.answers].pop()
            place = _HISTORY if behind_call and place == _SCRATCHPAD and caller < self.start else place
        else:
            for call in message.calls:
                self.waiting[call.id].append(self.count)
        self.sums[place] += tokens
        self.count += 1

    def place(self, message: Message, said: bool) -> int:
        if message.role == "system":
            return _SYSTEM
        if message.kind in ("summary", "injected"):
            return _MEMORY
        if said:
            return _INPUT
        return _SCRATCHPAD if self.started else _HISTORY

    def sized(self, tools: int, unrecorded: int, any_message: bool) -> tuple[int, ...]:
        """All six with what is no message: tools, what the format leaves out, and the frame of the reply."""
        sums = list(self.sums)
        prompt = min(unrecorded, PROMPT)
        system = round(prompt * SYSTEM_SHARE)
        sums[_SYSTEM] += system
        sums[_TOOLS] += tools + prompt - system
        sums[_HISTORY] += unrecorded - prompt
        sums[_INPUT] += REPLY_PRIMER if any_message else 0
        return tuple(sums)
