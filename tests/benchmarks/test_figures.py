"""The figures of `make bench` are compared with their limits, and with the last run relative to the machine."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import pytest

from tests.benchmarks import figures
from tests.benchmarks.figures import BASE, Bench, Figure, last_run, line_of, measure_again, row_of, seconds_and_memory


def test_a_figure_is_compared_with_its_limit_and_with_the_last_run(tmp_path: Path) -> None:
    def measure() -> float:
        return 0.0

    why = Figure("why", measure, limit=2.0, of="show")
    values = {BASE: 0.2, "show": 1.0, "why": 3.0}
    for name, factor in (("figures-1.json", 9), ("figures-2.json", 1)):
        rows = [{"name": BASE, "value": 0.1 * factor}, {"name": "why", "value": 3.0 * factor}]
        (tmp_path / name).write_text(json.dumps({"figures": rows}))
    (tmp_path / "other.json").write_text("{}")
    before = last_run(tmp_path)
    assert before == {BASE: 0.1, "why": 3.0}
    line = line_of(why, values, before)
    assert "limit     2.00" in line and "1.50" in line and "MISSED" in line
    assert line.endswith("0.50 of the last run"), "the machine is half as fast as it was"
    assert row_of(why, values) == {"name": "why", "value": 3.0, "unit": "s", "limit": 2.0, "ratio": 1.5, "of": "show"}
    assert line_of(why, {"why": 3.0}, {}).strip() == "why                               3.00 s"


def test_what_varies_is_measured_again_while_time_is_left() -> None:
    runs = iter([4.0, 2.0, 3.0])
    figures = [Figure("varies", lambda: next(runs), times=3), Figure("once", lambda: 1.0), Figure("left", float)]
    values = {"varies": 5.0, "once": 7.0}
    measure_again(figures, values, math.inf)
    assert values == {"varies": 2.0, "once": 7.0}
    measure_again(figures, values, 0.0)
    assert next(runs) == 3.0, "nothing was measured after the end"


def test_a_command_is_stopped_at_the_end(tmp_path: Path) -> None:
    endless = [sys.executable, "-c", "while True: pass"]
    with pytest.raises(TimeoutError):
        seconds_and_memory(endless, tmp_path, 0.01)
    seconds, memory = seconds_and_memory([sys.executable, "-c", ""], tmp_path, 600.0)
    assert seconds > 0 and memory > 0


def test_a_figure_that_can_not_be_measured_again_keeps_its_value() -> None:
    def late() -> float:
        raise TimeoutError

    values = {"late": 5.0}
    measure_again([Figure("late", late, times=2)], values, math.inf)
    assert values == {"late": 5.0}


def test_an_agent_whose_store_is_measured_can_be_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figures, "MESSAGES", 4)
    bench = Bench(tmp_path)
    varies = {figure.name: figure for figure in bench.figures() if figure.times > 1}
    values = {"messages appended": 1e9}
    measure_again(list(varies.values()), values, math.inf)
    assert 0 < values["messages appended"] < 1e9
