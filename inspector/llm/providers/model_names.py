"""What a request names as its model: one of the provider that it is for, by the provider's own name for it."""

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
"""What gateways put before the name of a model to say where it is asked."""
_PROVIDERS = frozenset({"anthropic", "openai", "azure"})
"""Makers of models with an interface of their own here."""
_VENDOR = re.compile(r"^(?:(?:us|eu|apac|au|jp|ca|global)\.)?(?:anthropic|openai)\.")
_SUFFIX = re.compile(r"(?:\[1m\]|-v\d{1,2}(?::\d{1,2})?)$")
"""What clouds and agents put behind it."""
_DATE = re.compile(r"@(?=\d{8}$)")


def request_model(context: RequestContext, makers: frozenset[str], form: Dialect, default: str) -> dict[str, str]:
    """The `model` of a request: the recorded one by its own name, or `default` where none was recorded.

    Empty for a model of another maker than the provider's `makers`. What was recorded in the provider's own `form` may
    be of any maker that has no interface of its own here, for many are served through the interfaces of others.
    """
    pieces = context.model.strip().split("/")
    while len(pieces) > 1 and pieces[0].lower() in _ROUTES:
        pieces.pop(0)
    entry = models.profile(context.model)
    if entry.family in makers:
        return {"model": _SUFFIX.sub("", _DATE.sub("-", _VENDOR.sub("", pieces[-1])))}
    is_foreign = entry.family in _PROVIDERS if context.dialect == form else entry.is_known
    return {} if is_foreign else {"model": "/".join(pieces) or default}
