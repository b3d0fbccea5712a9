"""`tune --ask`: the share of same steps under each preset, by replies of a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any

import click

from inspector.analysis.asking import (
    ASKED_TURNS,
    AskedCall,
    AskedReply,
    SameSteps,
    expected_output,
    same_step_lines,
    step_questions,
    telling_turns,
)
from inspector.analysis.replay import NONE, RECORDED
from inspector.cli.call_options import call_options
from inspector.cli.model_consent import agree, asker_for, asking, replies_of, settings_of
from inspector.cli.output import paint, warn
from inspector.core.text import dollars, plural
from inspector.engine.compression import Preset
from inspector.library import OpenSession


@dataclass(frozen=True)
class AskOptions:
    """Values of the options of `tune --ask`."""

    turns: int
    yes: bool
    max_cost: float
    most: int
    api: str | None


def ask_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--ask` and the options of its calls. The command receives `asked`, None without `--ask`."""

    @wraps(command)
    def with_asked(
        *args: Any, turns: int | None, yes: bool, max_cost: float, max_output: int, api: str | None, **rest: Any
    ) -> Any:
        return command(*args, asked=AskOptions(turns, yes, max_cost, max_output, api) if turns else None, **rest)

    return click.option(
        "--ask",
        "turns",
        type=click.IntRange(1, 200),
        is_flag=False,
        flag_value=ASKED_TURNS,
        metavar="TURNS",
        help=f"Let the model that INSPECTOR_MODEL names reply at some turns ({ASKED_TURNS}) under each preset.",
    )(call_options(with_asked))


def ask_presets(
    session: OpenSession, presets: Sequence[Preset], agent: str, options: AskOptions | None
) -> list[SameSteps] | None:
    """Return how often a model takes the same step under presets as with the uncompressed context.

    Args:
        session: Open session.
        presets: Presets of the rows; those that never compress are left out.
        agent: Agent whose turns are asked.
        options: Values of the options; None to ask nothing.

    Raises:
        UsageError: No model is set up, or no one has agreed to the calls.
    """
    if options is None:
        return None
    settings = settings_of(None, options.api)
    log = session.bench.session
    turns = telling_turns(log, session.bench.fact_index(), options.turns, agent)
    compared = [preset for preset in presets if preset not in (NONE, RECORDED)]
    questions = step_questions(log, session.bench.sizes, compared, turns, agent, settings, options.most)
    about = {"turn": None, "agent": agent, "question": None}
    asker = asker_for(session, settings, options.max_cost, about, with_requests=False)
    agree(asker.estimate(questions.calls, expected_output(0)), options.max_cost, yes=options.yes)
    replies: dict[AskedCall, AskedReply] = {}
    with asking(asker):
        replies_of_calls = replies_of(asker, questions.calls, replies.__setitem__)
    for problem in dict.fromkeys(reply.problem for reply in replies_of_calls.values() if reply.problem):
        warn(problem)
    warn(f"{plural(asker.count, 'call')}, {dollars(asker.spent)}.")
    return questions.rows(replies)


def same_step_text(rows: Sequence[SameSteps] | None) -> Iterator[str]:
    """Yield the shares of same steps as lines; none without a row."""
    if rows:
        yield from ("", paint("Same step as with the uncompressed context, with 95% intervals", "strong"))
        yield from same_step_lines(rows)
        yield paint("  No preset can agree more often than the model with itself.", "dim")
