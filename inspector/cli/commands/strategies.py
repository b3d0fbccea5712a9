"""`strategies`: the strategies, with their costs and settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

import click

from inspector.cli.arguments import capital
from inspector.cli.command_errors import UsageError, did_you_mean
from inspector.cli.options import json_option
from inspector.cli.output import echo, echo_json, paint, width
from inspector.cli.schema.values import json_output
from inspector.core.text import lines_of, pad
from inspector.engine.strategies import COSTS, STRATEGIES, Knob, Strategy

_NAME = 18


@json_output(optional="choices low high step")
class SettingOutput:
    """A setting of a strategy. `choices` are for words, the bounds for numbers."""

    name: str
    about: str
    default: Annotated[Any, "null if it depends on the window"]
    choices: Sequence[str] | None
    low: float | None
    high: float | None
    step: float | None


@json_output()
class StrategyOutput:
    """A compression strategy."""

    name: str
    cost: Literal["free", "lossy", "needs a model"]
    about: str
    settings: Sequence[SettingOutput]


@json_output()
class StrategiesOutput:
    """All strategies, or the named one."""

    strategies: Sequence[StrategyOutput]


@click.command()
@click.argument("name", required=False)
@json_option
def strategies(name: str | None, as_json: bool) -> None:
    """List the strategies; with NAME, the settings of one."""
    if name is not None and name not in STRATEGIES:
        raise UsageError(
            f"There is no strategy {name!r}; there are: {', '.join(STRATEGIES)}.{did_you_mean(name, STRATEGIES)}"
        )
    table = STRATEGIES if name is None else {name: STRATEGIES[name]}
    if as_json:
        outputs = [
            StrategyOutput(name=key, cost=one.cost, about=one.about, settings=list(map(_setting, one.knobs)))
            for key, one in table.items()
        ]
        echo_json(StrategiesOutput(strategies=outputs))
    else:
        echo("\n".join(_strategy_list(table) if name is None else _settings_text(name, table[name])))


def _setting(knob: Knob) -> SettingOutput:
    has_bounds = not knob.choices and knob.high > knob.low
    return SettingOutput(
        name=knob.name,
        about=knob.doc,
        default=None if knob.fit else knob.default,
        choices=knob.choices or None,
        low=knob.low if has_bounds else None,
        high=knob.high if has_bounds else None,
        step=knob.step if has_bounds else None,
    )


def _strategy_list(table: Mapping[str, Strategy]) -> Iterator[str]:
    """Yield all strategies, ordered by cost."""
    for cost, meaning in COSTS.items():
        group = {name: strategy for name, strategy in table.items() if strategy.cost == cost}
        if not group:
            continue
        yield f"{paint(cost, 'strong')}  {paint(meaning, 'dim')}"
        for name, strategy in group.items():
            yield from _hanging_lines(f"  {pad(name, _NAME)} ", strategy.about)
        yield ""
    yield paint("inspector strategies NAME lists the settings of one.", "dim")


def _settings_text(name: str, strategy: Strategy) -> Iterator[str]:
    yield f"{paint(name, 'strong')}  {paint(strategy.cost, 'dim')}"
    yield from lines_of(capital(strategy.about) + ".", width())
    for knob in strategy.knobs:
        yield ""
        yield f"  {paint(knob.name, 'strong')}  {paint(_setting_range(knob), 'dim')}"
        yield from (f"  {line}" for line in lines_of(knob.doc, width() - 2))


def _setting_range(knob: Knob) -> str:
    """Return a setting's default and allowed values."""
    start = "default depends on the window" if knob.fit else f"default {_default_text(knob.default)}"
    if knob.choices:
        return f"{start}; one of {', '.join(knob.choices)}"
    if isinstance(knob.default, bool):
        return f"{start}; true or false"
    return f"{start}; {knob.low:,} to {knob.high:,}" if knob.high > knob.low else start


def _default_text(default: Any) -> str:
    if isinstance(default, bool):
        return str(default).lower()
    return f"{default:,}" if isinstance(default, int | float) else repr(default)


def _hanging_lines(start: str, text: str) -> Iterator[str]:
    """Yield a text after a name, with its further lines indented."""
    for line in lines_of(text, width() - len(start)):
        yield f"{start}{line}"
        start = " " * len(start)
