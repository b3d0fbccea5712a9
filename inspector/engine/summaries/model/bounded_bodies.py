"""Limit the memory that the responses of a model endpoint can take."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from typing import Any

from inspector.core.limits import limit


async def bound_body(response: Any) -> None:
    """Limit the body of a response before it is read: that of an error is cut, and a stream fails at an overlong line.

    Args:
        response: Response of httpx, or of a library with the same classes.
    """
    httpx = sys.modules[type(response).__module__.partition(".")[0]]
    stream, is_error = response.stream, response.status_code >= 300

    class Bounded(httpx.AsyncByteStream):  # type: ignore[name-defined, misc]
        async def __aiter__(self) -> AsyncIterator[bytes]:
            total = line = 0
            most, longest = limit("error_body"), limit("stream_line")
            async for data in stream:
                total += len(data)
                if is_error and total > most:
                    yield data[: len(data) - (total - most)]
                    return
                end = data.rfind(b"\n")
                line = len(data) - end - 1 if end >= 0 else line + len(data)
                if line > longest:
                    raise httpx.ReadError(f"a line of the answer exceeds {longest:,} bytes")
                yield data

        async def aclose(self) -> None:
            await stream.aclose()

    response.stream = Bounded()
