"""`inspector compress`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from inspector.engine.strategies import STRATEGIES
from inspector.engine.window import Plan, Window, view
from tests.cli.calling import inspect

FIRM = ["--strategy", "sliding_window", "--set", "keep_recent=6"]
SMALL = {
    "sliding_window": ["--set", "keep_recent=4"],
    "token_window": ["--set", "max_tokens=1000"],
    "fifo": ["--set", "max_messages=6"],
    "deletion": ["--set", "keep_recent=4"],
}


@pytest.mark.parametrize("strategy", SMALL)
def test_every_strategy_says_what_it_saves_and_what_becomes_of_each_message(log: Path, strategy: str) -> None:
    plan = inspect("compress", log, "--strategy", strategy, *SMALL[strategy], "--json").json
    shown = inspect("show", log, "--json").json
    assert plan["strategy"] == strategy
    assert plan["before"] == {"total": shown["window"]["total"], "messages": 28}
    assert plan["saved"] == plan["before"]["total"] - plan["after"]["total"] > 0
    assert plan["fates"] == Counter(message["fate"] for message in plan["messages"])
    assert [message["id"] for message in plan["messages"]] == [message["id"] for message in shown["messages"]]
    assert all(message["reason"] for message in plan["messages"])
    assert plan["valid"] is True


@pytest.mark.parametrize("strategy", SMALL)
def test_the_tokens_of_what_stays_and_of_summaries_make_up_the_difference(log: Path, strategy: str) -> None:
    plan = inspect("compress", log, "--strategy", strategy, *SMALL[strategy], "--json").json
    lost = sum(message["before"] - message["after"] for message in plan["messages"])
    assert plan["saved"] == lost - sum(summary["tokens"] for summary in plan["summaries"])
    gone = {"dropped", "summarised", "archived"}
    assert all((message["after"] == 0) == (message["fate"] in gone) for message in plan["messages"])


def test_a_summary_names_what_it_covers(log: Path) -> None:
    plan = inspect("compress", log, *FIRM, "--json").json
    (summary,) = plan["summaries"]
    summarised = [message["id"] for message in plan["messages"] if message["fate"] == "summarised"]
    assert summary["covers"] == summarised
    assert summary["text"]
    assert all(message["into"] == summary["id"] for message in plan["messages"] if message["fate"] == "summarised")


def test_settings_that_are_given_are_used_and_the_others_start_as_they_suit(log: Path) -> None:
    assert inspect("compress", log, *FIRM, "--json").json["settings"] == {
        "keep_recent": 6,
        "ratio": 0.3,
        "state_tokens": 0,
    }
    again = inspect("compress", log, *FIRM, "--set", "keep-recent=2", "--set", "ratio=0.5", "--json").json
    assert again["settings"] == {"keep_recent": 2, "ratio": 0.5, "state_tokens": 0}


def test_the_text_tells_fates_by_sign_and_word(log: Path) -> None:
    plan, text = inspect("compress", log, *FIRM, "--json").json, inspect("compress", log, *FIRM).out
    assert f"{plan['saved']:,} tokens" in text
    assert "Σ summarised" in text
    assert "★ pinned" in text
    assert "3–22 20 messages" in text
    assert max(map(len, text.splitlines())) <= 80


def test_all_lists_every_message_on_its_own_line(log: Path) -> None:
    folded, unfolded = inspect("compress", log, *FIRM).out, inspect("compress", log, *FIRM, "--all").out
    assert len(unfolded.splitlines()) == len(folded.splitlines()) + 19


def test_a_strategy_that_is_not_there_is_wrong_usage_with_the_nearest_name(log: Path) -> None:
    ended = inspect("compress", log, "--strategy", "slidingwindow")
    assert ended.code == 2
    assert ended.err.endswith("Did you mean sliding_window?\n")
    assert all(name in ended.err for name in STRATEGIES)
    assert inspect("compress", log).code == 2


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("keep_recnt=3", "Did you mean keep_recent?"),
        ("keep_recent=-1", "keep_recent must be between 0 and 100,000, not -1."),
        ("keep_recent=many", "keep_recent must be a number from 0 to 100,000, not 'many'."),
        ("ratio=0.95", "ratio must be between 0.01 and 0.9, not 0.95."),
        ("keep_recent", "--set takes KEY=VALUE, not 'keep_recent'."),
    ],
)
def test_a_setting_that_does_not_fit_is_wrong_usage_that_says_what_would(log: Path, setting: str, says: str) -> None:
    ended = inspect("compress", log, "--strategy", "sliding_window", "--set", setting)
    assert (ended.code, ended.out) == (2, "")
    assert says in ended.err
    assert ended.err.count("\n") == 1


def test_help_says_where_the_strategies_are_listed() -> None:
    assert "inspector strategies lists the strategies" in " ".join(inspect("compress", "--help").out.split())


def test_previewing_changes_nothing(log: Path) -> None:
    before = inspect("show", log, "--json").out
    inspect("compress", log, *FIRM)
    assert inspect("show", log, "--json").out == before


def test_applying_keeps_the_plan_for_the_next_time(log: Path) -> None:
    plan = inspect("compress", log, *FIRM, "--apply", "--json").json
    shown = inspect("show", log, "--json").json
    assert shown["window"]["total"] == plan["after"]["total"]
    assert [each["strategy"] for each in shown["plans"]] == ["sliding_window"]
    assert inspect("show", log, "--recorded", "--json").json["window"]["total"] == plan["before"]["total"]
    assert "through 1 plan (sliding_window): " in inspect("show", log).out


def test_a_second_plan_goes_on_from_the_first(log: Path) -> None:
    first = inspect("compress", log, *FIRM, "--apply", "--json").json
    second = inspect("compress", log, "--strategy", "deletion", "--set", "keep_recent=2", "--json").json
    assert second["before"] == first["after"]


def test_a_plan_holds_from_its_turn_on(log: Path) -> None:
    before = inspect("show", log, "--turn", 3, "--json").json
    inspect("compress", log, "--turn", 10, *FIRM, "--apply")
    assert inspect("show", log, "--turn", 3, "--json").json == before
    assert inspect("show", log, "--turn", 10, "--json").json["plans"]


def test_gates_look_at_the_window_that_would_be(log: Path) -> None:
    before = inspect("show", log, "--json").json["window"]["total"]
    assert inspect("compress", log, *FIRM, "--fail-over", before - 1, "--fail-invalid").code == 0
    missed = inspect("compress", log, *FIRM, "--fail-over", 10, "--json")
    assert (missed.code, missed.json["strategy"]) == (3, "sliding_window")


def test_out_writes_the_compressed_context_as_a_request(log: Path, tmp_path: Path) -> None:
    out = tmp_path / "smaller.json"
    ended = inspect("compress", log, *FIRM, "--out", out, "--to", "anthropic", "--json")
    request = json.loads(out.read_text(encoding="utf-8"))
    assert ended.code == 0
    assert request == inspect("export", log, *FIRM, "--to", "anthropic").json
    assert request["messages"][0]["role"] == "user"
    assert inspect("compress", log, *FIRM, "--to", "openai").code == 2


def test_without_a_store_it_still_previews_and_says_that_it_cannot_apply(log: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes.db"
    notes.write_text("this is no database, and stays as it is")
    preview = inspect("compress", log, *FIRM, "--db", notes, "--json")
    assert (preview.code, preview.json["strategy"]) == (0, "sliding_window")
    assert f"{notes} is not a database" in preview.err
    applied = inspect("compress", log, *FIRM, "--db", notes, "--apply")
    assert (applied.code, applied.out) == (1, "")
    assert f"{notes} is not a database" in applied.err
    assert notes.read_text(encoding="utf-8") == "this is no database, and stays as it is"


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_a_window_is_looked_at_once_whether_its_preset_is_due_or_not(
    log: Path, monkeypatch: pytest.MonkeyPatch, force: tuple[str, ...]
) -> None:
    calls: list[int] = []

    def counting(recorded: Window, plans: Sequence[Plan]) -> Window:
        calls.append(recorded.turn)
        return view(recorded, plans)

    monkeypatch.setattr("inspector.library.bench.workbench.view", counting)
    done = inspect("compress", log, "--preset", "balanced", "--json", *force)
    assert done.json["preset"]["forced"] is bool(force)
    assert len(calls) == 1
