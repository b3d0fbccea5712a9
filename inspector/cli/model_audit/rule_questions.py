"""Ask a model for contradictions and duplicates among the rules of an audit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from inspector import store
from inspector.analysis.asking import (
    AskedCall,
    AskedReply,
    Asker,
    CachedReplies,
    CallEstimate,
    ModelSetupError,
    asker_of,
    expected_output,
    text_call,
)
from inspector.analysis.memory_audit import (
    LIST_TOKENS,
    SYSTEM,
    AnswerError,
    KnownPairs,
    MemoryAudit,
    RuleList,
    RuleLists,
    model_findings,
    pairs_in,
    rule_lists,
)
from inspector.cli.command_errors import CommandError
from inspector.cli.model_audit.asked_rules import AskedRulesOutput, ModelOptions
from inspector.cli.model_consent import agree, asking, replies_of, settings_of
from inspector.cli.output import warn
from inspector.core.text import plural
from inspector.engine.retrieval import embedder_from_environment
from inspector.engine.summaries import ModelSettings

_RESERVE = 1_000
"""Tokens of the system prompt, with a margin."""
_LEAST_ROOM = 500


@dataclass(frozen=True)
class AskedAudit:
    """An audit with the findings of a model."""

    audit: MemoryAudit
    output: AskedRulesOutput
    errors: Sequence[str]
    """Why a request has no usable answer, each a sentence."""


@contextmanager
def asked_audit(
    audit: MemoryAudit, listed: MemoryAudit, options: ModelOptions, cache: store.ExtractFile
) -> Iterator[AskedAudit]:
    """Ask a model, and return the audit with its findings. An interrupt ends the command after the block.

    Args:
        audit: The audit.
        listed: The audit with only the findings that are printed, which are not reported again.
        options: Values of the options.
        cache: Storage of the answers.

    Raises:
        UsageError: No model is set up, or no one can be asked for consent.
        CommandError: The user does not agree, or the model's window is too small.
    """
    settings = settings_of(options.model, options.api)
    lists = rule_lists(audit, _room(settings, options.most), embedder_from_environment({}))
    calls = {text_call(row.label, SYSTEM, row.text, settings, options.most): row for row in lists.lists}
    asker = _asker(settings, options.max_cost, cache, {call.label: row for call, row in calls.items()})
    estimate = asker.estimate([*calls], expected_output(0))
    if options.dry_run or not calls:
        if calls:
            warn(f"Nothing is sent. {estimate.sentence(redacted=True, max_cost=options.max_cost)}")
        yield AskedAudit(audit, _asked_output(asker, lists, estimate, [], 0, 0), [])
        return
    agree(estimate, options.max_cost, yes=options.yes, redacted=True)
    with asking(asker):
        replies = replies_of(asker, [*calls])
        yield _with_answers(audit, listed, asker, lists, estimate, replies)


def _room(settings: ModelSettings, most: int) -> int:
    """Return the tokens for rules in a request."""
    room = settings.context - most - _RESERVE
    if room < _LEAST_ROOM:
        raise CommandError(
            f"The window of {settings.label} ({settings.context:,} tokens) has no room for rules and a reply of "
            f"{most:,} tokens. Choose a smaller --max-output."
        )
    return min(room, LIST_TOKENS)


def _asker(settings: ModelSettings, max_cost: float, cache: store.ExtractFile, lists: Mapping[str, RuleList]) -> Asker:
    """Return what asks the model. Answers that can be read are kept."""

    def is_usable(call: AskedCall, reply: AskedReply) -> bool:
        try:
            pairs_in(reply.text, lists[call.label])
        except AnswerError:
            return False
        return True

    try:
        asker = asker_of(settings, {}, None, "", max_cost=max_cost)
    except ModelSetupError as problem:
        raise CommandError(str(problem)) from problem
    asker.limit_hint = " (--max-cost)"
    kept = CachedReplies(settings, cache, is_usable)
    asker.find, asker.keep = kept.find, kept.keep
    return asker


def _with_answers(
    audit: MemoryAudit,
    listed: MemoryAudit,
    asker: Asker,
    lists: RuleLists,
    estimate: CallEstimate,
    replies: Mapping[tuple[str, int], AskedReply],
) -> AskedAudit:
    pairs, errors, invalid, kept = [], [], 0, 0
    for row in lists.lists:
        reply = replies.get((row.label, 1)) or AskedReply(problem="Cancelled before the reply came.")
        kept += bool(reply.kept)
        try:
            own, wrong = pairs_in(reply.text, row) if not reply.problem else ([], 0)
        except AnswerError as error:
            reply, own, wrong = AskedReply(problem=str(error)), [], 0
        if reply.problem:
            errors.append(reply.problem)
        pairs += own
        invalid += wrong
    findings = [*model_findings(pairs, audit, asker.settings.label, KnownPairs(listed))]
    problems = [*lists.problems]
    if invalid:
        problems.append(
            f"{plural(invalid, 'pair')} in the answers of {asker.settings.label} name or quote no rules of the "
            "list, and were left out."
        )
    output = _asked_output(asker, lists, estimate, findings, invalid, kept)
    return AskedAudit(audit.extended(findings, problems), output, [*dict.fromkeys(errors)])


def _asked_output(
    asker: Asker, lists: RuleLists, estimate: CallEstimate, findings: Sequence[object], invalid: int, kept: int
) -> AskedRulesOutput:
    return AskedRulesOutput(
        model=asker.settings.model,
        host=asker.settings.place,
        rules=lists.rules,
        requests=len(lists.lists),
        kept=kept,
        tokens=estimate.tokens,
        expected_cost=round(estimate.expected, 6),
        calls=asker.count,
        cost=round(asker.spent, 6),
        findings=len(findings),
        invalid=invalid,
    )
