"""Generate the reference of strategies and their settings as Markdown, from their declarations.

`make docs` writes it to `docs/strategies.md`; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Iterator

from inspector.engine.strategies import COSTS, STRATEGIES, Knob, Strategy

_OPENING = """# Strategies

A strategy assigns each message of a context window a fate and a reason. Under all settings, system messages, the
first task, the current request, the newest step, pinned messages and calls without a result are kept, a call is
never separated from its results, and earlier summaries are never lost. Change settings with `+` and `-` in the app,
and with `--set KEY=VALUE` on the command line.

A default "by the window" depends on the size of the window.
"""


def reference() -> str:
    """Return the whole page."""
    pages = [_OPENING]
    for cost, about in COSTS.items():
        pages.append(f"## {cost.capitalize()}\n\n{about.capitalize()}.\n")
        pages += [_strategy_section(name, strategy) for name, strategy in STRATEGIES.items() if strategy.cost == cost]
    return "\n".join(pages)


def _strategy_section(name: str, strategy: Strategy) -> str:
    head = ["| setting | default | from – to | meaning |", "|---|---|---|---|"]
    return "\n".join([f"### `{name}`", "", _first_line(strategy), "", *head, *map(_setting_row, strategy.knobs), ""])


def _first_line(strategy: Strategy) -> str:
    return f"{strategy.about[0].upper()}{strategy.about[1:]}."


def _setting_row(knob: Knob) -> str:
    default = "by the window" if knob.fit else f"`{_default_words(knob.default)}`"
    return f"| `{knob.name}` | {default} | {' '.join(_range_words(knob))} | {knob.doc} |"


def _range_words(knob: Knob) -> Iterator[str]:
    if knob.choices:
        yield " or ".join(f"`{choice}`" for choice in knob.choices)
    elif isinstance(knob.default, bool):
        yield "`true` or `false`"
    elif isinstance(knob.default, str):
        yield "text"
    else:
        yield f"{knob.low:,} – {knob.high:,}"


def _default_words(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:,}" if isinstance(value, int) else str(value) or " "


if __name__ == "__main__":
    print(reference(), end="")
