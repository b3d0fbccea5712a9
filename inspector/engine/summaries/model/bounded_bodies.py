"""Limit the memory that the responses of a model endpoint can take."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any

from inspector.core.limits import byte_text, limit
from inspector.engine.summaries.model.failures import OverlongAnswerError


class _Budget:
    """Bytes that a response may still have."""

    def __init__(self, is_error: bool, is_stream: bool) -> None:
        self._is_error = is_error
        self._most = limit("error_body" if is_error else "stream" if is_stream else "embeddings")
        self._longest = limit("stream_line") if is_stream else self._most
        self._total = self._line = 0
        self.is_over = False

    def part_of(self, data: bytes) -> bytes:
        """Return the part of some data that is read.

        Raises:
            OverlongAnswerError: An answer, or a line of it, exceeds its limit.
        """
        self._total += len(data)
        if self._is_error and self._total > self._most:
            self.is_over = True
            return data[: len(data) - (self._total - self._most)]
        if self._total > self._most:
            raise OverlongAnswerError(byte_text(self._most))
        end = data.rfind(b"\n")
        self._line = len(data) - end - 1 if end >= 0 else self._line + len(data)
        if self._line > self._longest:
            raise OverlongAnswerError(f"{byte_text(self._longest)} in one line")
        return data


async def bound_body(response: Any) -> None:
    """Limit the body of a response before it is read: that of an error is cut, and a stream fails at an overlong line.

    Args:
        response: Response of httpx, or of a library with the same classes.
    """
    httpx = sys.modules[type(response).__module__.partition(".")[0]]
    stream, budget = response.stream, _Budget(response.status_code >= 300, is_stream=True)

    class Bounded(httpx.AsyncByteStream):  # type: ignore[name-defined, misc]
        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for data in stream:
                yield budget.part_of(data)
                if budget.is_over:
                    return

        async def aclose(self) -> None:
            await stream.aclose()

    response.stream = Bounded()


def bound_vectors(response: Any) -> None:
    """Limit the body of a response with vectors before it is read. See `bound_body`."""
    httpx = sys.modules[type(response).__module__.partition(".")[0]]
    stream, budget = response.stream, _Budget(response.status_code >= 300, is_stream=False)

    class BoundedVectors(httpx.SyncByteStream):  # type: ignore[name-defined, misc]
        def __iter__(self) -> Iterator[bytes]:
            for data in stream:
                yield budget.part_of(data)
                if budget.is_over:
                    return

        def close(self) -> None:
            stream.close()

    response.stream = BoundedVectors()
