"""`inspector keys`."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.ui.keymap import VERBS
from tests.cli.calling import inspect


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    path = tmp_path / "settings.toml"
    monkeypatch.setenv("INSPECTOR_SETTINGS", str(path))
    return path


def test_all_verbs_are_listed_in_the_width_of_a_terminal(settings: Path) -> None:
    ended = inspect("keys")
    assert ended.code == 0 and max(map(len, ended.out.splitlines())) <= 120
    listed = [line.split() for line in ended.out.splitlines() if line.startswith("  ")]
    assert [name for name in VERBS if not any(name in words for words in listed)] == []
    assert str(settings) in ended.out


def test_own_keys_are_listed_with_the_default_ones(settings: Path) -> None:
    settings.write_text('[keys]\ndrop = ["Q", "ctrl+x"]\n', encoding="utf-8")
    drop = next(line for line in inspect("keys").out.splitlines() if " drop " in line)
    assert drop.split()[:3] == ["Q", "ctrl+x", "drop"] and drop.endswith("(default: D)")
    output = inspect("keys", "--json").json
    verbs = {verb["verb"]: verb for verb in output["keys"]}
    assert list(verbs) == list(VERBS) and output["errors"] == [] and output["path"] == str(settings)
    assert verbs["drop"]["keys"] == ["Q", "ctrl+x"] and verbs["drop"]["default"] == ["D"]
    assert verbs["drop"]["effects"]["Inspect"] == "Drop the message"


def test_an_entry_that_is_ignored_is_named_and_ends_with_1(settings: Path) -> None:
    settings.write_text('[keys]\ndorp = "X"\n', encoding="utf-8")
    ended = inspect("keys", "--json")
    assert ended.code == 1
    assert ended.json["errors"] == [f"{settings}, [keys]: there is no verb dorp; did you mean drop?"]
    assert "there is no verb dorp" in inspect("keys").err
