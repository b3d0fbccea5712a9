"""Checkpoints of LangGraph: the newest state of each thread, what older ones had besides, and nothing unpickled."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import ormsgpack
import pytest

from inspector.formats import UnreadableError, load
from tests.formats.samples import checkpoint, checkpoints_database


def message(number: int, kind: str = "human", **fields: Any) -> dict[str, Any]:
    return {"type": kind, "id": f"m{number}", "content": f"Words {number}."} | fields


def test_states_are_one_log_and_a_shorter_one_begins_anew(tmp_path: Path) -> None:
    call = {"id": "call_1", "name": "count", "args": {"month": "May"}}
    counts = {"input_tokens": 12, "output_tokens": 3, "total_tokens": 15}
    early = [
        message(1),
        message(2, "ai", tool_calls=[call], usage_metadata=counts),
        message(3, "tool", tool_call_id="call_1"),
    ]
    late = [message(9, content="Summary of what was said."), *early[2:], message(4, "ai")]
    path = checkpoints_database(tmp_path, checkpoint(*early[:1]), checkpoint(*early), checkpoint(*late))
    (session,) = load(path)
    assert [entry.id for entry in session] == ["m1", "m2", "m3", "m9", "m3#2", "m4"]
    assert [entry.parent for entry in session][3] == -1
    assert session.messages[1].calls[0].name == "count" and session.messages[2].answers == "call_1"
    assert session.messages[1].usage is not None and session.messages[1].usage.input == 12


def test_a_tool_that_failed_is_an_error(tmp_path: Path) -> None:
    state = [message(1, "ai", tool_calls=[{"id": "c1", "name": "count", "args": {}}])]
    state.append(message(2, "tool", tool_call_id="c1", status="error"))
    (session,) = load(checkpoints_database(tmp_path, checkpoint(*state)))
    assert [entry.is_error for entry in session] == [False, True]
    assert dict(session.messages[1].raw) == {"role": "tool", "tool_call_id": "c1", "content": "Words 2."}


class Bomb:
    def __reduce__(self) -> Any:
        return (Path.touch, (Path("/tmp/langgraph-was-unpickled"),))


def test_nothing_is_unpickled_or_made_of_a_class(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="is pickled, which is never read"):
        load(checkpoints_database(tmp_path, pickle.dumps(Bomb()), kind="pickle"))
    assert not Path("/tmp/langgraph-was-unpickled").exists()


def test_extensions_of_classes_are_data(tmp_path: Path) -> None:
    touch = ormsgpack.Ext(1, ormsgpack.packb(["pathlib", "Path", ["/tmp/x"]]))
    method = ormsgpack.Ext(3, ormsgpack.packb(["os", "system", "touch /tmp/langgraph-ran", "__call__"]))
    state = {"channel_values": {"messages": [message(1)], "path": touch, "run": method}}
    (session,) = load(checkpoints_database(tmp_path, ormsgpack.packb(state)))
    assert [entry.text for entry in session] == ["Words 1."]
    assert not Path("/tmp/langgraph-ran").exists()


@pytest.mark.parametrize("data", [b"", b"\xc1", b"\x81", b"\x91" * 5_000, ormsgpack.packb([1, 2]), b"\xc7\xff\x05"])
def test_a_broken_state_is_told(tmp_path: Path, data: bytes) -> None:
    good = checkpoint(message(1), message(2, "ai"))
    (session,) = load(checkpoints_database(tmp_path, good, good, data))
    assert [entry.text for entry in session] == ["Words 1.", "Words 2."]
    assert "is not a state" in session.problems[-1].text
