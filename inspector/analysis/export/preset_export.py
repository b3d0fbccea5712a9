"""Export a preset to the program that will use it, as settings or as code for a framework.

Every output contains a comment for each setting that the target does not support.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from inspector.analysis.export.frameworks import ANTHROPIC, GOOGLE_ADK, LANGCHAIN, OPENAI_AGENTS, STRANDS
from inspector.analysis.export.translation import Framework, fix_threshold, headline, remarks
from inspector.engine.compression import BUILT_IN, CONFIG, RESERVED_NAMES, Preset, Scale, as_env, table_of

_TAUGHT = ("sliding_window", "selective", "deletion")
"""Strategies that the environment variables support."""


@dataclass(frozen=True, slots=True)
class _Target:
    """A format that presets can be exported to."""

    about: str
    write: Callable[[Preset, Scale | None], str]


def export_text(preset: Preset, to: str, scale: Scale | None = None) -> str:
    """Return a preset as text for one of `TARGETS`, ending in a newline.

    Args:
        preset: Preset to export.
        to: Name of the target.
        scale: Reference values of a session, which turn a relative threshold into a number of tokens.

    Raises:
        ValueError: If there is no such target.
    """
    if to not in TARGETS:
        raise ValueError(f"There is no export to {to!r}. Exports: {', '.join(TARGETS)}.")
    return TARGETS[to].write(preset, scale)


def _variables(preset: Preset, scale: Scale | None) -> str:
    """Return lines for a shell that starts the program."""
    return _settings_text(preset, scale, "export ")


def _aloop(preset: Preset, scale: Scale | None) -> str:
    """Return the lines of an `.aloop/config` file."""
    return _settings_text(preset, scale, "")


def _settings_text(preset: Preset, scale: Scale | None, word: str) -> str:
    """Return one line per variable, with comments for unsupported settings."""
    preset, notes = fix_threshold(preset, scale) if scale else (preset, [])
    if not isinstance(preset.threshold, int):
        notes = [f"threshold {preset.threshold}: only Inspector supports this form; others require a number of tokens"]
    values = (f"{word}{name}={value}" for name, value in as_env(preset).items())
    return "\n".join([*_heading(preset, notes), *values]) + "\n"


def _heading(preset: Preset, notes: Iterable[str]) -> Iterator[str]:
    """Yield comments that name the preset and the settings without a variable."""
    yield f"# {headline(preset)}"
    omissions = [*notes]
    omissions += [f"{key}={value}: there is no variable for it" for key, value in preset.settings.items()]
    if preset.enabled and preset.strategy not in _TAUGHT:
        omissions.insert(0, f"{preset.strategy}: only Inspector has this strategy; others support {', '.join(_TAUGHT)}")
    if omissions:
        yield "# Not translated:"
        yield from remarks(omissions)


_UNFIT = re.compile(r"[^\w .+-]")
"""Characters that the name of a preset must not contain."""


def _toml(preset: Preset, _scale: Scale | None) -> str:
    """Return a table for the user's presets file, under a name that is valid there."""
    import tomli_w

    name = _UNFIT.sub("-", preset.name)[:60].strip() or "mine"
    lines = ["# A table for your presets.toml. inspector presets shows its path."]
    if name in BUILT_IN or name in RESERVED_NAMES:
        lines.append(f"# The name {name} is taken, so it is called my {name}.")
        name = f"my {name}"
    return "\n".join([*lines, tomli_w.dumps({name: table_of(preset)})])


def _code(framework: Framework) -> _Target:
    return _Target(f"code for {framework.package}", framework.write)


TARGETS: Mapping[str, _Target] = {
    "env": _Target("MEMORY_… variables for a shell", _variables),
    "aloop": _Target(f"lines for {CONFIG}", _aloop),
    "toml": _Target("a table for your presets.toml", _toml),
    "langchain": _code(LANGCHAIN),
    "strands": _code(STRANDS),
    "openai-agents": _code(OPENAI_AGENTS),
    "google-adk": _code(GOOGLE_ADK),
    "anthropic": _code(ANTHROPIC),
}
