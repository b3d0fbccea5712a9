"""The words in which a dialog asks for the consent to send requests to a model."""

from __future__ import annotations

from inspector.ui.key_remaps import with_keys


def consent_words(estimate: str, *, is_wanted: bool) -> str:
    """Return the line that a yes agrees to.

    Args:
        estimate: What would be sent, or why nothing can be sent; "" while the calls are counted.
        is_wanted: True if the user pressed yes before the calls were counted. It is asked for again, because the user
            has not seen yet what would be sent.
    """
    if not estimate:
        return "Counting the calls … You are asked once they are counted." if is_wanted else "Counting the calls …"
    return with_keys("Send this? {yes}: send. {estimate}", estimate=estimate) if is_wanted else estimate
