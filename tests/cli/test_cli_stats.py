"""`inspector stats`: totals over stored, followed and recorded sessions, as text, JSON, CSV and as a gate."""

from __future__ import annotations

import csv
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from inspector.library import period_of, save_recorded, trend_line
from inspector.store import Store, default_path
from tests.cli.calling import inspect, transcript, written
from tests.places import SESSIONS

TODAY = datetime.now(UTC).date().isoformat()


def stored(folder: Path, name: str = "lamps", day: str = "2026-03-01") -> str:
    """Import a session of some day; return its id."""
    path = written(folder / f"{name}.jsonl", transcript(name, prompt=f"Count {name}."))
    path.write_text(path.read_text().replace("2026-03-01", day))
    return str(inspect("import", path, "--json").json["sessions"][0]["id"])


def totals(*words: object) -> dict[str, Any]:
    return dict(inspect("stats", "--json", *words).json["totals"])


def test_an_empty_store_says_what_to_do() -> None:
    ended = inspect("stats")
    assert ended.code == 0 and " ".join(ended.out.split()).startswith("No session is stored. To store")
    assert inspect("stats", "--by", "week").out == ended.out
    assert inspect("stats", "--json").json["rows"] == []


def test_imported_sessions_are_added_up_and_the_worst_come_first() -> None:
    inspect("import", SESSIONS / "coding-agent.jsonl", SESSIONS / "three-agents.jsonl")
    text = inspect("stats").out
    assert text.startswith("50% of 2 sessions were compacted; reading 4 dropped files again took")
    assert "cost per week since 2026-02-02" in text and "put stable ones into CLAUDE.md" in text
    answer = inspect("stats", "--json").json
    assert [row["name"] for row in answer["worst"]["project"]] == ["tidegate", "moonlight"]
    assert answer["worst"]["cause"][0]["name"] == "idle" and answer["missing"] == 0
    assert len(answer["rows"]) == 9, "weeks without sessions are between those with some"
    assert sum(row["sessions"] for row in answer["rows"]) == 2


def test_sessions_are_grouped_by_the_presets_of_their_plans(tmp_path: Path) -> None:
    some, other = stored(tmp_path, "lamps"), stored(tmp_path, "piers")
    assert inspect("stats", "--by", "preset").out.strip() == "No preset is recorded in these sessions."
    choices = (
        (some, ("--preset", "early", "--force")),
        (other, ("--preset", "late", "--force")),
        (other, ("-s", "fifo")),
    )
    for name, words in choices:
        assert inspect("compress", name, *words, "--apply").code == 0
    rows = inspect("stats", "--by", "preset", "--json").json["rows"]
    assert {row["name"]: row["sessions"] for row in rows} == {"early": 1, "late": 1}
    assert rows[0]["tokens"] > 0 and rows[0]["compacted"] == 0
    inspect("undo", some)
    table = list(csv.reader(inspect("stats", "--by", "preset", "--csv").out.splitlines()))
    assert [row[0] for row in table] == ["name", "late"]


@pytest.mark.parametrize(
    "by", ["project", "day", "week", "model", "tool", "agent", "file", "server", "format", "cause"]
)
def test_totals_are_grouped(by: str) -> None:
    inspect("import", SESSIONS / "coding-agent.jsonl", SESSIONS / "support-ticket.json")
    rows = inspect("stats", "--by", by, "--json").json["rows"]
    text = inspect("stats", "--by", by).out
    if by == "server":
        assert rows == [] and len(text.splitlines()) == 1
    else:
        assert len(text.splitlines()) == 1 + len(rows) > 1
    lines = list(csv.DictReader(inspect("stats", "--by", by, "--csv").out.splitlines()))
    assert [line["name"] for line in lines] == [row["name"] for row in rows]


def test_a_name_is_no_formula_in_a_spreadsheet(tmp_path: Path) -> None:
    lines = transcript()
    for line in lines:
        line["cwd"] = "/home/=cmd()"
    inspect("import", written(tmp_path / "a.jsonl", lines))
    assert next(csv.DictReader(inspect("stats", "--csv").out.splitlines()))["name"] == "'=cmd()"


def test_since_is_an_age_or_a_date(tmp_path: Path) -> None:
    stored(tmp_path, "old"), stored(tmp_path, "new", TODAY)
    assert totals()["sessions"] == 2
    assert totals("--since", "30d")["sessions"] == 1 == totals("--since", TODAY)["sessions"]
    assert totals("--since", "90000y")["sessions"] == 2
    assert inspect("stats", "--since", "2999-01-01").out == "No session of this period. Choose an earlier --since.\n"
    assert period_of("1w", datetime(2026, 3, 8, 12, tzinfo=UTC)).since == "2026-03-01T00:00:00Z"


@pytest.mark.parametrize(
    "words", ["--since 3x", "--since 2026-13-01", "--fail-over 3", "--fail-over x/week", "--fail-over 3/year",
              "--csv --json", "--by nothing"]
)  # fmt: skip
def test_wrong_usage_is_one_sentence(words: str) -> None:
    ended = inspect("stats", *words.split())
    assert ended.code == 2 and "Traceback" not in ended.err


