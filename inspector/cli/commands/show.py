"""`show`: the context window of a session at one turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from inspector.cli.arguments import agent_of, check_turn, open_session
from inspector.cli.command_errors import gate
from inspector.cli.options import agent_option, common, gates, limit_option, redact_option, target, turn_option
from inspector.cli.output import echo, echo_json
from inspector.cli.redactions import RedactionKinds, redaction_kinds, redactions
from inspector.cli.schema.values import Fit, Missed, Number, Problems, RecordedSo, json_output
from inspector.cli.text.window_text import (
    damage_lines,
    fill_lines,
    heading,
    message_lines,
    notice_lines,
    recall_lines,
    section_lines,
    stack_lines,
    status_lines,
)
from inspector.engine.retrieval import explain

if TYPE_CHECKING:
    from inspector.analysis.redaction import Redacted
    from inspector.core.conversation import Kind, Role, Session
    from inspector.core.json_objects import Tokens
    from inspector.engine.compression import Recall
    from inspector.engine.retrieval import Result
    from inspector.engine.window import Plan, Section, Window
    from inspector.library import OpenSession, Preview, Workbench


@json_output()
class SessionOutput:
    """The session of an output."""

    id: str
    title: str
    format: str
    model: str
    messages: int
    turns: Annotated[int, "model calls of the agent"]
    agents: int


@json_output()
class MessageOutput:
    """A message in the window."""

    id: str
    number: Number
    role: Role
    kind: Kind
    section: Section
    tokens: Tokens
    pinned: bool
    preview: Annotated[str, "the beginning of its text, on one line"]


@json_output()
class SwapResultOutput:
    """Archived messages that match the current request."""

    messages: Annotated[Sequence[str], "ids of the messages: a call with its results, or one message"]
    rank: Annotated[int, "rank among all matches, from 1"]
    score: float
    tokens: Tokens
    reason: Annotated[str, "its rank and score in each search, its age and tokens; the reason if it was not retrieved"]


@json_output()
class SwapOutput:
    """Archived messages that were retrieved for the request of this turn."""

    message: Annotated[str | None, "id of the message with the retrieved text; null if nothing was retrieved"]
    tokens: Tokens
    archived: Annotated[int, "number of archived messages"]
    k: Annotated[int, "maximum number of retrieved messages"]
    results: Annotated[Sequence[SwapResultOutput], "retrieved messages, best first"]
    near_misses: Annotated[Sequence[SwapResultOutput], "near misses"]


@json_output(
    "session turn=window.turn agent=window.agent window valid problems recorded_so plans damage messages fit recall"
)
class WindowOutput:
    """A context window, through the applied plans."""

    session: SessionOutput
    window: Window
    valid: Annotated[bool, "true if the provider would accept it"]
    problems: Problems
    recorded_so: RecordedSo
    plans: Annotated[Sequence[Plan], "oldest first"]
    damage: Annotated[Sequence[str], "parts of the source that could not be read"]
    messages: Sequence[MessageOutput]
    fit: Fit
    recall: Annotated[SwapOutput | None, "null if nothing is archived, or retrieval is off"]


@json_output(inline="view")
class ShowOutput:
    """A context window, and the gates that failed."""

    view: WindowOutput
    missed: Missed
    redactions: Annotated[Sequence[Redacted], "replacements by --redact; empty without it"]
    redaction_kinds: RedactionKinds


@click.command()
@target
@turn_option
@agent_option
@limit_option
@click.option("--recorded", is_flag=True, help="As recorded, without the applied plans.")
@redact_option
@gates
@common
def show(
    target: str,
    turn: int | None,
    agent: str | None,
    limit: int,
    recorded: bool,
    fail_over: int | None,
    fail_invalid: bool,
    db: Path | None,
    as_json: bool,
) -> int:
    """Show what is in the context window.

    SESSION is a file, FILE#N for the N-th session in it, or the id of a stored session. --redact removes secrets before
    you share the output, and lists the replacements on standard error.
    """
    with open_session(target, db, limit) as session:
        agent = agent_of(session, agent)
        check_turn(session, turn, agent)
        preview = preview_of(session, turn, agent, recorded)
        failures = list(gate_failures(preview, fail_over, fail_invalid))
        if as_json:
            view = window_output(preview, session)
            output = ShowOutput(view=view, missed=failures, redactions=redactions(), redaction_kinds=redaction_kinds())
            echo_json(output)
        else:
            text = "\n".join(window_text(preview, session))
            echo(text)
        return gate(failures)


def preview_of(session: OpenSession, turn: int | None, agent: str, recorded: bool = False) -> Preview:
    """Return the window through the applied plans, or as recorded.

    Args:
        session: The open session.
        turn: Number of the model call. None for the current context.
        agent: Name of the agent.
        recorded: Ignore the applied plans.
    """
    if recorded:
        session.bench.plans = {}
    return session.bench.preview(turn, agent)


def window_output(preview: Preview, session: OpenSession) -> WindowOutput:
    """Return a window for JSON output."""
    window = preview.after
    return WindowOutput(
        session=session_output(session.bench, window.agent),
        window=window,
        valid=preview.valid,
        problems=list(map(str, preview.problems)),
        recorded_so=preview.recorded_so,
        plans=preview.applied,
        damage=list(map(str, preview.session.problems)),
        messages=_messages(preview.session, window),
        fit=session.bench.fit_notice(window.agent),
        recall=recall_output(preview),
    )


def recall_output(preview: Preview) -> SwapOutput | None:
    """Return the retrieved messages of a window for JSON output. None if nothing is archived."""
    recall = preview.recall
    if recall is None:
        return None
    retrieval = recall.retrieval
    return SwapOutput(
        message=recall.message.id if recall.message else None,
        tokens=recall.tokens,
        archived=recall.archived,
        k=retrieval.limit,
        results=[_result(recall, result, explain(result)) for result in retrieval.results],
        near_misses=[_result(recall, miss.result, miss.reason) for miss in retrieval.near_misses],
    )


def _result(recall: Recall, result: Result[int], reason: str) -> SwapResultOutput:
    return SwapResultOutput(
        messages=recall.sources[result.key],
        rank=result.rank,
        score=round(result.score, 4),
        tokens=result.tokens,
        reason=reason,
    )


def session_output(bench: Workbench, agent: str) -> SessionOutput:
    """Return the session for JSON output, with the model calls of one agent."""
    session = bench.session
    return SessionOutput(
        id=bench.id,
        title=session.title,
        format=session.format,
        model=session.model,
        messages=len(session.messages),
        turns=bench.turns(agent),
        agents=len(session.agents),
    )


def _messages(session: Session, window: Window) -> list[MessageOutput]:
    numbers = session.numbers
    return [
        MessageOutput(
            id=message.id,
            number=numbers.get(message.id),
            role=message.role,
            kind=message.kind,
            section=section,
            tokens=tokens,
            pinned=message.id in window.pins,
            preview=message.preview,
        )
        for message, section, tokens in zip(window.messages, window.sections, window.tokens, strict=True)
    ]


def window_text(preview: Preview, session: OpenSession) -> list[str]:
    """Return the window as text."""
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
    """Yield a sentence for each requested gate that failed."""
    if fail_over is not None and preview.after.total > fail_over:
        yield f"The window has {preview.after.total:,} tokens, more than the {fail_over:,} of --fail-over."
    if fail_invalid and not preview.valid:
        yield f"The provider would reject the window: {preview.problems[0]}"
