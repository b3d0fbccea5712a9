"""Explain why a model gave no answer: what happened and where, without keys and passwords.

Exceptions are recognised by their attributes and class names, which the libraries of OpenAI and Anthropic share. So
exceptions of any client are supported, and no client has to be imported.
"""

from __future__ import annotations

import json
import socket
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from inspector.core.text import one_line
from inspector.engine.summaries.model.error_quotes import quote
from inspector.engine.summaries.model.model_settings import ModelSettings


class DeadlineError(Exception):
    """The time limit of a request is over."""


class FirstByteError(Exception):
    """The endpoint did not begin to answer in time."""


class NoAnswerError(Exception):
    """The response is not an answer to a chat request."""


class OverlongAnswerError(OSError):
    """The answer exceeds a limit, which the message names."""


class StreamedError(Exception):
    """The endpoint reported an error within its answer. The message is in the endpoint's words."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Reason why a request was not answered."""

    clause: str
    """A clause to continue into a sentence."""
    again: bool = False
    """True if a retry can succeed."""
    wait: float | None = None
    """Seconds to wait before it, if the endpoint requested that."""
    without_usage: bool = False
    """True if the endpoint only rejected the request for usage."""
    has_answer: bool = False
    """True if it had started to answer, so that the request is billed."""


def failure_of(error: Exception, settings: ModelSettings, has_answer: bool) -> Failure:
    """Return the failure for an exception of a client.

    Args:
        error: The exception.
        settings: The model.
        has_answer: True if part of the answer had arrived.
    """
    place, kinds = settings.place, {kind.__name__ for kind in type(error).__mro__}
    if isinstance(error, DeadlineError | FirstByteError | OverlongAnswerError):
        return _excess(error, settings)
    if isinstance(error, TimeoutError) or "APITimeoutError" in kinds:
        return Failure(f"{settings.model_clause} took too long ({_clause(error, settings)})")
    if (status := _status_of(error)) is not None:
        return _status_failure(error, status, settings)
    if isinstance(error, NoAnswerError | json.JSONDecodeError) or "APIResponseValidationError" in kinds:
        return no_answer(settings)
    if _is_of_network(error, kinds):
        if has_answer:
            return connection_loss(settings)
        return Failure(f"Cannot reach {place} ({_reason(error, settings)})", again=True)
    if "APIError" in kinds or isinstance(error, StreamedError):
        return Failure(f"{place} stopped with an error ({quote(str(error), settings.api_key)})", again=True)
    return Failure(f"Cannot call {place} ({_clause(error, settings)})")


def _excess(error: DeadlineError | FirstByteError | OverlongAnswerError, settings: ModelSettings) -> Failure:
    if isinstance(error, OverlongAnswerError):
        return Failure(f"The answer of {settings.place} exceeds {error}", has_answer=True)
    if isinstance(error, FirstByteError):
        return Failure(f"{settings.model_clause} did not begin to answer within {settings.patience:g} seconds")
    return Failure(f"{settings.model_clause} took longer than {settings.timeout:g} seconds")


def connection_loss(settings: ModelSettings) -> Failure:
    """Return the failure of a connection that ended within an answer."""
    return Failure(f"The connection to {settings.place} was lost during the answer", again=True, has_answer=True)


def no_answer(settings: ModelSettings) -> Failure:
    """Return the failure of a response that is not an answer to a chat request."""
    return Failure(f"{settings.place} did not return a chat completion", has_answer=True)


_NETWORK = {"httpx", "httpx2", "httpcore", "httpcore2", "anyio", "h11", "h2", "aiohttp"}
"""Libraries that clients are based on. Some client versions let their exceptions through."""


def _is_of_network(error: Exception, kinds: set[str]) -> bool:
    """Return True if an exception means that the connection failed or was lost."""
    top = type(error).__module__.split(".")[0]
    return "APIConnectionError" in kinds or top in _NETWORK or isinstance(error, ConnectionError | socket.gaierror)


def _clause(error: Exception, settings: ModelSettings) -> str:
    """Return an exception as a clause: its type and message, without the key."""
    words = quote(str(error), settings.api_key)
    return type(error).__name__ + (f": {words}" if words else "")


def _status_of(error: Exception) -> int | None:
    """Return the HTTP status of an exception; None if it has none."""
    for holder in (error, getattr(error, "response", None)):
        for name in ("status_code", "status"):
            if isinstance(status := getattr(holder, name, None), int):
                return status
    return None