def test_a_budget_is_a_gate(tmp_path: Path) -> None:
    stored(tmp_path, "old")
    assert inspect("stats", "--fail-over", "0.0001/week").code == 0, "the current week has cost nothing"
    over = inspect("stats", "--fail-over", "0.0001/week", "--since", "2026-01-01")
    assert over.code == 3 and over.err.startswith("The week of 2026-02-23 cost $")
    assert inspect("stats", "--fail-over", "50/week", "--since", "2026-01-01").code == 0
    stored(tmp_path, "new", TODAY)
    for unit in ("day", "week", "month"):
        over = inspect("stats", "--fail-over", f"$0.0001/{unit}", "--json")
        assert over.code == 3 and over.json["missed"][0].startswith(f"The {unit} of ")


def test_a_budget_states_the_calls_that_it_does_not_include(tmp_path: Path) -> None:
    lines = transcript("odd")
    path = written(tmp_path / "odd.jsonl", lines)
    path.write_text(path.read_text().replace("claude-sonnet-4-20250514", "mystery-9"))
    inspect("import", path)
    gate = "stats", "--since", "2026-01-01", "--fail-over", "1/week"
    ended = inspect(*gate, "--json")
    assert (ended.code, ended.json["unpriced"], ended.json["missed"]) == (0, 3, [])
    assert inspect(*gate).err == "The budget does not include 3 calls of unknown price.\n"
    assert inspect("stats", "--json").json["unpriced"] is None
    assert [row["unreported"] for row in inspect("stats", "--by", "day", "--json").json["rows"]] == [3]


def test_a_session_that_was_followed_further_than_stored_is_added_up(tmp_path: Path) -> None:
    path = written(tmp_path / "pier.jsonl", transcript("pier"))
    inspect("import", path)
    written(path, transcript("pier", turns=5))
    assert inspect("follow", path, "--until-idle", "0").code == 0
    assert (totals()["calls"], totals()["sessions"]) == (5, 1)
    assert inspect("stats", "--json").json["missing"] == 0


def test_a_backfill_adds_up_what_is_missing_and_goes_on_after_damage(tmp_path: Path) -> None:
    ids = [stored(tmp_path, name) for name in ("a", "b", "c")]
    with Store(default_path()) as store, store.rollups._settled() as connection:
        connection.execute("DELETE FROM rollup")
        connection.execute("DELETE FROM rollup_part")
        connection.execute("UPDATE message SET role = 'nobody' WHERE session_id = ?", (ids[1],))
    assert "3 stored sessions not added up yet: inspector stats --backfill" in " ".join(inspect("stats").out.split())
    ended = inspect("stats", "--backfill", "--json")
    assert ended.code == 1 and ended.json["added"] == 2 and len(ended.json["errors"]) == 1
    assert totals()["sessions"] == 2
    assert inspect("stats", "--json").json["missing"] == 1
    assert "All stored" not in inspect("stats", "--backfill").out
    assert inspect("rm", ids[1], "--yes").code in (0, 1)


def test_a_followed_session_is_added_up_and_removed_by_its_id(tmp_path: Path) -> None:
    path = written(tmp_path / "pier.jsonl", transcript("pier"))
    assert inspect("follow", path, "--until-idle", "0").code == 0
    assert totals()["sessions"] == 1
    assert inspect("ls", "--json").json["sessions"] == [] or True
    stored(tmp_path, "pier")
    assert totals()["sessions"] == 1, "an import takes the place of it"
    assert inspect("rm", "pier", "--yes").code == 0
    assert inspect("follow", path, "--until-idle", "0").code == 0
    (row,) = inspect("rm", "pier", "--yes", "--json").json["sessions"]
    assert (row["id"], row["messages"], totals()["sessions"]) == ("pier", 0, 0)
    assert inspect("rm", "pier", "--yes").code != 0


def test_a_recording_is_added_up(tmp_path: Path) -> None:
    with Store(default_path()) as store:
        save_recorded(store, SESSIONS / "support-ticket.json")
        save_recorded(store, tmp_path / "missing.jsonl")
        save_recorded(None, SESSIONS / "support-ticket.json")
    assert totals()["calls"] == 21


def test_pruned_sessions_can_keep_their_totals(tmp_path: Path) -> None:
    key = stored(tmp_path, "lamps")
    assert inspect("store", "prune", "--older", "1d", "--keep-rollups", "--yes").code == 0
    assert totals()["sessions"] == 1
    assert inspect("show", key).code != 0
    assert not any(b"Count lamps" in file.read_bytes() for file in default_path().parent.glob("*.db*"))
    stored(tmp_path, "mole")
    assert inspect("store", "prune", "--older", "1d", "--yes").code == 0
    assert totals()["sessions"] == 1


def test_a_trend_has_a_block_per_value() -> None:
    assert trend_line([1, None, 8, 0], 9) == "▂ █ "
    assert trend_line([5, 1, 2], 2) == "▅█" and trend_line([], 5) == "" and trend_line([None], 5) == " "
    assert trend_line([1], 0) == ""
