"""`memory inject`: preview the persistent entries that a query would add to a window, and optionally add them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import click

from inspector.cli.arguments import agent_of, check_turn, open_session
from inspector.cli.command_errors import UsageError
from inspector.cli.options import agent_option, common, limit_option, target, turn_option
from inspector.cli.output import echo, echo_json, paint, report_on_output_error, warn, width
from inspector.cli.schema.values import Errors, Problems, json_output
from inspector.cli.text.memory_text import MemoryHitOutput, MemoryNearMissOutput, find_entries, memory_hits, near_misses
from inspector.core.json_objects import Tokens
from inspector.core.text import clip, lines_of, plural
from inspector.engine.retrieval import explain
from inspector.engine.window import SizeChange, Window
from inspector.library import BUDGET, LIMIT, InjectionDraft, OpenSession, draft_injection, request_of
from inspector.store import MemoryFilter, MemoryRetrieval

_MORE = 20
"""Extra entries to search, because the window may already contain some."""


@json_output()
class MemoryInjectOutput:
    """The entries that a query would add, or has added, to a window."""

    session: str
    agent: str
    turn: int
    query: Annotated[str, "the words of the current request if none were given"]
    k: Annotated[int, "maximum number of entries"]
    budget: Annotated[Tokens, "maximum total of the added message"]
    text: Annotated[str, "text of the message added before the request, byte for byte; empty if none is added"]
    message: Annotated[str | None, "its id; null if none is added"]
    tokens: Annotated[Tokens, "tokens of the message"]
    before: Annotated[Mapping[str, int], "of the window without it, by section"]
    after: Annotated[Mapping[str, int], "of the window with it, by section"]
    hits: Annotated[Sequence[MemoryHitOutput], "added entries, best first"]
    near_misses: Sequence[MemoryNearMissOutput]
    problems: Problems
    note: Annotated[str, "why nothing is added, in one sentence; empty if something is"]
    applied: Annotated[bool, "true if it was put on the session's stack of plans"]
    errors: Errors


@click.command()
@target
@click.option("--query", metavar="TEXT", help="Words to search for. Default: the current request.")
@click.option("--k", type=click.IntRange(1), default=LIMIT, metavar="N", help="Maximum number of entries.")
@click.option("--budget", type=click.IntRange(0), default=BUDGET, metavar="TOKENS", help="Maximum total tokens.")
@click.option(
    "--apply", "applies", is_flag=True, help="Put it on the session's stack in the store; inspector undo removes it."
)
@turn_option
@agent_option
@limit_option
@common
def inject(
    target: str,
    query: str | None,
    k: int,
    budget: int,
    applies: bool,
    turn: int | None,
    agent: str | None,
    limit: int,
    db: Path | None,
    as_json: bool,
) -> None:
    """Show the entries that a query would add to a window, verbatim, with their size.

    The matching entries of the persistent tier become one message right before the current request. Nothing changes
    unless --apply is given. SESSION is a file, FILE#N, or the id of a stored session.
    """
    if query is not None and not query.strip():
        raise UsageError("--query requires words. Without --query, the current request is used.")
    with open_session(target, db, limit, required=True) as session:
        agent = agent_of(session, agent)
        check_turn(session, turn, agent)
        store, bench = session.library.required_store, session.bench
        words = query if query is not None else request_of(bench, agent, turn or bench.turns(agent) + 1)
        hits = find_entries(store, MemoryFilter(tier="persistent"), words, k + _MORE, None)
        place = (hits.retrieval.results, hits.entries, turn, agent)
        draft = draft_injection(bench, words, *place, limit=k, budget=budget, now=store.entries.now)
        plan = draft.preview.plan
        applies = applies and plan is not None
        with report_on_output_error("Nothing was applied." if applies else ""):
            if as_json:
                echo_json(_inject_output(session, draft, budget, hits, applies))
            else:
                echo("\n".join(_draft_lines(draft, applies)))
        if plan is not None and applies:
            with session.transaction():
                session.push(plan, agent)
                store.entries.touch(plan.settings["memories"])
    if hits.warning:
        warn(hits.warning)


def _inject_output(
    session: OpenSession, draft: InjectionDraft, budget: int, hits: MemoryRetrieval, applied: bool
) -> MemoryInjectOutput:
    preview, retrieval = draft.preview, draft.retrieval
    return MemoryInjectOutput(
        session=session.bench.id,
        agent=preview.recorded.agent,
        turn=preview.recorded.turn,
        query=retrieval.query,
        k=retrieval.limit,
        budget=budget,
        text=draft.text,
        message=draft.message.id if draft.message else None,
        tokens=draft.tokens,
        before=_sections(preview.before),
        after=_sections(preview.after),
        hits=memory_hits(retrieval, draft.memories),
        near_misses=near_misses(retrieval, draft.memories),
        problems=list(map(str, preview.problems)),
        note=draft.why_not,
        applied=applied,
        errors=[hits.warning] if hits.warning else [],
    )


def _sections(window: Window) -> Mapping[str, int]:
    return {section: size.tokens for section, size in window.breakdown.items()}


def _draft_lines(draft: InjectionDraft, applied: bool) -> Iterator[str]:
    """Yield the added entries with reasons and near misses, or the reason why none is added."""
    preview, retrieval = draft.preview, draft.retrieval
    yield from lines_of(draft.why_not, width()) if draft.why_not else _message_lines(draft)
    for result in retrieval.results:
        yield from _item_lines("↑", draft, result.key, explain(result))
    for miss in retrieval.near_misses:
        yield from _item_lines("✗", draft, miss.result.key, f"{miss.reason}: {explain(miss.result)}")
    for problem in preview.problems:
        yield from (paint(line, "bad") for line in lines_of(f"✗ {problem}", width()))
    if not draft.why_not:
        yield "Applied. To revert: inspector undo." if applied else "Nothing was applied. To apply it, use --apply."


def _message_lines(draft: InjectionDraft) -> Iterator[str]:
    """Yield the added message, and the size of the window with it."""
    before, after = draft.preview.before, draft.preview.after
    count = len(draft.retrieval.results)
    many = f"{count:,} {'memory' if count == 1 else 'memories'}"
    what = f"{many} before the request: +{plural(draft.tokens, 'token')}"
    yield from (paint(line, "strong") for line in lines_of(what, width()))
    memory = SizeChange(before.breakdown["memory"], after.breakdown["memory"])
    sizes = f"window {SizeChange(before.size, after.size)}, Memory {memory}"
    yield paint(clip(sizes, width()), "dim")
    yield ""
    yield from lines_of(draft.text, width())
    yield ""


def _item_lines(sign: str, draft: InjectionDraft, key: int, why: str) -> Iterator[str]:
    """Yield a line for an entry, with the reason why it is added or not."""
    yield f"{paint(sign, 'good' if sign == '↑' else 'bad')} {clip(f'{key} {draft.memories[key].text}', width() - 2)}"
    yield from (paint(f"  {line}", "dim") for line in lines_of(why, width() - 2))
