"""Create preset grids: every combination of some values, applied to a preset.

An axis is a field of a preset (threshold, ratio, keep_recent, strategy, …) or a setting of its strategy, with a list of
values. If the strategy is also an axis, a setting applies to the strategies that have it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from inspector.analysis.experiments.trials import distinct
from inspector.engine.compression import FIELDS, Preset, PresetError
from inspector.engine.strategies import STRATEGIES, Knob

_Axes = Mapping[str, Sequence[str]]
"""Values of each key, as typed."""

_FIELD_KNOBS: Mapping[str, Knob] = {knob.name: knob for knob in FIELDS}
MAX_COMBINATIONS = 20_000
"""Maximum number of combinations. More are probably a typing error."""


def parse_axes(words: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Parse axes from `KEY=V1,V2` words.

    Raises:
        PresetError: If a word has another form, or if a key occurs twice.
    """
    axes: dict[str, tuple[str, ...]] = {}
    for word in words:
        key, equals, values = word.partition("=")
        key = key.strip().replace("-", "_")
        options = tuple(dict.fromkeys(filter(None, map(str.strip, values.split(",")))))
        if not equals or not key or not options:
            raise PresetError(f"A grid must be KEY=VALUE,VALUE,…, not {word!r}.")
        if key in axes:
            raise PresetError(f"The grid contains {key} twice. Put all its values after one {key}=.")
        axes[key] = options
    return axes


def preset_grid(bases: Sequence[Preset], axes: _Axes) -> tuple[Preset, ...]:
    """Return every combination applied to every preset, without duplicates of the same policy.

    Args:
        bases: Presets to vary.
        axes: Values to try by setting.

    Raises:
        PresetError: A key is unknown to all of the strategies, a value is invalid, or there are too many combinations.
    """
    size = len(bases)
    for values in axes.values():
        size *= len(values)
    if size > MAX_COMBINATIONS:
        raise PresetError(
            f"This grid has {size:,} combinations; the maximum is {MAX_COMBINATIONS:,}. Remove some values."
        )
    strategies = [_value(_FIELD_KNOBS["strategy"], text) for text in axes.get("strategy", ())]
    _reject_unknown_keys(axes, strategies or [base.strategy for base in bases])
    presets = [preset for base in bases for preset in _combinations(base, axes, with_name=len(bases) > 1)]
    try:
        return distinct(presets)
    except ValueError as error:
        raise PresetError(str(error)) from error


def _reject_unknown_keys(axes: _Axes, strategies: Iterable[str]) -> None:
    """Raise PresetError for a key that is neither a field of a preset nor a setting of one of the strategies."""
    names = list(dict.fromkeys([*_FIELD_KNOBS, *(knob.name for name in strategies for knob in STRATEGIES[name].knobs)]))
    for key in axes:
        if key not in names:
            raise PresetError(f"There is no setting {key!r}. Settings: {', '.join(names)}.")


def _combinations(base: Preset, axes: _Axes, *, with_name: bool) -> Iterator[Preset]:
    for values in product(*axes.values()):
        yield _vary(base, dict(zip(axes, values, strict=True)), with_name=with_name)


def _vary(base: Preset, words: Mapping[str, str], *, with_name: bool) -> Preset:
    """Return a preset with some values changed and included in its name.

    Raises:
        PresetError: If a value is invalid.
    """
    strategy = _value(_FIELD_KNOBS["strategy"], words["strategy"]) if "strategy" in words else base.strategy
    knobs = {knob.name: knob for knob in STRATEGIES[strategy].knobs}
    valid = {key: word for key, word in words.items() if _counts(key, knobs)}
    fields: dict[str, Any] = {key: _value(_FIELD_KNOBS[key], valid[key]) for key in valid if key in _FIELD_KNOBS}
    own = {key: _value(knobs[key], word) for key, word in valid.items() if key not in _FIELD_KNOBS}
    base_settings = {key: value for key, value in base.settings.items() if key in knobs and key not in fields}
    name = " ".join([*([base.name] if with_name else []), *(_word_of(key, word) for key, word in valid.items())])
    return replace(base, name=name or base.name, settings=base_settings | own, **fields)


def _counts(key: str, knobs: Mapping[str, Knob]) -> bool:
    """Return True if a key affects a strategy with these settings."""
    if key in ("ratio", "keep_recent"):
        return key in knobs
    return key in _FIELD_KNOBS or key in knobs


def _word_of(key: str, word: str) -> str:
    return word if key == "strategy" else f"{key}={word}"


def _value(knob: Knob, word: str) -> Any:
    """Parse a value with its knob.

    Raises:
        PresetError: If the value is invalid.
    """
    try:
        return knob.parse(word)
    except ValueError as error:
        raise PresetError(f"In the grid, {error}.") from error
