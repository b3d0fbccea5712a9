"""The reference says what the code says."""

from __future__ import annotations

from inspector.cli.strategy_reference import reference
from inspector.engine.strategies import STRATEGIES
from tests.places import ROOT

PAGE = ROOT / "docs" / "strategies.md"


def test_every_strategy_and_setting_has_its_row() -> None:
    page = reference()
    for name, strategy in STRATEGIES.items():
        assert f"### `{name}`" in page
        assert all(f"| `{item.name}` |" in page for item in strategy.knobs)


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference(), "make docs"
