"""Settings of a memory manager."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import inf
from pathlib import Path
from typing import Any

from inspector.engine.compression import (
    Adaptive,
    Net,
    Policy,
    Preset,
    PresetError,
    Scale,
    Share,
    Threshold,
    check_integer,
    check_number,
    check_switch,
    describe_value,
    find,
    memory_preset,
    memory_value,
    parse_threshold,
    resolve_threshold,
)
from inspector.engine.strategies import STRATEGIES, Stage, format_stages, parse_stages

_MAX_TOKENS = 100_000
_STATE_TOKENS = 400
_STATE = "state_tokens"
"""Setting of strategies for the state of the work before a summary."""


class CompressionStrategy(StrEnum):
    """All strategies by name, requirement 3's first; docs/strategies.md says what each does."""

    SLIDING_WINDOW = "sliding_window"
    SELECTIVE = "selective"
    DELETION = "deletion"
    AUTO = "auto"
    _ignore_ = "_members _name"
    _members = vars()
    for _name in STRATEGIES:
        if _name.upper() not in _members:
            _members[_name.upper()] = _name


def _own(name: str) -> Callable[[], Any]:
    """Return a function that reads a value of a preset from the environment and from `.aloop/config`."""
    return lambda: memory_value(name, os.environ, Path())


def _most_tokens() -> int:
    """Return the default limit in tokens, which leaves room for a threshold set in the environment."""
    try:
        threshold = memory_value("threshold", os.environ, Path())
    except PresetError:  # it is told where the threshold itself is wanted
        return _MAX_TOKENS
    return max(_MAX_TOKENS, threshold) if isinstance(threshold, int) else _MAX_TOKENS


