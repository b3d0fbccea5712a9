"""Parse the queries that users type to find messages: words, phrases, and filters like `kind:summary` or `>1000`.

A message matches if all terms match. Anything that is not a filter is a word, so almost any input is valid. An invalid
filter is reported in one sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Literal, get_args

from inspector.core.conversation import Kind, Message, Role
from inspector.core.errors import InspectorError

_Field = Literal["text", "kind", "role", "tool", "agent", "error", "bookmarked", "over", "under"]
_MAX_TERMS = 64
"""Maximum number of terms in a query, because users can paste a whole message."""
_SCALES = {"k": 1_000, "m": 1_000_000}
SYNTAX = 'words "a phrase" kind:summary role:user tool:Read agent:x error bookmarked >1000 <200 -word'
"""Examples of all forms of terms."""


class QueryError(InspectorError):
    """Raised if a query is invalid. The text is one sentence for the user."""


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """One condition of a query."""

    field: _Field
    value: str = ""
    """Folded text to compare; "" for sizes."""
    size: int = 0
    """Number of tokens for "over" and "under"."""
    is_negated: bool = False

    def narrows(self, other: QueryTerm) -> bool:
        """Return True if every message that matches this term also matches the other one."""
        if self.field == other.field == "text" and not (self.is_negated or other.is_negated):
            return other.value in self.value
        return self == other


@dataclass(frozen=True, slots=True)
class QueryFacts:
    """Properties of a message that are available without reading its text."""

    message: Message
    tokens: int
    tools: tuple[str, ...] = ()
    """Tools that it calls, or the tool whose result it is."""
    is_bookmarked: bool = False


_FACTS: Mapping[_Field, Callable[[QueryTerm, QueryFacts], bool]] = {
    "kind": lambda term, facts: facts.message.kind == term.value,
    "role": lambda term, facts: facts.message.role == term.value,
    "tool": lambda term, facts: any(_is_tool(name.casefold(), term.value) for name in facts.tools),
    "agent": lambda term, facts: facts.message.agent.casefold().startswith(term.value),
    "error": lambda _, facts: facts.message.is_error,
    "bookmarked": lambda _, facts: facts.is_bookmarked,
    "over": lambda term, facts: facts.tokens > term.size,
    "under": lambda term, facts: facts.tokens < term.size,
}


@dataclass(frozen=True)
class MessageQuery:
    """Conditions that all have to match. Without conditions, every message matches."""

    text: str = ""
    """Query as typed."""
    terms: tuple[QueryTerm, ...] = ()

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Folded words that a text must contain, for highlighting."""
        return tuple(dict.fromkeys(term.value for term in self._texts if not term.is_negated))

    @cached_property
    def _texts(self) -> tuple[QueryTerm, ...]:
        return tuple([term for term in self.terms if term.field == "text"])

    @cached_property
    def _facts(self) -> tuple[QueryTerm, ...]:
        return tuple([term for term in self.terms if term.field != "text"])

    @property
    def reads_text(self) -> bool:
        """True if a message's text has to be read."""
        return bool(self._texts)

    def fits(self, facts: QueryFacts) -> bool:
        """Return True if a message can match, judged by its properties only."""
        return all(_FACTS[term.field](term, facts) is not term.is_negated for term in self._facts)

    def fits_text(self, folded: str) -> bool:
        """Return True if a text folded by `fold_text` contains all required words and no excluded ones."""
        return all((term.value in folded) is not term.is_negated for term in self._texts)

    def narrows(self, other: MessageQuery) -> bool:
        """Return True if only messages that match the other query can match this one. The rest can be skipped."""
        return all(any(term.narrows(wider) for term in self.terms) for wider in other.terms)


def parse_query(text: str) -> MessageQuery:
    """Parse a query.

    Raises:
        QueryError: If a filter is invalid.
    """
    terms = [term for chunk in list(_chunks(text))[:_MAX_TERMS] if (term := _term_of(chunk)) is not None]
    return MessageQuery(text.strip(), tuple(dict.fromkeys(terms)))


