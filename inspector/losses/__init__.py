"""What a compaction or a plan takes out of a window, and where it was needed later."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.losses.lookups import is_looked_up
    from inspector.losses.nouns import SENTENCES, Loss, Losses, Missing, Occasion, Reread
    from inspector.losses.planned import count_losses, plan_losses
    from inspector.losses.recorded import LossHistory, loss_history, recorded_losses
    from inspector.losses.wording import class_words, describe_counts, describe_reread, describe_seal, uncompact

__all__ = [
    "SENTENCES",
    "Loss",
    "LossHistory",
    "Losses",
    "Missing",
    "Occasion",
    "Reread",
    "class_words",
    "count_losses",
    "describe_counts",
    "describe_reread",
    "describe_seal",
    "is_looked_up",
    "loss_history",
    "plan_losses",
    "recorded_losses",
    "uncompact",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.losses.lookups": "is_looked_up",
        "inspector.losses.nouns": "SENTENCES Loss Losses Missing Occasion Reread",
        "inspector.losses.planned": "count_losses plan_losses",
        "inspector.losses.recorded": "LossHistory loss_history recorded_losses",
        "inspector.losses.wording": "class_words describe_counts describe_reread describe_seal uncompact",
    },
)
