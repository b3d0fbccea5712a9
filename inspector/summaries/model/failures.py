"""Why a model gave no summary, in words for people: what happened and where, and never a key or a password."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from inspector.summaries.model.quoting import quoted
from inspector.summaries.model.settings import ModelSettings
from inspector.text import one_line

INSTEAD = "the extractive summary can be used instead."


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a request was not answered."""

    what: str
    """A clause without its end, for a sentence that goes on."""
    again: bool = False
    """Whether it may well be answered if it is made again."""
    wait: float | None = None
    """Seconds that the endpoint asks to wait before that."""
    without_usage: bool = False
    """Whether the endpoint only did not like to be asked for usage."""


def failure_of(error: BaseException, settings: ModelSettings, begun: bool) -> Failure:
    """What an exception of a request means; `begun`: part of the answer had come."""
    import openai

    host = settings.host
    if isinstance(error, TimeoutError | openai.APITimeoutError):
        return Failure(f"The model at {host} took longer than {settings.timeout:g} seconds")
    if isinstance(error, openai.APIStatusError):
        return _status_failure(error, settings)
    if isinstance(error, openai.APIConnectionError) or type(error).__module__.split(".")[0] in _NETWORK:
        if begun:
            return broken_off(settings)
        return Failure(f"{host} could not be reached ({_reason(error)})", again=True)
    if isinstance(error, openai.APIError):
        return Failure(f"{host} broke off with an error ({quoted(error.message, settings.api_key)})", again=True)
    if isinstance(error, ValueError | TypeError | AttributeError | KeyError):
        return Failure(f"{host} answered with something that is no chat completion")
    return Failure(f"{host} could not be asked ({type(error).__name__})")


def broken_off(settings: ModelSettings) -> Failure:
    return Failure(f"The connection to {settings.host} broke off in the middle of the answer", again=True)


_NETWORK = {"httpx", "httpx2", "httpcore", "httpcore2", "anyio", "h11", "h2"}
"""What the client is built on: some versions of it let exceptions of these through."""


def _status_failure(error: Any, settings: ModelSettings) -> Failure:
    """What an answer with an error's status means."""
    host, status = settings.host, error.status_code
    match status:
        case 401:
            return Failure(f"{host} did not accept the API key (401)")
        case 403:
            return Failure(f"{host} does not let this API key use the model {settings.model} (403)")
        case 404 if "model" in str(error.body).lower() and isinstance(error.body, dict):
            return Failure(f"{host} has no model {settings.model} (404)")
        case 404:
            return Failure(f"{host} has no chat completions at this address (404; most addresses end in /v1)")
        case 429 if error.code == "insufficient_quota":
            return Failure(f"The account at {host} has used up its quota (429)")
        case 429:
            return Failure(f"{host} is answering no more requests for now (429)", again=True, wait=_asked_wait(error))
        case 408 | 409 | 425:
            return Failure(f"{host} did not take the request ({status})", again=True)
        case _ if status >= 500:
            return Failure(f"{host} had a failure of its own ({status})", again=True, wait=_asked_wait(error))
    said = _said_by(error)
    if error.code == "context_length_exceeded" or any(
        words in said.lower() for words in ("context length", "context size")
    ):
        return Failure(f"The conversation is too long for the model {settings.model} at {host} ({status})")
    words = f": {quoted(said, settings.api_key)}" if said else ""
    return Failure(f"{host} refused the request ({status}{words})", without_usage="stream_options" in str(error.body))


def _said_by(error: Any) -> str:
    """What the body of an error's answer says, where it says it in one of the usual places."""
    body = error.body if isinstance(error.body, dict) else {}
    return next((body[name] for name in ("message", "detail", "error") if isinstance(body.get(name), str)), "")


def _asked_wait(error: Any) -> float | None:
    """The seconds that an answer asks to wait, given as such or as a date; None where it asks for nothing."""
    text = error.response.headers.get("retry-after", "")
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        until = parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(0.0, (until.astimezone(UTC) - datetime.now(UTC)).total_seconds())


def _reason(error: BaseException) -> str:
    """Why nobody was reached, from the first cause that says so."""
    for cause in _causes(error):
        match cause:
            case ConnectionRefusedError():
                return "nothing answers there"
            case socket.gaierror():
                return "its name is not known"
            case ssl.SSLError():
                return "its certificate was not accepted"
            case TimeoutError():
                return "it took too long"
            case ConnectionError():
                return "it closed the connection"
            case OSError() if cause.strerror:
                return one_line(cause.strerror).lower()
            case _ if type(cause).__name__ in _CLOSED:
                return "it closed the connection"
    return "the connection failed"


_CLOSED = ("RemoteProtocolError", "ReadError", "BrokenResourceError")
"""What the client calls a connection that the other side closed."""


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An exception and all that led to it, groups unfolded; the first causes last."""
    while error is not None:
        yield error
        if isinstance(error, BaseExceptionGroup):
            for each in error.exceptions:
                yield from _causes(each)
        error = error.__cause__ or error.__context__
