"""The result of `compress`, and its JSON output."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from inspector.cli.commands.diff import TotalOutput, window_total
from inspector.cli.commands.show import SwapOutput, recall_output
from inspector.cli.model_summaries import Writer
from inspector.cli.schema.values import (
    Files,
    Fit,
    LostCounts,
    Missed,
    Notes,
    Problems,
    RecordedSo,
    json_output,
)
from inspector.core.conversation import Role
from inspector.core.json_objects import Settings, Tokens, Turn
from inspector.engine.compression import Savings, Scale, StrategyChoice, fit_notice, resolve_threshold, thresholds_of
from inspector.engine.window import Fate, FateKind, Plan, Score, Window
from inspector.library import Money, OpenSession, Preview, count_lost_facts


@dataclass(frozen=True)
class CompressionResult:
    """The result of a compression, and its inputs."""

    session: OpenSession
    choice: StrategyChoice
    is_forced: bool
    writing: Writer
    preview: Preview
    idle: bool
    """True if the preset did not change the window. The plan contains the reason."""
    files: Sequence[Path] = ()
    """The export to write."""
    notes: Sequence[str] = ()
    """Notes on the request to write."""

    @property
    def scale(self) -> Scale:
        """The scale of the preset's threshold."""
        assert self.choice.scale is not None, "a choice is tried on a session"
        return self.choice.scale


@json_output()
class PresetDueOutput:
    """The preset that a window was compressed with."""

    name: str
    threshold: Annotated[Tokens, "in tokens of this session"]
    due: Annotated[bool, "true if the window is above the threshold"]
    forced: Annotated[bool, "true if `--force` was given"]


@json_output(inline="savings")
class MoneyOutput:
    """Costs and savings of a compression."""

    model: str
    price_source: str
    price_note: str
    savings: Savings


@json_output()
class ScoreOutput:
    """Why a strategy ranked a message higher than another."""

    total: float
    parts: Mapping[str, float]


@json_output(optional="score")
class FateOutput:
    """A message of the window before, and its fate."""

    id: str
    role: Role
    fate: FateKind
    reason: str
    into: Annotated[str | None, "id of the summary that replaces it"]
    before: Tokens
    after: Tokens
    score: ScoreOutput | None


@json_output()
class SummaryOutput:
    """A summary in a plan."""

    id: str
    tokens: Tokens
    covers: Annotated[Sequence[str], "ids of the messages that it replaces"]
    text: str


@json_output()
class CompressOutput:
    """The result of a strategy on a window."""

    strategy: str
    settings: Settings
    turn: Turn
    before: TotalOutput
    after: TotalOutput
    saved: Tokens
    fates: Annotated[Mapping[str, int], "messages of each fate"]
    lost: LostCounts
    valid: bool
    problems: Problems
    recorded_so: RecordedSo
    note: Annotated[str, "note of the strategy; may be empty"]
    messages: Sequence[FateOutput]
    recall: Annotated[SwapOutput | None, "null if nothing is archived, or retrieval is off"]
    summaries: Sequence[SummaryOutput]
    preset: PresetDueOutput | None
    fit: Fit
    money: Annotated[MoneyOutput | None, "null if no price is known"]
    missed: Missed
    files: Files
    notes: Notes


def compress_output(result: CompressionResult, money: Money, failures: Sequence[str]) -> CompressOutput:
    """Return the result for JSON output, with the failed gates."""
    preview = result.preview
    plan, before, after = plan_of(preview), preview.before, preview.after
    sizes = dict(zip(after.ids, after.tokens, strict=True))
    return CompressOutput(
        strategy=plan.strategy,
        settings=plan.settings,
        turn=before.turn,
        before=window_total(before),
        after=window_total(after),
        saved=preview.savings,
        fates=Counter(fate.kind for fate in preview.fates),
        lost=count_lost_facts(result.session.bench, preview).counts,
        valid=preview.valid,
        problems=list(map(str, preview.problems)),
        recorded_so=preview.recorded_so,
        note=plan.note,
        messages=_fates(plan, preview.fates, before, sizes),
        recall=recall_output(preview),
        summaries=[
            SummaryOutput(
                id=summary.id,
                tokens=sizes.get(summary.id, 0),
                covers=plan.sources(summary.id),
                text=summary.text,
            )
            for summary in plan.summaries
        ],
        preset=_preset_due(result, before.total),
        fit=fit_notice(result.scale, thresholds_of([preset] if (preset := result.choice.preset) else [])),
        money=_money(money),
        missed=failures,
        files=list(map(str, result.files)),
        notes=result.notes,
    )


def _fates(plan: Plan, fates: Sequence[Fate], before: Window, sizes: Mapping[str, int]) -> list[FateOutput]:
    """Return the messages of the window before for JSON output.

    Args:
        plan: The plan.
        fates: Fates of the messages.
        before: The window before.
        sizes: Tokens of the messages after.
    """
    return [
        FateOutput(
            id=message.id,
            role=message.role,
            fate=fate.kind,
            reason=fate.reason,
            into=fate.into or None,
            before=tokens,
            after=sizes.get(message.id, 0),
            score=_score(plan.scores.get(message.id)),
        )
        for message, fate, tokens in zip(before.messages, fates, before.tokens, strict=True)
    ]


def _score(score: Score | None) -> ScoreOutput | None:
    if score is None:
        return None
    parts = {name: round(part, 4) for name, part in score.parts.items()}
    return ScoreOutput(total=round(score.total, 4), parts=parts)


def _preset_due(result: CompressionResult, tokens: int) -> PresetDueOutput | None:
    """Return the requested preset, compared with a window of `tokens` tokens."""
    preset, scale = result.choice.preset, result.scale
    if preset is None:
        return None
    threshold = resolve_threshold(preset.threshold, scale)
    return PresetDueOutput(
        name=preset.name, threshold=threshold, due=preset.due(tokens, scale), forced=result.is_forced
    )


def _money(money: Money) -> MoneyOutput | None:
    """Return costs and savings. None without a price."""
    price, savings = money.price, money.savings
    if savings is None or price is None:
        return None
    return MoneyOutput(model=price.model, price_source=price.source, price_note=price.note, savings=savings)


def plan_of(preview: Preview) -> Plan:
    assert preview.plan is not None, "a strategy was chosen"
    return preview.plan
