"""Counts of texts that are not in a log are kept between runs, so that no rank table is loaded for them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from inspector.llm.tokens import TokenizerCounter
from inspector.llm.tokens.kept_counts import KeptCounts
from inspector.store import ExtractFile
from tests.places import ROOT

TABLES = (
    "import sys; from inspector.cli import main\ntry: main()\nfinally: print({'toktok', 'tiktoken'} & {*sys.modules})"
)


def refuse(text: str) -> int:
    raise AssertionError(f"{text!r} was counted")


def test_a_count_of_an_earlier_run_is_used(tmp_path: Path) -> None:
    path, counter = tmp_path / "inspector.db", TokenizerCounter("o200k_base")
    texts = ["", "word", "\ud800 lone surrogate", "- one\n- two\n- three", "a long text " * 2_000]
    first = KeptCounts(ExtractFile(path))
    counts = [first.count(counter.name, text, counter.count) for text in texts]
    assert counts == list(map(counter.count, texts))
    first.save()
    again = KeptCounts(ExtractFile(path))
    assert [again.count(counter.name, text, refuse) for text in texts] == counts
    assert again.count("cl100k_base", "word", lambda _text: 7) == 7


def test_a_second_run_loads_no_rank_table(tmp_path: Path) -> None:
    words = ["top", str(ROOT / "sessions" / "support-ticket.json"), "--db", str(tmp_path / "inspector.db")]
    command = [sys.executable, "-c", TABLES, *words]
    runs = [subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True) for _ in range(2)]
    first, second = (one.stdout.splitlines() for one in runs)
    assert first[:-1] == second[:-1]
    assert first[-1] != "set()"
    assert second[-1] == "set()"
