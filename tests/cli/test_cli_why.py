"""`why`: the verdict and four answers, as text and as JSON, which say the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.command_line import COMMANDS
from tests.cli.calling import fallen_transcript, inspect, written
from tests.places import ROOT

AGENT = str(ROOT / "sessions" / "coding-agent.jsonl")
RESEARCH = str(ROOT / "sessions" / "research.json")


def answered(*words: str) -> dict[str, Any]:
    ended = inspect("why", *words, "--json")
    assert ended.code == 0, ended.err
    output: dict[str, Any] = json.loads(ended.out)
    return output


def test_the_verdict_stands_first_and_four_answers_below_it() -> None:
    ended = inspect("why", AGENT)
    lines = ended.out.splitlines()
    assert lines[3].startswith("compacted at turn 26: 153,703 → 15,956; ")
    assert " · r " not in ended.out, "there is no key to press"
    asked = [line for line in lines if line.endswith("?")]
    assert asked == ["Why did it forget?", "What fills the window?", "What should I do?", "What does it cost?"]
    assert "Reply 108 (turn 26) re-fetched keepers-sheet.md" in ended.out
    assert "steady leads: no regrets" in " ".join(ended.out.split()) and "2,058,680 tokens" in ended.out
    assert all(len(line) <= 80 for line in lines if not line.startswith("  inspector "))


def test_json_says_the_same_with_ids_and_turns() -> None:
    output = answered(AGENT)
    verdict = output["verdict"]
    assert verdict["text"] == "".join(span["text"] for span in verdict["spans"])
    assert (verdict["kind"], verdict["key"], verdict["turn"]) == ("compacted", "r", 27)
    first = output["needed"][0]
    assert verdict["message"] == first["message"] and first["turn"] == 26 and first["number"] == 108
    assert first["needs"][0]["fact"].endswith("keepers-sheet.md") and first["needs"][0]["lost_at"] == 26
    assert [change["turn"] for change in output["compactions"]] == [26]
    assert sum(share["tokens"] for share in output["shares"]) == output["tokens"]
    assert output["advice"]["best"] == "steady"


@pytest.mark.parametrize("target", [AGENT, RESEARCH])
def test_the_advice_is_the_verdict_of_tune_whichever_runs_first(target: str, tmp_path: Path) -> None:
    log = tmp_path / Path(target).name
    log.write_bytes(Path(target).read_bytes())
    first = answered(str(log))["advice"]
    verdict = inspect("tune", log, "--json").json["verdict"]
    assert verdict == {name: first[name] for name in verdict} and len(verdict["front"]) > 1
    assert answered(str(log))["advice"] == first


def test_a_window_that_does_not_fit_is_said_to_be_too_large() -> None:
    output = answered(RESEARCH)
    assert output["verdict"]["kind"] == "too large" and output["too_large"][0] == 96
    assert output["tokens"] > output["limit"]
    assert [saving["strategy"] for saving in output["advice"]["savings"]] == ["dedupe"]


def test_beside_a_stored_plan_every_number_says_whether_it_is_as_recorded_or_through_the_plan() -> None:
    stored = inspect("import", RESEARCH, "--json").json["sessions"][0]["id"]
    bare = " ".join(inspect("why", stored).out.split())
    assert "The window now costs" in bare and answered(stored)["planned_tokens"] is None
    made = inspect("compress", stored, "-s", "sliding_window", "--apply", "--json")
    assert made.code == 0, made.err
    text, after = " ".join(inspect("why", stored).out.split()), made.json["after"]["total"]
    assert f"As recorded it now has ≈209,642 tokens of 128,000, 164%; through 1 plan ≈{after:,}, " in text
    assert "The window as recorded costs ≈" in text and "per uncached call, through 1 plan ≈$" in text
    assert answered(stored)["planned_tokens"] == after


@pytest.mark.parametrize("target", [AGENT, RESEARCH])
def test_every_command_that_leads_on_is_there_and_runs(target: str) -> None:
    for answer in answered(target)["answers"]:
        words = answer["command"].replace("SESSION", target).split()
        assert words[0] in COMMANDS
        if words[0] != "tune":
            assert inspect(*words).code == 0


def test_an_agent_has_answers_of_its_own() -> None:
    session = str(ROOT / "sessions" / "three-agents.jsonl")
    assert answered(session, "--agent", "coder-1")["agent"] == "coder-1"
    text = inspect("why", session, "--agent", "coder-1").out
    assert f"inspector top {session} --agent coder-1" in text.replace("\n  ", " ")


def test_a_session_without_replies_has_a_verdict(tmp_path: Path) -> None:
    path = tmp_path / "asked.json"
    path.write_text(json.dumps({"model": "gpt-4o", "messages": [{"role": "user", "content": "Hello there."}]}))
    output = answered(str(path))
    assert output["verdict"]["kind"] == "not recorded" and output["advice"]["best"] is None
    assert output["records_compactions"] is False


def test_a_fall_of_the_reported_size_is_told_by_every_command_that_follows_the_window(tmp_path: Path) -> None:
    path = str(written(tmp_path / "fallen.jsonl", fallen_transcript()))
    fall = {"turn": 3, "before": 41_000, "after": 12_000}
    output = answered(path)
    assert output["falls"] == [fall] and output["verdict"]["kind"] == "fell" and not output["compactions"]
    assert output["answers"][0]["sentences"][0] == (
        "The reported size fell from 41,000 to 12,000 before turn 3; the file does not say why."
    )
    assert output["tokens"] == pytest.approx(12_000, rel=0.01)
    replayed = inspect("replay", path, "--preset", "recorded", "--json").json
    assert replayed["falls"] == [fall]
    assert "fell from 41,000 to 12,000 before turn 3" in " ".join(inspect("replay", path).out.split())
    assert [event["kind"] for event in inspect("report", path, "--json").json["evictions"]] == ["unseen"]


def test_usage_at_the_default_price_is_not_called_what_the_session_cost(tmp_path: Path) -> None:
    question, answer = {"role": "user", "content": "Count the gulls."}, {"role": "assistant", "content": "Two."}
    response = {"choices": [{"message": answer}], "usage": {"prompt_tokens": 10_000, "completion_tokens": 5}}
    path = tmp_path / "log.json"
    for model, paid, spent in (
        ("gpt-4o", "as reported: $0.025.", "recorded cost $0.025."),
        ("house-model", "as reported: $0.006 at the default price.", "would have cost $0.006 at the default price."),
    ):
        path.write_text(json.dumps({"request": {"model": model, "messages": [question]}, "response": response}))
        text = " ".join(inspect("why", str(path)).out.split())
        assert paid in text and spent in text


def test_a_cost_that_the_file_states_is_shown_if_it_differs_from_the_computed_one(tmp_path: Path) -> None:
    path = tmp_path / "trajectory.json"
    for amount, sentence in ((0.4, " The file itself states $0.40 for 1 call. "), (0.025, ""), ("much", ""), (-1, "")):
        metrics = {"prompt_tokens": 10_000, "completion_tokens": 5, "cost_usd": amount}
        steps = [
            {"step_id": 1, "source": "user", "message": "Count the gulls."},
            {"step_id": 2, "source": "agent", "message": "Two.", "metrics": metrics},
        ]
        record = {"schema_version": "ATIF-v1.4", "agent": {"name": "gulls", "model_name": "gpt-4o"}, "steps": steps}
        path.write_text(json.dumps(record))
        text = " ".join(inspect("why", str(path)).out.split())
        assert "as reported: $0.025." in text and sentence in text and ("itself states" in text) is bool(sentence)
