"""`check`: whether a provider accepts a context, and the errors it would return."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import click

from inspector.analysis.tool_activity import Actions, row_words
from inspector.cli.arguments import agent_of, check_turn, open_session
from inspector.cli.command_errors import GATE, UsageError
from inspector.cli.commands.show import SessionOutput, session_output
from inspector.cli.options import agent_option, common, provider_option, redact_option, target, turn_option
from inspector.cli.output import echo, echo_json, paint, width
from inspector.cli.schema.values import Number, json_output
from inspector.cli.text.window_text import accepted_lines, heading, validity
from inspector.core.conversation import Problem, ProviderName
from inspector.core.text import clip, lines_of
from inspector.engine.window import problems, view
from inspector.library import OpenSession, accepted_problems, problem_turns
from inspector.llm.providers import PROVIDERS, api_of

_INDENT = "  "


@json_output()
class ProblemOutput:
    """A problem that a provider would reject."""

    text: Annotated[str, "in the provider's words"]
    message: Annotated[str | None, "id of the message; null for the whole context"]
    number: Number
    turns: Annotated[Sequence[Sequence[int]], "first and last turn of each run of turns that has it"]
    recorded_so: Annotated[
        bool,
        "true if it is in the recording of a request that the provider accepted, because it was sent in another form",
    ]


@json_output()
class CheckOutput:
    """Result of a check over one or all turns."""

    session: SessionOutput
    provider: Annotated[ProviderName, f"one of {', '.join(PROVIDERS)}"]
    agent: str
    turns: Annotated[Sequence[int], "the first and the last checked turn"]
    valid: bool
    problems: Sequence[ProblemOutput]


@dataclass(frozen=True)
class _Verdict:
    """Problems found over one or several turns of an agent."""

    provider: ProviderName
    agent: str
    first: int
    last: int
    problems: dict[Problem, list[tuple[int, int]]] = field(default_factory=dict)
    """Each problem with the first and the last turn of each run of turns that has it, ascending."""
    taken: frozenset[Problem] = frozenset()
    """Problems that were part of recorded requests, which the provider accepted."""

    @property
    def valid(self) -> bool:
        return not self.problems

    @property
    def recorded_so(self) -> bool:
        return bool(self.problems) and self.taken.issuperset(self.problems)


@click.command()
@target
@provider_option
@turn_option
@click.option("--all-turns", is_flag=True, help="The context of every model call, and the current context.")
@agent_option
@click.option("--recorded", is_flag=True, help="As recorded, without the applied plans.")
@redact_option
@common
def check(
    target: str,
    provider: ProviderName | None,
    turn: int | None,
    all_turns: bool,
    agent: str | None,
    recorded: bool,
    db: Path | None,
    as_json: bool,
) -> int:
    """Check a context against a provider's rules.

    Checks each message as it is, through the applied plans. An export repairs the problems found here. Exits with 0 if
    the provider would accept the context, and with 3 if not. SESSION is a file, FILE#N, or the id of a stored session.
    """
    if turn is not None and all_turns:
        raise UsageError("--turn cannot be combined with --all-turns.")
    with open_session(target, db) as session:
        agent = agent_of(session, agent)
        check_turn(session, turn, agent)
        if recorded:
            session.bench.plans = {}
        provider = provider or api_of(session.bench.session)
        verdict = (
            _check_all_turns(session, provider, agent) if all_turns else _check_turn(session, provider, agent, turn)
        )
        if as_json:
            echo_json(_check_output(verdict, session))
        else:
            echo("\n".join(_verdict_text(verdict, session)))
    return 0 if verdict.valid else GATE


def _check_turn(session: OpenSession, provider: ProviderName, agent: str, turn: int | None) -> _Verdict:
    recorded = session.bench.window(turn, agent)
    window = view(recorded, session.bench.plans.get(agent, ()))
    places = {problem: [(window.turn, window.turn)] for problem in problems(window, provider)}
    taken = session.bench.taken(recorded, places) if provider == api_of(session.bench.session) else frozenset()
    return _Verdict(provider, agent, window.turn, window.turn, places, taken)


def _check_all_turns(session: OpenSession, provider: ProviderName, agent: str) -> _Verdict:
    places = problem_turns(session.bench, provider, agent)
    is_own = provider == api_of(session.bench.session)
    taken = accepted_problems(session.bench, places, agent) if is_own else frozenset()
    return _Verdict(provider, agent, 1, session.bench.turns(agent) + 1, places, taken)


def _check_output(verdict: _Verdict, session: OpenSession) -> CheckOutput:
    numbers = session.bench.session.numbers
    problems = [
        ProblemOutput(
            text=problem.text,
            message=problem.message,
            number=numbers.get(problem.message or ""),
            turns=turns,
            recorded_so=problem in verdict.taken,
        )
        for problem, turns in verdict.problems.items()
    ]
    return CheckOutput(
        session=session_output(session.bench, verdict.agent),
        provider=verdict.provider,
        agent=verdict.agent,
        turns=(verdict.first, verdict.last),
        valid=verdict.valid,
        problems=problems,
    )


def _verdict_text(verdict: _Verdict, session: OpenSession) -> Iterator[str]:
    log, now = session.bench.session, session.bench.turns(verdict.agent) + 1
    yield from heading(log)
    agent = "" if verdict.agent == "main" else f" · agent {clip(verdict.agent, 40)}"
    problems = len(verdict.problems)
    took = validity(problems, recorded_so=verdict.recorded_so)
    yield f"{_turns_text([[verdict.first, verdict.last]], now)}{agent} · {PROVIDERS[verdict.provider].title} · {took}"
    yield from accepted_lines(verdict.recorded_so)
    numbers = log.numbers
    messages = {message.id: message for message in log.messages}
    actions = Actions(log.messages if verdict.problems else ())
    for problem, turns in verdict.problems.items():
        yield ""
        yield from (paint(f"{_INDENT}{line}", "bad") for line in lines_of(problem.text, width() - 2))
        when = "" if verdict.first == verdict.last else _turns_text(turns, now)
        words = row_words(messages[problem.message], actions) if problem.message in messages else ""
        known = "as recorded" if problem in verdict.taken and not verdict.recorded_so else ""
        place = " · ".join(filter(None, (_place_text(problem.message, numbers), when, known, words)))
        yield paint(f"{_INDENT}{clip(place, width() - 2)}", "dim")


def _place_text(message: str | None, numbers: dict[str, int]) -> str:
    """Return a message's number and id, or its id alone if a plan created it."""
    if message is None:
        return "the whole context"
    return f"#{numbers[message]:,} ({message})" if message in numbers else message


def _turns_text(pairs: Sequence[Sequence[int]], now: int) -> str:
    """Return `turn 7`, `turns 3–8, 12` or `now`; `now` is the turn after the last one."""
    if [tuple(pair) for pair in pairs] == [(now, now)]:
        return "now"
    words = ", ".join(f"{first:,}" if first == last else f"{first:,}–{last:,}" for first, last in pairs)
    alone = len(pairs) == 1 and pairs[0][0] == pairs[0][1]
    return f"turn {words}" if alone else f"turns {words}"
