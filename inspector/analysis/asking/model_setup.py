"""The model that is asked: its settings, its price, and the store of its replies."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from inspector.analysis.asking.asking_run import Asker
from inspector.analysis.asking.call_limits import MAX_COST
from inspector.analysis.asking.kept_replies import KeptReplies
from inspector.engine.summaries import MODEL_VARIABLES, ModelSettings, from_environment, setup_fault
from inspector.llm.models import price_of
from inspector.store import Store

_EXPECTED = 400
"""Expected tokens of a reply if none is recorded."""


class ModelSetupError(Exception):
    """No model can be asked. The message is one sentence."""


def asked_model(model: str | None = None, api: str | None = None) -> ModelSettings:
    """Return the model to ask.

    Args:
        model: Name of the model; None for the one that INSPECTOR_MODEL names.
        api: Name of the API; None for the one that INSPECTOR_MODEL_API names.

    Raises:
        ModelSetupError: No model is set up, or a value is invalid.
    """
    values = {"INSPECTOR_MODEL": model, "INSPECTOR_MODEL_API": api}
    try:
        settings = from_environment({**os.environ, **{name: value for name, value in values.items() if value}})
    except ValueError as problem:
        raise ModelSetupError(str(problem)) from problem
    if settings is None:
        raise ModelSetupError(f"No model is set up: {MODEL_VARIABLES}.")
    if fault := setup_fault(settings):
        raise ModelSetupError(f"{fault}.")
    return settings


def asker_of(
    settings: ModelSettings,
    about: Mapping[str, Any],
    store: Store | None,
    session_id: str,
    *,
    max_cost: float = MAX_COST,
    with_requests: bool = True,
) -> Asker:
    """Return what asks a model, with the replies that are kept with a session.

    Args:
        settings: The model.
        about: Facts that are listed with each experiment.
        store: Store of the session; None to keep replies in memory only.
        session_id: Id of the session in the store.
        max_cost: Dollars that are never exceeded.
        with_requests: True to keep requests for export.

    Raises:
        ModelSetupError: The user's own price of the model is invalid.
    """
    kept = KeptReplies(settings, about, store if session_id else None, session_id, with_requests)
    try:
        price = price_of(settings.model)
    except ValueError as problem:
        raise ModelSetupError(str(problem)) from problem
    return Asker(settings, price, max_cost, find=kept.find, keep=kept.keep)


def expected_output(tokens: int) -> int:
    """Return the expected tokens of a reply, given those of the recorded one; 0 if none is recorded."""
    return tokens or _EXPECTED
