"""Names that code defines, and names in tracebacks and test reports."""

from __future__ import annotations

from collections.abc import Iterator, Set

from inspector.core.text import lazy_pattern

_TYPES = frozenset({"class", "struct", "interface", "enum", "trait", "type"})
_DEFINED = lazy_pattern(
    r"\n[ \t]{0,40}+(?:\d{1,6}[→\t:+-])?+[+-]?[ \t]{0,40}+(?=[acdefipst])"
    r"(?:(?:export|public|private|static|async|default|pub|abstract) ){0,3}+"
    r"(def|class|function|func|fn|struct|interface|enum|trait|type) (?:\([^()\n]{1,60}\) )?([A-Za-z_]\w{2,60})\b"
    r"(?=[\s(:<{=\[]|\Z)"
)
"""A definition, optionally with a line number: `12→def load(`, `export class Store {`."""
_LISTED = lazy_pattern(
    rf":(?<=[0-9]:)[ \t]{{0,40}}+{_DEFINED.pattern.partition(']{0,40}+')[2].partition(']{0,40}+')[2]}"
)
"""The same after a path and a line number, as printed by search tools."""
_CONSTANT = lazy_pattern(r"\n(?:[ \t]{0,8}+\d{1,6}[→\t])?[+-]?([A-Z][A-Z0-9_]{2,40}+)(?::[^=\n]{1,40})? = ")
_TRACED = lazy_pattern(r", line \d{1,7}, in ([A-Za-z_]\w{2,60})\b")
"""A function in a traceback."""
_RAISED = lazy_pattern(r"\n(?:[a-z_]\w{0,40}\.){1,5}([A-Z]\w{2,50}(?:Error|Exception)): ")
_DESCRIBED = lazy_pattern(r"// ([A-Za-z]\w{0,40}[a-z][A-Z]\w{1,40}) [a-z]")
"""A name at the start of the comment above its definition, by Go's convention."""
_TESTED = lazy_pattern(r"=== [A-Z]{3,5}[ \t]{1,4}(\w{3,100})")
"""A test, as printed by Go's test runner."""
_METHOD = lazy_pattern(
    r"\n[ \t]{0,40}+(?:\d{1,6}(?:→|\t| │)[ \t]{0,20}+)?(?:(?:public|static|override) )?(?:private|protected|async) "
    r"(?:(?:async|get|set|static|override) ){0,2}([a-z]\w{0,40}[a-z][A-Z]\w{1,40})\("
)
"""A method of a class in TypeScript and similar languages: `private async loadFile(`."""
_NAMING = (
    (_CONSTANT, (" = ",)),
    (_TRACED, (", line ",)),
    (_RAISED, ("Error: ", "Exception: ")),
    (_DESCRIBED, ("// ",)),
    (_TESTED, ("=== ",)),
)
"""Patterns whose first group is a name, each with substrings of which every match contains one."""
METHOD_STEMS = frozenset({"private", "protected", "async"})
"""Every text that is searched for methods contains one of these words."""


def defined_names(code: str, stems: Set[str]) -> Iterator[tuple[str, bool]]:
    """Yield the names that code defines or a report shows, each with True if it is used without brackets.

    Each line of `code` must follow a line break. `stems` are those of `METHOD_STEMS` that it contains.
    """
    for pattern in (_DEFINED, _LISTED):
        yield from ((match[2], match[1] in _TYPES) for match in pattern.finditer(code))
    if not METHOD_STEMS.isdisjoint(stems):
        yield from ((match[1], False) for match in _METHOD.finditer(code))
    for pattern, signs in _NAMING:
        for sign in signs:  # a generator in `any` would dominate the run time
            if sign in code:
                yield from ((match[1], True) for match in pattern.finditer(code))
                break
