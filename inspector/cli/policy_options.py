"""Resolve the memory policies of a replay: presets by name, or a strategy with settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import click

from inspector.analysis.experiments import TrialSetup
from inspector.analysis.replay import NONE, RECORDED, ReportedUsage
from inspector.cli.arguments import capital, strategy_settings
from inspector.cli.command_errors import CommandError, UsageError, did_you_mean
from inspector.cli.output import progress
from inspector.cli.strategy_options import preset_named, threshold_option
from inspector.core.conversation import Session
from inspector.engine import facts
from inspector.engine.compression import Preset, Threshold
from inspector.engine.facts import CLASSES, FactClass, Weights
from inspector.library import OpenSession
from inspector.llm.models import Price, session_price

ByWeight = Annotated[Mapping[FactClass, float], "of `--weight`, by class of facts"]
Reported = Annotated[ReportedUsage | None, "null if none was"]
presets_option = click.option(
    "--preset",
    "names",
    multiple=True,
    metavar="NAME",
    help='A preset, "none", or "recorded" for the recording itself; may be repeated.',
)
weights_option = click.option(
    "--weight",
    "weighed",
    multiple=True,
    metavar="CLASS=N",
    help="Weight of a fact class in the retained share, such as path=2 or tool=0; may be repeated.",
)
policy_threshold = threshold_option("Compress above this threshold instead of the preset's.")


def find_policy(name: str, file: Path | None) -> Preset:
    """Return the preset of a name, including "none" and "recorded". Raises UsageError and PresetError."""
    return preset_named(name, file, (NONE, RECORDED))


def policies(
    names: Sequence[str],
    strategy: str | None,
    assignments: Sequence[str],
    threshold: Threshold | None,
    file: Path | None,
) -> list[Preset]:
    """Return the named presets, or the strategy as one, with single settings changed.

    Args:
        names: Names of presets.
        strategy: Name of a strategy, in place of presets.
        assignments: `KEY=VALUE` settings.
        threshold: Threshold in place of the presets' own.
        file: File of the user's presets.

    Raises:
        UsageError: A name, a setting or a combination is not valid.
    """
    if names and strategy:
        raise UsageError("--preset cannot be combined with --strategy or --stage.")
    if strategy:
        return [_strategy_preset(strategy, assignments, threshold)]
    return [_changed_preset(find_policy(name, file), assignments, threshold) for name in names]


def _strategy_preset(strategy: str, assignments: Sequence[str], threshold: Threshold | None) -> Preset:
    """Return a strategy with its settings as a preset with the strategy's name."""
    values = strategy_settings(strategy, assignments) | ({"threshold": threshold} if threshold else {})
    return Preset(strategy, strategy=strategy).with_values(values)


def _changed_preset(preset: Preset, assignments: Sequence[str], threshold: Threshold | None) -> Preset:
    """Return a preset with single settings changed, and a name that lists the changes."""
    if not (assignments or threshold):
        return preset
    if not preset.enabled:
        raise UsageError(f"The preset {preset.name} does not compress, so it has no settings.")
    values = strategy_settings(preset.strategy, assignments) | ({"threshold": threshold} if threshold else {})
    words = [f"{key}={value}" for key, value in values.items()]
    return replace(preset.with_values(values), name=" ".join([preset.name, *words]))


def weights(words: Sequence[str]) -> Weights:
    """Parse weights of fact classes. Raises UsageError for an unknown class or an invalid weight."""
    numbers: dict[str, float] = {}
    for word in words:
        name, _, number = word.partition("=")
        try:
            numbers[name.strip()] = float(number)
        except ValueError:
            raise UsageError(f"--weight takes CLASS=NUMBER, such as path=2, not {word!r}.") from None
    try:
        return Weights(numbers)
    except ValueError as error:
        misspelt = next((name for name in numbers if name not in CLASSES), None)
        raise UsageError(f"{capital(str(error))}.{did_you_mean(misspelt, CLASSES) if misspelt else ''}") from error


def subject_of(session: OpenSession, agent: str, class_weights: Weights) -> TrialSetup:
    """Return the subject of replays: an open session whose facts are read on first use.

    Raises:
        CommandError: If the session cannot be replayed.
    """
    log = session.bench.session
    if not log.turns(agent):
        raise CommandError(f"Nothing to replay: the agent {agent} has no model calls in this session.")
    price = _price_of(log)
    sizes, kept = session.bench.sizes, session.bench.kept_results
    return TrialSetup(
        log, sizes, price, agent, weights=class_weights, kept=kept, read_facts=partial(_facts_of, session)
    )


def _facts_of(session: OpenSession) -> facts.FactIndex:
    with progress() as on_progress:
        on_progress("reading facts", 0, 0)
        return session.bench.fact_index()


def _price_of(session: Session) -> Price:
    """Return the model's price on the days of the session. Raises CommandError if the user's prices cannot be read."""
    try:
        return session_price(session)
    except ValueError as problem:
        raise CommandError(str(problem)) from problem
