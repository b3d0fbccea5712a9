"""`compress --model`: summaries by a model, and what a compression costs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calling import inspect
from tests.engine.summaries.endpoint import SUMMARY, answers, fails, serving

FIRM = ("--strategy", "sliding_window", "--set", "keep_recent=4")


@pytest.fixture(autouse=True)
def _no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("INSPECTOR_MODEL", "OPENAI_MODEL", "OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def test_the_model_of_the_environment_writes_the_summary(log: Path) -> None:
    with serving(answers()) as endpoint:
        ended = inspect(
            "compress", log, *FIRM, "--model", "--json", INSPECTOR_MODEL="some-model", OPENAI_BASE_URL=endpoint.url
        )
    assert ended.code == 0
    (summary,) = ended.json["summaries"]
    assert summary["text"].startswith(SUMMARY)
    assert (ended.json["money"]["compression_input"], ended.json["money"]["compression_output"]) == (321, 45)


def test_what_the_model_took_is_told(log: Path) -> None:
    with serving(answers()) as endpoint:
        ended = inspect("compress", log, *FIRM, "--model", INSPECTOR_MODEL="some-model", OPENAI_BASE_URL=endpoint.url)
    assert "some-model read 321 tokens and wrote 45." in ended.out


def test_a_model_that_fails_changes_nothing_and_ends_with_1(log: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    before = inspect("show", log, "--json").out
    with serving(fails(401)) as endpoint:
        told = {"INSPECTOR_MODEL": "some-model", "OPENAI_BASE_URL": endpoint.url, "OPENAI_API_KEY": "sk-secret"}
        ended = inspect("compress", log, *FIRM, "--model", "--apply", "--out", out, **told)
    assert ended.code == 1
    assert "\nNothing was changed: " in ended.err
    assert "the extractive summary can be used instead" in ended.err
    assert "sk-secret" not in ended.err + ended.out
    assert not out.exists()
    assert inspect("show", log, "--json").out == before


def test_the_host_is_named_before_the_first_request_and_without_the_password(log: Path) -> None:
    settings = {"INSPECTOR_MODEL": "some-model", "OPENAI_BASE_URL": "http://ann:pw-secret@127.0.0.1:9/v1"}
    ended = inspect("compress", log, *FIRM, "--model", INSPECTOR_MODEL_TIMEOUT="1", **settings)
    assert ended.err.startswith("Messages to summarise are sent to 127.0.0.1:9 (some-model).\n")
    assert "pw-secret" not in ended.err + ended.out


def test_without_a_model_it_says_how_to_set_one_up(log: Path) -> None:
    ended = inspect("compress", log, *FIRM, "--model")
    assert ended.code == 2
    assert "INSPECTOR_MODEL" in ended.err


def test_no_model_is_asked_unless_it_was_asked_for(log: Path) -> None:
    with serving(answers()) as endpoint:
        ended = inspect("compress", log, *FIRM, "--json", INSPECTOR_MODEL="m", OPENAI_BASE_URL=endpoint.url)
        assert endpoint.requests == []
    assert ended.json["money"]["compression_cost"] == 0


def test_the_text_says_what_a_call_costs_before_and_after(log: Path) -> None:
    lines = inspect("compress", log, *FIRM).out.splitlines()
    cost = next(line for line in lines if line.startswith("  cost"))
    assert " a call, then " in cost
    assert any(line.strip().startswith("breaks even") for line in lines)


def test_scores_come_with_their_parts(log: Path) -> None:
    told = inspect("compress", log, "--strategy", "importance", "--json").json
    for message in told["messages"]:
        assert message["score"]["total"] == pytest.approx(sum(message["score"]["parts"].values()), abs=0.001)
    assert "score" not in inspect("compress", log, *FIRM, "--json").json["messages"][0]
