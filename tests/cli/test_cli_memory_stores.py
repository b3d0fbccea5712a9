"""`inspector memory PATH` and `memory stores`."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from pathlib import Path

import pytest

from tests.cli.calling import HOSTILE, inspect
from tests.cli.commands import RAW
from tests.formats.memory_samples import mem0, rule_folder, rules


def test_a_path_in_place_of_a_command_lists_its_memories(tmp_path: Path) -> None:
    path = mem0(tmp_path)
    ended = inspect("memory", path)
    assert ended.code == 0 and "The lamp is green." in ended.out and "deleted" in ended.out
    assert inspect("memory", "open", path, "--json").json["stores"][0]["items"][0]["history"][1]["after"]


def test_an_item_of_another_program_is_shown_whole_with_its_life(tmp_path: Path) -> None:
    path = mem0(tmp_path)
    ended = inspect("memory", "show", path, "lamp")
    assert ended.code == 0 and "updated by mia" in ended.out and "The lamp is green." in ended.out
    (store,) = inspect("memory", "show", path, "cat", "--json").json["stores"]
    assert [item["id"] for item in store["deleted"]] == ["cat"] and not store["items"]
    missing = inspect("memory", "show", path, "dog")
    assert missing.code == 1 and "has no item 'dog'" in missing.err
    assert inspect("memory", "show", "lamp").code == 2


def test_a_mistyped_command_of_the_group_is_answered_with_the_one_that_is_close() -> None:
    ended = inspect("memory", "list")
    assert ended.code == 2 and "Did you mean ls?" in ended.err


def test_a_folder_of_rules_without_a_history_names_what_has_one(tmp_path: Path) -> None:
    ended = inspect("memory", "history", rules(tmp_path).parent)
    assert ended.code == 0 and "name the file" in ended.out


def test_a_store_among_the_words_of_a_recall_is_named_with_the_option_that_searches_it(tmp_path: Path) -> None:
    path = mem0(tmp_path)
    ended = inspect("memory", "recall", "lamp", path)
    assert ended.code == 0 and f"--in {path}" in ended.err
    assert "1 hit" in inspect("memory", "recall", "lamp", "--in", path).out


def test_the_stores_of_a_folder_are_listed_with_their_sizes(tmp_path: Path) -> None:
    ended = inspect("memory", "stores", rule_folder(tmp_path / "folder"), "--json")
    kinds = [(store["kind"], store["items"]) for store in ended.json["stores"]]
    assert sorted(kinds) == [("mem0", 1), ("notes", 2), ("rule-file", 1), ("rule-file", 4)]
    assert ended.json["tokens"] > 10


def test_hostile_rules_reach_the_terminal_without_control_characters(tmp_path: Path) -> None:
    path = rules(tmp_path)
    path.write_text(f"{path.read_text()}- {HOSTILE}\n" + 40 * "Be brief. ", encoding="utf-8", errors="replace")
    ended = inspect("memory", path)
    assert ended.code == 0 and not RAW.search(ended.out)


@pytest.mark.parametrize("words", [["open", "nothing"], ["./nothing"]])
def test_a_missing_path_is_an_error(words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ended = inspect("memory", *words)
    assert (ended.code, ended.err.strip()) == (1, f"{Path(words[-1])} does not exist.")


def broken_rules(folder: Path) -> Path:
    folder.mkdir()
    (folder / "CLAUDE.md").write_text("- Use pnpm, never npm.\n- Use npm to install.\n- See `src/gone.py`.\n", "utf-8")
    return folder


def test_an_audit_prints_evidence_and_ends_with_3_only_for_the_kinds_that_are_to_fail(tmp_path: Path) -> None:
    folder = broken_rules(tmp_path / "folder")
    ended = inspect("memory", "audit", folder, "--fail-on", "dead,leak", "--json")
    kinds = [(finding["kind"], finding["value"], finding["items"]) for finding in ended.json["findings"]]
    assert ended.code == 3 and ended.json["missed"] == ["There are findings of the kind dead_reference."]
    assert kinds == [
        ("dead_reference", "src/gone.py", ["CLAUDE.md:3"]),
        ("contradiction", "package manager: pnpm / npm", ["CLAUDE.md:1", "CLAUDE.md:2"]),
    ]
    assert inspect("memory", "audit", folder, "--fail-on", "leak").code == 0
    assert "src/gone.py" in inspect("memory", "audit", folder).out


def test_an_audit_says_how_many_findings_are_too_unsure_to_be_listed(tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("Run `make all`, and `npm run gone`.\n")
    (tmp_path / "Makefile").write_text("all:\n")
    assert (
        "1 less certain finding not listed: --least 0 lists all."
        in inspect("memory", "audit", tmp_path, "--least", "0.7").out
    )
    assert inspect("memory", "audit", tmp_path, "--least", "0.7", "--json").json["hidden"] == 1
    assert "not listed" not in inspect("memory", "audit", tmp_path, "--least", "0").out


def test_the_patch_of_an_audit_is_printed_and_nothing_is_changed(tmp_path: Path) -> None:
    folder = broken_rules(tmp_path / "folder")
    before = (folder / "CLAUDE.md").read_bytes()
    ended = inspect("memory", "audit", folder, "--patch", "--kind", "dead_reference")
    assert ended.out.startswith("--- a/CLAUDE.md\n+++ b/CLAUDE.md\n") and "\n-- See `src/gone.py`." in ended.out
    assert (folder / "CLAUDE.md").read_bytes() == before


def test_rules_between_a_folder_and_its_repository_are_audited_together(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "CLAUDE.md").write_text("- Use pnpm, never npm.\n", "utf-8")
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "CLAUDE.md").write_text("- Use npm to install.\n", "utf-8")
    (finding,) = inspect("memory", "audit", tmp_path / "web", "--json").json["findings"]
    assert finding["kind"] == "contradiction"


def test_an_audit_without_edits_prints_no_patch(tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("- Be brief.\n", "utf-8")
    ended = inspect("memory", "audit", tmp_path, "--patch")
    assert (ended.code, ended.out) == (0, "") and "There is no edit to print." in ended.err


def test_recordings_of_other_projects_break_no_rules_of_this_one(tmp_path: Path) -> None:
    (tmp_path / "gate").mkdir()
    (tmp_path / "gate" / "CLAUDE.md").write_text("- Never push to main.\n", "utf-8")
    (tmp_path / "runs").mkdir()
    for name, command in (("gate", "ls"), ("lamp", "git push origin main")):
        call = {"type": "tool_use", "id": "1", "name": "Bash", "input": {"command": command}}
        rows = [{"type": "user", "message": {"role": "user", "content": "Please go on."}}]
        rows += [{"type": "assistant", "message": {"role": "assistant", "id": "m", "content": [call]}}]
        lines = [
            {"uuid": str(number), "parentUuid": str(number - 1) if number else None, "sessionId": name}
            | {"cwd": f"/home/mia/{name}", "version": "2.1.0", "timestamp": f"2026-03-01T10:00:0{number}Z", **row}
            for number, row in enumerate(rows)
        ]
        (tmp_path / "runs" / f"{name}.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    audit = ("memory", "audit", tmp_path / "gate", "--kind", "broken", "--json", "--sessions")
    ended = inspect(*audit, tmp_path / "runs")
    assert ended.json["findings"] == [] and "1 recording of other projects left out." in ended.err
    (broken,) = inspect(*audit, tmp_path / "runs" / "lamp.jsonl").json["findings"]
    assert broken["kind"] == "broken", "a file that the user names is looked at"


def test_two_snapshots_of_rules_are_compared_item_by_item(tmp_path: Path) -> None:
    before, after = tmp_path / "before.md", tmp_path / "after.md"
    before.write_text("- Be brief.\n- Use a red lamp in the hall.\n- Sell it.\n", "utf-8")
    after.write_text("- Use a green lamp in the hall.\n- Be brief.\n- Keep it.\n- Ask.\n", "utf-8")
    ended = inspect("memory", "diff", before, after, "--json").json
    assert (ended["added"], ended["removed"], ended["changed"]) == (2, 1, 1)
    assert "Use a green lamp" in inspect("memory", "diff", before, after).out


def test_items_of_databases_are_compared_by_their_ids(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    before, after = mem0(tmp_path / "a"), mem0(tmp_path / "b")
    insert = "INSERT INTO history VALUES ('9', 'lamp', 'x', 'The lamp is blue.', 'UPDATE', '', '2026-06-01', 0, '', '')"
    with sqlite3.connect(after) as connection:
        connection.execute(insert)
    connection.close()
    (change,) = inspect("memory", "diff", before, after, "--json").json["changes"]
    texts = {"before": "The lamp is green.", "after": "The lamp is blue."}
    assert change == {"change": "changed", "id": "lamp", **texts, "earlier_id": ""}


def test_a_changed_rule_is_named_by_its_place_in_each_file(tmp_path: Path) -> None:
    before, after = tmp_path / "old.md", tmp_path / "CLAUDE.md"
    before.write_text("- Never paint the lamps of the shop.\n")
    after.write_text("# Lamps\n\n- Never paint the lamps of the yard.\n")
    out = inspect("memory", "diff", before, after).out
    assert "- old.md:1 Never paint the lamps of the shop." in out
    assert "+ CLAUDE.md:3 Never paint the lamps of the yard." in out


def test_the_life_of_a_memory_is_printed(tmp_path: Path) -> None:
    path = mem0(tmp_path)
    assert [item["id"] for item in inspect("memory", "history", path, "--json").json["items"]] == ["lamp", "cat"]
    ended = inspect("memory", "history", path, "lamp")
    assert "updated by mia" in ended.out and "cat" not in ended.out
    assert inspect("memory", "history", path, "nothing").code == 1


def test_the_versions_of_a_rule_file_come_from_git_which_is_only_read(tmp_path: Path) -> None:
    path = rules(tmp_path)

    def git(*words: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(("git", *who, *words), cwd=tmp_path, check=True, capture_output=True)

    git("init")
    git("add", ".")
    git("commit", "-m", "Add rules")
    path.write_text(f"{path.read_text()}\n- Ask first.\n", "utf-8")
    git("commit", "-am", "Ask first")
    before = sorted(tmp_path.rglob("*"))
    versions = inspect("memory", "history", path, "--json").json["versions"]
    assert [(version["subject"], version["added"]) for version in versions] == [("Ask first", 2), ("Add rules", 10)]
    assert sorted(tmp_path.rglob("*")) == before


def test_a_folder_with_sessions_and_memories_opens_as_both(tmp_path: Path) -> None:
    folder = rule_folder(tmp_path / "folder")
    (folder / "chat.json").write_text('[{"role": "user", "content": "What is the lamp?"}]', encoding="utf-8")
    ended = inspect(folder, "--json")
    assert [row["format"] for row in ended.json["sessions"]]
    assert {row["kind"] for row in ended.json["memories"]} == {"mem0", "notes", "rule-file"}
    assert "Memories" in inspect(folder).out


def test_discover_lists_the_memories_of_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(rule_folder(tmp_path / "folder"))
    assert {row["kind"] for row in inspect("discover", "--json").json["memories"]} >= {"mem0", "rule-file"}
