"""All stored sessions as Parquet files, and the notebook that reads them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from inspector.analysis.export import ParquetTables
from inspector.analysis.redaction import RedactionError
from tests.cli.calling import inspect
from tests.cli.json_schema import assert_valid
from tests.places import ROOT, SESSIONS
from tests.store.made import message

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


def chat(file: Path, *texts: str) -> Path:
    roles = ("user", "assistant") * len(texts)
    file.write_text(json.dumps([{"role": role, "content": text} for role, text in zip(roles, texts, strict=False)]))
    return file


def test_a_secret_that_only_one_session_reveals_is_hidden_in_all(tmp_path: Path) -> None:
    word = "quiet-Harbour-4711"
    told = chat(tmp_path / "told.jsonl", f"export DB_PASSWORD={word}", "Set.")
    others = [
        chat(tmp_path / f"{name}.jsonl", f"Why does {word} appear in the log of {name}?", "It is no secret of mine.")
        for name in ("before", "after")
    ]
    imported(others[0], told, others[1])
    for words in ((), ("--redact",)):
        done = inspect("export", "--to", "parquet", "--out", tmp_path / f"tables{len(words)}", "--json", *words)
        assert_valid(["export", "--to", "parquet", "--json"], done.code, done.out)
    plain, clean = (json.dumps(tables_in(tmp_path / f"tables{count}")) for count in (0, 1))
    assert plain.count(word) >= 3 and word not in clean
    (row,) = (row for row in done.json["redactions"] if row["kind"] == "password")
    assert clean.count(row["placeholder"]) >= 3 and row["messages"] == []
    assert "password" in done.json["redaction_kinds"]["searched"]
    kept = inspect("export", "--to", "parquet", "--out", tmp_path / "tables1", "--redact", "--force")
    assert f"{row['placeholder']} {row['count']} times" in kept.err and "message" not in kept.err


def test_tables_that_would_contain_a_secret_are_not_written(tmp_path: Path) -> None:
    def refuse(text: str) -> None:
        if "tidegate" in text:
            raise RedactionError("Nothing was written, because a secret (key) would remain in it.")

    folder = tmp_path / "tables"
    with pytest.raises(RedactionError), ParquetTables(folder, refuse) as tables:
        tables.add_messages("one", [message("m1", "user", "the dam of tidegate")])
    assert [*folder.iterdir()] == []


def test_a_team_s_store_is_refused_in_a_sentence(tmp_path: Path) -> None:
    address = "postgresql://reader@localhost:1/none"
    refused = inspect("export", "--to", "parquet", "--out", tmp_path / "tables", "--db", address)
    assert refused.code == 2 and "not a team's store" in refused.err and not (tmp_path / "tables").exists()


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
