"""Limits for data from elsewhere, and their overriding."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.core.limits import LIMITS, limit

ROOT = Path(__file__).parents[2]


def test_a_limit_is_overridden_by_the_environment_and_by_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "settings.toml"
    monkeypatch.setenv("INSPECTOR_SETTINGS", str(settings))
    assert limit("error_body") == LIMITS["error_body"][0]
    settings.write_text("[limits]\nerror_body = 5000\n", encoding="utf-8")
    assert limit("error_body") == 5_000
    monkeypatch.setenv("INSPECTOR_LIMIT_ERROR_BODY", "6000")
    assert limit("error_body") == 6_000
    monkeypatch.setenv("INSPECTOR_LIMIT_ERROR_BODY", "-1")
    assert limit("error_body") == 5_000


def test_every_limit_is_documented() -> None:
    page = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
    assert [
        name for name, (default, what) in LIMITS.items() if f"| `{name}` | {default:,} | {what} |" not in page
    ] == []
