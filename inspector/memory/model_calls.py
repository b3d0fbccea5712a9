"""An agent's own model: calling it, reading its responses, and having it write summaries."""

from __future__ import annotations

import asyncio
import inspect
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from math import inf
from typing import Any, ParamSpec, TypeVar

from inspector.core.conversation import Message, ToolCall, Usage, parts_of
from inspector.engine.strategies import Summariser
from inspector.engine.summaries import (
    Answer,
    CallTotals,
    DeadlineError,
    ModelSettings,
    Pause,
    Step,
    SummaryError,
    SummaryFlow,
    answer_of,
    cancellation,
    choice_of,
    drive_async,
    field_of,
    parse_usage,
    text_of,
)
from inspector.llm.providers import dialect_of_message
from inspector.memory.foreign_messages import describe_failure, foreign_reply
from inspector.memory.message_adapter import LLMMessage, block_as_dict, further_fields, message_of, reply_fields

_P = ParamSpec("_P")
_T = TypeVar("_T")


async def call(llm: Any, messages: Sequence[LLMMessage], tools: Sequence[Any] | None = None) -> Any:
    """Call `llm.call_async` and return its response.

    Args:
        llm: The client.
        messages: Messages to send.
        tools: Tool definitions, which are passed if `call_async` accepts them. None if it requires them and there are
            none.
    """
    hands_over = _accepts_tools(llm.call_async) if tools else _needs_tools(llm.call_async)
    return await llm.call_async(messages=list(messages), **({"tools": tools or None} if hands_over else {}))


def _parameters(function: Any) -> dict[str, inspect.Parameter]:
    """Return the parameters of a function by name; none if it has no signature."""
    try:
        return dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return {}


def _needs_tools(function: Any) -> bool:
    """Return True if `tools` is a required parameter."""
    parameter = _parameters(function).get("tools")
    return parameter is not None and parameter.default is parameter.empty


def _accepts_tools(function: Any) -> bool:
    """Return True if `tools` is a parameter, or the parameters are unknown."""
    parameters = _parameters(function)
    return not parameters or "tools" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


async def in_own_thread(function: Callable[[], _T]) -> _T:
    """Return the result of a function that runs in its own thread.

    The function may wait for work in the few threads of the loop's executor.
    """
    executor = ThreadPoolExecutor(1)
    try:
        return await asyncio.get_running_loop().run_in_executor(executor, copy_context().run, function)
    finally:
        executor.shutdown(wait=False)


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A model's response as an agent uses it."""

    message: LLMMessage
    """As it goes into the memory, with thinking and tool calls."""
    usage: Usage | None = None

    @property
    def text(self) -> str:
        """Its words, without calls and thinking."""
        return text_of(self.message.content)

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tools that it calls."""
        raw = self.message.to_dict()
        return tuple(part for part in parts_of(raw, dialect_of_message(raw)) if isinstance(part, ToolCall))


def parse_response(response: Any) -> ModelReply:
    """Read a response of any client, with attributes or dictionaries.

    Replies of OpenAI's chat and Responses APIs, Anthropic and Gemini, messages of LangChain and Pydantic AI, and texts
    are supported.

    Raises:
        ValueError: The response is an error, has no reply, or has another form.
    """
    if field_of(response, "error") and isinstance(field_of(response, "error"), str | Mapping):
        raise ValueError(describe_failure(response))
    if (foreign := foreign_reply(response)) is not None:
        return ModelReply(message_of(foreign[0]), foreign[1])
    if field_of(response, "type") == "remove":  # LangChain's instruction to a graph has an empty content
        raise ValueError("The message removes another one and is no reply.")
    message = choice_of(response)[1]
    content, calls = _reply_content(message), field_of(message, "tool_calls")
    calls = list(calls) if isinstance(calls, list | tuple) and calls else None
    if message == "" or (content is None and not calls and not _is_null(message, "content")):
        raise ValueError(describe_failure(response))
    further = reply_fields(message) if message is response else further_fields(message)
    usage = parse_usage(field_of(response, "usage"))
    return ModelReply(LLMMessage("assistant", content, calls, further=further), usage)


def _reply_content(message: Any) -> Any:
    """Return the content of a reply as a text or blocks; None if it has neither."""
    content = message if isinstance(message, str) else field_of(message, "content")
    if isinstance(content, list | tuple):
        return [block_as_dict(block) for block in content]
    return content if isinstance(content, str) else None


def _is_null(thing: Any, name: str) -> bool:
    """Return True if a field is present and null."""
    return (name in thing if isinstance(thing, Mapping) else hasattr(thing, name)) and field_of(thing, name) is None


def text_field(thing: Any, name: str) -> str:
    """Return a text attribute of a client; "" if it has another type or is missing."""
    text = field_of(thing, name)
    return text if isinstance(text, str) else ""


def provider_field(llm: Any) -> str:
    """Return the provider's name that a client declares, or ""."""
    return text_field(llm, "provider_name") or text_field(llm, "provider")


