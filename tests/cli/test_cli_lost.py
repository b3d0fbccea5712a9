"""`lost` and `restore`: what a compaction or a plan took out, as text and as JSON, which say the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calling import inspect, transcript, written
from tests.formats.written import Scribe, calls, says
from tests.places import ROOT

AGENT = str(ROOT / "sessions" / "coding-agent.jsonl")
RESEARCH = str(ROOT / "sessions" / "research.json")


def test_a_recorded_compaction_says_what_it_lost_and_where_that_was_needed() -> None:
    ended = inspect("lost", AGENT)
    assert ended.code == 0, ended.err
    assert ended.out.startswith("turn 26: ")
    assert "! path" in ended.out and "re-fetched at turn 26: Read" in ended.out
    assert all(len(line) <= 80 for line in ended.out.splitlines())


def test_json_has_every_loss_with_its_teller_and_the_replies_that_needed_it() -> None:
    ended = inspect("lost", AGENT, "--json")
    (row,) = ended.json["rows"]
    assert row["turn"] == 26
    facts = [loss for loss in row["losses"] if not loss["content"]]
    assert sum(row["counts"].values()) == len(facts) < len(row["losses"])
    needed = [loss for loss in row["losses"] if loss["needed"]]
    assert {need_event["turn"] for loss in needed for need_event in loss["needed"]} == {26, 27, 29, 35}
    assert row["losses"][: len(needed)] == needed, "facts that were needed later come first"
    assert row["losses"][len(needed)]["class"] == "constraint"


def test_every_source_that_why_calls_refetched_is_listed_first() -> None:
    (row,) = inspect("lost", AGENT, "--json").json["rows"]
    refetched = [loss["fact"] for loss in row["losses"] if any(one["how"] == "looked up" for one in loss["needed"])]
    needed = inspect("why", AGENT, "--json").json["needed"]
    asserted = [one["fact"] for need in needed if need["is_lookup"] for one in need["needs"]]
    assert len(asserted) == 5
    assert sorted(refetched) == sorted(asserted)
    assert [loss["fact"] for loss in row["losses"][:5]] == refetched


def test_a_strategy_says_what_it_would_lose() -> None:
    (row,) = inspect("lost", RESEARCH, "--strategy", "fifo", "--json").json["rows"]
    assert row["turn"] == 139
    assert row["before"] > row["after"]
    assert row["losses"]


def test_a_session_without_compactions_says_so_and_ends_well() -> None:
    ended = inspect("lost", RESEARCH)
    assert ended.code == 0
    assert "The file does not record compactions." in ended.err
    answer = inspect("lost", RESEARCH, "--json").json
    assert answer["rows"] == [] and answer["reason"] == ended.err.strip()
    assert inspect("lost", AGENT, "--json").json["reason"] == ""


@pytest.mark.parametrize("command", ["lost", "restore"])
def test_what_the_session_began_without_is_not_called_uncompacted(command: str, tmp_path: Path) -> None:
    scribe = Scribe()
    scribe.add("system", "c1", parentUuid=None, subtype="compact_boundary", compactMetadata={"preTokens": 150_000})
    scribe.ask("u1", "So far two scans are counted.", isCompactSummary=True)
    scribe.reply("a1", "msg_1", says("I go on with the third."))
    begun = inspect(command, scribe.write(tmp_path / "log.jsonl"))
    assert begun.err.startswith("The session begins with a compaction, and the dropped messages are not in this file.")
    whole = inspect(command, written(tmp_path / "whole.jsonl", transcript()))
    assert whole.err.startswith("This session has no compaction.")


@pytest.mark.parametrize("kept", ["the parent", "a kept message"])
def test_the_session_with_what_a_first_compaction_dropped_is_named(kept: str, tmp_path: Path) -> None:
    first = Scribe()
    first.ask("u1", "Count the scans.")
    first.reply("a1", "msg_1", says("Two."))
    before = first.write(tmp_path / "before.jsonl")
    (tmp_path / "other.jsonl").write_text(before.read_text().replace('"a1"', '"x1"').replace('"u1"', '"x2"'))
    facts = {"preTokens": 150_000, "preservedMessages": {"uuids": ["a1"]}} if kept == "a kept message" else {}
    link = {} if facts else {"logicalParentUuid": "a1"}
    second = Scribe()
    second.add("system", "c1", parentUuid=None, subtype="compact_boundary", compactMetadata=facts, **link)
    second.ask("u2", "So far two scans are counted.", isCompactSummary=True)
    second.reply("a2", "msg_2", says("I go on with the third."))
    file = second.write(tmp_path / "log.jsonl")
    answer, why = inspect("lost", file, "--json").json, inspect("why", file, "--json").json
    assert answer["earlier"] == why["earlier"] == {"target": str(before), "title": "Count the scans."}
    sentence = f"the dropped messages are in another session, {before} (Count the scans.)."
    assert sentence in answer["reason"]
    assert sentence[4:] in why["answers"][0]["sentences"][0]
    assert inspect("lost", before, "--json").json["earlier"] is None
    db = tmp_path / "inspector.db"
    [stored] = inspect("import", before, "--db", db, "--json").json["sessions"]
    before.unlink()
    found = inspect("why", file, "--db", db, "--json").json["earlier"]
    assert found == {"target": stored["id"], "title": "Count the scans."}


@pytest.mark.parametrize("command", ["lost", "restore"])
def test_a_turn_without_a_compaction_is_wrong_usage(command: str) -> None:
    ended = inspect(command, AGENT, "--turn", "3")
    assert ended.code == 2
    assert "There is no compaction before turn 3. Compactions precede these turns: 26." in ended.err


def test_restore_of_nothing_says_so() -> None:
    ended = inspect("restore", RESEARCH)
    assert ended.code == 0
    assert ended.out == ""
    assert ended.err.strip() == "The file does not record compactions."
    answer = inspect("restore", RESEARCH, "--json").json
    assert (answer["turn"], answer["text"], answer["reason"]) == (None, "", ended.err.strip())


def running(folder: Path) -> Path:
    """A transcript without a compaction, with a rule, a command that worked and one that failed."""
    scribe = Scribe(common={"cwd": "/pier"})
    scribe.ask("u1", "Count the lamps on the pier. Never touch the fuse box.")
    scribe.reply("a1", "m1", calls("c1", "Bash", command="python count.py --pier 4"))
    scribe.answer("r1", "c1", "41 lamps")
    scribe.reply("a2", "m2", says("There are 41 lamps."))
    return scribe.write(folder / "log.jsonl")


def test_the_next_compaction_states_what_is_at_risk_and_how_to_keep_it(tmp_path: Path) -> None:
    answer = inspect("lost", running(tmp_path), "--next", "--json").json
    following = answer["next"]
    assert answer["rows"] == [] and following["turn"] == 3 and following["keeps"] == 0 < following["removes"]
    assert following["counts"]["rule"] == following["counts"]["command"] == following["counts"]["prompt"] == 1
    assert following["note"].startswith("/compact Keep verbatim my rules: “Never touch the fuse box.”")
    assert "`python count.py --pier 4`" in following["note"] and "\n" not in following["note"]
    assert following["note"] in inspect("lost", running(tmp_path), "--next").out


def test_codex_keeps_the_words_of_the_user(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [{"type": "session_meta", "payload": {"id": "s", "cwd": "/pier"}}]
    for role, kind, words in (("user", "input_text", "Count the lamps, please."), ("assistant", "output_text", "41.")):
        content = [{"type": kind, "text": words}]
        rows.append({"type": "response_item", "payload": {"type": "message", "role": role, "content": content}})
    path = written(tmp_path / "rollout-1.jsonl", rows)
    following = inspect("lost", path, "--next", "--json").json["next"]
    assert following["keeps"] == 1 and following["removes"] == 1 and "prompt" not in following["counts"]


def test_a_compaction_at_an_earlier_turn_removes_only_what_precedes_it(tmp_path: Path) -> None:
    path = running(tmp_path)
    first, last = (inspect("lost", path, "--next", "--turn", turn, "--json").json["next"] for turn in ("1", "3"))
    assert first["turn"] == 1 and "command" not in first["counts"] and first["counts"]["rule"] == 1
    assert last == inspect("lost", path, "--next", "--json").json["next"]
    assert "If it compacted before turn 1" in inspect("lost", path, "--next", "--turn", "1").out


def test_gemini_keeps_the_newest_messages_from_a_prompt_on(tmp_path: Path) -> None:
    texts = ["Count the lamps. " * 40, "41.", "Count the boats. " * 40, "7.", "Count the gulls.", "Too many."]
    messages = [
        {
            "id": str(number),
            "timestamp": "2026-01-01T00:00:00Z",
            "type": "gemini" if number % 2 else "user",
            "content": text,
        }
        for number, text in enumerate(texts)
    ]
    path = tmp_path / "session-1.json"
    path.write_text(json.dumps({"sessionId": "s", "projectHash": "p", "messages": messages}))
    following = inspect("lost", path, "--next", "--json").json["next"]
    assert (following["keeps"], following["removes"]) == (2, 4)
    assert following["policy"] == "The tool keeps a summary and the newest 30% of the window."


def test_a_tool_with_an_unknown_policy_is_said_to_be_unknown() -> None:
    answer = inspect("lost", ROOT / "sessions" / "support-ticket.json", "--next", "--json").json
    assert answer["next"]["policy"] == "It is not known what the tool keeps; a summary alone is assumed."


def test_the_next_compaction_of_a_strategy_is_wrong_usage() -> None:
    ended = inspect("lost", ROOT / "sessions" / "coding-agent.jsonl", "--next", "-s", "deletion")
    assert ended.code == 2 and "--next" in ended.err
