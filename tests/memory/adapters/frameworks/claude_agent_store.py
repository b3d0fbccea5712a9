"""The Claude Agent SDK's own conformance suite, with the store of transcripts."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from claude_agent_sdk.testing import run_session_store_conformance

from inspector.memory.adapters import TranscriptStore

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        numbers = iter(range(1_000))
        asyncio.run(run_session_store_conformance(lambda: TranscriptStore(Path(folder) / f"{next(numbers)}.db")))
