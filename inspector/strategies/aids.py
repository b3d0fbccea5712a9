"""What a strategy is handed because it may not fetch it itself: a summariser."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from inspector.conversation import Message
from inspector.summaries import extractive

Summariser = Callable[[Sequence[Message], int, Callable[[str], int]], str]
"""(messages, target in tokens, how to count a text) -> the summary's text."""


@dataclass(frozen=True, slots=True)
class Aids:
    summarise: Summariser = extractive.summarise
