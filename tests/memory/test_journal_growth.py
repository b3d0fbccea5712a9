"""The file of a running agent grows with its text: the write-ahead log begins again, and no state is a copy."""

from __future__ import annotations

import json
import sqlite3
import threading
from pathlib import Path

import pytest

from inspector.memory import MemoryConfig, MemoryManager
from inspector.store import Store, journal
from tests.memory.test_manager import talk


async def test_the_log_begins_again_while_the_agent_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "_CHECKPOINT", 80)
    path = tmp_path / "memory.db"
    sizes = []
    with Store(path) as store:
        memory = MemoryManager(MemoryConfig(enable_compression=False), store=store, session_id="one")
        memory.save()
        for number in range(400):
            await memory.add_message({"role": "user", "content": f"Message {number} " + "word " * 60})
            for mover in (thread for thread in threading.enumerate() if "_move_log" in thread.name):
                mover.join()
            sizes.append(path.with_name("memory.db-wal").stat().st_size)
        assert max(sizes) == sizes[99]
        assert len(MemoryManager.load(store, "one").engine.log) == 400


async def test_events_with_copies_and_a_fate_for_each_message_are_read(tmp_path: Path) -> None:
    """As they were written before texts of summaries were left out and equal fates were counted."""
    path = tmp_path / "memory.db"
    with Store(path) as store:
        memory = MemoryManager(
            MemoryConfig(compression_threshold=300, short_term_size=3), store=store, session_id="one"
        )
        memory.save()
        for message in talk(30):
            await memory.add_message(message)
        with sqlite3.connect(path) as connection:
            for number, text in connection.execute("SELECT number, event FROM journal").fetchall():
                if "plan" in (event := json.loads(text)):
                    plan, summaries = event["plan"], event["state"]["summaries"]
                    plan["fates"] = [fate for *fate, count in plan["fates"] for _ in range(count)]
                    for name, values in summaries.items():
                        values["summary"] = memory.compressions.summaries[name].summary
                    connection.execute("UPDATE journal SET event = ? WHERE number = ?", (json.dumps(event), number))
        connection.close()
        loaded = MemoryManager.load(store, "one")
        assert loaded.compressions.summaries == memory.compressions.summaries != {}
        assert [plan.fates for plan in loaded.engine.plans] == [plan.fates for plan in memory.engine.plans]


async def test_a_state_names_the_summaries_of_earlier_ones(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    settings = MemoryConfig(compression_threshold=300, short_term_size=3)
    with Store(path) as store:
        memory = MemoryManager(settings, store=store, session_id="one")
        memory.save()
        for number, message in enumerate(talk(90)):
            await memory.add_message(message)
            if number == 45:  # another reader moves what was written to the tables
                assert MemoryManager.load(store, "one").compressions.summaries == memory.compressions.summaries
        summaries = memory.compressions.summaries
        assert len(summaries) > 4
        with sqlite3.connect(path) as connection:
            events = [json.loads(row[0]) for row in connection.execute("SELECT event FROM journal")]
        plans = [(event, name) for event in events if "plan" in event for name in event["state"]["summaries"]]
        written = [name for _, name in plans]
        assert written == list(summaries)[-len(written) :]
        assert not any("summary" in event["state"]["summaries"][name] for event, name in plans), "it is in the plan"
        resumed = MemoryManager.load(store, "one")
        assert list(resumed.compressions.summaries.items()) == list(summaries.items())
        assert resumed.compressions.preserved == memory.compressions.preserved