@dataclass(frozen=True)
class MemoryConfig:
    """Settings of a memory.

    Six of them have `MEMORY_*` variables. A setting that is not given is read from the environment, then from the
    `.aloop/config` file in the working directory, and else has its default.

    Raises:
        ValueError: A value is invalid. The message names its source.
    """

    max_context_tokens: int = field(default_factory=_most_tokens)
    """Maximum tokens of a context. Above it, fewer of the newest messages than `short_term_size` stay word for word,
    long tool results are cut to head and tail, and then the oldest messages are dropped. Only system messages, the
    task, the current request and what has to stay (`_should_preserve`, `preserve_tool_calls`) may take more by
    themselves. The statistics then say `over_limit`."""
    compression_threshold: Threshold | str = field(default_factory=_own("threshold"))
    """Tokens of the context above which it is compressed: `MEMORY_COMPRESSION_THRESHOLD`, 40,000.

    Or "60%", a share of the model's window (or of `max_context_tokens`, if smaller), or "+20000", tokens in addition to
    the tools, the system messages and the first task. Or "adaptive": computed from the growth of the session, the price
    of its cache and the window; `get_stats()["threshold_reason"]` has the reason.
    """
    enable_compression: bool = field(default_factory=_own("enabled"))
    """`MEMORY_ENABLED`, True."""
    short_term_size: int = field(default_factory=_own("keep_recent"))
    """Newest messages that stay word for word: `MEMORY_SHORT_TERM_SIZE`, 20."""
    compression_ratio: float = field(default_factory=_own("ratio"))
    """Size of a summary as a share of the messages that it replaces: `MEMORY_COMPRESSION_RATIO`, 0.3."""
    compression_strategy: CompressionStrategy | str = field(default_factory=_own("strategy"))
    """`MEMORY_COMPRESSION_STRATEGY`, `sliding_window`."""
    preserve_system_prompts: bool = field(default_factory=_own("preserve_system"))
    """`MEMORY_PRESERVE_SYSTEM_PROMPTS`, True. False: system messages may leave the context like any other."""
    preserve_tool_calls: bool | None = None
    """True: tool calls and their results stay word for word. False: they may be compressed. None: as the strategy has
    it; `selective` keeps them as far as they fit, the others do not."""
    strategy_settings: Mapping[str, Any] = field(default_factory=dict)
    """Further settings of the strategy, by the names of its knobs."""
    target_tokens: int = 0
    """Target size of a compression in tokens; 0 for half of the threshold."""
    minimum_progress: float = 0.1
    """A compression that would take less than this share out of the context is not made."""
    give_up_after: int = 3
    """Attempts in a row that come to nothing before it stops trying for a while."""
    fallback_to_extractive: bool | None = None
    """True: where no model gives a summary, one is made of the conversation's own lines. False: then nothing is
    changed, and the statistics say why. None: True where other models than the agent's are to write the summaries."""
    summary_model: str | Sequence[str] = ()
    """Names of models, cheaper than the agent's, that its client is asked for to write the summaries: in order, until
    one gives a summary; the last one asked is the agent's own. A text holds several between commas."""

    recall_other_sessions: bool = False
    """True to retrieve relevant entries of other sessions from the store's persistent tier.

    The amount is set by `k` and `recall` in the settings of `vector_swap`.
    """
    summary_timeout: float = 120.0
    """Seconds that the model may take to answer one request for a summary, waits and repetitions included; then there
    is none. 0 for as long as it wants."""
    summary_retries: int = 2
    """Number of retries of a summary request that was rejected (429), failed (5xx), or could not be sent.

    Retries by the client itself are not counted.
    """

    def __post_init__(self) -> None:
        object.__setattr__(self, "compression_threshold", _threshold_of(self.compression_threshold))
        for name, low, high in _WHOLE:
            check_integer(name, getattr(self, name), low, high)
        for name, least, most in _NUMBERS:
            check_number(name, getattr(self, name), least, most)
        for name in _SWITCHES:
            check_switch(name, getattr(self, name))
        for name in ("preserve_tool_calls", "fallback_to_extractive"):
            if getattr(self, name) is not None:
                check_switch(name, getattr(self, name))
        object.__setattr__(self, "summary_model", _names_of(self.summary_model))
        object.__setattr__(self, "compression_strategy", strategy_of(self.compression_strategy))
        if not isinstance(self.strategy_settings, Mapping):
            raise ValueError(f"strategy_settings are names with values, not {describe_value(self.strategy_settings)}.")
        _ = self.policy  # whatever else it refuses is refused here already

    @property
    def preset(self) -> Preset:
        """The same as a preset."""
        threshold = _threshold_of(self.compression_threshold)
        settings = dict(self.strategy_settings)
        if self.compression_strategy == CompressionStrategy.SELECTIVE and self.preserve_tool_calls is not None:
            settings.setdefault("tools_always" if self.preserve_tool_calls else "tools", self.preserve_tool_calls)
        return Preset(
            name="config",
            threshold=min(threshold, self.max_context_tokens) if isinstance(threshold, int) else threshold,
            ratio=self.compression_ratio,
            keep_recent=self.short_term_size,
            strategy=str(self.compression_strategy),
            settings=settings,
            enabled=self.enable_compression,
            preserve_system=self.preserve_system_prompts,
        )

    @property
    def policy(self) -> Policy:
        """The policy that all this comes to where nothing is known of the session. Raises ValueError."""
        return self.policy_for(Scale(0, 0))

    def policy_for(self, scale: Scale) -> Policy:
        """Return the policy that these settings define for sessions of a scale. Raises ValueError."""
        preset, most = self.preset, self.max_context_tokens
        scale = replace(scale, window=min(scale.window or most, most))
        threshold, target = min(resolve_threshold(preset.threshold, scale), most), self.target_tokens
        return Policy.of(
            preset,
            scale,
            threshold=threshold,
            target=target if isinstance(preset.threshold, int) else min(target, threshold - 1),
            limit=self.max_context_tokens,
            minimum_progress=self.minimum_progress,
            give_up=self.give_up_after,
        )

    def with_strategy(self, strategy: CompressionStrategy | str) -> MemoryConfig:
        """Return these settings with another strategy and its defaults. Raises ValueError for an unknown one.

        A strategy that can summarise puts the state of the work before its summaries if the one before did.
        """
        if strategy == self.compression_strategy:
            return self
        name = CompressionStrategy(strategy)
        tokens = _state_tokens_in(self.strategy_settings)
        settings = _settings_with_state(name, {}, tokens) if tokens and _can_keep_state(name, {}) else {}
        return replace(self, compression_strategy=name, strategy_settings=settings)

    def keeping_state(self, is_kept: bool = True) -> MemoryConfig:
        """Return the settings with the state of the work before each summary, or these unless `is_kept`.

        A `state_tokens` in the settings of the strategy takes precedence over 400 tokens.

        Raises:
            ValueError: The strategy has no such setting, or `is_kept` is not a bool.
        """
        check_switch("keep_state", is_kept)
        if not is_kept:
            return self
        settings = _settings_with_state(self.compression_strategy, self.strategy_settings, _STATE_TOKENS)
        return replace(self, strategy_settings=settings)

    @classmethod
    def from_preset(cls, preset: Preset | str, **more: Any) -> MemoryConfig:
        """Return the settings of a preset.

        Args:
            preset: A preset, or the name of a built-in one or of one that was saved in the app.
            more: Further settings, which override those of the preset.

        Raises:
            ValueError: No preset has this name, or the file with the user's presets is invalid.
        """
        if isinstance(preset, str):
            preset = find(preset)
        settings: dict[str, Any] = {
            "compression_threshold": preset.threshold,
            "max_context_tokens": _MAX_TOKENS,
            "enable_compression": preset.enabled,
            "short_term_size": preset.keep_recent,
            "compression_ratio": preset.ratio,
            "compression_strategy": preset.strategy,
            "preserve_system_prompts": preset.preserve_system,
            "strategy_settings": preset.settings,
        }
        if isinstance(preset.threshold, int):
            settings["max_context_tokens"] = max(_MAX_TOKENS, preset.threshold)
        return cls(**(settings | more))

    @classmethod
    def from_env(
        cls, environ: Mapping[str, str] | None = None, directory: Path | None = None, **more: Any
    ) -> MemoryConfig:
        """Return the `MEMORY_*` settings of an environment and of the `.aloop/config` file in a directory.

        Args:
            environ: Environment variables; by default those of this process.
            directory: Folder of the file; by default the current one. `MemoryConfig()` uses the same defaults.
            more: Settings that replace those of both.

        Raises:
            PresetError: A value is invalid.
        """
        preset = memory_preset(os.environ if environ is None else environ, directory or Path())
        return cls.from_preset(preset, **more)


