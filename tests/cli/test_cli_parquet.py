"""All stored sessions as Parquet files, and the notebook that reads them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calling import inspect
from tests.cli.json_schema import assert_valid
from tests.places import ROOT, SESSIONS

parquet: Any = pytest.importorskip("pyarrow.parquet")
SECRET = "sk-ant-api03-" + "Zk3v9Qx7Lr2mT8wY5pB1nC6d" * 3


def tables_in(folder: Path) -> dict[str, list[dict[str, Any]]]:
    names = ("sessions", "parts", "messages")
    return {name: parquet.read_table(folder / f"{name}.parquet").to_pylist() for name in names}


def imported(*paths: object) -> None:
    assert inspect("import", *paths).code == 0


def test_the_tables_have_all_sessions_parts_and_messages(tmp_path: Path) -> None:
    imported(SESSIONS / "coding-agent.jsonl", SESSIONS / "three-agents.jsonl")
    done = inspect("export", "--to", "parquet", "--out", tmp_path / "tables", "--json")
    assert_valid(["export", "--to", "parquet", "--json"], done.code, done.out)
    tables = tables_in(tmp_path / "tables")
    assert {name: len(rows) for name, rows in tables.items()} == {name: done.json[name] for name in tables}
    assert len({row["session"] for row in tables["sessions"]}) == 2
    totals = inspect("stats", "--json").json["totals"]
    assert sum(row["sent"] for row in tables["sessions"]) == totals["tokens"]
    assert sum(row["cost"] or 0 for row in tables["sessions"]) == pytest.approx(totals["cost"])
    days = sum(row["cost"] for row in tables["parts"] if row["kind"] == "day")
    assert days == pytest.approx(totals["cost"])
    (coding,) = (row["session"] for row in tables["sessions"] if row["project"] == "tidegate")
    rows = [row for row in tables["messages"] if row["session"] == coding]
    assert len(rows) > 50 and [row["position"] for row in rows] == [*range(len(rows))]
    assert any("Bash" in row["calls"] for row in rows) and all(row["text"] is not None for row in rows)


def test_existing_files_and_missing_names_are_told_in_a_sentence(tmp_path: Path) -> None:
    imported(SESSIONS / "support-ticket.json")
    words = ["export", "--to", "parquet", "--out", tmp_path]
    assert inspect(*words).code == 0
    again = inspect(*words)
    assert again.code == 2 and "sessions.parquet exists" in again.err
    assert inspect(*words, "--force").code == 0
    assert "name a folder with --out" in inspect("export", "--to", "parquet").err
    assert "leave out SESSION" in inspect("export", "x", "--to", "parquet", "--out", tmp_path).err
    assert "Missing argument 'SESSION'" in inspect("export").err
    assert "is a directory" in inspect("export", SESSIONS / "support-ticket.json", "--out", tmp_path).err
    file = tmp_path / "file"
    file.touch()
    refused = inspect("export", "--to", "parquet", "--out", file / "tables")
    assert refused.code == 1 and "Cannot write to" in refused.err
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".")) == []


def test_redacted_tables_have_no_secret(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    texts = [f"The key is ANTHROPIC_API_KEY={SECRET}", "I will not print it."]
    roles = ("user", "assistant")
    log.write_text(json.dumps([{"role": role, "content": text} for role, text in zip(roles, texts, strict=True)]))
    imported(log)
    inspect("export", "--to", "parquet", "--out", tmp_path / "plain")
    inspect("export", "--to", "parquet", "--out", tmp_path / "clean", "--redact")
    plain, clean = (json.dumps(tables_in(tmp_path / name)) for name in ("plain", "clean"))
    assert SECRET in plain and SECRET not in clean and "The key is" in clean
    assert {(row["machine"], row["person"]) for row in tables_in(tmp_path / "clean")["sessions"]} == {("", "")}


def test_without_the_package_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    refused = inspect("export", "--to", "parquet", "--out", tmp_path / "tables")
    assert refused.code == 1 and "pip install memory-inspector[parquet]" in refused.err
    assert not (tmp_path / "tables").exists()


def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    imported(SESSIONS)
    inspect("export", "--to", "parquet", "--out", tmp_path / "tables")
    capsys.readouterr()
    monkeypatch.chdir(tmp_path)
    notebook = json.loads((ROOT / "docs" / "first-hour.ipynb").read_text(encoding="utf-8"))
    names: dict[str, Any] = {"__name__": "notebook"}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
            assert capsys.readouterr().out, "each cell prints something"
    assert names["projects"].num_rows == 4 and names["files"].num_rows > 0