def settings_of(llm: Any, model: str, timeout: float, retries: int) -> ModelSettings:
    """Return the properties of the model of a client.

    Args:
        llm: The client.
        model: Name of the model.
        timeout: Seconds until a request fails, or 0 for no limit.
        retries: Number of retries of a failed request.
    """
    address = field_of(llm, "base_url") or field_of(field_of(llm, "client"), "base_url") or ""
    return ModelSettings(model or text_field(llm, "model"), str(address), timeout=timeout or inf, retries=retries)


@dataclass
class LLMSummarizer:
    """Summaries by an agent's own model, asked on the agent's event loop, by the rules of `SummaryFlow`.

    It is a summariser for a worker thread: `run` calls a function in one and lets it call this there. `fallback` makes
    the summary where the model gives none; without it, SummaryError is raised. `totals` adds up what all requests
    took, those that failed too. `sleep` and `jitter` are arguments so that tests need not wait.
    """

    llm: Any
    settings: ModelSettings
    fallback: Summariser | None = None
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    jitter: Callable[[], float] = random.random
    totals: CallTotals = CallTotals()  # noqa: RUF009  a constant: it is frozen
    failures: list[str] = field(default_factory=list)
    """Why the model gave no summary, each time that it did not."""
    _is_cancelled: bool = False
    _loop: asyncio.AbstractEventLoop | None = None
    _future: Future[str] | None = None

    async def summarize(self, messages: Sequence[Message], target: int, count: Callable[[str], int]) -> str:
        """Return a summary of messages, or an empty text if they have no content.

        Args:
            messages: The messages.
            target: Target size in tokens.
            count: Counts the tokens of a text.

        Raises:
            SummaryError: The model failed. The message has the reason.
        """
        flow = SummaryFlow(self.settings, count, jitter=self.jitter)
        try:
            return await drive_async(flow.steps(messages, target), self._perform)
        finally:
            self.totals += flow.totals

    async def _perform(self, step: Step) -> Answer | None:
        if isinstance(step, Pause):
            await self.sleep(step.seconds)
            return None
        messages = [LLMMessage(message["role"], message["content"]) for message in step.messages]
        try:
            async with asyncio.timeout(None if step.seconds == inf else step.seconds) as limit:
                return answer_of(await call(self.llm, messages))
        except Exception as error:
            if limit.expired():
                raise DeadlineError from error
            raise

    async def run(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Return the result of a function that runs in a worker thread and may call this summarizer there.

        If the caller is cancelled, a running request is cancelled too.
        """
        self.attach()
        try:
            return await in_own_thread(lambda: function(*args, **kwargs))
        except asyncio.CancelledError:
            self.cancel()
            raise

    def attach(self) -> None:
        """Send requests on the event loop that is running."""
        self._loop = asyncio.get_running_loop()

    def __call__(self, messages: Sequence[Message], target: int, count: Callable[[str], int]) -> str:
        """Return a summary by the model or, if it fails, by `fallback`. For the thread of `run` only."""
        try:
            return self._wait_for(messages, target, count)
        except SummaryError as error:
            self.failures.append(str(error))
            if self.fallback is None or self._is_cancelled:
                raise
            return self.fallback(messages, target, count)

    def _wait_for(self, messages: Sequence[Message], target: int, count: Callable[[str], int]) -> str:
        assert self._loop is not None, "a summariser is called by a function that `run` calls"
        if self._is_cancelled:
            raise cancellation()
        self._future = asyncio.run_coroutine_threadsafe(self.summarize(messages, target, count), self._loop)
        if self._is_cancelled:
            self._future.cancel()
        try:
            return self._future.result()
        except CancelledError:
            raise cancellation() from None

    def cancel(self) -> None:
        """Give up, with the request that is under way."""
        self._is_cancelled = True
        if self._future:
            self._future.cancel()
