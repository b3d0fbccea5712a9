"""100 presets on a session of 2,000 messages, by all processors that there are: the wait for a sweep.

usage: python -m tests.benchmarks.sweep

summaries  every preset writes summaries out of the text: the most work that there is
mixed      five strategies, of which two write summaries

Facts are read and counted in all rows. "work" is what the rows take one by one, in seconds of the processor.
"""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path

from inspector.analysis.experiments.grid import parse_axes, preset_grid
from inspector.analysis.experiments.sweep import sweep_results
from inspector.analysis.experiments.trials import TrialSetup, run_trial
from inspector.core.work_pool import processor_count
from inspector.engine.compression.presets import PRESETS, Preset
from inspector.engine.facts import FactIndex
from inspector.formats import load
from inspector.library import exact_sizes
from inspector.llm.models.prices import price_of
from tests.benchmarks.conversations import conversation

MESSAGES = 2_000
SETTINGS = 100
GRIDS = {
    "summaries": ("threshold=30000,45000,60000,75000,90000", "ratio=0.1,0.2,0.3,0.4,0.5", "keep_recent=5,10,20,40"),
    "mixed": (
        "strategy=sliding_window,selective,token_window,importance,mask_observations",
        "threshold=30000,40000,50000,60000,70000,80000,90000,100000,110000,120000",
        "keep_recent=5,10,20,40",
    ),
}
SAMPLE = 7
"""Every so manieth row is made by itself, to know the work."""


def subject() -> TrialSetup:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "session.json"
        path.write_text(json.dumps({"model": "gpt-4o", "messages": conversation(MESSAGES)}))
        (session,) = load(path)
    return TrialSetup(session, exact_sizes(session), price_of(session.model), facts=FactIndex(session))


def work(given: TrialSetup, presets: tuple[Preset, ...]) -> float:
    """Seconds of the processor for all rows, judged by some of them."""
    sample = presets[::SAMPLE]
    began = time.process_time()
    for preset in sample:
        run_trial(given, preset)
    return (time.process_time() - began) / len(sample) * len(presets)


def main() -> None:
    given = subject()
    facts = len(given.facts or ())
    print(f"{MESSAGES:,} messages, {sum(given.sizes.tokens):,} tokens, {facts:,} facts, {processor_count()} cores")
    for name, words in GRIDS.items():
        presets = preset_grid([PRESETS["balanced"]], parse_axes(words))[:SETTINGS]
        began = time.perf_counter()
        made = sum(1 for _ in sweep_results(given, presets))
        took = time.perf_counter() - began
        print(f"{name:<10} {made} presets in {took:.1f} s; work {work(given, presets):.1f} s")


if __name__ == "__main__":
    main()
