"""Translate a preset into the terms of a framework, and assemble the generated code and its comments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from textwrap import wrap
from typing import Any

from inspector.engine.compression import Policy, Preset, Scale, describe_threshold, threshold_text
from inspector.engine.strategies import STRATEGIES, Reduction, parse_stages
from inspector.engine.window import DEFAULT_THRESHOLD

_WIDTH = 88


@dataclass(frozen=True, slots=True)
class Part:
    """One strategy of a preset with all of its settings."""

    strategy: str
    settings: Mapping[str, Any]
    threshold: int
    target: int
    """Target size of a compression, in tokens."""
    guesses: tuple[str, ...] = ()
    """Names of settings that Inspector fits to the window, exported with a fixed number."""

    @property
    def kind(self) -> Reduction:
        summarises = "summarised" in (self.settings.get("middle"), self.settings.get("forgotten"))
        return "summarise" if summarises else STRATEGIES[self.strategy].kind

    @property
    def keep(self) -> int | None:
        """Number of newest messages, results or turns to keep; None if the strategy counts tokens."""
        name = STRATEGIES[self.strategy].setting("recent")
        return int(self.settings[name]) if name else None

    @property
    def most_tokens(self) -> int:
        """Maximum tokens to keep, for strategies that count tokens."""
        return int(self.settings.get(STRATEGIES[self.strategy].setting("target"), self.target))

    @property
    def exclusions(self) -> list[str]:
        """Names of tools whose results are not cleared."""
        return [name for name in map(str.strip, str(self.settings.get("exclude_tools", "")).split(",")) if name]

    def omissions(self) -> Iterator[str]:
        """Yield descriptions of settings that no framework supports."""
        if peculiar := STRATEGIES[self.strategy].peculiar:
            yield peculiar
        if self.kind == "summarise" and "ratio" in self.settings:
            yield f"ratio {self.settings['ratio']}: the length of a summary depends on its prompt"
        for name in self.guesses:
            yield f"{name} depends on the window; {self.settings[name]:,} is used instead"


@dataclass(frozen=True, slots=True)
class Piece:
    """Generated code for a strategy: lines inside the configuration and before it, imports and unsupported settings."""

    lines: Sequence[str] = ()
    omissions: Sequence[str] = ()
    imports: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Imported names by module."""
    before: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Framework:
    """A package that runs agents, with its equivalent for each kind of strategy."""

    package: str
    version: str
    """Version of the package that the names belong to."""
    pieces: Mapping[Reduction, Callable[[Part], Piece]]
    frame: Callable[[Sequence[Piece]], Piece]
    """Returns the code that surrounds the pieces."""
    one: frozenset[Reduction] = frozenset()
    """Kinds that share a single setting, so that only the first of them is exported."""

    def write(self, preset: Preset, scale: Scale | None = None) -> str:
        """Return the code for a preset, with a comment for every unsupported setting.

        Raises:
            ValueError: If the preset is invalid.
        """
        preset, notes = fix_threshold(preset, scale)
        lines = [f"# {headline(preset)}", f"# For {self.package} {self.version}."]
        if not preset.enabled:
            return "\n".join([*lines, "# It does not compress, so there is nothing to set up.\n"])
        parts = _parts(preset)
        pieces, omissions = self.choose(parts)
        if not pieces:
            return "\n".join([*lines, "# No equivalent.", *remarks(omissions)]) + "\n"
        frame = self.frame(pieces)
        omissions = [
            *notes,
            *omissions,
            *(text for piece in (*pieces, frame) for text in piece.omissions),
            *_general(parts),
        ]
        before = [line for piece in pieces for line in piece.before]
        code = [
            *_import_lines((*pieces, frame)),
            "",
            *before,
            *frame.lines,
            "",
            "# Not translated:",
            *remarks(omissions),
        ]
        return "\n".join([*lines, *code]) + "\n"

    def choose(self, parts: Iterable[Part]) -> tuple[list[Piece], list[str]]:
        """Return the pieces for some strategies, and descriptions of what they do not support."""
        pieces: list[Piece] = []
        omissions: list[str] = []
        full = False
        for part in parts:
            if part.kind not in self.pieces:
                omissions.append(f"{part.strategy}: no equivalent")
            elif full and part.kind in self.one:
                omissions.append(f"{part.strategy}: only one such setting is possible, and an earlier stage uses it")
            else:
                full = full or part.kind in self.one
                omissions += part.omissions()
                pieces.append(self.pieces[part.kind](part))
        return pieces, omissions


def _import_lines(pieces: Iterable[Piece]) -> Iterator[str]:
    """Return the import lines, one per module."""
    names: dict[str, set[str]] = {}
    for piece in pieces:
        for module, members in piece.imports.items():
            names.setdefault(module, set()).update(members)
    return (f"from {module} import {', '.join(sorted(names[module]))}" for module in sorted(names))


def _general(parts: Sequence[Part]) -> Iterator[str]:
    """Yield descriptions of behaviour that no framework supports."""
    if len(parts) > 1:
        yield "a pipeline stops as soon as the window fits; here each part has a separate trigger"
    yield "it must save at least 10%; after three attempts without effect it waits until the window has grown"


def fix_threshold(preset: Preset, scale: Scale | None) -> tuple[Preset, list[str]]:
    """Return the preset with its threshold in tokens, and remarks about that number."""
    if isinstance(preset.threshold, int):
        return preset, []
    words = f"threshold {describe_threshold(preset.threshold)}"
    if scale:
        fixed = preset.resolve(scale)
        return fixed, [f"{words}: {threshold_text(fixed.threshold)} on this session"]
    note = f"{words}, which depends on the session: {DEFAULT_THRESHOLD:,} is used instead"
    return replace(preset, threshold=DEFAULT_THRESHOLD), [note]


def _parts(preset: Preset) -> tuple[Part, ...]:
    """Return the strategies of a preset in order: a single one, or the stages of its pipeline.

    Raises:
        ValueError: If the preset is invalid.
    """
    policy = Policy.of(preset)
    if preset.strategy != "pipeline":
        return (_part(preset.strategy, policy.own_settings, policy),)
    stages = str(policy.own_settings.get("stages", _default("pipeline")["stages"]))
    return tuple(_part(stage.name, stage.settings, policy) for stage in parse_stages(stages))


def _part(strategy: str, values: Mapping[str, Any], policy: Policy) -> Part:
    plain, target = _default(strategy), STRATEGIES[strategy].setting("target")
    settings = ({target: policy.aim} if target else {}) | dict(values)
    guesses = tuple(knob.name for knob in STRATEGIES[strategy].knobs if knob.fit and knob.name not in settings)
    return Part(strategy, plain | settings, policy.threshold, policy.aim, guesses)


def _default(strategy: str) -> dict[str, Any]:
    return {knob.name: knob.default for knob in STRATEGIES[strategy].knobs}


def headline(preset: Preset) -> str:
    """Return a one-line description of a preset."""
    settings = [f"{key} {value}" for key, value in preset.values().items()]
    words = [f"Preset {preset.name}", preset.strategy, f"threshold {threshold_text(preset.threshold)}", *settings]
    return " ".join(" · ".join(words).split())


def remarks(texts: Iterable[str]) -> Iterator[str]:
    """Yield texts as comment lines with bullets."""
    for text in dict.fromkeys(texts):
        yield from wrap(" ".join(text.split()), _WIDTH, initial_indent="# - ", subsequent_indent="#   ")
