"""The synchronous and the asynchronous caller of a model ask the same and come to the same, failure by failure."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from openai import AsyncOpenAI, DefaultAsyncHttpxClient

from inspector.engine.summaries import CallTotals, ModelSettings, ModelSummariser, SummaryError
from inspector.memory.model_calls import LLMSummarizer
from tests.engine.summaries.endpoint import (
    SUMMARY,
    USAGE,
    Asked,
    Behaviour,
    Endpoint,
    fails,
    hangs,
    nobody,
    says,
    serving,
)
from tests.engine.summaries.test_summarizer import KEY, MESSAGES, TARGET, long_messages, whole
from tests.generated import LETTERS


def completes(text: str | None = SUMMARY, finish: str = "stop", **message: Any) -> Behaviour:
    """A whole answer, streamed or not as the request wants it."""
    body = json.loads(whole(content=text, **message))
    body["choices"][0]["finish_reason"] = finish

    def behave(asked: Asked) -> None:
        if not asked.body.get("stream"):
            says(json.dumps(body), "application/json")(asked)
            return
        asked.head()
        asked.piece(text, **message)
        asked.piece(finish=finish)
        asked.usage(**USAGE)
        asked.event("[DONE]")

    return behave


SCRIPTS: dict[str, tuple[Behaviour, ...]] = {
    "a summary": (completes(),),
    "a fenced summary": (completes(f"```\n{SUMMARY}\n```"),),
    "429 with a wait, then a summary": (fails(429, retry_after="3"), completes()),
    "429 again and again": (fails(429),),
    "429 and a wait that is too long": (fails(429, retry_after="3600"),),
    "500, then a summary": (fails(500), completes()),
    "500 again and again": (fails(500),),
    "503 with a wait, 500, then a summary": (fails(503, retry_after="0.25"), fails(500), completes()),
    "no quota": (fails(429, {"message": "?", "code": "insufficient_quota"}),),
    "wrong key": (fails(401, {"message": f"Incorrect API key: {KEY}"}),),
    "no such model": (fails(404, {"message": "The model does not exist."}),),
    "bad request": (fails(400, {"message": "temperature:\n\x1b[31mtoo hot."}),),
    "too long a request": (fails(400, {"message": "?", "code": "context_length_exceeded"}),),
    "silence": (hangs(),),
    "an empty answer": (completes(""),),
    "no content": (completes(None),),
    "a refusal": (completes(None, refusal="I cannot help\nwith that."),),
    "filtered": (completes(finish="content_filter"),),
    "cut off by length": (completes(finish="length"),),
    "a tool": (completes(finish="tool_calls"),),
    "too long": (completes("word " * 440),),
    "no JSON": (says("{nonsense", "application/json"),),
    "another JSON": (says('{"error": {"message": "out of memory"}}', "application/json"),),
    "a web page": (says("<html>Log in</html>", "text/html"),),
}
TIMEOUTS = {"silence": (0.4, 4, 40)}
"""Seconds that the model has, by script: more where a busy machine needs them to send the request at all."""


@dataclass
class Result:
    """What came of one call, and what it took to get there."""

    text: str
    totals: CallTotals
    waits: list[float] = field(default_factory=list)
    requests: list[tuple[str, list[dict[str, str]]]] = field(default_factory=list)


@dataclass
class Client:
    """An agent's model behind OpenAI's own library."""

    settings: ModelSettings

    async def call_async(self, messages: Sequence[Any], tools: Any = None) -> Any:
        shown = [message.to_dict() for message in messages]
        async with AsyncOpenAI(base_url=self.settings.base_url, api_key=KEY, max_retries=0) as client:
            completions: Any = client.chat.completions
            return await completions.create(model=self.settings.model, messages=shown)


@dataclass
class Plain:
    """An agent's model behind an HTTP client."""

    settings: ModelSettings

    @property
    def base_url(self) -> str:
        return self.settings.base_url

    async def call_async(self, messages: Sequence[Any], tools: Any = None) -> Any:
        body = {"model": self.settings.model, "messages": [message.to_dict() for message in messages]}
        async with DefaultAsyncHttpxClient() as client:
            response = await client.post(f"{self.base_url}/chat/completions", json=body, timeout=60)
        response.raise_for_status()
        return response.json() if "json" in response.headers["content-type"] else response.text


