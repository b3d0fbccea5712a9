"""The sample sessions: every byte is kept, and each shows what it is there to show."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import tomllib
import zlib
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from inspector.library import SAMPLES, sample_targets
from tests.places import SESSIONS

DIGESTS = {
    "coding-agent.jsonl": "01efeac5237ad0e4de3daf82949d842071b377f58a325c8572377db7bf6a7c99",
    "damaged.jsonl": "afb3eb7345f854e6171f72f73d9f08089747d197be26609259d01ecc35f115b4",
    "interviews.json": "171a21e41611bfa7c4534d5fb9fb0c3cea5c3e9189aa77b1500ac857900677c0",
    "research.json": "cf999611a0ad0bc6351adc9386fefc2bc2efe52e6ab4bbc9aed6481a08fb88f8",
    "support-ticket.json": "ce3cb311594d5d3d8ec4088ec1f3e4204db1bed2197c5ef0871fd70ed9c1fa09",
    "three-agents.jsonl": "91c5025f54be38bb4d7a072cf3d257ed68b616421c50e0d631f98497d8814c04",
    "three-agents/subagents/agent-a4e19c7.jsonl": "71eedbdaba83fa8d2888f92065507611f2f34924ab2dfd3fee67126325b2f958",
    "three-agents/subagents/agent-ab03d52.jsonl": "ac5e94cf4e17ee0b4086dfbd81ae3dca99670a7d5cb561442c63f803746d0035",
    "three-agents/subagents/agent-ac77f10.jsonl": "a88bd0f99b2b9bb097a4c88efec4fd8bb761ac46823012e00b1d131a4ebd2b37",
}
"""SHA-256 of each recording. Tests, docs and pictures rely on every byte."""
NAMES = list(DIGESTS)
CODING = "coding-agent.jsonl"
Record = dict[str, Any]


def test_all_of_them_travel_in_the_wheel_under_their_names() -> None:
    settings = tomllib.loads((SESSIONS.parent / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert set(wheel) == {f"sessions/{Path(name).parts[0]}" for name in NAMES}
    assert all(place == source.replace("sessions", "inspector/samples", 1) for source, place in wheel.items())
    assert sum(len(zlib.compress((SESSIONS / name).read_bytes())) for name in NAMES) < 1 << 20
    assert sample_targets() == (str(SAMPLES),)
    listed = {str(path.relative_to(SAMPLES)) for path in SAMPLES.rglob("*") if path.is_file()}
    assert set(NAMES) <= listed


def text(name: str) -> str:
    return (SESSIONS / name).read_bytes().decode()


def records(name: str) -> list[Record]:
    return [json.loads(line) for line in text(name).splitlines()]


def blocks(record: Record) -> list[Record]:
    """The blocks of a record's message; plain words count as one block of text."""
    content = record.get("message", {}).get("content", [])
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def of_kind(rows: list[Record], kind: str) -> Iterator[tuple[int, Record]]:
    return ((place, block) for place, row in enumerate(rows) for block in blocks(row) if block.get("type") == kind)


def calls_and_answers(rows: list[Record]) -> tuple[Counter[str], Counter[str]]:
    calls = Counter(block["id"] for _, block in of_kind(rows, "tool_use"))
    return calls, Counter(block["tool_use_id"] for _, block in of_kind(rows, "tool_result"))


def said_by(rows: list[Record], role: str) -> str:
    """Everything that one side wrote, calls included."""
    return "\n".join(json.dumps(blocks(row), ensure_ascii=False) for row in rows if row["type"] == role)


def test_the_recordings_are_kept_byte_for_byte() -> None:
    files = {path.relative_to(SESSIONS).as_posix() for path in SESSIONS.rglob("*") if path.is_file()}
    assert files == {*NAMES, "README.md"}
    assert {name: hashlib.sha256((SESSIONS / name).read_bytes()).hexdigest() for name in NAMES} == DIGESTS


def test_no_path_of_a_machine_and_no_link_to_the_world_is_in_them() -> None:
    for name in NAMES:
        whole = text(name)
        assert not [word for word in ("/root", "/tmp/", "/Users/", "workshop-", ".pyenv") if word in whole], name
        assert all(host.endswith("example.org") for host in re.findall(r"https?://([\w.-]+)", whole)), name


