"""`inspector show`."""

from __future__ import annotations

from pathlib import Path

from tests.cli.calling import chat, inspect, transcript, written
from tests.formats.written import Scribe, says
from tests.places import ROOT

SECTIONS = ["system", "memory", "tools", "history", "input", "scratchpad"]


def test_the_six_sections_add_up_to_the_total(log: Path) -> None:
    shown = inspect("show", log, "--json").json
    assert list(shown["window"]["sections"]) == SECTIONS
    assert sum(section["tokens"] for section in shown["window"]["sections"].values()) == shown["window"]["total"]
    assert shown["window"]["free"] == shown["window"]["limit"] - shown["window"]["reserve"] - shown["window"]["total"]


def test_the_json_says_what_session_and_turn_it_is(log: Path) -> None:
    shown = inspect("show", log, "--json").json
    facts = {key: shown["session"][key] for key in ("format", "model", "messages", "turns", "agents")}
    assert facts == {"format": "openai", "model": "gpt-4o", "messages": 28, "turns": 13, "agents": 1}
    assert {"id", "title"} <= shown["session"].keys()
    assert (shown["turn"], shown["valid"], shown["problems"]) == (14, True, [])


def test_a_tokenizer_that_is_the_models_own_counts_exactly(log: Path) -> None:
    sections = inspect("show", log, "--json").json["window"]["sections"]
    assert sections["history"]["how"] == "exact"


def test_an_earlier_turn_has_what_was_sent_then(log: Path) -> None:
    totals = [inspect("show", log, "--turn", turn, "--json").json["window"]["total"] for turn in (1, 5, 14)]
    assert totals == sorted(totals)
    assert totals[0] < totals[1] < totals[2]


def test_the_turn_past_the_last_is_the_context_as_it_stands(log: Path) -> None:
    assert inspect("show", log, "--turn", 14, "--json").json == inspect("show", log, "--json").json


def test_a_turn_that_is_not_there_is_wrong_usage(log: Path) -> None:
    ended = inspect("show", log, "--turn", 15)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "There is no turn 15. The last turn is 13; 14 is the current context.\n"


def test_an_agent_that_is_not_there_is_wrong_usage(log: Path) -> None:
    ended = inspect("show", log, "--agent", "mian")
    assert ended.code == 2
    assert ended.err == "There is no agent 'mian' in this session. Agents: main. Did you mean main?\n"


def test_copies_that_a_compaction_kept_are_told(tmp_path: Path) -> None:
    scribe = Scribe()
    scribe.ask("u1", "Count the scans.")
    scribe.reply("a1", "msg_1", says("Two."))
    kept = {"preservedSegment": {"headUuid": "a1", "tailUuid": "a1"}}
    scribe.add("system", "c1", parentUuid=None, subtype="compact_boundary", compactMetadata=kept)
    scribe.ask("c2", "So far two.", isCompactSummary=True)
    shown = inspect("show", scribe.write(tmp_path / "log.jsonl")).out
    assert "4 messages, 1 of them copies" in shown


def test_a_window_that_the_recording_begins_after_tells_what_the_provider_reported(tmp_path: Path) -> None:
    file = written(tmp_path / "agent.jsonl", transcript()[1:])
    ended = inspect("show", file, "--turn", 1, "--json").json
    assert (ended["messages"], ended["window"]["total"]) == ([], ended["window"]["reported"])
    sentence = f"No message of this window is recorded; {ended['window']['total']:,} tokens were reported."
    assert sentence in inspect("show", file, "--turn", 1).out
    assert inspect("export", file, "--turn", 1).err == f"Nothing to export. {sentence}\n"


def test_what_a_format_leaves_out_is_unrecorded_and_never_zero(tmp_path: Path) -> None:
    file = written(tmp_path / "agent.jsonl", transcript())
    sections = inspect("show", file, "--json").json["window"]["sections"]
    assert sections["system"]["how"] == sections["tools"]["how"] == "unrecorded"
    assert sections["system"]["tokens"] > 0
    assert "unrecorded ≈" in inspect("show", file).out


def test_what_the_provider_reported_stands_beside_the_count(tmp_path: Path) -> None:
    file = written(tmp_path / "agent.jsonl", transcript())
    assert inspect("show", file, "--turn", 2, "--json").json["window"]["reported"] == 15_125
    assert "reported" not in inspect("show", file, "--json").json["window"]


def test_the_text_names_sections_tokens_and_messages(log: Path) -> None:
    shown = inspect("show", log, "--json").json
    text = inspect("show", log).out
    assert f"{shown['window']['total']:,} of 128,000 tokens" in text
    for name, section in shown["window"]["sections"].items():
        line = next(line for line in text.splitlines() if name.capitalize() in line)
        assert f" {section['tokens']:,}" in line
    assert "read_log" in text
    assert "✓ valid" in text


