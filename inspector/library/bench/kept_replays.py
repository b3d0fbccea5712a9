"""Keep replays of presets on long files and stored sessions between runs, by everything that they depend on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NoReturn

from inspector.analysis.experiments import TrialSetup
from inspector.analysis.replay import RECORDED, Replay
from inspector.core.plain_values import Link, PlainValues
from inspector.engine.compression import Preset, Recall
from inspector.engine.window import Plan
from inspector.library.bench.kept_losses import kept_value
from inspector.library.bench.workbench import Workbench


def kept_replay(bench: Workbench, subject: TrialSetup, preset: Preset, run: Callable[[], Replay]) -> Replay:
    """Return the replay of a preset, from an earlier run if it is kept; that one is without its plans.

    Replays with services of the caller, with retrieved content and of the recording are always run.

    Args:
        bench: The replayed session.
        subject: Settings of the replay. Its facts are not used.
        preset: Preset to replay.
        run: Runs the replay.

    Raises:
        OSError: If the recording can no longer be read.
        ValueError: If the preset is invalid.
    """
    if subject.services is not None or preset == RECORDED:
        return run()
    results: list[Replay] = []

    def make() -> Replay | None:
        results.append(run())
        return None if any(frame.back for frame in results[0].frames) else _without_plans(results[0])

    settings = (preset, subject.price, dict(subject.weights or {}))
    kept = kept_value(bench, f"replay {settings!r}", subject.agent, _form, make)
    return results[0] if results or kept is None else kept


def _form() -> PlainValues[Replay]:
    return PlainValues(Replay, {Plan: Link(_reject, _reject), Recall: Link(_reject, _reject)})


def _reject(value: object) -> NoReturn:
    raise TypeError(f"{type(value).__name__} is not kept")


def _without_plans(result: Replay) -> Replay:
    return replace(result, plans=(), compactions=tuple([replace(event, plan=None) for event in result.compactions]))
