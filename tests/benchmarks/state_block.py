"""What a block of state before a summary keeps and costs, at recorded compactions and the same budget.

python -m tests.benchmarks.state_block FOLDER… [--tokens N]
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import fmean

from inspector.analysis.experiments.intervals import mean_interval
from inspector.analysis.experiments.judge.arrows import retention_judge
from inspector.analysis.experiments.judge.faithfulness import summary_message
from inspector.analysis.experiments.judge.variants import JudgeCase, cut, judge_cases
from inspector.analysis.replay import StateKept
from inspector.engine.summaries import summarise
from inspector.engine.work_state import fates_of, state_block
from inspector.formats import UnreadableError, find, load
from inspector.llm.tokens import counter_for

_CHARS_PER_TOKEN = 4
SCORES = ("state", "facts")
"""Share of the items of the state that are kept, and of the facts that are retained."""
PAIRS = (("recorded", "recorded, cut for the block"), ("extractive", "extractive with the block"))
"""Texts of the same size without and with the block."""
Scores = Mapping[str, Mapping[str, float]]
"""Scores of each text of a compaction, by name."""
Rows = Sequence[tuple[str, Scores]]
"""Scores of each compaction after the id of its session."""


def cases_in(folders: Sequence[Path]) -> Iterator[JudgeCase]:
    """Yield the compactions of the main agents of all sessions in some folders. A session counts once."""
    seen = set[tuple[str, int]]()
    for path in (path for folder in folders for path in find(folder)):
        try:
            sessions = load(path)
        except UnreadableError:
            continue
        for session in sessions:
            if session.compactions and (session.id, len(session.messages)) not in seen:
                seen.add((session.id, len(session.messages)))
                yield from judge_cases(session, counter_for(session.model).count)


def block_of(case: JudgeCase, tokens: int) -> str:
    """Return the state before a compaction in at most this many tokens, and half of its summary."""
    most = min(tokens, case.target // 2)
    chars = most * _CHARS_PER_TOKEN
    while case.transition and (block := state_block(case.transition.before, chars)):
        if (size := case.count(block)) <= most:
            return f"{block}\n"
        chars = min(chars - 1, chars * most // size)
    return ""


def texts_of(case: JudgeCase, tokens: int) -> dict[str, str]:
    """Return the texts of a compaction with and without the block; empty if there is no state."""
    block = block_of(case, tokens)
    if not block:
        return {}
    room = max(1, case.target - case.count(block))
    return {
        "recorded": case.summary.text,
        "recorded, after the block": block + case.summary.text,
        "recorded, cut for the block": block + cut(case.summary.text, room, case.count),
        "extractive": summarise(case.log, case.target, case.count),
        "extractive with the block": block + summarise(case.log, room, case.count),
    }


def scores_in(cases: Iterable[JudgeCase], tokens: int) -> Iterator[tuple[str, Scores]]:
    """Yield the session and the scores of the texts of each compaction that has a state."""
    retention = retention_judge()
    for case in cases:
        rows = dict[str, dict[str, float]]()
        for name, text in texts_of(case, tokens).items():
            assert case.transition, "a compaction with a state has one"
            counts = StateKept().add(fates_of(replace(case.transition, summary=summary_message(text))), ())
            if not counts.items:
                break
            state = {"state": counts.retained, "revived": counts.revived, "invented": counts.invented}
            rows[name] = {**state, "items": counts.items, "facts": retention(case, text), "tokens": case.count(text)}
        if rows:
            yield case.session.id, rows


def report(scores: Rows) -> dict[str, object]:
    """Return the means of all texts, and the differences that the block makes, with 95% intervals by session."""
    sums: dict[str, object] = {"compactions": len(scores), "sessions": len({name for name, _ in scores})}
    for text in scores[0][1] if scores else ():
        totals = {key: sum(row[text][key] for _, row in scores) for key in ("items", "revived", "invented")}
        means = {key: _interval(scores, partial(_score, text, key)) for key in SCORES}
        sums[text] = {**means, **totals, "tokens": round(fmean(row[text]["tokens"] for _, row in scores))}
    for plain, blocked in PAIRS if scores else ():
        sums[f"{blocked} - {plain}"] = {
            key: _interval(scores, partial(_difference, blocked, plain, key)) for key in SCORES
        }
    return sums


def _score(text: str, key: str, row: Scores) -> float:
    return row[text][key]


def _difference(text: str, other: str, key: str, row: Scores) -> float:
    return row[text][key] - row[other][key]


def _interval(scores: Rows, value: Callable[[Scores], float]) -> list[float]:
    groups = defaultdict[str, list[float]](list)
    for session, row in scores:
        groups[session].append(value(row))
    spread = mean_interval(list(groups.values()))
    return [round(number, 3) for number in (spread.mean, spread.low, spread.high)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--tokens", type=int, default=400, help="most tokens of the block")
    options = parser.parse_args()
    print(json.dumps(report(list(scores_in(cases_in(options.folders), options.tokens))), indent=2))


if __name__ == "__main__":
    main()
