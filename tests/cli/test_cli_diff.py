"""`inspector diff`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.cli.calling import inspect

FIRM = ["--strategy", "sliding_window", "--set", "keep_recent=6"]


def test_every_message_of_both_windows_is_there_once(log: Path) -> None:
    plan = inspect("compress", log, *FIRM, "--json").json
    changes = inspect("diff", log, *FIRM, "--json").json["changes"]
    kinds = Counter(change["change"] for change in changes)
    assert kinds == {"same": 8, "removed": 20, "added": 1}
    assert {change["id"] for change in changes} == {
        *(message["id"] for message in plan["messages"]),
        *(summary["id"] for summary in plan["summaries"]),
    }


def test_the_tokens_of_both_sides_tell_what_was_saved(log: Path) -> None:
    found = inspect("diff", log, *FIRM, "--json").json
    saved = sum(change["before"] - change["after"] for change in found["changes"])
    assert saved == found["before"]["total"] - found["after"]["total"]


def test_what_left_says_why_and_what_came_says_everything(log: Path) -> None:
    text = inspect("diff", log, *FIRM).out
    (summary,) = inspect("compress", log, *FIRM, "--json").json["summaries"]
    assert "- Σ #3 assistant" in text
    assert "into " in text
    words = "".join(line.removeprefix("+") for line in text.splitlines() if line.startswith("+  "))
    assert "".join(words.split()) == "".join(summary["text"].split())


def test_removed_messages_are_shown_whole_when_asked_for(log: Path) -> None:
    assert "night-07-39=lit" not in inspect("diff", log, "--strategy", "deletion", "--set", "keep_recent=2").out
    full = inspect("diff", log, "--strategy", "deletion", "--set", "keep_recent=2", "--full").out
    assert "night-07-39=lit" in full


def test_side_by_side_has_before_on_the_left_and_after_on_the_right(log: Path) -> None:
    lines = inspect("diff", log, *FIRM, "--side-by-side").out.splitlines()
    assert max(map(len, lines)) <= 80
    task = next(line for line in lines if "    2 user" in line)
    assert task[:38].split() == task[41:].split()
    removed = next(line for line in lines if line.startswith("    3 assistant"))
    assert removed.rstrip().endswith("-")


def test_without_a_strategy_it_tells_what_the_applied_plans_did(log: Path) -> None:
    assert "No differences." in inspect("diff", log).out
    inspect("compress", log, *FIRM, "--apply")
    assert inspect("diff", log, "--json").json["changes"]
    assert "+++ sliding_window" in inspect("diff", log).out


def test_a_diff_is_of_the_turn_that_was_asked_for(log: Path) -> None:
    found = inspect("diff", log, "--strategy", "fifo", "--set", "max_messages=3", "--turn", 6, "--json").json
    assert found["turn"] == 6
    assert len(found["changes"]) == 12


def test_two_turns_are_compared_as_recorded(log: Path) -> None:
    earlier, later = (inspect("show", log, "--turn", turn, "--json").json for turn in ("2", "4"))
    output = inspect("diff", log, "--since", "2", "--turn", "4", "--json").json
    assert (output["since"], output["turn"]) == (2, 4)
    assert output["before"]["total"] == earlier["window"]["total"]
    assert output["after"]["total"] == later["window"]["total"]
    kinds = Counter(change["change"] for change in output["changes"])
    assert set(kinds) == {"same", "added"} and kinds["same"] == output["before"]["messages"]
    text = inspect("diff", log, "--since", "2", "--turn", "4").out
    assert text.startswith("--- turn 2 ") and "\n+++ turn 4 " in text


def test_two_turns_are_not_compared_under_a_strategy(log: Path) -> None:
    ended = inspect("diff", log, *FIRM, "--since", "2")
    assert ended.code == 2 and "--since compares recorded windows" in ended.err
    assert inspect("diff", log, "--since", "9999").code == 2


def test_words_inside_a_changed_message_are_set_apart() -> None:
    from inspector.cli.commands.diff import _word_lines
    from inspector.engine.window.window_diff import word_diff

    spans = word_diff("The lamp was lit on every night.", "The lamp was dark on every night.")
    assert list(_word_lines(spans, full=False)) == ["      The lamp was [-lit-]{+dark+} on every night."]


def test_long_runs_of_unchanged_words_are_shortened_unless_asked_for() -> None:
    from inspector.cli.commands.diff import _word_lines
    from inspector.engine.window.window_diff import word_diff

    before = f"{'all is as it was. ' * 60}one"
    spans = word_diff(before, before.replace("one", "two"))
    short, full = "".join(_word_lines(spans, full=False)), "".join(_word_lines(spans, full=True))
    assert "characters …" in short
    assert "[-one-]{+two+}" in short
    assert full.count("all is as it was.") > short.count("all is as it was.")
