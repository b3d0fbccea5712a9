"""Which files of a folder may hold conversations."""

from __future__ import annotations

from pathlib import Path

from inspector.formats import find


def touch(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def found(root: Path) -> list[str]:
    return [str(path.relative_to(root)) for path in find(root)]


def test_a_file_gives_itself_whatever_it_is(tmp_path: Path) -> None:
    touch(tmp_path, "notes.txt")
    assert find(tmp_path / "notes.txt") == [tmp_path / "notes.txt"]
    assert find(str(tmp_path / "nowhere")) == [tmp_path / "nowhere"]


def test_a_folder_gives_all_candidates_below_it_in_order(tmp_path: Path) -> None:
    touch(tmp_path, "b.jsonl", "a.json", "deep/er/c.NDJSON", "log", "page.html", "notes.md", "x.json.bak")
    assert found(tmp_path) == ["a.json", "b.jsonl", "deep/er/c.NDJSON", "log"]


def test_hidden_folders_and_files_are_left_out_but_not_a_hidden_root(tmp_path: Path) -> None:
    touch(tmp_path / ".agent", "a.jsonl", ".git/b.json", ".DS_Store")
    assert found(tmp_path / ".agent") == ["a.jsonl"]
    assert found(tmp_path) == []


def test_files_of_sub_agents_come_with_their_session(tmp_path: Path) -> None:
    touch(
        tmp_path, "one.jsonl", "one/subagents/agent-1.jsonl", "one/subagents/notes.jsonl", "two/subagents/agent-2.jsonl"
    )
    assert found(tmp_path) == ["one/subagents/notes.jsonl", "one.jsonl", "two/subagents/agent-2.jsonl"]


def test_the_folder_of_sub_agents_itself_gives_its_files(tmp_path: Path) -> None:
    touch(tmp_path, "one.jsonl", "one/subagents/agent-1.jsonl")
    assert found(tmp_path / "one" / "subagents") == ["agent-1.jsonl"]


def test_links_that_lead_nowhere_or_in_circles_are_left_out(tmp_path: Path) -> None:
    touch(tmp_path, "a.json")
    (tmp_path / "gone.json").symlink_to(tmp_path / "nowhere")
    (tmp_path / "round").symlink_to(tmp_path)
    assert found(tmp_path) == ["a.json"]
