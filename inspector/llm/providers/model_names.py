"""Model names in requests, in the provider's own naming."""

from __future__ import annotations

import re

from inspector.core.conversation import Dialect, RequestContext
from inspector.llm import models

_ROUTES = frozenset(
    {
        *("litellm_proxy", "litellm", "openrouter", "openai", "azure", "azure_ai", "anthropic", "bedrock", "vertex_ai"),
        *("vertex_ai_beta", "databricks", "github_copilot"),
    }
)
"""Prefixes that gateways use to route a request."""
_PROVIDERS = frozenset({"anthropic", "openai", "azure"})
"""Makers of models with a provider in this package."""
_VENDOR = re.compile(r"^(?:(?:us|eu|apac|au|jp|ca|global)\.)?(?:anthropic|openai)\.")
_SUFFIX = re.compile(r"(?:\[1m\]|-v\d{1,2}(?::\d{1,2})?)$")
"""Suffixes that cloud platforms and agents append."""
_DATE = re.compile(r"@(?=\d{8}$)")


def request_model(context: RequestContext, makers: frozenset[str], form: Dialect, default: str) -> dict[str, str]:
    """Return the `model` field of a request, with the provider's own name of the recorded model.

    Args:
        context: Context with the recorded model.
        makers: Makers of the models that the provider serves.
        form: Name of the provider's wire format.
        default: Name used if no model was recorded.

    Returns:
        A dict with the field `model`. It is empty if another provider serves the model. A recording in the provider's
        own wire format can use models of any maker without a provider here, because many APIs are compatible.
    """
    pieces = context.model.strip().split("/")
    while len(pieces) > 1 and pieces[0].lower() in _ROUTES:
        pieces.pop(0)
    entry = models.profile(context.model)
    if entry.family in makers:
        return {"model": _SUFFIX.sub("", _DATE.sub("-", _VENDOR.sub("", pieces[-1])))}
    is_foreign = entry.family in _PROVIDERS if context.dialect == form else entry.is_known
    return {} if is_foreign else {"model": "/".join(pieces) or default}
