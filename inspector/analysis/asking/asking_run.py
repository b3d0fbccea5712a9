"""Put requests to a model within limits of money, time and rate, and hand out the replies as they come.

The requests run on an event loop in a separate thread, at most four at once. `Asker.ask` is a generator in the
caller's thread: it yields pieces of text and whole replies, and ends early if the caller cancels.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from queue import Empty, SimpleQueue
from threading import Event, Thread
from time import monotonic
from typing import Any

from inspector.analysis.asking.step_agreement import StepReply
from inspector.core.conversation import Usage
from inspector.core.text import dollars, plain_dumps, plural
from inspector.engine.summaries import (
    CUT_OFF,
    Answer,
    AnswerCall,
    DeadlineError,
    Failure,
    MissingClientError,
    ModelSettings,
    connection_loss,
    failure_of,
    fetch_answer,
    final_clause,
    retry_wait,
    setup_fault,
)
from inspector.llm.models import Price, cost
from inspector.llm.tokens import counter_for

CONCURRENCY = 4
_POLL = 0.05
"""Seconds between checks for cancellation."""
_GRACE = 2.0
_FILTERED = frozenset({"content_filter", "safety"})


@dataclass(frozen=True, eq=False)
class AskedCall:
    """One request to make."""

    label: str
    """Context that it contains."""
    sample: int
    """Number of the sample of the same request, from 1."""
    body: Mapping[str, Any]
    tokens: int
    """Tokens of the request, as counted for the recorded model."""
    most: int
    """Maximum number of tokens of the reply."""

    def digest(self, settings: ModelSettings) -> str:
        """Return the digest of the request, its endpoint and its API."""
        text = plain_dumps([settings.base_url.rstrip("/"), settings.api, self.body])
        return sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


@dataclass(frozen=True)
class AskedReply:
    """A model's reply, or the reason why it is missing."""

    text: str = ""
    calls: tuple[AnswerCall, ...] = ()
    usage: Usage | None = None
    cost: float = 0.0
    """Dollars; for a kept reply, those of the earlier call."""
    seconds: float = 0.0
    finish: str = ""
    problem: str = ""
    """Reason for a missing reply, in a sentence; empty for a reply."""
    kept: str = ""
    """Time of a reply that was kept from an earlier run; empty for a new one."""
    is_withheld: bool = False
    """True if the request was not sent on purpose, which is no failure."""

    @property
    def origin(self) -> str:
        """Day of a kept reply, or the context that has the same request; empty for a new one."""
        return self.kept[:10] if self.kept[:1].isdigit() else self.kept

    @property
    def step(self) -> StepReply:
        return StepReply(self.text, self.calls)


@dataclass(frozen=True)
class CallEstimate:
    """The size and the price of requests before they are made."""

    settings: ModelSettings
    calls: int
    tokens: int
    expected: float
    """Dollars, if each reply has the expected length."""
    most: float
    """Dollars, if each reply has its maximum length."""
    note: str = ""
    """Caveat about the price."""
    is_bound: bool = False
    """True if fewer calls may be enough."""

    def sentence(self, redacted: bool, max_cost: float) -> str:
        """Return the estimate as text for the user's consent.

        Args:
            redacted: True if secrets were redacted.
            max_cost: Dollars that are never exceeded.
        """
        settings = self.settings
        text = "redacted" if redacted else "not redacted"
        calls = ("Up to " if self.is_bound else "") + plural(self.calls, "call")
        note = f" ({self.note})" if self.note else ""
        return (
            f"{calls} to {settings.label} at {settings.place}: {self.tokens:,} tokens, about {dollars(self.expected)} "
            f"and at most {dollars(self.most)}{note}. The limit is {dollars(max_cost)}. The text is {text}."
        )


