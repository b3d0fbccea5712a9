"""The interface between the proxy and a preset on its requests."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from inspector.library.capture.captured_call import API

PRESET_APIS = ("anthropic-messages", "openai-chat", "openai-responses")
"""APIs whose requests may be changed."""


@dataclass(frozen=True, slots=True)
class PassedRequest:
    """A request after the preset, and the facts about it that the log keeps."""

    body: bytes | None
    """To send in place of the body of the program, without compression; None to send that unchanged."""
    facts: Mapping[str, Any]


class RequestPreset(Protocol):
    """A preset on the requests of a recording."""

    counts: dict[str, int]
    """Number of requests in each state."""
    newest_reason: str
    """Why the newest request that was sent as it came was not changed."""

    def running(self) -> AbstractContextManager[object]:
        """Apply the preset while the context is entered.

        Raises:
            OSError: A file cannot be written.
        """

    async def passed(self, api: API, body: bytes, encoding: str) -> PassedRequest:
        """Return the request to send in place of another one.

        Args:
            api: API of the request.
            body: Body of the request, unchanged.
            encoding: Compression of the body.
        """

    def not_read(self) -> PassedRequest:
        """Return the result for a request that is too large to be read."""