def _status_failure(error: Exception, status: int, settings: ModelSettings) -> Failure:
    """Return the failure for an error status."""
    place, body, code = settings.place, _body_of(error), _code_of(error)
    match status:
        case 301 | 302 | 303 | 307 | 308:
            return Failure(f"{place} redirects to another address, which is not followed ({status})")
        case 401:
            return Failure(f"{place} did not accept the API key (401)")
        case 403:
            return Failure(f"{place} does not let this API key use the model {settings.model} (403)")
        case 404 if "model" in str(body).lower() and isinstance(body, Mapping):
            return Failure(f"{place} has no model {settings.model} (404)")
        case 404:
            return Failure(f"{place} has no chat completions at this address (404; most addresses end in /v1)")
        case 429 if code == "insufficient_quota":
            return Failure(f"The account at {place} has used up its quota (429)")
        case 429:
            return Failure(f"{place} is rate limiting requests (429)", again=True, wait=_retry_after(error))
        case 408 | 409 | 425:
            return Failure(f"{place} rejected the request ({status})", again=True)
        case _ if status >= 500:
            return Failure(f"{place} had an internal error ({status})", again=True, wait=_retry_after(error))
    return _refusal(body, code, status, settings)


def _refusal(body: Any, code: Any, status: int, settings: ModelSettings) -> Failure:
    """Return the failure of a request that was rejected for its content."""
    message = _message_of(body)
    lengths = ("context length", "context size", "prompt is too long")
    if code == "context_length_exceeded" or any(words in message.lower() for words in lengths):
        return Failure(f"The conversation is too long for the model {settings.model} at {settings.place} ({status})")
    words = f": {quote(message, settings.api_key)}" if message else ""
    return Failure(
        f"{settings.place} rejected the request ({status}{words})", without_usage="stream_options" in str(body)
    )


def _body_of(error: Exception) -> Any:
    """Return the body of an error response, parsed by the client or as text."""
    if (body := getattr(error, "body", None)) is not None:
        return body
    text = getattr(getattr(error, "response", None), "text", None)
    try:
        return json.loads(text) if isinstance(text, str) else None
    except ValueError:
        return text


def _code_of(error: Exception) -> Any:
    """Return the provider's error code, or None."""
    body = _unwrap(_body_of(error))
    return getattr(error, "code", None) or (body.get("code") if isinstance(body, Mapping) else None)


def _unwrap(body: Any) -> Any:
    """Return the value of "error" in the body of an error response, or the body."""
    inner = body.get("error") if isinstance(body, Mapping) else None
    return inner if isinstance(inner, Mapping) else body


def _message_of(body: Any) -> str:
    """Return the message in the body of an error response, or ""."""
    body = _unwrap(body)
    names = ("message", "detail", "error") if isinstance(body, Mapping) else ()
    return next((body[name] for name in names if isinstance(body.get(name), str)), "")


def _retry_after(error: Exception) -> float | None:
    """Return the seconds to wait that a response requests, given as a number or a date; None if it requests none."""
    headers = getattr(getattr(error, "response", None), "headers", None)
    text = str(headers.get("retry-after", "")) if headers is not None else ""
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        until = parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(0.0, (until.astimezone(UTC) - datetime.now(UTC)).total_seconds())


def _reason(error: Exception, settings: ModelSettings) -> str:
    """Return why no connection was made, from the first cause that has a reason."""
    return next(
        (reason for cause in _causes(error) if (reason := _reason_of(cause, settings))), "the connection failed"
    )


def _reason_of(cause: BaseException, settings: ModelSettings) -> str:
    """Return why no connection was made according to one exception, or ""."""
    match cause:
        case ConnectionRefusedError():
            return "nothing is listening there"
        case socket.gaierror():
            return "its name cannot be resolved"
        case ssl.SSLError():
            return "its certificate was not accepted"
        case TimeoutError():
            return "it took too long"
        case OSError() if not isinstance(cause, ConnectionError) and cause.strerror:
            return one_line(cause.strerror).lower()
        case ConnectionError() if cause.errno is None and str(cause):
            return quote(str(cause), settings.api_key)
        case ConnectionError():
            return "it closed the connection"
    return "it closed the connection" if type(cause).__name__ in _CLOSE_WORDS else ""


_CLOSE_WORDS = ("RemoteProtocolError", "ReadError", "BrokenResourceError")
"""Client exceptions for a connection closed by the other side."""


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an exception and its causes, with groups unfolded; the root causes last."""
    while error is not None:
        yield error
        if isinstance(error, BaseExceptionGroup):
            for member in error.exceptions:
                yield from _causes(member)
        error = error.__cause__ or error.__context__