_WHOLE = (
    ("max_context_tokens", 1, inf),
    ("short_term_size", 0, 100_000),
    ("target_tokens", 0, inf),
    ("give_up_after", 1, inf),
    ("summary_retries", 0, 100),
)
_NUMBERS = (("compression_ratio", 0.01, 0.9), ("minimum_progress", 0, 0.99), ("summary_timeout", 0, inf))
_SWITCHES = ("enable_compression", "preserve_system_prompts", "recall_other_sessions")
"""Settings by what they may be."""


def _has_state(strategy: str) -> bool:
    return any(knob.name == _STATE for knob in STRATEGIES[strategy].knobs)


def _stages_of(strategy: str, settings: Mapping[str, Any]) -> tuple[Stage, ...]:
    """Return the stages of a pipeline, and none of another strategy."""
    stages = {knob.name: knob.default for knob in STRATEGIES[strategy].knobs} | dict(settings)
    return parse_stages(str(stages["stages"])) if "stages" in stages else ()


def _can_keep_state(strategy: str, settings: Mapping[str, Any]) -> bool:
    return _has_state(strategy) or any(_has_state(stage.name) for stage in _stages_of(strategy, settings))


def _settings_with_state(strategy: str, settings: Mapping[str, Any], tokens: int) -> dict[str, Any]:
    """Return the settings of a strategy with the state of the work before summaries, also those of stages."""
    if _has_state(strategy) or not _can_keep_state(strategy, settings):
        return {_STATE: tokens, **settings}
    stages = (
        replace(stage, settings={_STATE: tokens, **stage.settings}) if _has_state(stage.name) else stage
        for stage in _stages_of(strategy, settings)
    )
    return {**settings, "stages": format_stages(stages)}


def _state_tokens_in(settings: Mapping[str, Any]) -> int:
    """Return the size of the state before summaries that the settings of a strategy ask for; 0 for none."""
    stages = parse_stages(str(settings["stages"])) if "stages" in settings else ()
    sizes: list[int] = [own.get(_STATE, 0) for own in (settings, *(stage.settings for stage in stages))]
    return max(sizes)


def _names_of(value: Any) -> tuple[str, ...]:
    """Return the names of models, from one text or several. Raises ValueError."""
    names = value.split(",") if isinstance(value, str) else value
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"summary_model is the name of a model, or several in order, not {describe_value(value)}.")
    return tuple(name.strip() for name in names if name.strip())


def _threshold_of(value: Any) -> Threshold:
    """Return a threshold from any of its forms. Raises ValueError."""
    if isinstance(value, Share | Net | Adaptive):
        return value
    if isinstance(value, str):
        try:
            threshold = parse_threshold(value, "compression_threshold")
        except ValueError as error:
            raise ValueError(f"{error}.") from None
        if not isinstance(threshold, int):
            return threshold
    check_integer("compression_threshold", value, 1)
    return int(value)


def strategy_of(name: Any) -> CompressionStrategy:
    """Return a strategy by its name, ignoring case. Raises ValueError with the available names."""
    try:
        return CompressionStrategy(name.lower() if isinstance(name, str) else name)
    except ValueError:
        names = ", ".join(CompressionStrategy)
        raise ValueError(f"There is no strategy {describe_value(name)}; the strategies are {names}.") from None
