"""`show`: the context window of a session at one turn."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from inspector.cli.arguments import agent_of, check_turn, open_session
from inspector.cli.command_errors import gate
from inspector.cli.options import agent_option, common, gates, limit_option, redact_option, target, turn_option
from inspector.cli.output import echo, echo_json
from inspector.cli.redactions import check_output, echo_review, redact_bench, redacted_records
from inspector.cli.schema import record
from inspector.cli.schema.windows import (
    MessageRecord,
    PlanRecord,
    SectionRecord,
    SessionRecord,
    ShowOutput,
    SizeRecord,
    SwapRecord,
    SwapResultRecord,
    WindowRecord,
)
from inspector.cli.text.window_text import (
    damage_lines,
    fill_lines,
    heading,
    message_lines,
    notice_lines,
    numbering,
    recall_lines,
    section_lines,
    stack_lines,
    status_lines,
)
from inspector.core.text import dumps
from inspector.engine.retrieval import explain

if TYPE_CHECKING:
    from inspector.core.conversation import Session
    from inspector.engine.compression import Recall
    from inspector.engine.retrieval import Result
    from inspector.engine.window import Window
    from inspector.library import OpenSession, Preview, Workbench


@click.command()
@target
@turn_option
@agent_option
@limit_option
@click.option("--recorded", is_flag=True, help="As it was recorded, without the applied plans.")
@redact_option
@gates
@common
def show(
    target: str,
    turn: int | None,
    agent: str | None,
    limit: int,
    recorded: bool,
    redact: bool,
    fail_over: int | None,
    fail_invalid: bool,
    db: Path | None,
    as_json: bool,
) -> int:
    """Show what is in the context window.

    SESSION is a file, FILE#N for the N-th session in it, or the id of a stored session. With --redact it can be shown
    to others: what was hidden is listed on standard error.
    """
    with open_session(target, db, limit) as session:
        agent = agent_of(session, agent)
        check_turn(session, turn, agent)
        redactor, agent = redact_bench(session, agent) if redact else (None, agent)
        preview = preview_of(session, turn, agent, recorded)
        failures = list(gate_failures(preview, fail_over, fail_invalid))
        if as_json:
            records = redacted_records(redactor)
            output = ShowOutput(**window_record(preview, session), missed=failures, redactions=records)
            check_output(redactor, dumps(output))
            echo_json(output)
        else:
            text = "\n".join(window_text(preview, session))
            check_output(redactor, text)
            echo_review(redactor)
            echo(text)
        return gate(failures)


def preview_of(session: OpenSession, turn: int | None, agent: str, recorded: bool = False) -> Preview:
    """The window through the applied plans, or as recorded."""
    if recorded:
        session.bench.plans = {}
    return session.bench.preview(turn, agent)


def window_record(preview: Preview, session: OpenSession) -> WindowRecord:
    """The window as `show --json` has it."""
    window = preview.after
    return WindowRecord(
        session=session_facts(session.bench, window.agent),
        turn=window.turn,
        agent=window.agent,
        window=_sizes(window),
        valid=preview.valid,
        recorded_so=preview.recorded_so,
        problems=[str(problem) for problem in preview.problems],
        plans=[record(PlanRecord, plan) for plan in preview.applied],
        damage=[str(problem) for problem in preview.session.problems],
        messages=_messages(preview.session, window),
        fit=session.bench.fit_notice(window.agent),
        recall=recall_record(preview),
    )


def recall_record(preview: Preview) -> SwapRecord | None:
    """What came back into a window, as JSON has it; None where nothing could."""
    recall = preview.recall
    if recall is None:
        return None
    retrieval = recall.retrieval
    return SwapRecord(
        message=recall.message.id if recall.message else None,
        tokens=recall.tokens,
        archived=recall.archived,
        k=retrieval.limit,
        results=[_result(recall, result, explain(result)) for result in retrieval.results],
        near_misses=[_result(recall, miss.result, miss.reason) for miss in retrieval.near_misses],
    )


def _result(recall: Recall, result: Result[int], reason: str) -> SwapResultRecord:
    return SwapResultRecord(
        messages=list(recall.sources[result.key]),
        rank=result.rank,
        score=round(result.score, 4),
        tokens=result.tokens,
        reason=reason,
    )


def session_facts(bench: Workbench, agent: str) -> SessionRecord:
    session = bench.session
    return record(
        SessionRecord,
        session,
        id=bench.id,
        messages=len(session.messages),
        turns=bench.turns(agent),
        agents=len(session.agents),
    )


def _sizes(window: Window) -> SizeRecord:
    sections = {name: SectionRecord(tokens=size.tokens, how=size.certainty) for name, size in window.breakdown.items()}
    sizes = record(SizeRecord, window, sections=sections)
    if window.reported is not None:
        sizes["reported"] = window.reported
    return sizes


def _messages(session: Session, window: Window) -> list[MessageRecord]:
    numbers = numbering(session)
    return [
        record(
            MessageRecord,
            message,
            number=numbers.get(message.id),
            section=section,
            tokens=tokens,
            pinned=message.id in window.pins,
        )
        for message, section, tokens in zip(window.messages, window.sections, window.tokens, strict=True)
    ]


def window_text(preview: Preview, session: OpenSession) -> list[str]:
    """The window in lines."""
    window = preview.after
    return [
        *heading(preview.session),
        *damage_lines(preview.session),
        *status_lines(preview, session.bench.turns(window.agent)),
        *stack_lines(preview.recorded, window, preview.applied),
        *notice_lines(session.bench.fit_notice(window.agent)),
        "",
        *fill_lines(window),
        "",
        *section_lines(window),
        "",
        *recall_lines(preview),
        *message_lines(preview),
    ]


def gate_failures(preview: Preview, fail_over: int | None, fail_invalid: bool) -> Iterator[str]:
    """A sentence for each gate that was asked for and is not met."""
    if fail_over is not None and preview.after.total > fail_over:
        yield f"The window takes {preview.after.total:,} tokens, more than the {fail_over:,} of --fail-over."
    if fail_invalid and not preview.valid:
        yield f"A provider would refuse the window: {preview.problems[0]}"
