"""`top`: the tree as text and as JSON, whose sums are those of the window."""

from __future__ import annotations

from itertools import takewhile

import pytest

from inspector.analysis.usage_breakdown import GROUPINGS
from tests.cli.calling import inspect
from tests.places import ROOT

RESEARCH = str(ROOT / "sessions" / "research.json")


@pytest.mark.parametrize("by", GROUPINGS)
def test_the_tree_adds_up_to_the_window(by: str) -> None:
    output = inspect("top", RESEARCH, "--by", by, "--json").json
    shown = inspect("show", RESEARCH, "--json").json
    assert output["tokens"] == shown["window"]["total"]
    nodes = output["nodes"]
    assert output["tokens"] == sum(node["tokens"] for node in nodes if node["depth"] == 1)
    for place, node in enumerate(nodes):
        below = list(takewhile(lambda other: other["depth"] > 1, nodes[place + 1 :]))
        if node["depth"] == 1 and below:
            assert node["tokens"] == sum(other["tokens"] for other in below if other["depth"] == 2)


def test_what_was_read_again_is_named_with_the_strategy_that_takes_it_out() -> None:
    ended = inspect("top", RESEARCH)
    assert ended.code == 0
    lines = ended.out.splitlines()
    assert "by tool" in lines[0] and "were read more than once" in lines[1]
    assert any(line.startswith("open_page") and "mask_observations −" in line for line in lines)
    assert all(len(line) <= 80 for line in lines)


def test_files_are_sorted_by_repeated_reads_with_whole_paths_and_prices() -> None:
    output = inspect("top", RESEARCH, "--by", "file", "--json").json
    top = [node for node in output["nodes"] if node["depth"] == 1]
    assert output["sort"] == "reread"
    assert [node["reread"] for node in top] == sorted((node["reread"] for node in top), reverse=True)
    assert sum(node["reread"] for node in top) == sum(row["wasted"] for row in output["repeats"]) > 0
    assert top[0]["cost"] / top[0]["tokens"] == pytest.approx(top[1]["cost"] / top[1]["tokens"])
    lines = inspect("top", RESEARCH, "--by", "file", "--all").out.splitlines()
    assert all(any(line.startswith(node["name"]) for line in lines) for node in top), "no path is cut in a pipe"
    largest = inspect("top", RESEARCH, "--by", "file", "--sort", "tokens", "--json").json["nodes"]
    sizes = [node["tokens"] for node in largest if node["depth"] == 1]
    assert sizes == sorted(sizes, reverse=True)


def test_files_read_more_than_once_in_the_session_are_listed_with_their_cost() -> None:
    rows = inspect("top", RESEARCH, "--json").json["session_reads"]
    assert rows and all(row["reads"] == len(row["messages"]) > 1 and row["cost"] >= 0 for row in rows)
    assert [row["again"] for row in rows] == sorted((row["again"] for row in rows), reverse=True)
    lines = inspect("top", RESEARCH, "--by", "file").out.splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("Whole session: "))
    assert f"{len(rows)} files read more than once" in lines[start]
    assert lines[start + 2].startswith(rows[0]["resource"])


def test_a_turn_that_is_not_there_is_wrong_usage() -> None:
    assert inspect("top", RESEARCH, "--turn", "9999").code == 2
