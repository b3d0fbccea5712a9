"""Settings are saved line by line: the user's comments, order and other tables stay as they are."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from inspector.core.settings import save_setting

FILE = """# My settings
theme = "nord"  # at night
hints = 'off'

# Keys of my keyboard
[keys]
drop = "ctrl+x"   # D is hard to reach
theme = "x"
"""


@pytest.mark.parametrize(
    ("before", "name", "value", "after"),
    [
        (FILE, "theme", "dark", FILE.replace('"nord"', '"dark"')),
        (FILE, "hints", "on", FILE.replace("'off'", '"on"')),
        (FILE, "limit", 5, FILE.replace("'off'\n", "'off'\nlimit = 5\n")),
        ('# Keys\n[keys]\ndrop = "x"\n', "limit", 5, 'limit = 5\n# Keys\n[keys]\ndrop = "x"\n'),
        ("# Nothing yet", "limit", 5, "# Nothing yet\nlimit = 5\n"),
        ("", "is_on", True, "is_on = true\n"),
        ('a = """\n[x]\n"""\nb = 1\n', "b", 2, None),
        ("a = [\n  1,  # one\n]\n", "a", "x", None),
    ],
)
def test_one_line_changes_and_the_rest_stays(
    tmp_path: Path, before: str, name: str, value: str | int | bool, after: str | None
) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(before, encoding="utf-8")
    save_setting(name, value, path)
    text = path.read_text(encoding="utf-8")
    assert tomllib.loads(text) == {**tomllib.loads(before), name: value}
    if after is not None:
        assert text == after
