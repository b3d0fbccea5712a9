"""`inspector eval`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calling import HOSTILE, inspect, transcript, written
from tests.dialogues import beam_folder, dialogue, published_beam
from tests.formats.written import write_json


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_json(tmp_path / "dialogues.json", [dialogue(), dialogue(days=8, name="conv-2")])


def test_a_row_for_each_strategy_and_budget(file: Path) -> None:
    words = ("-s", "deletion", "-s", "sliding_window", "--budget", "20%", "--budget", "700")
    found = inspect("eval", "locomo", file, *words, "--json").json
    rows = [(row["strategy"], row["budget"]) for row in found["rows"]]
    assert rows == [("deletion", 0.2), ("deletion", 700), ("sliding_window", 0.2), ("sliding_window", 700)]
    assert [entry["budget"] for entry in found["budgets"]] == [0.2, 700]
    assert (found["dialogues"], found["questions"], found["paths"]) == (2, 12, [str(file)])


def test_the_text_says_it_too_and_fits_the_terminal(file: Path) -> None:
    for columns in (40, 80, 100):
        out = inspect("eval", "locomo", file, COLUMNS=str(columns)).out
        assert max(map(len, out.splitlines())) <= columns
    assert "2 dialogues" in out and "rank correlation" in out and "infer" in out
    assert sum(line.startswith("deletion ") for line in out.splitlines()) == 5
    assert "No effect on these dialogues: dedupe" in out


def test_searches_are_compared_and_explained(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = inspect("eval", "locomo", file, "-s", "deletion", "--budget", "20%", "--json").json
    assert found["embedder"] == "wordllama-l2-256"
    assert [row["search"] for row in found["searches"]][::4] == ["bm25", "fused"]
    for row in found["searches"]:
        assert [depth["k"] for depth in row["all"]["depths"]] == [5, 10, 25]
        for depth in row["categories"]["4"]["depths"]:
            assert depth["interval"][0] <= depth["recall"] <= depth["interval"][1]
    out = inspect("eval", "locomo", file, "-s", "deletion", "--budget", "20%", COLUMNS="120").out
    assert "fused" in out and "(" in out.split("fused", 1)[1].splitlines()[0]
    monkeypatch.setenv("INSPECTOR_EMBEDDING_MODEL", "none")
    assert inspect("eval", "locomo", file, "-s", "deletion", "--json").json["embedder"] is None


def test_a_folder_is_read_without_what_is_no_dialogue(file: Path) -> None:
    written(file.parent / "agent.jsonl", transcript(turns=2))
    found = inspect("eval", "locomo", file.parent, "-s", "deletion", "--json")
    assert (found.code, found.json["dialogues"]) == (0, 2)


@pytest.mark.parametrize("budget", ["x", "0", "1", "0.3", "0%", "101%", "nan", "inf", "-5"])
def test_a_budget_that_is_none_is_wrong_usage(file: Path, budget: str) -> None:
    assert inspect("eval", "locomo", file, "--budget", budget).code == 2


def test_what_cannot_be_read_is_bad_input(tmp_path: Path) -> None:
    assert inspect("eval", "locomo", tmp_path).code == 1
    assert inspect("eval", "locomo", tmp_path / "none.json").code == 1
    ended = inspect("eval", "locomo", written(tmp_path / "agent.jsonl", transcript(turns=2)))
    assert (ended.code, ended.err.count("\n")) == (1, 1)


def test_the_gate_is_missed_where_retention_tracks_no_better(file: Path) -> None:
    ended = inspect("eval", "locomo", file, "-s", "deletion", "--budget", "30%", "--fail-untracked", "--json")
    assert (ended.code, len(ended.json["missed"])) == (3, 1)
    assert inspect("eval", "locomo", file, "-s", "deletion", "--budget", "30%").code == 0


def test_nothing_in_a_dialogue_commands_the_terminal(tmp_path: Path) -> None:
    record = dialogue()
    for turns in record["conversation"].values():
        for turn in turns if isinstance(turns, list) else ():
            turn["text"] += HOSTILE
    file = write_json(tmp_path / "evil.json", [record])
    for words in ((), ("--json",)):
        ended = inspect("eval", "locomo", file, *words)
        assert ended.code == 0
        assert not set(ended.out) & {"\x1b", "\x9b", "\u202e", "\u2066", "\x00", "\x7f"}


def test_dialogues_out_of_which_nothing_can_be_left_get_a_sentence_and_no_table(tmp_path: Path) -> None:
    record = dialogue()
    talk = record["conversation"]
    first = talk["session_1"][:1]
    record["conversation"] = {key: value for key, value in talk.items() if not key.startswith("session_")}
    record["conversation"]["session_1"] = first
    record["qa"] = [{"question": "?", "answer": first[0]["text"], "category": 4, "evidence": [first[0]["dia_id"]]}]
    out = inspect("eval", "locomo", write_json(tmp_path / "one.json", [record])).out
    assert "there is nothing to compare" in out and "rank correlation" not in out
    assert "1 answer has its words" in out and "1 question names the turns" in " ".join(out.split())


def test_conversations_of_beam_are_found_in_folders_and_their_abilities_named(tmp_path: Path) -> None:
    path = beam_folder(tmp_path / "100K" / "1")
    found = inspect("eval", "beam", tmp_path, "-s", "deletion", "--budget", "50%", "--json").json
    assert (found["paths"], found["dialogues"], found["questions"]) == ([str(path)], 1, 8)
    assert found["rows"][0]["categories"]["knowledge_update"]["answers"] == 1
    out = inspect("eval", "beam", path, "-s", "deletion", COLUMNS="140").out
    assert all(title in out for title in ("update", "contra.", "order", "prefer")) and "abstain" in out
    assert "misquote" not in out
    alone = written(tmp_path / "alone" / "chat.json", path.read_text())
    refused = inspect("eval", "beam", alone)
    assert refused.code == 1 and "probing_questions" in refused.err
    assert inspect("eval", "beam", path.parent / "probing_questions").code == 1


def test_a_damaged_conversation_of_beam_is_named_and_the_others_are_evaluated(tmp_path: Path) -> None:
    beam_folder(tmp_path / "1")
    damaged = beam_folder(tmp_path / "2")
    (damaged.parent / "probing_questions" / "probing_questions.json").write_text("{")
    both = inspect("eval", "beam", tmp_path, "-s", "deletion", "--budget", "50%", "--json")
    assert both.json["dialogues"] == 1 and "Skipped." in both.err and "probing_questions.json" in both.err
    alone = inspect("eval", "beam", damaged.parent)
    assert alone.code == 1 and "cannot be read" in alone.err
    missing = inspect("eval", "beam", tmp_path / "3")
    assert missing.code == 1 and "does not exist" in missing.err


@pytest.mark.parametrize("form", ["batches", "lists"])
def test_files_in_the_forms_that_the_benchmark_publishes_are_evaluated(tmp_path: Path, form: str) -> None:
    path = published_beam(tmp_path / "100K" / "1", form)
    found = inspect("eval", "beam", tmp_path, "-s", "deletion", "-s", "sliding_window", "--json").json
    assert (found["dialogues"], found["questions"], found["whole"]["temporal_reasoning"]["answers"]) == (1, 13, 1)
    for ability in ("information_extraction", "multi_session_reasoning", "instruction_following", "summarization"):
        assert (found["whole"][ability]["with_answer"], found["whole"][ability]["answers"]) == (1, 1)
    assert (found["whole"]["abstention"]["unanswerable"], found["whole"]["abstention"]["abstained"]) == (2, 1)
    assert [row["budget"] for row in found["budgets"]] == [0.1, 0.2, 0.3, 0.4, 0.5]
    low, high = found["tracking"]["retained_interval"]
    assert -1 <= low <= found["tracking"]["retained"] <= high <= 1
    assert all(row["related"] <= row["retained"] and row["abstained"] is not None for row in found["rows"])
    out = inspect("eval", "beam", path, COLUMNS="150").out
    assert "related" in out and "abstain" in out and " (" in out.split("rank correlation", 1)[1].splitlines()[2]


def test_the_shortened_chat_is_read_where_the_benchmark_reads_it(tmp_path: Path) -> None:
    path = published_beam(tmp_path / "100K" / "1")
    whole = inspect("eval", "beam", path, "-s", "deletion", "--json").json
    batches = json.loads(path.read_text())
    written(path.with_name("chat_trunecated.json"), json.dumps(batches[:1]))
    short = inspect("eval", "beam", path, "-s", "deletion", "--json").json
    assert short["tokens"] < whole["tokens"] and short["paths"] == whole["paths"]
    assert inspect("eval", "beam", tmp_path, "-s", "deletion", "--json").json["dialogues"] == 1


def test_an_evaluation_continues_from_its_journal(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECTOR_EMBEDDING_MODEL", "none")
    journal = tmp_path / "journal"
    words = ("eval", "locomo", file, "-s", "deletion", "-s", "sliding_window", "--journal", journal, "--json")
    whole = inspect(*words).out
    first, second = journal.read_text().splitlines()
    journal.write_text(f'{second}\n{{"key": 1}}\nno JSON \x1b\n{first[:-9]}\n')
    assert inspect(*words).out == whole, "the dialogue that is missing is compressed again"
    assert journal.read_text().splitlines()[-1] == first
    assert inspect(*words, "--cluster", "tcp://127.0.0.1:1").out == whole, "no worker is needed"
    assert inspect(*words, "--budget", "30%").code == 0
    assert len(journal.read_text().splitlines()) == 7, "other settings are other results"
