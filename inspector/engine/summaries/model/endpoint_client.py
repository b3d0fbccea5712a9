"""Send a request to a model endpoint and receive the answer while it arrives.

Requests are bodies in the form of one of three APIs: OpenAI's chat and Responses APIs, and Anthropic's Messages API.
The client libraries are imported when a request is made; that of Anthropic is an extra.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from importlib import import_module
from inspect import isawaitable
from typing import Any

import orjson

from inspector.core.limits import byte_text, limit
from inspector.engine.summaries.model.answer_streams import MessagesStream, ResponsesStream, response_answer
from inspector.engine.summaries.model.bounded_bodies import bound_body
from inspector.engine.summaries.model.failures import FirstByteError, NoAnswerError, OverlongAnswerError
from inspector.engine.summaries.model.model_answers import Answer, AnswerStream, answer_of
from inspector.engine.summaries.model.model_settings import OPENAI, ModelSettings
from inspector.engine.summaries.summary_errors import MissingClientError

GRACE = 2.0
"""Seconds for a request to close its connection."""
_CONNECT_TIMEOUT = 15.0
"""Maximum seconds to connect to the endpoint."""
_FIELDS: Mapping[str, tuple[str, ...]] = {
    "openai": ("model", "messages"),
    "openai-responses": ("model", "input"),
    "anthropic": ("model", "messages", "max_tokens"),
}
"""Fields of a request that the client libraries require as arguments."""


async def fetch_answer(
    settings: ModelSettings,
    body: Mapping[str, Any],
    listener: Callable[[str], object],
    seconds: float,
    *,
    with_usage: bool = True,
) -> Answer:
    """Return the endpoint's answer to a request, streamed or not.

    Args:
        settings: Endpoint and API.
        body: Request in the form of the API, without `stream`.
        listener: Called with text as it arrives, first with an empty text when the endpoint begins to answer.
        seconds: Time limit for the connection and for silence. The caller limits the whole request.
        with_usage: True to request token usage in the stream of a chat endpoint, which some reject.

    Raises:
        NoAnswerError: The response is not an answer.
        FirstByteError: The endpoint does not begin to answer.
        MissingClientError: The library of Anthropic is not installed.
        Exception: Any exception of the listener or of the client library.
    """
    async with _client_of(settings, seconds + GRACE) as client:
        try:
            return await _stream(client, settings, body, listener, with_usage)
        except (ValueError, TypeError, AttributeError, KeyError) as error:
            raise NoAnswerError from error


def _client_of(settings: ModelSettings, seconds: float) -> Any:
    """Return an asynchronous client that follows no redirect, retries nothing and reads no endless error."""
    is_anthropic = settings.api == "anthropic"
    try:
        library: Any = import_module("anthropic" if is_anthropic else "openai")
    except ImportError:
        raise MissingClientError(
            "Anthropic's API needs its library: pip install 'memory-inspector[anthropic]'"
        ) from None
    address = settings.base_url.rstrip("/").removesuffix("/v1") if is_anthropic else settings.base_url
    return (library.AsyncAnthropic if is_anthropic else library.AsyncOpenAI)(
        base_url=address,
        api_key=settings.api_key or "none",
        timeout=library.Timeout(seconds, connect=min(seconds, _CONNECT_TIMEOUT)),
        max_retries=0,
        http_client=library.DefaultAsyncHttpxClient(follow_redirects=False, event_hooks={"response": [bound_body]}),
    )


async def _stream(
    client: Any, settings: ModelSettings, body: Mapping[str, Any], listener: Callable[[str], object], with_usage: bool
) -> Answer:
    required = _FIELDS[settings.api]
    rest = {name: value for name, value in body.items() if name not in (*required, "stream", "stream_options")}
    stream: AnswerStream | ResponsesStream | MessagesStream
    match settings.api:
        case "anthropic":
            api, stream, whole = client.messages, MessagesStream(), answer_of
        case "openai-responses":
            api, stream, whole = client.responses, ResponsesStream(), response_answer
        case _:
            api, stream, whole = client.chat.completions, AnswerStream(), answer_of
            rest |= {"stream_options": {"include_usage": True}} if with_usage else {}
    arguments = {name: body[name] for name in required}
    response = await _begun(api.with_raw_response.create(**arguments, stream=True, extra_body=rest), settings)
    listener("")
    if "json" in response.headers.get("content-type", ""):
        answer = whole(orjson.loads(await _whole_body(response.http_response)))
        if not answer.finish:
            raise NoAnswerError
        listener(answer.text)
        return answer
    events = response.parse()
    events = await events if isawaitable(events) else events
    try:
        async for event in events:
            if words := stream.feed(event):
                listener(words)
    finally:
        await events.close()
    return stream.answer


async def _begun(request: Awaitable[Any], settings: ModelSettings) -> Any:
    """Return the response when the endpoint begins to answer. Raises FirstByteError if that takes too long."""
    try:
        async with asyncio.timeout(settings.patience):
            return await request
    except TimeoutError as error:
        raise FirstByteError from error


async def _whole_body(response: Any) -> bytes:
    """Return the body of an answer that is not streamed. Raises OverlongAnswerError if it is too long."""
    body, most = bytearray(), limit("reply")
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > most:
            raise OverlongAnswerError(byte_text(most))
    return bytes(body)


def chat_body(settings: ModelSettings, messages: Any) -> dict[str, Any]:
    """Return a request of chat messages, the first of which has the role "system", in the form of the settings' API."""
    most = settings.max_output
    match settings.api:
        case "anthropic":
            system, *rest = messages
            parts = {"system": system["content"], "messages": rest, "max_tokens": most or _MAX_OUTPUT}
        case "openai-responses":
            parts = {"input": list(messages)} | ({"max_output_tokens": most} if most else {})
        case _:
            # OpenAI has renamed the parameter; other servers know the old name.
            name = "max_completion_tokens" if settings.base_url == OPENAI else "max_tokens"
            parts = {"messages": messages} | ({name: most} if most else {})
    return {"model": settings.model, **parts}


_MAX_OUTPUT = 8_192
"""Output limit for an API that requires one."""
