"""Receive traces and logs until an interrupt."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from inspector.analysis.redaction import Redactor
from inspector.core.local_server import interruption
from inspector.library.capture.loopback import RecordingError, opened
from inspector.library.capture.receiver import Receiver, prepared_folder, receiving_token


@dataclass(frozen=True, slots=True)
class ReceivedRows:
    """Result of a run of the receiver."""

    folder: Path
    spans: int
    log_records: int


def receive(
    folder: Path, token_file: Path, port: int, *, is_redacting: bool = False, on_start: Callable[[str], object]
) -> ReceivedRows:
    """Receive traces and logs of programs on this machine until an interrupt.

    Args:
        folder: Folder of the files; requests are appended.
        token_file: File with the token of the address, which is created if it is missing.
        port: Port on the loopback address; 0 for any that is free.
        is_redacting: True to write no secrets.
        on_start: Called with the address when requests are accepted.

    Raises:
        RecordingError: The folder or the port cannot be used, or a library is missing.
    """
    if find_spec("opentelemetry") is None or find_spec("opentelemetry.proto") is None:
        raise RecordingError("opentelemetry-proto is not installed: pip install 'memory-inspector[otlp]'.")
    try:
        receiver = Receiver(
            prepared_folder(folder), receiving_token(token_file), port, Redactor() if is_redacting else None
        )
    except OSError as error:
        raise RecordingError(f"{error.filename or folder} cannot be written ({error.strerror or error}).") from error
    asyncio.run(_listen(receiver, on_start))
    return ReceivedRows(folder, receiver.rows["traces"], receiver.rows["logs"])


async def _listen(receiver: Receiver, on_start: Callable[[str], object]) -> None:
    async with opened(receiver):
        stop = interruption()
        on_start(receiver.address)
        await stop.wait()
