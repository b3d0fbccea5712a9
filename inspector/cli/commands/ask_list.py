"""List the replies that are kept with a session, and write them as test cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

from inspector.analysis.asking import case_rows, cases_text, is_written_by, kept_reply
from inspector.cli.command_errors import CommandError, UsageError
from inspector.cli.output import echo, echo_json, note, paint, width
from inspector.cli.redactions import check_text
from inspector.cli.schema.values import json_output
from inspector.cli.text.window_text import heading
from inspector.core.json_objects import Dollars
from inspector.core.text import clip, dollars, one_line, plural, write_whole
from inspector.library import OpenSession
from inspector.store import Experiment


@json_output()
class ExperimentOutput:
    """A kept reply of a model."""

    number: Annotated[int, "in the store"]
    created_at: Annotated[str, "ISO time"]
    turn: Annotated[int | None, "of the context"]
    agent: str
    context: Annotated[str, "name of the context"]
    question: str | None
    sample: Annotated[int, "number of the reply to the same request, from 1"]
    model: str
    host: str
    api: Annotated[str, "provider whose request was sent"]
    settings: Annotated[dict[str, Any], "sampling settings of the request"]
    digest: Annotated[str, "SHA-256 of the request, its endpoint and its API"]
    text: str
    calls: Annotated[Sequence[Sequence[str]], "name and arguments of each call"]
    usage: Annotated[Sequence[int] | None, "tokens: input, output, read from and written to the cache"]
    cost: Dollars
    seconds: float


@json_output()
class ExperimentsOutput:
    """The kept replies of a session."""

    session: Annotated[str, "the session's id"]
    experiments: Annotated[Sequence[ExperimentOutput], "the oldest first"]
    cost: Annotated[Dollars, "of all of them"]


def list_experiments(session: OpenSession, form: str | None, out: Path | None, as_json: bool) -> int:
    """List the kept replies of a session, or write them as cases.

    Args:
        session: Open session.
        form: Form of the cases; None for a list.
        out: File for the cases; None for standard output.
        as_json: True to print the list as JSON.

    Raises:
        UsageError: A file is given without a form.
        CommandError: There is no case to write.
    """
    if out and not form:
        raise UsageError("--out requires --to.")
    store, key = session.library.store, session.bench.store_id
    rows = store.experiments.of(key) if store and key else []
    if form:
        return _write_cases(session, rows, form, out)
    if as_json:
        outputs = [_experiment_output(row) for row in rows]
        total = round(sum(output.cost for output in outputs), 6)
        echo_json(ExperimentsOutput(session=session.bench.id, experiments=outputs, cost=total))
    else:
        echo("\n".join([*heading(session.bench.session), *_experiment_lines(rows)]))
    return 0


def _experiment_output(row: Experiment) -> ExperimentOutput:
    about, reply = row.about, kept_reply(row)
    usage = reply.usage
    return ExperimentOutput(
        number=row.number,
        created_at=row.created_at,
        turn=about.get("turn"),
        agent=str(about.get("agent") or ""),
        context=str(about.get("context") or ""),
        question=about.get("question"),
        sample=row.sample,
        model=str(about.get("model") or ""),
        host=str(about.get("host") or ""),
        api=str(about.get("api") or ""),
        settings=dict(about.get("settings") or {}),
        digest=row.digest,
        text=reply.text,
        calls=[[call.name, call.arguments] for call in reply.calls],
        usage=[usage.input, usage.output, usage.cache_read, usage.cache_write] if usage else None,
        cost=round(reply.cost, 6),
        seconds=reply.seconds,
    )


def _experiment_lines(rows: Sequence[Experiment]) -> Iterator[str]:
    yield ""
    if not rows:
        yield "No reply is kept with this session. inspector ask puts a context to a model."
        return
    for row in rows:
        about, reply = row.about, kept_reply(row)
        sample = f", sample {row.sample}" if row.sample > 1 else ""
        facts = [row.created_at[:16].replace("T", " "), f"turn {about.get('turn')}", f"{about.get('context')}{sample}"]
        yield clip(one_line(" · ".join([*facts, str(about.get("model")), dollars(reply.cost)])), width())
        words = reply.text or ", ".join(f"→ {call.name} {call.arguments}" for call in reply.calls)
        yield paint(f"  {clip(one_line(words), width() - 2)}", "dim")
    total = sum(kept_reply(row).cost for row in rows)
    yield paint(f"{plural(len(rows), 'kept call')}, {dollars(total)} in all.", "dim")


def _write_cases(session: OpenSession, rows: Sequence[Experiment], form: str, out: Path | None) -> int:
    store = session.library.required_store
    kept = list(case_rows(rows, store.experiments.request))
    cases = [row for row in kept if is_written_by(form, row)]
    if kept and not cases:
        raise CommandError(f"{form} takes chat requests only; the kept replies are of other APIs. Use pytest or json.")
    if not cases:
        raise CommandError(f"There is no kept reply to write as {form}. inspector ask puts a context to a model.")
    text = cases_text(form, cases)
    check_text(text)
    if out is None:
        echo(text.rstrip("\n"))
        return 0
    try:
        write_whole(out, text, replace=False)
    except FileExistsError as error:
        raise CommandError(f"{out} already exists, and was not overwritten.") from error
    except OSError as error:
        raise CommandError(f"{out} cannot be written: {error.strerror}.") from error
    note(f"Wrote {plural(len(cases), 'case')} to {out}.")
    return 0
