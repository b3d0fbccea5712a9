"""`ask`: put the context of a turn to a model, as recorded and changed, and compare the replies."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from inspector.analysis.asking import (
    AskedCall,
    AskedContext,
    AskedReply,
    StepReply,
    asked_calls,
    call_object,
    expected_output,
    is_same_step,
    reply_step,
)
from inspector.cli.arguments import agent_of, check_turn, open_session
from inspector.cli.asked_variants import ContextOptions, asked_contexts, context_options
from inspector.cli.call_options import call_options
from inspector.cli.command_errors import BAD_INPUT, UsageError
from inspector.cli.commands.ask_list import list_experiments
from inspector.cli.commands.ask_output import AskedCallOutput, AskedUsageOutput, AskOutput, ReplyOutput
from inspector.cli.model_consent import agree, asker_for, asking, replies_of, settings_of
from inspector.cli.options import agent_option, common, redact_option, target, turn_option
from inspector.cli.output import echo, echo_json, is_terminal, warn
from inspector.cli.text.ask_text import recorded_lines, reply_lines, total_lines
from inspector.cli.text.window_text import heading
from inspector.core.conversation import Usage
from inspector.engine.summaries import AnswerCall
from inspector.library import OpenSession


@click.command(epilog="inspector blame --model finds the messages that a reply depends on.")
@target
@turn_option
@context_options
@click.option("--question", metavar="TEXT", help="Ask this at the end of each context.")
@click.option("-n", "--samples", type=click.IntRange(1, 50), default=1, metavar="N", help="Replies to each context.")
@click.option("--model", metavar="NAME", help="The model. Default: INSPECTOR_MODEL.")
@call_options
@click.option("--list", "lists", is_flag=True, help="List the kept replies of the session instead. Nothing is sent.")
@click.option(
    "--to",
    "form",
    type=click.Choice(["json", "promptfoo", "inspect-ai", "pytest"]),
    help="With --list: write the kept replies as JSON or as test cases.",
)
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="With --to: the file.")
@agent_option
@redact_option
@common
def ask(
    target: str,
    turn: int | None,
    contexts: ContextOptions,
    question: str | None,
    samples: int,
    model: str | None,
    yes: bool,
    max_cost: float,
    max_output: int,
    api: str | None,
    lists: bool,
    form: str | None,
    out: Path | None,
    agent: str | None,
    db: Path | None,
    as_json: bool,
) -> int:
    """Put the context of a turn to a model, and compare its replies with the recorded one.

    The context is sent as recorded, and as the presets, strategies, drops, edits and the applied plans change it. Calls
    of tools are compared and never executed. Before the first call the command shows the host, the model, the number of
    calls, tokens and money, and asks for consent. Replies are kept with the session and not paid twice. SESSION is a
    file, FILE#N, or the id of a stored session.
    """
    with open_session(target, db) as session:
        agent = agent_of(session, agent)
        if lists:
            return list_experiments(session, form, out, as_json)
        if form or out:
            raise UsageError("--to and --out require --list.")
        check_turn(session, turn, agent)
        turn = turn or max(1, session.bench.turns(agent))
        rows = asked_contexts(session, contexts, turn, agent, question)
        asked = _Asked(session, agent, turn, question, settings_of(model, api), max_cost, max_output, as_json)
        return asked.run(rows, samples, yes=yes)


class _Asked:
    """The question of one command."""

    def __init__(self, session: OpenSession, agent: str, turn: int, question: str | None, *rest: Any) -> None:
        self.session, self.agent, self.turn, self.question = session, agent, turn, question
        self.settings, self.max_cost, self.most, self.as_json = rest
        log = session.bench.session
        turns = log.turns(agent)
        self.place = turns[turn - 1] if turn <= len(turns) else None
        self.recorded = reply_step(log.messages[self.place]) if self.place is not None else None
        self.asker = asker_for(session, self.settings, self.max_cost, self._about())

    def _about(self) -> dict[str, Any]:
        return {"turn": self.turn, "agent": self.agent, "question": self.question}

    def run(self, rows: Sequence[AskedContext], samples: int, *, yes: bool) -> int:
        """Ask, print the replies as they come, and return the exit code."""
        calls, problems = asked_calls(rows, self.settings, self.most, samples)
        sizes = self.session.bench.sizes.tokens
        expected = expected_output(sizes[self.place] if self.place is not None and not self.question else 0)
        agree(self.asker.estimate(calls, expected), self.max_cost, yes=yes)
        by_label = {row.label: row for row in rows}
        if not self.as_json:
            echo("\n".join(self._head()))
        with asking(self.asker):
            replies = replies_of(
                self.asker,
                calls,
                lambda call, reply: self._print(by_label[call.label], call, reply),
                streams=not self.as_json and is_terminal(sys.stdout),
            )
            outputs = [
                self._output(by_label[call.label], call, replies.get((call.label, call.sample))) for call in calls
            ]
            outputs += [self._output(by_label[label], None, reply) for label, reply in problems.items()]
            self._finish(outputs)
        return 0 if any(not output.problem for output in outputs) else BAD_INPUT

    def _same(self, reply: AskedReply) -> bool | None:
        if reply.problem or self.recorded is None or self.question:
            return None
        return is_same_step(self.recorded, reply.step)

    def _head(self) -> Iterator[str]:
        yield from heading(self.session.bench.session)
        if self.recorded is not None and not self.question:
            yield from recorded_lines(self.recorded, self.turn)

    def _print(self, row: AskedContext, call: AskedCall, reply: AskedReply) -> None:
        if not self.as_json:
            base = self.recorded.text if self.recorded and not self.question else ""
            echo("\n".join(reply_lines(row, call.sample, reply, self._same(reply), base)))

    def _output(self, row: AskedContext, call: AskedCall | None, reply: AskedReply | None) -> ReplyOutput:
        reply = reply or AskedReply(problem="Cancelled before the reply came.")
        return ReplyOutput(
            context=row.label,
            sample=call.sample if call else 1,
            text=reply.text,
            calls=_calls_output(reply.calls),
            usage=_usage_output(reply.usage),
            cost=round(reply.cost, 6),
            same_as_recorded=self._same(reply),
            kept=reply.kept,
            tokens=row.window.total,
            note=row.note,
            problem=reply.problem,
        )

    def _finish(self, outputs: Sequence[ReplyOutput]) -> None:
        errors = list(dict.fromkeys(f"{row.context}: {row.problem}" for row in outputs if row.problem))
        if not self.as_json:
            for row in outputs:
                if row.problem.startswith(("Not asked: ", "Cancelled")) and row.usage is None:
                    warn(f"{row.context}: {row.problem}")
            echo("\n".join(total_lines(outputs, self.asker)))
            return
        echo_json(
            AskOutput(
                session=self.session.bench.id,
                agent=self.agent,
                turn=self.turn,
                model=self.settings.model,
                host=self.settings.place,
                api=self.settings.api,
                question=self.question,
                recorded=self._recorded_output(self.recorded) if self.recorded else None,
                replies=outputs,
                calls=self.asker.count,
                cost=round(self.asker.spent, 6),
                errors=errors,
            )
        )

    def _recorded_output(self, step: StepReply) -> ReplyOutput:
        message = self.session.bench.session.messages[self.place or 0]
        return ReplyOutput(
            context="recorded reply",
            sample=1,
            text=step.text,
            calls=_calls_output(step.calls),
            usage=_usage_output(message.usage),
            cost=0.0,
            same_as_recorded=True,
            kept=message.time,
            tokens=self.session.bench.window(self.turn, self.agent).total,
            note="",
            problem="",
        )


def _calls_output(calls: Sequence[AnswerCall]) -> list[AskedCallOutput]:
    return [AskedCallOutput(name=call.name, arguments=call.arguments, object=call_object(call)) for call in calls]


def _usage_output(usage: Usage | None) -> AskedUsageOutput | None:
    """Return usage as output; None for none."""
    if usage is None:
        return None
    return AskedUsageOutput(
        input=usage.input, output=usage.output, cache_read=usage.cache_read, cache_write=usage.cache_write
    )