def test_every_estimate_carries_its_sign() -> None:
    lines = inspect("show", ROOT / "sessions" / "coding-agent.jsonl").out.splitlines()
    assert " free ≈" in " ".join(lines)
    rows = lines[next(place for place, line in enumerate(lines) if "content" in line) + 1 :]
    assert len(rows) > 30 and all(" ≈" in row for row in rows if row.strip())
    assert "≈209,642 of 128,000" in inspect("top", ROOT / "sessions" / "research.json").out


def test_the_text_fits_the_terminal(log: Path) -> None:
    for columns in (60, 80, 110):
        lines = inspect("show", log, COLUMNS=str(columns)).out.splitlines()
        assert max(map(len, lines)) <= columns
        assert max(map(len, lines)) > columns - 8


def test_a_limit_of_ones_own_moves_the_edge_of_the_window(log: Path) -> None:
    shown = inspect("show", log, "--limit", 2_000, "--json").json
    assert shown["window"]["limit"] == 2_000
    assert shown["window"]["free"] < 0
    assert "over by" in inspect("show", log, "--limit", 2_000).out


def test_a_gate_that_is_not_met_ends_with_3_and_still_shows(log: Path) -> None:
    ended = inspect("show", log, "--fail-over", 100, "--json")
    assert ended.code == 3
    assert ended.json["window"]["total"] > 100
    assert ended.err.count("\n") == 1
    assert "more than the 100 of --fail-over" in ended.err
    assert [sentence + "\n" for sentence in ended.json["missed"]] == [ended.err]
    assert inspect("show", log, "--fail-over", 1_000_000, "--fail-invalid").code == 0


def test_an_invalid_window_misses_its_gate_in_the_providers_words(tmp_path: Path) -> None:
    request = chat(2)
    del request["messages"][2]  # the call that the first result answers
    ended = inspect("show", written(tmp_path / "broken.json", request), "--fail-invalid", "--json")
    assert ended.code == 3
    assert ended.json["valid"] is False
    assert "must be a response to a preceding message with 'tool_calls'" in ended.json["problems"][0]
    assert "must be a response" in ended.err


def test_a_file_of_several_sessions_shows_the_first_and_says_how_to_pick(tmp_path: Path) -> None:
    file = written(tmp_path / "three.jsonl", [chat(1), chat(2), chat(3)])
    first, second = inspect("show", file, "--json"), inspect("show", f"{file}#2", "--json")
    assert first.json["session"]["turns"] == 2
    assert f"the next is {file}#2" in first.err
    assert second.json["session"]["turns"] == 3
    assert second.err == ""
    beyond = inspect("show", f"{file}#4")
    assert (beyond.code, beyond.err) == (1, f"{file} contains 3 sessions. There is no {file}#4.\n")


def test_a_folder_shows_the_first_conversation_in_it(tmp_path: Path) -> None:
    written(tmp_path / "logs" / "a.json", {"no": "conversation"})
    file = written(tmp_path / "logs" / "b.json", chat(1))
    ended = inspect("show", tmp_path / "logs", "--json")
    assert (ended.code, ended.json["session"]["turns"]) == (0, 2)
    assert str(file) in ended.err


def test_bad_input_is_one_sentence_with_the_name_of_the_file(tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text('{"messages": [{"role": "user" "content": "Hello"}]}')
    for file in (broken, tmp_path / "missing.json", written(tmp_path / "other.json", {"rows": [1, 2]})):
        ended = inspect("show", file)
        assert (ended.code, ended.out) == (1, "")
        assert str(file) in ended.err
        assert ended.err.count("\n") == 1
        assert "Traceback" not in ended.err


def test_damage_in_a_source_is_told_with_its_lines(tmp_path: Path) -> None:
    file = written(tmp_path / "agent.jsonl", transcript())
    lines = file.read_text().splitlines()
    file.write_text("\n".join([*lines[:2], "{broken", *lines[2:]]))
    shown = inspect("show", file, "--json").json
    assert [text for text in shown["damage"] if text.startswith("line 3")]
    assert "line 3" in inspect("show", file).out


def test_a_stored_session_opens_by_the_beginning_of_its_id(tmp_path: Path) -> None:
    file = written(tmp_path / "agent.jsonl", transcript("77aa-lamp"))
    inspect("import", file)
    stored, read = inspect("show", "77aa", "--json").json, inspect("show", file, "--json").json
    assert stored == read
