"""One request to an OpenAI-compatible endpoint, answered as a stream."""

from __future__ import annotations

from typing import Any

import orjson

from inspector.summaries.model.answers import Answer, AnswerStream, answer_of
from inspector.summaries.model.failures import NoAnswerError
from inspector.summaries.model.flow import ModelRequest
from inspector.summaries.model.settings import OPENAI, ModelSettings

GRACE = 2.0
"""Seconds that a request has for closing its connection."""
_MOST_BYTES = 8_000_000
"""Bytes of an answer that does not come as a stream; what is longer is no summary."""


async def fetch_answer(settings: ModelSettings, request: ModelRequest) -> Answer:
    """The endpoint's answer to a request, whether it streams or not.

    The words are given to `request.listener` as they come, none as soon as the endpoint has begun to answer. Raises
    NoAnswerError for what is no chat completion, what the listener raises, and whatever openai raises.
    """
    from openai import AsyncOpenAI

    seconds = request.seconds + GRACE
    async with AsyncOpenAI(
        base_url=settings.base_url, api_key=settings.api_key or "none", timeout=seconds, max_retries=0
    ) as client:
        try:
            return await _stream(client, settings, request)
        except (ValueError, TypeError, AttributeError, KeyError) as error:
            raise NoAnswerError from error


async def _stream(client: Any, settings: ModelSettings, request: ModelRequest) -> Answer:
    options = _limit(settings) | ({"stream_options": {"include_usage": True}} if request.with_usage else {})
    create = client.chat.completions.with_raw_response.create
    response = await create(model=settings.model, messages=request.messages, stream=True, **options)
    request.listener("")
    if "json" in response.headers.get("content-type", ""):
        answer = answer_of(orjson.loads(await _body(response.http_response)))
        if not answer.finish:
            raise NoAnswerError
        request.listener(answer.text)
        return answer
    stream, chunks = AnswerStream(), response.parse()
    try:
        async for chunk in chunks:
            if words := stream.take(chunk):
                request.listener(words)
    finally:
        await chunks.close()
    return stream.answer


async def _body(response: Any) -> bytes:
    """The body of an answer that is no stream. Raises NoAnswerError for one that does not end."""
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > _MOST_BYTES:
            raise NoAnswerError
    return bytes(body)


def _limit(settings: ModelSettings) -> dict[str, Any]:
    """How the server is told where to stop. OpenAI itself has given this a new name; all others know the old one."""
    if not settings.max_output:
        return {}
    name = "max_completion_tokens" if settings.base_url == OPENAI else "max_tokens"
    return {name: settings.max_output}
