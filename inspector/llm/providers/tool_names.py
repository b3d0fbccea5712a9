"""Valid and unique tool names for requests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import count
from typing import Any

from inspector.core.conversation import RequestContext

MAX_NAME_LENGTH = 64
"""Maximum length of a tool name in OpenAI's APIs."""
UNFIT_SIGN = re.compile(r"[^a-zA-Z0-9_-]")
"""A character that no provider accepts in a tool name."""


def fit_name(name: str, longest: int = MAX_NAME_LENGTH) -> str:
    """Return a tool name with invalid characters replaced, shortened to `longest` characters."""
    return UNFIT_SIGN.sub("_", name)[:longest] or "tool"


@lru_cache(maxsize=4096)
def is_fit_name(name: str, longest: int = MAX_NAME_LENGTH) -> bool:
    """Return True if a tool name is valid and has at most `longest` characters."""
    return fit_name(name, longest) == name


def name_of_tool(tool: Any) -> str:
    """Return the recorded name of a tool in any provider's form, or an empty string."""
    match tool:
        case {"function": {"name": str(name)}} | {"custom": {"name": str(name)}} | {"name": str(name)}:
            return name
    return ""


class ToolNames:
    """Names of the tools in a request by their recorded names, used in definitions, calls and choices.

    Valid names are kept. A name that had to be changed is numbered if another tool has the same name.

    Args:
        context: Context whose tools are named first.
        longest: Maximum length of a name.
    """

    def __init__(self, context: RequestContext | None = None, longest: int = MAX_NAME_LENGTH) -> None:
        self.longest = longest
        names = list(_defined_names(context)) if context else []
        self._taken = {name for name in names if self.is_fit(name)}
        self._names = dict(zip(self._taken, self._taken, strict=True))
        for name in names:
            self.of(name)

    def is_fit(self, name: str) -> bool:
        return is_fit_name(name, self.longest)

    def of(self, name: str) -> str:
        """Return the valid name of the tool that was recorded as `name`."""
        if name not in self._names:
            self._names[name] = name if self.is_fit(name) else self.free(fit_name(name, self.longest))
        return self._names[name]

    def free(self, name: str) -> str:
        """Reserve a name and return it, with a number appended if it is taken."""
        numbered = (name[: self.longest - len(end := f"_{number}")] + end for number in count(2))
        result = name if name not in self._taken else next(other for other in numbered if other not in self._taken)
        self._taken.add(result)
        return result

    def has(self, name: str) -> bool:
        """Return True if a tool with this recorded name is defined."""
        return self.of(name) in self._taken


def _defined_names(context: RequestContext) -> Iterator[str]:
    """Yield the recorded names of a request's tools, including the deprecated `functions`."""
    older = context.settings.get("functions")
    tools: Iterable[Any] = (*context.tools, *(older if isinstance(older, list) else ()))
    return (name for tool in tools if isinstance(tool, Mapping) and (name := name_of_tool(tool)))