async def by_thread(settings: ModelSettings, messages: Sequence[Any]) -> Result:
    waits: list[float] = []
    summariser = ModelSummariser(settings, sleep=waits.append, jitter=lambda: 0.5)
    try:
        text = summariser(messages, TARGET, LETTERS.count)
    except SummaryError as error:
        text = str(error)
    return Result(text, summariser.totals, waits)


def by_loop(client: Callable[[ModelSettings], Any]) -> Callable[[ModelSettings, Sequence[Any]], Awaitable[Result]]:
    async def run(settings: ModelSettings, messages: Sequence[Any]) -> Result:
        waits: list[float] = []

        async def sleep(seconds: float) -> None:
            waits.append(seconds)

        summarizer = LLMSummarizer(client(settings), settings, sleep=sleep, jitter=lambda: 0.5)
        try:
            text = await summarizer.summarize(messages, TARGET, LETTERS.count)
        except SummaryError as error:
            text = str(error)
        return Result(text, summarizer.totals, waits)

    return run


async def outcome(caller: Any, settings: ModelSettings, endpoint: Endpoint, messages: Sequence[Any]) -> Result:
    result: Result = await caller(settings, messages)
    result.requests = [(requests.body["model"], requests.body["messages"]) for requests in endpoint.requests]
    result.text = result.text.replace(endpoint.host, "HOST")
    return result


CALLERS = {"OpenAI's library": by_loop(Client), "an HTTP client": by_loop(Plain)}


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("caller", CALLERS)
async def test_both_callers_ask_the_same_and_come_to_the_same(caller: str, script: str) -> None:
    results: list[Result] = []
    for timeout in TIMEOUTS.get(script, (20,)):
        results.clear()
        for call in (by_thread, CALLERS[caller]):
            with serving(*SCRIPTS[script]) as endpoint:
                settings = ModelSettings("some-model", endpoint.url, KEY, timeout=timeout, retries=2)
                results.append(await outcome(call, settings, endpoint, MESSAGES))
        if all(result.requests for result in results):
            break
    assert results[0] == results[1]
    assert KEY not in results[0].text
    assert results[0].requests


@pytest.mark.parametrize("caller", CALLERS)
async def test_both_put_a_long_conversation_into_the_same_parts(caller: str) -> None:
    results = []
    for call in (by_thread, CALLERS[caller]):
        with serving(completes()) as endpoint:
            settings = ModelSettings("some-model", endpoint.url, KEY, timeout=20, window=8_000)
            results.append(await outcome(call, settings, endpoint, long_messages()))
    assert results[0] == results[1]
    assert len(results[0].requests) > 3


@pytest.mark.parametrize("caller", CALLERS)
async def test_both_say_that_nobody_answers(caller: str) -> None:
    url = nobody()
    settings = ModelSettings("some-model", url, KEY, timeout=20, retries=1)
    thread, loop = await by_thread(settings, MESSAGES), await CALLERS[caller](settings, MESSAGES)
    assert thread == loop
    host = url.removeprefix("http://").removesuffix("/v1")
    assert thread.text.startswith(f"Cannot reach {host} (nothing is listening there), after 2 attempts;")
    assert len(thread.waits) == 1


async def test_a_client_that_tells_no_address_is_called_the_provider() -> None:
    settings = ModelSettings("some-model", nobody(), KEY, timeout=20, retries=0)
    nameless = replace(settings, base_url="")
    summarizer = LLMSummarizer(Plain(settings), nameless)
    with pytest.raises(SummaryError, match=r"^Cannot reach the provider \(nothing is listening there\);"):
        await summarizer.summarize(MESSAGES, TARGET, LETTERS.count)
