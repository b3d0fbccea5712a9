"""The summary that a model writes, asked for over real HTTP on loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from inspector.core.conversation import Message, Usage
from inspector.engine.strategies import Services, draft_plan
from inspector.engine.summaries import SummaryCancelledError, SummaryError
from inspector.engine.summaries.model.flow import CallTotals
from inspector.engine.summaries.model.model_settings import ModelSettings
from inspector.engine.summaries.model.summarizer import ModelSummariser
from inspector.engine.summaries.summary_sections import TITLE
from inspector.engine.window.plan import apply
from tests.engine.summaries.endpoint import (
    SUMMARY,
    USAGE,
    Behaviour,
    Endpoint,
    answers,
    drips,
    drops,
    fails,
    hangs,
    nobody,
    says,
    serving,
)
from tests.generated import LETTERS, Ask, Call, Reply, Step, Summary, recorded, window_of, work

KEY = "sk-very-secret-4711"
INSTEAD = "; the extractive summary can be used instead."
STEPS: list[Step] = [
    Ask("Count the orders of May. Never touch /srv/archive/2024. " + "The table has many columns. " * 20),
    work(content="I look into the table.", result="id,total\n" + "17,240.50\n" * 60),
    Reply("There are three orders, and job-4711 made them. " + "Nothing else was found. " * 20),
    Ask("Thank you. And the refunds?"),
    Reply("None."),
]
MESSAGES = recorded(STEPS).messages
TARGET = 300


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving() as serves:
        yield serves


def summariser(endpoint: Endpoint | str, **fields: Any) -> ModelSummariser:
    """One that does not wait before it asks again. `fields` are its own or those of its settings."""
    url = endpoint if isinstance(endpoint, str) else endpoint.url
    own = {name: fields.pop(name) for name in ("cancel", "progress", "sleep", "jitter") if name in fields}
    settings = replace(ModelSettings("some-model", url, KEY, timeout=20), **fields)
    return replace(ModelSummariser(settings, sleep=lambda _: None), **own)


def asked(endpoint: Endpoint | str, **fields: Any) -> str:
    return summariser(endpoint, **fields)(MESSAGES, TARGET, LETTERS.count)


def failure(endpoint: Endpoint | str, **fields: Any) -> str:
    """What a person is told, without the end that all these sentences have."""
    with pytest.raises(SummaryError) as raised:
        asked(endpoint, **fields)
    lines = str(raised.value)
    assert lines.endswith(INSTEAD)
    assert "\n" not in lines
    assert KEY not in lines
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__ or raised.value.__context__ is None
    return lines.removesuffix(INSTEAD)


# What comes back


def test_the_summary_is_what_the_model_wrote(endpoint: Endpoint) -> None:
    assert asked(endpoint).startswith(SUMMARY)


def test_what_the_model_lost_and_nobody_could_guess_is_put_back(endpoint: Endpoint) -> None:
    text = asked(endpoint)
    assert text == f"{SUMMARY}\n\nFacts verbatim:\n- job-4711\n- /srv/archive/2024"


@pytest.mark.parametrize(
    "wrapped",
    [
        "Goal:\n- Count.",
        f"{TITLE}\n\nGoal:\n- Count.",
        "```\nGoal:\n- Count.\n```",
        "```markdown\nGoal:\n- Count.\n```\n",
        "<think>Let me see. Goal: none.</think>\n\nGoal:\n- Count.",
        "\n\n  Goal:\n- Count.  \n",
    ],
)
def test_what_stands_around_a_summary_is_taken_off(endpoint: Endpoint, wrapped: str) -> None:
    assert asked(endpoint.then(answers(wrapped))).startswith(f"{TITLE}\n\nGoal:\n- Count.\n\nFacts verbatim:")


def test_messages_that_say_nothing_are_not_worth_a_request(endpoint: Endpoint) -> None:
    assert summariser(endpoint)(recorded([Ask(""), Reply(None)]).messages, TARGET, LETTERS.count) == ""
    assert endpoint.requests == []


# What the model is shown


def test_the_request_names_the_model_and_carries_the_key_and_no_tools(endpoint: Endpoint) -> None:
    asked(endpoint)
    (request,) = endpoint.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body["model"] == "some-model"
    assert request.body["stream"] is True
    assert {"tools", "tool_choice", "functions"}.isdisjoint(request.body)
    assert [message["role"] for message in request.body["messages"]] == ["system", "user"]


def test_a_local_server_needs_no_key(endpoint: Endpoint) -> None:
    asked(endpoint, api_key="")
    assert KEY not in endpoint.requests[0].headers["authorization"]


def test_a_greatest_length_is_sent_where_one_is_set(endpoint: Endpoint) -> None:
    asked(endpoint, max_output=900)
    assert endpoint.requests[0].body["max_tokens"] == 900


def test_without_one_the_server_is_told_of_none(endpoint: Endpoint) -> None:
    asked(endpoint)
    assert not [name for name in endpoint.requests[0].body if "max" in name]


# Every way in which it can fail


FAULTS: dict[str, tuple[Behaviour, str]] = {
    "wrong key": (fails(401, {"message": f"Incorrect API key: {KEY}"}), "{host} did not accept the API key (401)"),
    "forbidden": (fails(403), "{host} does not let this API key use the model some-model (403)"),
    "no such model": (fails(404, {"message": "The model does not exist."}), "{host} has no model some-model (404)"),
    "no such path": (
        fails(404, {"message": "Not Found"}),
        "{host} has no chat completions at this address (404; most addresses end in /v1)",
    ),
    "no such place": (
        fails(404, "<h1>Not found</h1>"),
        "{host} has no chat completions at this address (404; most addresses end in /v1)",
    ),
    "no more money": (
        fails(429, {"message": "?", "code": "insufficient_quota"}),
        "The account at {host} has used up its quota (429)",
    ),
    "too many": (fails(429), "{host} is rate limiting requests (429), after 3 attempts"),
    "server error": (fails(500), "{host} had an internal error (500), after 3 attempts"),
    "overloaded": (fails(529, "busy"), "{host} had an internal error (529), after 3 attempts"),
    "bad request": (
        fails(400, {"message": f"temperature:\n\x1b[31mtoo hot for {KEY}."}),
        "{host} rejected the request (400: temperature: ␛[31mtoo hot for …)",
    ),
    "bad request without words": (fails(400, "<html>"), "{host} rejected the request (400)"),
    "strict server": (fails(422, {"detail": "extra field"}), "{host} rejected the request (422: extra field)"),
    "too long a request": (
        fails(400, {"message": "?", "code": "context_length_exceeded"}),
        "The conversation is too long for the model some-model at {host} (400)",
    ),
    "empty": (answers(""), "The model at {host} returned an empty answer"),
    "white space": (answers(" \n \t \n"), "The model at {host} returned an empty answer"),
    "only thinking": (answers("<think>So.</think> "), "The model at {host} returned an empty answer"),
    "only the title": (answers(f"{TITLE}\n"), "The model at {host} returned an empty answer"),
    "cut off": (answers(finish="length"), "The answer of the model at {host} was cut off at the maximum length"),
    "filtered": (answers(finish="content_filter"), "The model at {host} refused to write the summary"),
    "wants a tool": (
        answers(finish="tool_calls"),
        "The model at {host} called a tool instead of writing the summary",
    ),
    "too long": (
        answers("word " * 440),
        "The model at {host} wrote 559 tokens instead of 300",
    ),
    "no end": (drips("word " * 60, 0), "The model at {host} did not finish within 1,050 tokens"),
    "no JSON": (says("data: {nonsense\n\n"), "{host} did not return a chat completion"),
    "other JSON": (
        says('data: {"choices": "none"}\n\ndata: 7\n\ndata: [DONE]\n\n'),
        "{host} did not return a chat completion",
    ),
    "no stream": (
        says('{"choices": [{"message": {"content": "Hello"}}]}', "application/json"),
        "{host} did not return a chat completion",
    ),
    "a web page": (
        says("<html>Log in</html>", "text/html"),
        "{host} did not return a chat completion",
    ),
    "not a word": (says(""), "{host} did not return a chat completion"),
    "error in the stream": (
        says('data: {"error": {"message": "out of memory"}}\n\n'),
        "{host} stopped with an error (out of memory), after 3 attempts",
    ),
    "dropped": (
        drops(),
        "The connection to {host} was lost during the answer, after 3 attempts",
    ),
    "dropped before a word": (
        drops(chunked=True),
        "The connection to {host} was lost during the answer, after 3 attempts",
    ),
    "dropped before it began": (
        drops(""),
        "Cannot reach {host} (it closed the connection), after 3 attempts",
    ),
    "closed without an end": (
        answers(finish=None, usage=False),
        "The connection to {host} was lost during the answer, after 3 attempts",
    ),
    "hangs": (hangs(), "The model at {host} took longer than 0.4 seconds"),
    "hangs half way": (hangs("Goal"), "The model at {host} took longer than 0.4 seconds"),
    "drips": (drips(), "The model at {host} took longer than 0.4 seconds"),
}
SLOW = {"hangs", "hangs half way", "drips"}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_failure_is_told_in_one_sentence(endpoint: Endpoint, fault: str) -> None:
    behaviour, lines = FAULTS[fault]
    timeout = 0.4 if fault in SLOW else 20
    assert failure(endpoint.then(behaviour), retries=2, timeout=timeout) == lines.format(host=endpoint.host)


def test_a_refusal_is_quoted(endpoint: Endpoint) -> None:
    def refuses(request: Any) -> None:
        request.head()
        request.piece(refusal="I cannot help\nwith that.")
        request.piece(finish="stop")

    lines = failure(endpoint.then(refuses))
    assert lines == f"The model at {endpoint.host} refused to write the summary (I cannot help with that)"


def test_nobody_there_is_told() -> None:
    url = nobody()
    host = url.removeprefix("http://").removesuffix("/v1")
    assert failure(url, retries=0) == f"Cannot reach {host} (nothing is listening there)"


def test_a_name_that_is_not_known_is_told() -> None:
    lines = failure("http://models.invalid/v1", retries=0)
    assert lines == "Cannot reach models.invalid (its name cannot be resolved)"


@pytest.mark.parametrize(
    "url", ["", "localhost:8080/v1", "ftp://localhost/v1", "http:///v1", "http://[::1/v1", "http://a:b/"]
)
def test_an_address_that_is_none_is_told_before_anything_is_sent(url: str) -> None:
    lines = "The address of the model (OPENAI_BASE_URL) must begin with http:// or https://"
    assert failure(url) == lines


def test_the_transcript_is_not_sent_to_openai_without_a_key() -> None:
    lines = failure(ModelSettings.base_url, api_key="")
    assert lines == "There is no API key for api.openai.com (OPENAI_API_KEY)"


def test_names_and_passwords_in_an_address_are_not_told(endpoint: Endpoint) -> None:
    url = endpoint.then(fails(500)).url.replace("http://", "http://me:hidden@")
    lines = failure(url, retries=0)
    assert lines == f"{endpoint.host} had an internal error (500)"


def test_a_key_is_not_printed_with_the_settings(endpoint: Endpoint) -> None:
    assert KEY not in repr(summariser(endpoint))


def test_a_summary_no_shorter_than_what_it_stands_for_is_none(endpoint: Endpoint) -> None:
    few = recorded([Ask("Count."), Reply("Three.")]).messages
    with pytest.raises(SummaryError) as raised:
        summariser(endpoint)(few, TARGET, LETTERS.count)
    lines = f"The model at {endpoint.host} wrote 24 tokens, no less than the 4 before{INSTEAD}"
    assert str(raised.value) == lines


@pytest.mark.parametrize("fault", FAULTS)
def test_a_failure_leaves_the_window_as_it_was(endpoint: Endpoint, fault: str) -> None:
    window = window_of(*STEPS * 2, Ask("Go on."))
    model = summariser(endpoint.then(FAULTS[fault][0]), retries=0, timeout=0.4 if fault in SLOW else 20)
    plan = draft_plan(window, "sliding_window", {"keep_recent": 2, "ratio": 0.4}, Services(summarise=model))
    assert not plan.alters
    assert endpoint.host in plan.note
    assert plan.note.endswith(INSTEAD)
    after = apply(window, plan)
    assert after.messages == window.messages
    assert [message.raw for message in after.messages] == [message.raw for message in window.messages]


def test_a_summary_takes_the_place_of_what_it_stands_for(endpoint: Endpoint) -> None:
    window = window_of(*STEPS * 2, Ask("Go on."))
    plan = draft_plan(window, "sliding_window", {"keep_recent": 2}, Services(summarise=summariser(endpoint)))
    assert plan.note == ""
    assert plan.summaries[0].text.startswith(SUMMARY)


# Asking again


def waits_of(endpoint: Endpoint, **fields: Any) -> list[float]:
    """How long it waited before each time that it asked again."""
    waits: list[float] = []
    with pytest.raises(SummaryError):
        asked(endpoint, sleep=waits.append, **fields)
    return waits


def test_a_failure_that_passes_is_got_over(endpoint: Endpoint) -> None:
    endpoint.then(fails(429), fails(503), drops(), drops(chunked=True), answers())
    assert asked(endpoint, retries=4).startswith(SUMMARY)
    assert len(endpoint.requests) == 5


def test_waits_double_and_are_half_by_chance(endpoint: Endpoint) -> None:
    endpoint.then(fails(500))
    assert waits_of(endpoint, retries=4, jitter=lambda: 1) == [0.5, 1, 2, 4]
    assert waits_of(endpoint, retries=4, jitter=lambda: 0) == [0.25, 0.5, 1, 2]


def test_a_wait_that_the_endpoint_asks_for_is_kept(endpoint: Endpoint) -> None:
    assert waits_of(endpoint.then(fails(429, retry_after="3"), fails(503, retry_after="0.25")), retries=2) == [3, 0.25]


def test_a_wait_may_be_given_as_a_date(endpoint: Endpoint) -> None:
    until = format_datetime(datetime.now(UTC) + timedelta(seconds=8), usegmt=True)
    (wait,) = waits_of(endpoint.then(fails(429, retry_after=until)), retries=1)
    assert 2 < wait <= 8


def test_a_wait_that_is_none_is_not_kept(endpoint: Endpoint) -> None:
    assert waits_of(endpoint.then(fails(429, retry_after="soon")), retries=1, jitter=lambda: 1) == [0.5]


def test_a_wait_longer_than_there_is_time_is_told_instead(endpoint: Endpoint) -> None:
    lines = failure(endpoint.then(fails(429, retry_after="3600")), retries=3)
    assert lines == f"{endpoint.host} is rate limiting requests (429) and asks to wait for 3,600 seconds"
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_what_will_not_pass_is_not_asked_again(endpoint: Endpoint, status: int) -> None:
    assert waits_of(endpoint.then(fails(status))) == []
    assert len(endpoint.requests) == 1


def test_an_endpoint_that_does_not_like_to_be_asked_for_usage_is_not(endpoint: Endpoint) -> None:
    endpoint.then(fails(422, {"message": "stream_options: extra fields not permitted"}), answers(usage=False))
    assert asked(endpoint, retries=0).startswith(SUMMARY)
    assert ["stream_options" in request.body for request in endpoint.requests] == [True, False]


# Cancelling


@pytest.mark.parametrize("behaviour", [hangs(), hangs("Goal"), drips()], ids=["silent", "half way", "going on"])
def test_cancelling_ends_the_request_and_hangs_up(endpoint: Endpoint, behaviour: Behaviour) -> None:
    cancel = threading.Event()
    model = summariser(endpoint.then(behaviour), cancel=cancel, timeout=60)

    def stop() -> None:
        endpoint.arrived.wait(60)
        cancel.set()

    threading.Thread(target=stop, daemon=True).start()
    with pytest.raises(SummaryCancelledError, match="The summary was cancelled"):
        model(MESSAGES, 100_000, LETTERS.count)
    assert endpoint.abandoned.wait(20)


def test_no_thread_is_left_behind(endpoint: Endpoint) -> None:
    asked(endpoint)
    failure(endpoint.then(hangs()), timeout=0.2)
    waiting = [thread for thread in threading.enumerate() if thread.name == "summary"]
    for thread in waiting:
        thread.join(20)
    assert not any(thread.is_alive() for thread in waiting)


async def test_it_can_be_asked_from_within_a_running_loop(endpoint: Endpoint) -> None:
    assert asked(endpoint).startswith(SUMMARY)


def test_what_is_cancelled_beforehand_is_not_asked(endpoint: Endpoint) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(SummaryCancelledError):
        asked(endpoint, cancel=cancel)
    assert endpoint.requests == []


def test_a_wait_can_be_cancelled(endpoint: Endpoint) -> None:
    cancel = threading.Event()
    endpoint.then(fails(429, retry_after="50"))
    threading.Timer(0.3, cancel.set).start()
    with pytest.raises(SummaryCancelledError):
        asked(endpoint, cancel=cancel, sleep=None, timeout=60)


# Progress and cost


def test_progress_is_told_in_tokens_of_those_asked_for(endpoint: Endpoint) -> None:
    lines: list[tuple[int, int]] = []
    asked(endpoint, progress=lambda done, total: lines.append((done, total)))
    assert lines == sorted(lines)
    assert len(lines) > 5
    assert {total for _, total in lines} == {TARGET}


def test_what_was_spent_is_what_the_endpoint_reports(endpoint: Endpoint) -> None:
    model = summariser(endpoint)
    model(MESSAGES, TARGET, LETTERS.count)
    assert model.totals == CallTotals(calls=1, usage=Usage(321, 45, cache_read=20))
    model(MESSAGES, TARGET, LETTERS.count)
    assert model.totals == CallTotals(calls=2, usage=Usage(642, 90, cache_read=40))


def test_without_a_report_it_is_counted_and_said_to_be(endpoint: Endpoint) -> None:
    model = summariser(endpoint.then(answers(usage=False)))
    model(MESSAGES, TARGET, LETTERS.count)
    assert (model.totals.calls, model.totals.estimated) == (1, 1)
    sent = sum(LETTERS.count(message["content"]) for message in endpoint.requests[0].body["messages"])
    assert model.totals.usage.input == sent
    assert LETTERS.count(SUMMARY) <= model.totals.usage.output <= 2 * LETTERS.count(SUMMARY)


@pytest.mark.parametrize("usage", [{"prompt_tokens": "many"}, {"prompt_tokens": 3}, {"completion_tokens": None}])
def test_a_report_that_makes_no_sense_is_none(endpoint: Endpoint, usage: dict[str, Any]) -> None:
    def behave(request: Any) -> None:
        request.head()
        request.piece(SUMMARY)
        request.piece(finish="stop")
        request.usage(**usage)

    model = summariser(endpoint.then(behave))
    model(MESSAGES, TARGET, LETTERS.count)
    assert model.totals.estimated == 1


def test_attempts_that_failed_half_way_are_spent_as_well(endpoint: Endpoint) -> None:
    model = summariser(endpoint.then(drops(), fails(500), drops(chunked=True), answers()))
    model(MESSAGES, TARGET, LETTERS.count)
    assert (model.totals.calls, model.totals.estimated) == (3, 2)


@pytest.mark.parametrize("fault", ["cut off", "too long", "empty", "filtered"])
def test_an_answer_of_no_use_is_spent_as_well(endpoint: Endpoint, fault: str) -> None:
    model = summariser(endpoint.then(FAULTS[fault][0]))
    with pytest.raises(SummaryError):
        model(MESSAGES, TARGET, LETTERS.count)
    assert model.totals == CallTotals(calls=1, usage=Usage(321, 45, cache_read=20))


# Conversations longer than the model's window


def long_messages() -> tuple[Message, ...]:
    """Some 30,000 tokens in many steps, with an earlier summary."""
    steps = [Reply(f"Step {number}.", (Call(result=f"row {number} " * 150),)) for number in range(80)]
    return recorded([Summary("Goal:\n- Count the orders of May."), Ask("Go on."), *steps]).messages


def test_a_long_conversation_is_summarised_in_parts_and_these_in_one(endpoint: Endpoint) -> None:
    lines: list[tuple[int, int]] = []
    model = summariser(endpoint, window=8_000, progress=lambda done, total: lines.append((done, total)))
    assert model(long_messages(), 400, LETTERS.count).startswith(SUMMARY)
    assert len(endpoint.requests) > 3
    assert model.totals.calls == len(endpoint.requests)
    *parts, last = endpoint.requests
    assert all(f"Step {number}." in "".join(part.transcript for part in parts) for number in range(80))
    assert last.transcript.count("earlier summary") == len(parts)
    assert last.transcript.count(SUMMARY) == len(parts)
    assert lines[-1][1] > 400
    assert all(done <= total for done, total in lines)


def test_no_request_is_larger_than_the_window_of_the_model(endpoint: Endpoint) -> None:
    summariser(endpoint, window=3_000)(long_messages(), 400, LETTERS.count)
    for request in endpoint.requests:
        assert sum(LETTERS.count(message["content"]) for message in request.body["messages"]) < 3_000


def test_a_model_with_too_small_a_window_is_told(endpoint: Endpoint) -> None:
    lines = failure(endpoint, window=900)
    assert lines == "The context window of the model some-model (900 tokens) is too small for a summary"
    assert endpoint.requests == []


def whole(**message: Any) -> str:
    """A completion as a server sends it that does not stream."""
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": SUMMARY, **message}}
    completion = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return json.dumps(completion | {"usage": USAGE | {"total_tokens": 366}})


def test_a_server_that_does_not_stream_is_understood(endpoint: Endpoint) -> None:
    endpoint.then(says(whole(), "application/json"))
    asking = summariser(endpoint)
    assert asking(MESSAGES, TARGET, LETTERS.count).startswith(SUMMARY)
    assert asking.totals.usage.input == USAGE["prompt_tokens"]


def test_a_whole_answer_that_is_empty_is_no_summary(endpoint: Endpoint) -> None:
    endpoint.then(says(whole(content=None), "application/json"))
    assert failure(endpoint)
