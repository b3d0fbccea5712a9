"""`blame`: the messages that a reply depends on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Annotated

import click

from inspector.analysis.asking import (
    Expectation,
    ReplySource,
    ReplyTrials,
    TrialError,
    expected_output,
    reply_sources,
    reply_step,
    source_weights,
)
from inspector.cli.arguments import agent_of, check_turn, open_session
from inspector.cli.call_options import call_options
from inspector.cli.command_errors import BAD_INPUT, CommandError, UsageError
from inspector.cli.model_consent import agree, asker_for, asking, settings_of
from inspector.cli.options import agent_option, common, redact_option, target, turn_option
from inspector.cli.output import clear_progress, echo, echo_json, show_progress, width
from inspector.cli.schema.values import Errors, json_output
from inspector.cli.text.blame_text import BlamedText, SearchWords, search_lines, sources_lines
from inspector.core.conversation import Message
from inspector.core.json_objects import Dollars
from inspector.core.text import clip, dollars, plural
from inspector.library import OpenSession


@json_output()
class BlameOutput:
    """The sources of a reply: each of its values and sentences with the messages that state it."""

    session: Annotated[str, "the session's id"]
    agent: str
    turn: Annotated[int, "of the reply"]
    message: Annotated[int, "position of the reply in the log, from 1"]
    sources: Annotated[Sequence[ReplySource], "values first, in the order of the reply"]
    necessary: Annotated[
        Sequence[int] | None,
        "numbers of the smallest set of messages without which the reply is another one; null without a model, "
        "and if the search ended before",
    ] = None
    sufficient: Annotated[
        Sequence[int] | None, "numbers of the smallest set that is enough for the reply; null without a model"
    ] = None
    alternatives: Annotated[
        Sequence[Sequence[int]],
        "other sets that are enough for the reply, at most three; no message is in two of them",
    ] = ()
    parts: Annotated[
        Sequence[BlamedText], "paragraphs or lines of the long messages of these sets that are enough for the reply"
    ] = ()
    calls: Annotated[int, "calls of the model that were made, without kept replies"] = 0
    cost: Annotated[Dollars, "of these calls"] = 0.0
    tests: Annotated[int, "parts of the context that were tried"] = 0
    confirmed: Annotated[
        Mapping[str, float], "share of samples with the same reply: with the sufficient set, without the necessary one"
    ] = field(default_factory=dict)
    reply: Annotated[str, "text of the reply that the model's replies are compared with; empty without a model"] = ""
    note: Annotated[str, "remark on the search, in a sentence; empty for none"] = ""
    errors: Errors = ()


@click.command()
@target
@turn_option
@click.option(
    "--message",
    "number",
    type=click.IntRange(1),
    metavar="N",
    help="The reply with this number, as printed by inspector show.",
)
@click.option(
    "--model",
    "by_model",
    is_flag=True,
    help="Let the model that INSPECTOR_MODEL names reply to parts of the context, to find what matters.",
)
@click.option("--expect", default="", metavar="TEXT", help="With a model: explain why the reply contains this text.")
@click.option("--not", "avoid", default="", metavar="TEXT", help="Explain why the reply does not contain this text.")
@click.option("--same-call", "calls_only", is_flag=True, help="Compare only calls of tools, not texts.")
@click.option("-n", "--samples", type=click.IntRange(1, 15), default=1, metavar="N", help="Replies to each context.")
@call_options
@agent_option
@redact_option
@common
def blame(
    target: str,
    turn: int | None,
    number: int | None,
    by_model: bool,
    expect: str,
    avoid: str,
    calls_only: bool,
    samples: int,
    yes: bool,
    max_cost: float,
    max_output: int,
    api: str | None,
    agent: str | None,
    db: Path | None,
    as_json: bool,
) -> int:
    """Show the messages that state the values and sentences of a reply.

    Lists each value and sentence of the reply with the earlier messages that state it, whether the request still
    contained them, and what is stated nowhere. Without --turn or --message, the last reply.

    With --model, asks a model with parts of the context for the smallest set of messages that is enough for the reply,
    also for other such sets, and for the smallest set without which the reply is another one. Of a long message, it
    finds the paragraphs. SESSION is a file, FILE#N, or the id of a stored session.
    """
    expectation = Expectation(expect, avoid, calls_only)
    by_model = by_model or expectation != Expectation()
    settings = settings_of(None, api) if by_model else None
    with open_session(target, db) as session:
        turn, reply = _reply_of(session, turn, number, agent)
        log = session.bench.session
        window = session.bench.window(turn, reply.agent)
        sources = reply_sources(log, session.bench.fact_index(), window, reply)
        place = log.messages.index(reply) + 1
        if not as_json:
            echo("\n".join(sources_lines(log, sources, turn, place)))
        search = None
        if settings:
            about = {"turn": turn, "agent": reply.agent, "question": None}
            asker = asker_for(session, settings, max_cost, about, with_requests=False)
            trials = ReplyTrials(window, reply_step(reply), asker, expectation, max_output, samples)
            agree(trials.estimate(expected_output(session.bench.sizes.tokens[place - 1])), max_cost, yes=yes)
            search = _BlameSearch(session, trials)
            with asking(asker):
                search.run(source_weights(sources))
                _print_search(session, turn, place, sources, search, as_json)
        elif as_json:
            _print_search(session, turn, place, sources, None, as_json)
        return BAD_INPUT if search and search.problem else 0


class _BlameSearch:
    """The search with a model, and its result in numbers of the log."""

    def __init__(self, session: OpenSession, trials: ReplyTrials) -> None:
        self.trials, self.problem = trials, ""
        numbers = session.bench.session.numbers
        self._numbers = [numbers.get(name, 0) for name in trials.window.ids]
        trials.on_test = self._show_progress

    def run(self, weights: dict[str, float]) -> None:
        """Search, and keep the reason if that fails."""
        try:
            self.trials.search(weights)
        except TrialError as error:
            self.problem = str(error)
        clear_progress()

    def _show_progress(self) -> None:
        asker, trials = self.trials.asker, self.trials
        words = f"{plural(trials.tests, 'context')} · {asker.count:,} of at most {plural(trials.most_calls, 'call')}"
        show_progress(clip(f"{words} · {dollars(asker.spent)}", width() - 1))

    @property
    def words(self) -> SearchWords:
        """The result in numbers of the log."""
        culprits, numbers = self.trials.culprits, self._numbers_of
        return SearchWords(
            None if culprits is None or culprits.necessary is None else numbers(culprits.necessary),
            None if culprits is None else numbers(culprits.sufficient),
            [numbers(places) for places in culprits.alternatives] if culprits else [],
            [BlamedText.of(self._numbers[one.place], one) for one in self.trials.parts],
            self.trials,
            self.problem,
        )

    def _numbers_of(self, places: Sequence[int]) -> list[int]:
        """Return positions of the window as numbers of the log."""
        return sorted(self._numbers[place] for place in places)


def _print_search(
    session: OpenSession,
    turn: int,
    place: int,
    sources: Sequence[ReplySource],
    search: _BlameSearch | None,
    as_json: bool,
) -> None:
    """Print the result of a search with a model, or JSON without one."""
    log = session.bench.session
    if not as_json:
        if search:
            echo("\n".join(search_lines(log, search.words)))
        return
    output = BlameOutput(
        session=session.bench.id, agent=log.messages[place - 1].agent, turn=turn, message=place, sources=sources
    )
    if search:
        words, trials = search.words, search.trials
        output.necessary, output.sufficient, output.confirmed = words.necessary, words.sufficient, trials.confirmed
        output.alternatives, output.parts = words.alternatives, words.parts
        output.calls, output.cost, output.tests = trials.asker.count, round(trials.asker.spent, 6), trials.tests
        output.reply, output.note = trials.target.text, trials.note
        output.errors = [words.problem] if words.problem else []
    echo_json(output)


def _reply_of(session: OpenSession, turn: int | None, number: int | None, agent: str | None) -> tuple[int, Message]:
    """Return the turn and the message of the chosen reply. Raises UsageError and CommandError."""
    log = session.bench.session
    if number is not None:
        if turn is not None:
            raise UsageError("--message cannot be combined with --turn.")
        if number > len(log.messages):
            raise UsageError(f"There is no message {number:,}. The last one is {len(log.messages):,}.")
        reply = log.messages[number - 1]
        if not reply.is_reply:
            raise UsageError(f"Message {number:,} is not a reply of a model. inspector show lists the messages.")
        return log.turns(reply.agent).index(number - 1) + 1, reply
    agent = agent_of(session, agent)
    check_turn(session, turn, agent)
    turns = log.turns(agent)
    if not turns:
        raise CommandError(f"The agent {agent} has no reply in this session.")
    if turn is not None and turn > len(turns):
        raise UsageError(f"There is no reply to the current context. The last turn is {len(turns):,}.")
    turn = turn or len(turns)
    return turn, log.messages[turns[turn - 1]]
