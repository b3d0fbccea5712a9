"""Text output of a test of the judge: the scores of the texts, and the order that they should have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inspector.analysis.experiments import JudgeReport
from inspector.cli.output import Ink, paint
from inspector.core.text import plural

_INKS: Mapping[str, Ink] = {"held": "good", "violated": "bad", "unclear": "warn"}


def judge_lines(report: JudgeReport) -> Iterator[str]:
    """Return the lines of a report on the judge."""
    sessions = plural(report.sessions, "session")
    yield paint(f"{plural(report.compactions, 'recorded compaction')} of {sessions}", "strong")
    yield paint("each text has at most as many tokens as the recorded summary", "dim")
    yield ""
    yield paint(f"  {'text':<15}{'score':>6}{'compactions':>13}", "dim")
    for row in report.texts:
        yield f"  {row.text:<15}{row.score:>6.3f}{row.compactions:>13,}"
    yield ""
    yield paint(f"  {'order':<33}{'difference':>10}  {'95%':<15}{'held':>8}", "dim")
    for arrow in report.arrows:
        order = f"{arrow.better} {arrow.relation} {arrow.worse}"
        interval = f"{arrow.low:+.3f} {arrow.high:+.3f}"
        held = f"{arrow.held:,}/{arrow.compactions:,}"
        outcome = paint(arrow.outcome, _INKS[arrow.outcome])
        yield f"  {order:<33}{arrow.difference:>+10.3f}  {interval:<15}{held:>8}  {outcome}"
