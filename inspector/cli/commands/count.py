"""`count`: compare token counting methods, and their errors against the counts that the provider reported."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import click

from inspector.cli.arguments import agent_of, open_session
from inspector.cli.command_errors import CommandError
from inspector.cli.options import agent_option, common, target
from inspector.cli.output import echo, echo_json, paint, progress, width
from inspector.cli.schema.values import json_output
from inspector.cli.text.policies_text import parts_text
from inspector.cli.text.window_text import heading
from inspector.core.conversation import Session
from inspector.core.text import clip, clipped, dollars, lines_of, plural
from inspector.library import OpenSession, known_counts
from inspector.library.diagnosis import describe_stated_cost, stated_cost
from inspector.llm.models import RECIPES, SessionCost, session_cost
from inspector.llm.tokens import MethodResult, compare_methods

_FORETOLD = (
    "The recording does not contain the system prompt and the tools, so each window is predicted from the "
    "reported one before it (calibrated: from one unrecorded number per stretch of turns, as in the app). Error "
    "and bias are of whole windows, added is of the messages in between."
)
_MEASURED = "Error and bias are of whole windows, added is of the messages between two of them."


@json_output("session agent methods costs=paid.lines cost_notes=paid.notes stated_cost")
class CountOutput:
    """Token counting methods side by side, and the cost of the recorded calls."""

    session: Annotated[str, "the session's id"]
    agent: str
    methods: Sequence[MethodResult]
    paid: SessionCost
    stated_cost: Annotated[float | None, "dollars that the file itself states for these calls; null if none"]


@click.command()
@target
@agent_option
@common
def count(target: str, agent: str | None, db: Path | None, as_json: bool) -> int:
    """Compare ways of counting tokens on a session.

    Shows the error of each method if the recording contains the provider's counts. SESSION is a file, FILE#N for the
    N-th session in it, or the id of a stored session.
    """
    with open_session(target, db) as session:
        agent = agent_of(session, agent)
        results = _compare_methods(session, agent)
        paid = _cost_of(session, agent)
        recorded = session.bench.session
        if as_json:
            stated = stated_cost(recorded, agent)
            dollar_amount = stated.dollars if stated else None
            echo_json(
                CountOutput(
                    session=session.bench.id, agent=agent, methods=results, paid=paid, stated_cost=dollar_amount
                )
            )
        else:
            own = describe_stated_cost(recorded, agent, sum(line.cost.total for line in paid.lines))
            echo("\n".join([*_method_table(recorded, results), *_cost_lines(paid, own)]))
    return 0


def _compare_methods(session: OpenSession, agent: str) -> tuple[MethodResult, ...]:
    recorded, store = session.bench.session, session.library.store
    caches: dict[str, Mapping[bytes, int]] = {name: known_counts(store, recorded, name) for name in RECIPES}
    with progress() as on_progress:
        return compare_methods(recorded, agent, caches, on_progress)


def _cost_of(session: OpenSession, agent: str) -> SessionCost:
    """Return the cost of the agent's recorded calls. Raises CommandError if the user's prices cannot be read."""
    try:
        whole = session_cost(session.bench.session, sizes=session.bench.sizes.tokens)
    except ValueError as problem:
        raise CommandError(str(problem)) from problem
    return SessionCost(tuple(line for line in whole.lines if line.agent == agent))


def _cost_lines(paid: SessionCost, stated: Iterable[str]) -> Iterator[str]:
    """Yield the cost of the calls by model, with its parts, and what the file states about it."""
    stated = [*stated]
    if not paid.calls and not stated:
        return
    yield ""
    for line in (line for line in paid.lines if line.calls):
        head = (
            f"{dollars(line.cost.total)} for {plural(line.calls, 'call')} of {clip(line.model or line.price.model, 40)}"
        )
        yield from (f"  {text.rstrip()}" for text in lines_of(f"{head}: {parts_text(line.cost)}.", width() - 2))
    for sentence in stated:
        yield from (f"  {text.rstrip()}" for text in lines_of(sentence, width() - 2))
    for note in paid.notes:
        yield from (
            paint(f"  {text.rstrip()}", "dim") for text in lines_of(f"{note[:1].upper()}{note[1:]}.", width() - 2)
        )


def _method_table(session: Session, results: Sequence[MethodResult]) -> Iterator[str]:
    """Yield the methods, one per line, with notes."""
    yield from heading(session)
    turns = max(result.turns for result in results)
    yield f"{plural(turns, 'window')} with a reported size"
    yield ""
    titles = f"  {'method':<11} {'tokens':>11} {'error':>8} {'bias':>9} {'added':>9}  counts with"
    yield paint(clipped(titles, width()), "dim")
    for result in results:
        yield f"  {_method_figures(result)}  {clip(result.how, width() - 56)}"
    yield ""
    for note in _method_notes(session, results, turns):
        yield from (f"  {line.rstrip()}" for line in lines_of(note, width() - 2))


def _method_figures(result: MethodResult) -> str:
    tokens = "–" if result.tokens is None else f"{result.tokens:,}"
    error = _percent(result.error_pct).lstrip("+-")
    return f"{result.name:<11} {tokens:>11} {error:>8} {_percent(result.bias_pct):>9} {_percent(result.added_pct):>9}"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:+z.1f} %"


def _method_notes(session: Session, results: Sequence[MethodResult], turns: int) -> Iterator[str]:
    if turns:
        yield _MEASURED if session.records_system else _FORETOLD
    yield from dict.fromkeys(f"{result.name}: {result.note}" for result in results if result.note)