@pytest.mark.parametrize("name", [name for name in NAMES if "/" not in name])
def test_inspector_opens_each_and_complains_only_of_the_damaged_one(name: str) -> None:
    from inspector.formats import load

    sessions = load(SESSIONS / name)
    assert len(sessions) == (4 if name == "interviews.json" else 1)
    assert bool(sessions[0].problems) == (name == "damaged.jsonl")
    assert len(sessions[0].agents) == (4 if name == "three-agents.jsonl" else 1)


def test_the_folder_stays_small() -> None:
    files = [path for path in SESSIONS.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert sum(path.stat().st_size for path in files) < 3_000_000


def test_the_coding_session_is_a_chain_that_is_broken_once_by_a_compaction() -> None:
    rows = records(CODING)
    uuids = [row["uuid"] for row in rows if "uuid" in row]
    assert len(uuids) == len(set(uuids))
    roots = [row for row in rows if "uuid" in row and row["parentUuid"] is None]
    assert [row.get("subtype", row["type"]) for row in roots] == ["user", "compact_boundary"]
    (boundary,) = (row for row in rows if row.get("subtype") == "compact_boundary")
    place = rows.index(boundary)
    assert boundary["logicalParentUuid"] in uuids[:place]
    assert rows[place + 1]["isCompactSummary"] and rows[place + 1]["parentUuid"] == boundary["uuid"]
    linked = [row for row in rows if "uuid" in row]
    assert all(row["parentUuid"] in {None, *uuids[:at]} for at, row in enumerate(linked))


def test_every_call_of_the_coding_session_is_answered_once_and_some_failed() -> None:
    rows = records(CODING)
    calls, answers = calls_and_answers(rows)
    assert calls == answers and set(calls.values()) == {1}
    assert sum(bool(block.get("is_error")) for _, block in of_kind(rows, "tool_result")) >= 5
    assert {block["name"] for _, block in of_kind(rows, "tool_use")} >= {"Bash", "Read", "Edit", "Write", "Grep"}
    assert any("toolUseResult" in row for row in rows)
    assert {row["type"] for row in rows} >= {
        "file-history-snapshot",
        "system",
        "progress",
        "queue-operation",
        "summary",
    }


def replies(rows: list[Record]) -> dict[str, list[Record]]:
    """The lines of each model call."""
    found: dict[str, list[Record]] = {}
    for row in rows:
        if row["type"] == "assistant":
            found.setdefault(row["message"]["id"], []).append(row)
    return found


def sent(usage: Record) -> int:
    return int(usage["input_tokens"] + usage["cache_creation_input_tokens"] + usage["cache_read_input_tokens"])


@pytest.mark.parametrize("name", [name for name in NAMES if "agent" in name])
def test_reported_usage_grows_by_what_was_added(name: str) -> None:
    rows = records(name)
    before = 0
    for lines in replies(rows).values():
        inputs = {sent(line["message"]["usage"]) for line in lines}
        outputs = [line["message"]["usage"]["output_tokens"] for line in lines]
        assert len(inputs) == 1 and max(outputs) == outputs[-1]
        (now,) = inputs
        compacted = now < before
        assert now > before or (compacted and before > 150_000 and now < 20_000)
        before = now + outputs[-1]


def test_one_reply_stands_on_several_lines_with_differing_output_tokens() -> None:
    counts = [
        {line["message"]["usage"]["output_tokens"] for line in lines} for lines in replies(records(CODING)).values()
    ]
    assert sum(len(found) > 1 for found in counts) > 20
    assert len(counts) > 30


def test_the_window_is_nearly_full_before_the_compaction_and_nearly_empty_after() -> None:
    rows = records(CODING)
    (boundary,) = (row for row in rows if row.get("subtype") == "compact_boundary")
    place = rows.index(boundary)
    last = max(sent(row["message"]["usage"]) for row in rows[:place] if row["type"] == "assistant")
    first = next(sent(row["message"]["usage"]) for row in rows[place:] if row["type"] == "assistant")
    assert 140_000 < last < boundary["compactMetadata"]["preTokens"] < 167_000
    assert first < 20_000


@pytest.mark.parametrize("fact", ["3860", "a9e1418", "6 characters", "4.15", "HN-88", "seq=22682"])
def test_facts_that_the_summary_lost_are_needed_again(fact: str) -> None:
    rows = records(CODING)
    place = next(place for place, row in enumerate(rows) if row.get("isCompactSummary"))
    assert any(fact in block["content"] for _, block in of_kind(rows[:place], "tool_result"))
    assert fact not in blocks(rows[place])[0]["text"]
    assert fact in said_by(rows[place:], "assistant")


def test_what_the_agent_quotes_it_has_seen() -> None:
    rows = records(CODING)
    seen = "\n".join(block["content"] for _, block in of_kind(rows, "tool_result"))
    words = "\n".join(
        block["text"] for row in rows if row["type"] == "assistant" for block in blocks(row) if "text" in block
    )
    quoted = set(re.findall(r"\b[0-9a-f]{7}\b|\b\d\d:\d\d:\d\dZ|\b\d{4} minutes|seq=\d+", words))
    assert len(quoted) >= 6
    assert not [word for word in quoted if word.removesuffix(" minutes") not in seen]


def research() -> Record:
    request: Record = json.loads(text("research.json"))
    return request


def test_the_research_session_is_far_over_the_window_of_its_model() -> None:
    request = research()
    assert request["model"] == "gpt-4o"
    assert len(request["messages"]) > 300
    characters = sum(
        len(message["content"] or "")
        + sum(len(call["function"]["arguments"]) for call in message.get("tool_calls", []))
        for message in request["messages"]
    )
    assert characters / 4 > 150_000


def test_the_research_session_is_a_request_that_a_provider_would_take_but_for_its_length() -> None:
    messages = research()["messages"]
    names = {tool["function"]["name"] for tool in research()["tools"]}
    assert [message["role"] for message in messages[:2]] == ["system", "user"]
    waiting: list[str] = []
    for message in messages[1:]:
        if message["role"] == "tool":
            assert message["tool_call_id"] == waiting.pop(0)
        else:
            assert not waiting
        for call in message.get("tool_calls", []):
            assert call["function"]["name"] in names and json.loads(call["function"]["arguments"])
            waiting.append(call["id"])
    assert not waiting


def test_nobody_speaks_twice_in_a_row_in_the_research_session() -> None:
    said = [message for message in research()["messages"] if message["role"] != "tool"]
    for before, after in pairwise(said):
        assert before["role"] != after["role"] or before.get("tool_calls")


def test_the_user_steers_again_and_again() -> None:
    places = [place for place, message in enumerate(research()["messages"]) if message["role"] == "user"]
    assert len(places) >= 15
    assert max(b - a for a, b in pairwise(places)) <= 36


def test_some_long_results_of_the_research_session_are_repeated_word_for_word() -> None:
    results = Counter(message["content"] for message in research()["messages"] if message["role"] == "tool")
    assert sum(count > 1 and len(result) > 1000 for result, count in results.items()) >= 8


@pytest.mark.parametrize(
    "fact", ["1,490,400", "G-17", "17.57", "0.7 °C", "HV-26-118", "Kiln Lane", "2 September", "S-14", "11 June"]
)
def test_the_memo_needs_what_was_found_long_before(fact: str) -> None:
    messages = research()["messages"]
    place, memo = next((place, m) for place, m in enumerate(messages) if str(m["content"]).startswith("# Cooling"))
    first = next(at for at, message in enumerate(messages) if fact in (message["content"] or ""))
    assert fact in memo["content"]
    assert place - first > 100


def test_the_sums_of_the_memo_are_right() -> None:
    memo = next(m["content"] for m in research()["messages"] if str(m["content"]).startswith("# Cooling"))
    rows = [[cell.strip() for cell in row.strip("| ").split("|")] for row in memo.split("\n") if row.count("|") == 7]
    streets = rows[2:-1]
    assert len(streets) == 12
    cost = sum(int(row[4].removeprefix("EUR ").replace(",", "")) for row in streets)
    assert (cost, sum(int(row[1]) for row in streets), sum(int(row[5]) for row in streets)) == (1_489_780, 194, 90)
    for row in streets:
        assert int(row[1]) * (5240 + 690) + int(row[3].replace(",", "")) * 24 == int(row[4][4:].replace(",", ""))


def ticket() -> Record:
    request: Record = json.loads(text("support-ticket.json"))
    return request


def test_the_ticket_takes_turns_and_waits_for_a_reply() -> None:
    messages = ticket()["messages"]
    assert 30 <= len(messages) <= 50
    assert [message["role"] for message in messages] == ["user", "assistant"] * (len(messages) // 2) + ["user"]
    assert isinstance(messages[-1]["content"], str)


def test_results_of_the_ticket_follow_their_calls_at_once_and_in_full() -> None:
    messages = ticket()["messages"]
    batches = 0
    for before, after in pairwise(messages):
        called = [block["id"] for block in before["content"] if isinstance(block, dict) and block["type"] == "tool_use"]
        if called:
            assert called == [block["tool_use_id"] for block in after["content"]]
            batches += len(called) > 1
    assert batches >= 4


def test_the_photo_of_the_ticket_is_a_picture() -> None:
    block = next(b for m in ticket()["messages"] for b in m["content"] if isinstance(b, dict) and b["type"] == "image")
    data = base64.b64decode(block["source"]["data"], validate=True)
    assert data.startswith(b"\x89PNG\r\n\x1a\n") and data.endswith(b"IEND\xaeB`\x82")
    assert (int.from_bytes(data[16:20]), int.from_bytes(data[20:24])) == (240, 180)


def test_the_last_message_of_the_ticket_can_only_be_answered_from_early_ones() -> None:
    messages = ticket()["messages"]
    assert "7 days" in ticket()["system"][0]["text"]
    early = json.dumps(messages[:22], ensure_ascii=False)
    assert all(fact in early for fact in ("2026-04-25 14:18", "RL-330061", "42.53"))
    assert not any(fact in messages[-1]["content"] for fact in ("2026-04-25", "RL-330061", "83.73"))


def test_three_agents_are_called_with_one_message_and_answer_from_files_of_their_own() -> None:
    rows = records("three-agents.jsonl")
    tasks = [(rows[place], block) for place, block in of_kind(rows, "tool_use") if block["name"] == "Task"]
    assert len({row["message"]["id"] for row, _ in tasks}) == 1
    assert {block["input"]["subagent_type"] for _, block in tasks} == {"researcher", "reviewer", "coder"}
    results = {row["toolUseResult"]["agentId"]: row for row in rows if "agentId" in str(row.get("toolUseResult"))}
    for agent, result in results.items():
        own = records(f"three-agents/subagents/agent-{agent}.jsonl")
        assert all(row["isSidechain"] and row["agentId"] == agent for row in own)
        assert {row["sessionId"] for row in own} == {rows[0]["sessionId"]}
        assert own[0]["message"]["content"] == result["toolUseResult"]["prompt"]
        assert blocks(own[-1])[0]["text"] == blocks(result)[0]["content"][0]["text"]
        calls, answers = calls_and_answers(own)
        assert calls == answers
    assert len(results) == 3


def test_the_planner_needs_what_its_helpers_found() -> None:
    rows = records("three-agents.jsonl")
    place = next(place for place, row in enumerate(rows) if "agentId" in str(row.get("toolUseResult")))
    later = said_by(rows[place:], "assistant")
    assert all(fact in later for fact in ("23:57 UTC", "GK-2611", "0.4072", "29.10535670"))


def damaged() -> tuple[list[Record], list[str]]:
    """The good records of the file, and the lines that are none."""
    good, bad = [], []
    for line in text("damaged.jsonl").split("\n"):
        try:
            value = json.loads(line)
        except json.JSONDecodeError:
            bad.append(line)
            continue
        good.append(value) if isinstance(value, dict) else bad.append(line)
    return good, bad


def test_the_damaged_file_has_a_broken_an_alien_an_empty_and_a_cut_off_line() -> None:
    good, bad = damaged()
    assert len(good) > 25
    assert len(bad) == 4
    assert "" in bad and '["not", "a", "record", 12]' in bad
    assert text("damaged.jsonl").endswith(bad[-1]) and bad[-1].startswith('{"parentUuid"')


def test_the_damaged_file_has_a_dead_call_an_orphan_and_unknown_kinds() -> None:
    good, _ = damaged()
    calls, answers = calls_and_answers(good)
    assert len(calls - answers) == 1 and len(answers - calls) == 1
    assert "weather-report" in {row["type"] for row in good}
    assert list(of_kind(good, "hologram"))


def test_the_damaged_file_carries_hostile_text() -> None:
    good, _ = damaged()
    listing = next(block["content"] for _, block in of_kind(good, "tool_result"))
    for hostile in (
        "\x1b[2J",
        "\x1b]0;",
        "\x07",
        "\x00",
        "\u202e",
        "[bold red]",
        "夏祭り",
        "👨‍👩‍👧‍👦",
        "<|endoftext|>",
    ):
        assert hostile in listing
    assert max(map(len, listing.split())) > 5_000


def test_the_interviews_are_four_plain_chats() -> None:
    chats = json.loads(text("interviews.json"))
    assert len({chat["id"] for chat in chats}) == 4
    for chat in chats:
        sides = [turn["from"] for turn in chat["conversations"] if turn["from"] != "system"]
        assert sides == ["human", "gpt"] * (len(sides) // 2)
        assert all(turn["value"].strip() for turn in chat["conversations"])
