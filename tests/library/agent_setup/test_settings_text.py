"""Settings of other programs: a part is added and removed, and every other byte stays as it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.library.agent_setup.json_places import SettingsError, parse_json
from inspector.library.agent_setup.managed_files import JsonSettings
from inspector.library.agent_setup.toml_block import with_block, without_block

HOOK = {"type": "command", "command": "/opt/bin/inspector hook claude-code", "timeout": 20}
SETTINGS = JsonSettings(
    Path("settings.json"),
    {"SessionStart": {"matcher": "compact", "hooks": [HOOK]}, "Stop": {"hooks": [HOOK]}},
    {
        ("", "statusLine"): {"type": "command", "command": "/opt/bin/inspector statusline"},
        ("mcp", "inspector"): {"command": ["/opt/bin/inspector", "mcp"]},
    },
)
NAMES = st.sampled_from(["hooks", "Stop", "SessionStart", "statusLine", "mcp", "matcher", "command", "env"]) | st.text()
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)
OTHER = {"hooks": [{"type": "command", "command": "make lint"}]}


@pytest.mark.parametrize(
    "text",
    [
        '{"model":"opus"}',
        '{\n  "model": "opus"\n}\n',
        '{\r\n\t"hooks": {"Stop": [{"hooks": [{"type":"command","command":"x"}]}]} // mine\r\n}\r\n',
        '\ufeff{\n    "zeta": 1,\n    "hooks": {\n        "Stop": [\n            {"hooks": []}\n'
        '        ]\n    },\n    "alpha": [2]\n}',
        '{\n  // first\n  "model": "opus" /* second */, // third\n  "env": {"A": "}"}\n  // last\n}\n',
    ],
)
def test_a_part_is_added_in_place_and_removed_without_a_trace(text: str) -> None:
    added = SETTINGS.added(text)
    assert SETTINGS.added(added) == added
    assert SETTINGS.removed(added) == text
    rest = iter(added)
    assert all(character in rest for character in text)  # Nothing is reordered.
    hooks = parse_json(added, "").value["hooks"]
    assert hooks["SessionStart"][-1] == {"matcher": "compact", "hooks": [HOOK]}
    assert hooks["Stop"][-1] == {"hooks": [HOOK]}


def test_a_missing_file_is_created_and_nothing_of_it_remains() -> None:
    for text in (None, "", "{}", "{ }\n"):
        added = SETTINGS.added(text)
        assert json.loads(added)["mcp"]["inspector"] == {"command": ["/opt/bin/inspector", "mcp"]}
        assert SETTINGS.removed(added) is None


@given(st.dictionaries(NAMES, VALUES, max_size=5), st.sampled_from([None, 1, 2, "\t"]))
def test_any_settings_are_refused_or_keep_their_values(values: dict[str, Any], indent: Any) -> None:
    text = json.dumps(values, indent=indent)
    try:
        added = SETTINGS.added(text)
    except SettingsError as error:
        assert str(error).startswith("settings.json, line ")
        return
    assert SETTINGS.added(added) == added
    result = json.loads(added)
    assert [key for key in result if key in values] == list(values)
    ours = {"hooks", "mcp", "statusLine"}
    assert {key: value for key, value in result.items() if key not in ours} == {
        key: value for key, value in values.items() if key not in ours
    }
    removed = SETTINGS.removed(added)
    emptied = {key: value for key, value in values.items() if key not in ours or value}
    assert {**json.loads(removed or "{}")}.keys() >= emptied.keys() - ours


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[]", "line 1: the value is not an object"),
        ('{\n"a": 1\n"b": 2}', "line 3: a comma or } is missing"),
        ('{\n  "hooks": {},\n  "hooks": {}\n}', 'line 3: the key "hooks" occurs twice'),
        ('{"hooks":\n []}', "line 2: hooks is not an object"),
        ('{"hooks": {\n"Stop": {}}}', "line 2: Stop is not a list"),
        ('{"mcp": 1}', "line 1: mcp is not an object"),
        ('{"a": NaN}', "line 1: a JSON value is missing"),
        ('{"a": "\n"}', "line 1: a string is not valid JSON"),
        ("{} {}", "line 1: text follows the end of its value"),
        ("[" * 5_000, "line 1: values are nested too deeply"),
    ],
)
def test_a_file_that_is_not_understood_is_refused_in_one_sentence(text: str, reason: str) -> None:
    with pytest.raises(SettingsError) as raised:
        SETTINGS.added(text)
    assert str(raised.value).startswith(f"settings.json, {reason}.")


def test_an_entry_of_the_user_is_neither_doubled_nor_replaced() -> None:
    own = {"type": "command", "command": "inspector hook --timeout 3", "timeout": 5}
    text = json.dumps({"hooks": {"Stop": [{"hooks": [own]}]}, "statusLine": {"command": "mine"}}, indent=2)
    result = json.loads(SETTINGS.added(text))
    assert len(result["hooks"]["Stop"]) == 1
    assert result["hooks"]["Stop"][0]["hooks"][0]["timeout"] == 5
    assert result["statusLine"] == {"command": "mine"}
    assert SETTINGS.kept(text) == ["statusLine"]


def test_hooks_of_others_in_the_same_group_stay() -> None:
    mixed = {"hooks": {"Stop": [{"hooks": [OTHER["hooks"][0], HOOK]}, OTHER]}}
    removed = SETTINGS.removed(json.dumps(mixed, indent=2))
    assert removed and json.loads(removed) == {"hooks": {"Stop": [OTHER, OTHER]}}


TABLES = '[mcp_servers.inspector]\ncommand = "inspector"\nargs = ["mcp"]\n'


@pytest.mark.parametrize("text", ["", "# mine\n", 'model = "a"  # why\n\n[features]\nweb = true\n', "a = 1\r\n"])
def test_tables_are_added_at_the_end_of_a_toml_file(text: str) -> None:
    added = with_block(text, TABLES, "config.toml")
    assert added.startswith(text) and with_block(added, TABLES, "config.toml") == added
    assert without_block(added) == text
    more = added + ("\r\n" if "\r" in text else "\n") + "[later]\nb = 2\n"
    assert "inspector" not in without_block(more) and without_block(more).endswith("[later]\nb = 2\n")


@pytest.mark.parametrize(("text", "line"), [("a = \n", 1), ("a = 1\nmcp_servers = {b = 1}\n", 2), ("a = 1\n[b\n", 2)])
def test_a_toml_file_that_cannot_be_extended_is_refused(text: str, line: int) -> None:
    with pytest.raises(SettingsError, match=f"^config.toml, line {line}: "):
        with_block(text, TABLES, "config.toml")
