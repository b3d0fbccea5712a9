"""What trying a plan says of the facts that it loses: counted, in words, and for this very preview."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.core.text import plural
from inspector.engine.compression import choice_for
from inspector.library import Library, Workbench, count_lost_facts
from inspector.library.bench import lost_facts as module
from tests.driving import SAMPLES


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library(tmp_path / "store.db") as library:
        yield library


def bench_of(library: Library) -> Workbench:
    return library.open(str(SAMPLES / "research.json")).bench


def test_a_plan_says_what_it_loses_and_keeps(library: Library) -> None:
    bench = bench_of(library)
    preview = bench.preview_draft(choice_for("sliding_window", bench.window()).draft)
    lost = count_lost_facts(bench, preview)
    assert lost.preview is preview and lost.counts
    assert lost.words.startswith(f"loses {plural(lost.counts['constraint'], 'constraint')}, ")
    assert "; keeps " in lost.words


def test_nothing_is_said_where_nothing_changes_or_the_log_is_too_long(library: Library) -> None:
    bench = bench_of(library)
    assert (count_lost_facts(bench, bench.preview()).counts, count_lost_facts(bench, bench.preview()).words) == ({}, "")
    preview = bench.preview_draft(choice_for("sliding_window", bench.window()).draft)
    most, module._MAX_MESSAGES = module._MAX_MESSAGES, 10
    try:
        assert count_lost_facts(bench, preview).counts is None
    finally:
        module._MAX_MESSAGES = most