@dataclass
class Asker:
    """Puts requests to one model.

    Attributes:
        settings: The model.
        price: Price of its tokens.
        max_cost: Dollars that are never exceeded, by the maximum length of each reply.
        cancel: Returns True if the caller wants to stop.
        find: Returns the kept reply to a request, if there is one.
        keep: Keeps a new reply.
        jitter: Returns a random number from 0 to 1; replaced in tests.
        limit_hint: How to raise the limit of money, at the end of the reason for a call over it.
        spent: Dollars of all calls so far.
        count: Number of calls so far that the model answered or began to answer.
    """

    settings: ModelSettings
    price: Price
    max_cost: float = 0.5
    cancel: Callable[[], bool] = lambda: False
    find: Callable[[AskedCall], AskedReply | None] = lambda _: None
    keep: Callable[[AskedCall, AskedReply], None] = lambda *_: None
    jitter: Callable[[], float] = random.random
    limit_hint: str = ""
    spent: float = 0.0
    count: int = 0
    _reserved: float = 0.0
    _scale: float = 1.0
    """Reported tokens of a request as a multiple of the counted ones; at least 1."""
    _resume_at: float = 0.0
    """Time before which no request is made, because the endpoint asked to wait."""

    def estimate(self, calls: Sequence[AskedCall], expected: int) -> CallEstimate:
        """Return the size and the price of the calls that have no kept reply.

        Args:
            calls: The calls.
            expected: Expected tokens of a reply.
        """
        new = list({self._key(call): call for call in calls if self.find(call) is None}.values())
        likely = sum(self._price(call, min(expected, call.most)) for call in new)
        most = sum(self._price(call, call.most) for call in new)
        return CallEstimate(self.settings, len(new), sum(call.tokens for call in new), likely, most, self.price.note)

    def _price(self, call: AskedCall, output: int) -> float:
        return cost(self.price, Usage(round(call.tokens * self._scale), output)).total

    def ask(self, calls: Sequence[AskedCall]) -> Iterator[tuple[AskedCall, str | AskedReply]]:
        """Make calls, and yield pieces of their replies and each reply when it is complete.

        A call whose reply was kept is not made. A call that fails yields a reply with a problem.

        Args:
            calls: The calls.
        """
        waiting: dict[tuple[str, int], list[AskedCall]] = {}
        for call in calls:
            if (kept := self.find(call)) is not None:
                yield call, kept
            else:
                waiting.setdefault(self._key(call), []).append(call)
        if not waiting:
            return
        if fault := setup_fault(self.settings):
            yield from ((call, AskedReply(problem=f"{fault}.")) for twins in waiting.values() for call in twins)
            return
        for call, event in self._events([twins[0] for twins in waiting.values()]):
            yield call, event
            if isinstance(event, AskedReply):
                kept = event if event.problem else replace(event, kept=f"the context {call.label}")
                yield from ((twin, kept) for twin in waiting[self._key(call)][1:])

    def _key(self, call: AskedCall) -> tuple[str, int]:
        return call.digest(self.settings), call.sample

    def _events(self, calls: Sequence[AskedCall]) -> Iterator[tuple[AskedCall, str | AskedReply]]:
        """Run calls in a thread, and yield its events in this one."""
        events: SimpleQueue[tuple[AskedCall, str | AskedReply] | BaseException | None] = SimpleQueue()
        stop = Event()

        def work() -> None:
            try:
                asyncio.run(self._all(calls, events.put, stop))
                events.put(None)
            except BaseException as error:
                events.put(error)

        Thread(target=work, name="asking", daemon=True).start()
        end = float("inf")
        try:
            while monotonic() < end:
                if end == float("inf") and self.cancel():
                    stop.set()
                    end = monotonic() + _GRACE
                try:
                    event = events.get(timeout=_POLL)
                except Empty:
                    continue
                if event is None:
                    return
                if isinstance(event, BaseException):
                    raise event
                call, reply = event
                if isinstance(reply, AskedReply) and not reply.problem:
                    self.keep(call, reply)
                yield call, reply
        finally:
            stop.set()

    async def _all(self, calls: Sequence[AskedCall], put: Callable[[Any], None], stop: Event) -> None:
        # Errors of connections that are closed in the middle of an answer are suppressed.
        asyncio.get_running_loop().set_exception_handler(lambda _loop, _context: None)
        room = asyncio.Semaphore(CONCURRENCY)
        tasks = [asyncio.ensure_future(self._one(call, put, room)) for call in calls]
        while not all(task.done() for task in tasks):
            if stop.is_set():
                for task in tasks:
                    task.cancel()
                await asyncio.wait(tasks, timeout=_GRACE / 2)
                return
            await asyncio.wait(tasks, timeout=_POLL)
        for task in tasks:
            task.result()

    async def _one(self, call: AskedCall, put: Callable[[Any], None], room: asyncio.Semaphore) -> None:
        async with room:
            most = self._price(call, call.most)
            if self.spent + self._reserved + most > self.max_cost:
                words = (
                    f"Not asked: the call could cost {dollars(most)}, with {dollars(self.spent)} spent and a limit of "
                )
                problem = f"{words}{dollars(self.max_cost)}{self.limit_hint}."
                put((call, AskedReply(problem=problem, is_withheld=True)))
                return
            self._reserved += most
            try:
                reply = await self._insist(call, lambda words: put((call, words)))
            finally:
                self._reserved -= most
            put((call, reply))

    async def _insist(self, call: AskedCall, say: Callable[[str], None]) -> AskedReply:
        """Make a call with the retries of the settings, within their time."""
        settings, start = self.settings, monotonic()
        end, with_usage, attempt = start + settings.timeout, True, 0
        while True:
            await asyncio.sleep(max(0.0, self._resume_at - monotonic()))
            outcome = await self._attempt(call, say, end - monotonic(), with_usage)
            if isinstance(outcome, AskedReply):
                return replace(outcome, seconds=round(monotonic() - start, 3))
            if outcome.without_usage and with_usage:
                with_usage = False
                continue
            wait = retry_wait(outcome, attempt, settings.retries, end - monotonic(), self.jitter)
            if wait is None:
                return AskedReply(problem=f"{final_clause(outcome, attempt)}.")
            if outcome.wait is not None:
                self._resume_at = max(self._resume_at, monotonic() + wait)
            await asyncio.sleep(wait)
            attempt += 1

    async def _attempt(
        self, call: AskedCall, say: Callable[[str], None], seconds: float, with_usage: bool
    ) -> AskedReply | Failure:
        pieces, has_begun = list[str](), False

        def listen(words: str) -> None:
            nonlocal has_begun
            has_begun = True
            pieces.append(words)
            if words:
                say(words)

        answer = None
        try:
            request = fetch_answer(self.settings, call.body, listen, max(0.0, seconds), with_usage=with_usage)
            answer = await asyncio.wait_for(request, max(0.001, seconds))
        except MissingClientError as error:
            return AskedReply(problem=f"{error}.")
        except TimeoutError as error:
            own = DeadlineError() if seconds - 0.5 <= self.settings.timeout else error
            return failure_of(own, self.settings, has_begun)
        except Exception as error:
            return failure_of(error, self.settings, has_begun)
        finally:
            if answer is not None or has_begun:
                self._bill(call, answer, "".join(pieces))
        return self._reply(call, answer)

    def _bill(self, call: AskedCall, answer: Answer | None, text: str) -> None:
        """Add the cost of a call, also of one that was cut off or cancelled."""
        self.count += 1
        usage = self._usage_of(call, answer or Answer(text))
        if answer is not None and answer.usage is not None and call.tokens:
            self._scale = max(self._scale, answer.usage.input / call.tokens)
        self.spent += cost(self.price, usage).total

    def _usage_of(self, call: AskedCall, answer: Answer) -> Usage:
        if answer.usage is not None:
            return answer.usage
        texts = [answer.text, *(f"{one.name} {one.arguments}" for one in answer.calls)]
        return Usage(call.tokens, sum(map(counter_for(self.settings.model).count, texts)))

    def _reply(self, call: AskedCall, answer: Answer) -> AskedReply | Failure:
        """Return the reply of a complete answer; an incomplete one counts as none."""
        who, finish = self.settings.model_clause, (answer.finish or "").lower()
        usage = self._usage_of(call, answer)
        paid = cost(self.price, usage).total
        problem = ""
        if finish in CUT_OFF:
            problem = (
                f"The answer of {who[:1].lower()}{who[1:]} was cut off at its maximum length ({call.most:,} tokens)."
            )
        elif answer.finish == "":
            return connection_loss(self.settings)
        elif finish in _FILTERED:
            problem = f"{who} did not answer, because a filter of its provider stopped it."
        elif not (answer.text.strip() or answer.calls or answer.refusal):
            problem = f"{who} returned an empty answer."
        if problem:
            return AskedReply(usage=usage, cost=paid, problem=problem)
        return AskedReply(answer.text or answer.refusal, answer.calls, usage, paid, finish=answer.finish or "")
