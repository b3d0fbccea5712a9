"""Names of tools: fit for the provider of a request, and each for one tool."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import count
from typing import Any

from inspector.core.conversation import RequestContext

MAX_NAME_LENGTH = 64
"""Characters of a tool's name that OpenAI's interfaces take."""
UNFIT_SIGN = re.compile(r"[^a-zA-Z0-9_-]")
"""A character that no provider takes in the name of a tool."""


def fit_name(name: str, longest: int = MAX_NAME_LENGTH) -> str:
    """A tool's name without what providers refuse in one."""
    return UNFIT_SIGN.sub("_", name)[:longest] or "tool"


@lru_cache(maxsize=4096)
def is_fit_name(name: str, longest: int = MAX_NAME_LENGTH) -> bool:
    """Whether providers take a tool's name, which may have so many characters."""
    return fit_name(name, longest) == name


def name_of_tool(tool: Any) -> str:
    """The recorded name of a tool, in any provider's form; empty where it has none."""
    match tool:
        case {"function": {"name": str(name)}} | {"custom": {"name": str(name)}} | {"name": str(name)}:
            return name
    return ""


class ToolNames:
    """The name that each tool of a request is to have, by the recorded one: in definitions, calls and choices alike.

    Names that are fit stay; one that is made fit is numbered where another tool has that name.
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
        """The name of the tool that was recorded under `name`."""
        if name not in self._names:
            self._names[name] = name if self.is_fit(name) else self.free(fit_name(name, self.longest))
        return self._names[name]

    def free(self, name: str) -> str:
        """This name, numbered where a tool has it; from now on it is taken."""
        numbered = (name[: self.longest - len(end := f"_{number}")] + end for number in count(2))
        result = name if name not in self._taken else next(other for other in numbered if other not in self._taken)
        self._taken.add(result)
        return result

    def has(self, name: str) -> bool:
        """Whether a tool of this recorded name is defined."""
        return self.of(name) in self._taken


def _defined_names(context: RequestContext) -> Iterator[str]:
    """The recorded names of a request's tools, those in the form before tools among them."""
    older = context.settings.get("functions")
    tools: Iterable[Any] = (*context.tools, *(older if isinstance(older, list) else ()))
    return (name for tool in tools if isinstance(tool, Mapping) and (name := name_of_tool(tool)))