def parse_words(text: str) -> MessageQuery:
    """Parse a query without filters, for a search within one text: everything is a word or a phrase."""
    words = [_unquoted(chunk) for chunk in list(_chunks(text))[:_MAX_TERMS]]
    return MessageQuery(
        text.strip(), tuple(dict.fromkeys(QueryTerm("text", fold_text(word)) for word in words if word))
    )


def fold_text(text: str) -> str:
    """Return a text in lower case with spaces for line breaks and tabs. Accents are kept.

    The result usually has the length of the original and is never shorter.
    """
    return text.casefold().replace("\n", " ").replace("\t", " ").replace("\r", " ")


def _chunks(text: str) -> Iterator[str]:
    """Yield the parts of a query between spaces, except spaces in quotes. The closing quote can be missing."""
    chunk, is_quoted = "", False
    for char in text:
        if char.isspace() and not is_quoted:
            if chunk:
                yield chunk
            chunk = ""
            continue
        if char == '"' and (is_quoted or chunk.lstrip("-") == "" or chunk.endswith(":")):
            is_quoted = not is_quoted
        chunk += char
    if chunk:
        yield chunk


def _unquoted(chunk: str) -> str:
    return chunk.strip('"') if chunk.startswith('"') else chunk


def _term_of(chunk: str) -> QueryTerm | None:
    """Return the condition for a part of a query; None for an empty phrase."""
    is_negated = chunk.startswith("-") and len(chunk) > 1
    body = chunk[1:] if is_negated else chunk
    name, colon, value = body.partition(":")
    if body.startswith('"'):
        word = _unquoted(body)
        return QueryTerm("text", fold_text(word), is_negated=is_negated) if word else None
    if colon and (kind := _NAMED.get(name.casefold())):
        return QueryTerm(kind, _value_of(kind, _unquoted(value)), is_negated=is_negated)
    if body.casefold() in ("error", "errors"):
        return QueryTerm("error", is_negated=is_negated)
    if body.casefold() == "bookmarked":
        return QueryTerm("bookmarked", is_negated=is_negated)
    if body[0] in "<>" and body[1:2].isdigit():
        return QueryTerm("over" if body[0] == ">" else "under", size=_size_of(body), is_negated=is_negated)
    return QueryTerm("text", fold_text(body), is_negated=is_negated)


_NAMED: Mapping[str, _Field] = {"kind": "kind", "role": "role", "tool": "tool", "agent": "agent"}
_VALUES: Mapping[_Field, Collection[str]] = {"kind": get_args(Kind), "role": get_args(Role)}
_EXAMPLES: Mapping[_Field, str] = {
    "kind": "kind:summary",
    "role": "role:user",
    "tool": "tool:Read",
    "agent": "agent:main",
}


def _value_of(field: _Field, value: str) -> str:
    """Return the value of a filter; for filters with fixed values, the one that starts with the text.

    Raises:
        QueryError: If the value is missing or not recognised.
    """
    folded = value.casefold()
    if not folded:
        raise QueryError(f"{field}: requires a name, as in {_EXAMPLES[field]}.")
    values = _VALUES.get(field)
    if values is None:
        return folded
    matches = [name for name in values if name.startswith(folded)]
    if len(matches) != 1 and folded not in matches:
        raise QueryError(f"There is no {field} “{value}”. Values: {', '.join(values)}.")
    return folded if folded in matches else matches[0]


def _size_of(text: str) -> int:
    """Return the number of tokens in `>1000`, `<1.5k` or `>2,000`.

    Raises:
        QueryError: If it is not a number.
    """
    digits = text[1:].casefold().replace(",", "")
    scale = _SCALES.get(digits[-1:], 1)
    try:
        number = float(digits.removesuffix("k").removesuffix("m"))
    except ValueError:
        number = float("nan")
    if not isfinite(number):
        raise QueryError(f"{text[0]} requires a number of tokens, as in {text[0]}1000 or {text[0]}2k, not “{text}”.")
    return round(number * scale)


def _is_tool(name: str, value: str) -> bool:
    """Return True if a tool's name starts with a text, with or without the prefix of its MCP server."""
    return name.startswith(value) or f"__{value}" in name
