"""The state of the work on the command line: `state`, and what `why` and `lost` say about it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.calling import inspect
from tests.engine.work_state.scripts import BROKEN_RULE, Run, session_of


def test_the_state_now_and_at_a_turn(tmp_path: Path) -> None:
    path = session_of(BROKEN_RULE, "claude-code", tmp_path).path
    text = inspect("state", path, "--turn", "2").out
    assert "State before turn 2: the agent acts next" in text
    assert "Never push, I do that myself." in text and "#1 turn 1" in text
    output = inspect("state", path, "--json").json
    assert output["turn"] == 3 and output["next"] == "agent" and output["not_recorded"] == ["mode"]
    assert {"where", "request", "rule"} <= {item["part"] for item in output["items"]}
    assert inspect("state", path, "--turn", "9").code == 2


def test_what_only_calls_tell_is_not_recorded_without_a_call(tmp_path: Path) -> None:
    chat = [{"role": "user", "content": "Hello, how are you?"}, {"role": "assistant", "content": "Fine."}]
    path = tmp_path / "chat.json"
    path.write_text(json.dumps({"messages": chat}))
    assert inspect("state", path, "--json").json["not_recorded"] == [
        "where",
        "mode",
        "task",
        "running",
        "file",
        "failure",
    ]


def test_consequences_come_first(tmp_path: Path) -> None:
    session = session_of(BROKEN_RULE, "claude-code", tmp_path)
    text = " ".join(inspect("why", session.path).out.split())
    assert "followed by a broken rule" in text
    assert text.index("“git push origin main” breaks the rule") < text.index("tokens became")
    (one,) = inspect("why", session.path, "--json").json["consequences"]
    assert (one["kind"], one["turn"], one["compaction"]) == ("rule_broken", 2, 2)
    assert session.by_id[one["message"]].role == "assistant"
    assert one["item"] == "Never push, I do that myself." and one["evidence"] == "git push origin main"


def test_lost_opens_with_what_followed_and_a_table_of_state(tmp_path: Path) -> None:
    path = session_of(BROKEN_RULE, "claude-code", tmp_path).path
    text = inspect("lost", path).out
    assert text.index("What followed (1)") < text.index("in the new context")
    output = inspect("lost", path, "--json").json
    (rule,) = [row for row in output["state"] if row["part"] == "rule"]
    assert (rule["item"], rule["fate"], rule["compaction"]) == ("Never push, I do that myself.", "dropped", 2)
    assert [one["kind"] for one in output["consequences"]] == ["rule_broken"]


def test_a_session_without_a_fault_has_no_consequence(tmp_path: Path) -> None:
    path = session_of((*BROKEN_RULE[:-1], Run("git commit -m x", "[main 1] x")), "claude-code", tmp_path).path
    assert inspect("why", path, "--json").json["consequences"] == []
    assert "No later reply re-fetched a source" in " ".join(inspect("why", path).out.split())
