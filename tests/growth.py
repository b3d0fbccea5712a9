"""How much work something takes, counted and not timed, so that a test can say how the work grows."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from types import FrameType


def calls_made(work: Callable[[], object]) -> int:
    """How many functions are called, those of the interpreter among them."""
    made = 0

    def called(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal made
        made += event in ("call", "c_call")

    gc.collect()
    gc.disable()  # what a collection calls for other objects is not this work
    sys.setprofile(called)
    try:
        work()
    finally:
        sys.setprofile(None)
        gc.enable()
    return made
