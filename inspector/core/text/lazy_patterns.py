"""Regular expressions that are compiled on first use: rules have hundreds of them, and most texts need few."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any, cast


class LazyPattern:
    """Stands for a compiled pattern. Each of its methods is looked up once, so later calls cost what they would."""

    def __init__(self, source: str, flags: int) -> None:
        self.pattern = source
        self._flags = flags

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The pattern itself."""
        return re.compile(self.pattern, self._flags)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LazyPattern) and self.__reduce__() == other.__reduce__()

    def __hash__(self) -> int:
        return hash((self.pattern, self._flags))

    def __reduce__(self) -> tuple[type[LazyPattern], tuple[str, int]]:
        return LazyPattern, (self.pattern, self._flags)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        value = vars(self)[name] = getattr(self.compiled, name)
        return value


def lazy_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled when one of its methods is called. Functions of `re` do not accept it.

    Args:
        source: The regular expression. An invalid one raises `re.error` on first use.
        flags: Flags of `re`.
    """
    return cast("re.Pattern[str]", LazyPattern(source, flags))
