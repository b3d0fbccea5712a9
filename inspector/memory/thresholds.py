"""Resolves a manager's threshold, once for the whole session, at its first message."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from inspector.engine.compression import CompressionEngine, window_scale
from inspector.memory.config import MemoryConfig


class Thresholds:
    """Keeps the threshold of an engine at what the settings mean for its session."""

    def __init__(self, config: MemoryConfig, engine: CompressionEngine) -> None:
        self._config, self._engine = config, engine
        self._has_begun = False
        """True if a message of the conversation was added, so that the threshold is fixed."""
        self._measure()

    def note_message(self, role: str) -> None:
        """Note an added message."""
        if not self._has_begun:
            self._has_begun = role != "system"
            self._measure()

    def values(self) -> dict[str, Any]:
        """Return the resolved threshold as JSON values."""
        policy = self._engine.policy
        return {"tokens": policy.threshold, "target": policy.target, "reason": self._engine.threshold_reason}

    def restore(self, values: Mapping[str, Any], *, is_same: bool) -> None:
        """Continue with an earlier threshold.

        Args:
            values: State of the threshold, as stored.
            is_same: True if the settings have not changed since.
        """
        self._has_begun = any(message.role != "system" for message in self._engine.log)
        self._measure()
        if is_same and not isinstance(self._config.compression_threshold, int):
            tokens, target = int(values["tokens"]), int(values["target"])
            policy = replace(self._engine.policy, threshold=tokens, target=target)
            self._engine.adjust(policy, str(values["reason"]))

    def _measure(self) -> None:
        """Resolve a threshold that depends on the model and on the tokens that can never be compressed."""
        if not isinstance(self._config.compression_threshold, int):
            scale = replace(window_scale(self._engine.window()), window=self._engine.sizes.limit)
            self._engine.set_policy(self._config.policy_for(scale))
