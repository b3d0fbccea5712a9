"""The tables of the sample sessions: every number that replaying gives, held against the one that was looked at.

`GOLDEN=1 pytest tests/replay/test_golden_tables.py` writes them anew; `golden/reasons.md` says how they come about.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from inspector.facts.index import fact_index
from inspector.formats import load
from inspector.presets import PRESETS
from inspector.replay.replaying import NONE, RECORDED, replay
from inspector.tokens.prices import Price
from inspector.tokens.sizes import quick

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).parent / "golden"
SAMPLES = (
    "coding-agent.jsonl",
    "damaged.jsonl",
    "interviews.json",
    "research.json",
    "support-ticket.json",
    "three-agents.jsonl",
)
PRICE = Price(2.5, 10.0, 0.25, 3.125, "some-model", "user")
"""A price of the test's own: tables of prices change."""


def table(path: Path) -> list[dict[str, Any]]:
    """The rows of the first session of a file. Sizes are estimates from lengths: no rank table is needed."""
    session = load(path)[0]
    rows = []
    for preset in (RECORDED, NONE, *PRESETS.values()):
        done = replay(session, quick(session), preset, PRICE, facts=fact_index(session))
        rows.append(
            {
                "preset": preset.name,
                "turns": done.turns,
                "compressions": [[made.turn, made.before, made.after, made.covered] for made in done.compactions],
                "peak": done.peak,
                "tokens_sent": done.tokens_sent,
                "cost": round(done.cost, 4),
                "cost_uncached": round(done.uncached, 4),
                "retained": round(done.retained, 3),
                "regrets": len(done.regrets),
                "valid": done.valid,
            }
        )
    return rows


@pytest.mark.parametrize("name", SAMPLES)
def test_the_table_of_a_sample_session_is_as_it_was_looked_at(name: str) -> None:
    found = table(ROOT / "sessions" / name)
    kept = GOLDEN / f"{name}.table.json"
    if os.environ.get("GOLDEN"):
        kept.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    assert found == json.loads(kept.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", SAMPLES)
def test_rows_agree_with_each_other(name: str) -> None:
    rows = {row["preset"]: row for row in json.loads((GOLDEN / f"{name}.table.json").read_text(encoding="utf-8"))}
    assert rows["none"]["retained"] == 1.0
    assert rows["none"]["regrets"] == 0
    assert rows["none"]["compressions"] == []
    for row in rows.values():
        assert row["tokens_sent"] <= rows["none"]["tokens_sent"]
        assert row["cost"] <= row["cost_uncached"]
        assert row["peak"] <= rows["none"]["peak"]
