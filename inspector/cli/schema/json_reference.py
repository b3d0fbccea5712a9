"""The reference of the JSON that the commands print, as Markdown, read from the schema.

`make docs` writes it to `docs/json.md`; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from inspector.cli.schema import OUTPUTS, VERSION, FailureOutput

_OPENING = f"""# JSON

Every command takes `--json` and then prints one object on standard output; notes and warnings go to standard error.
Every object has `"version": {VERSION}` at its top. Keys are only ever added; the version grows when one is removed or
changes its meaning. A key that is marked *optional* may be left out; all others are always there, and null where they
have no value. Control characters are escaped, so that the output cannot send commands to a terminal.

The exit code is 0 when all is well, 1 for bad input, 2 for wrong usage, 3 for a missed gate and 130 after an interrupt.
`inspector export` without `--json` prints the request or the file itself, which has no version.

An exported file `NAME.json` has a companion, `NAME.inspector.json`, and one with any other `NAME` has
`NAME.inspector`, with what a request has no place for: `inspector`
(its own version, 1); `request` with the `sha256` of the request's bytes and the `provider`; `title` and `model` of
the session; `sizes` with the `factor` that counts are multiplied with, the tokens that were sent and are
`unrecorded`, and the `limit` of the window, 0 where it is not known; and `messages`. Each of those has the `index` of
a message in the request (-1 for a system prompt of its own; items of a Responses request count as the chat messages
that they make up) and the `pieces` that it was joined of: the `length` of each in blocks, or in characters of a plain
text, and its `kind` (chat, summary, injected, copy), `id`, `name` and `time`. A piece that is the whole message has no
length. One that is `invented`, a result of a call that still waits or a line in place of the next words, is left out
where the request is opened again.
"""
_NAMES = {int: "integer", float: "number", str: "string", bool: "boolean", NoneType: "null", None: "null", Any: "any"}


def json_reference() -> str:
    """The whole page."""
    outputs = {
        command: [
            getattr(import_module(f"inspector.cli.schema.{module}"), name)
            for module, name in (place.split(":") for place in places.split())
        ]
        for command, places in OUTPUTS.items()
    }
    pages = [_OPENING, "## Commands\n"]
    for command, kinds in outputs.items():
        pages.append(f"### `{f'inspector {command}'.strip()}{' PATH…' if not command else ''}`\n")
        pages += [_key_table(kind) for kind in kinds]
    pages += ["### A command that fails\n", _key_table(FailureOutput), "## Objects\n"]
    records = {kind.__name__: kind for kinds in outputs.values() for output in kinds for kind in _records(output)}
    pages += [f"### {_title(kind)}\n\n{_key_table(kind)}" for _, kind in sorted(records.items())]
    return "\n".join(pages)


def _key_table(kind: Any) -> str:
    rows = [_key_row(key, hint, key not in kind.__required_keys__) for key, hint in _hints(kind).items()]
    return "\n".join([str(kind.__doc__), "", "| key | type | what it is |", "|---|---|---|", *rows, ""])


def _key_row(key: str, hint: Any, optional: bool) -> str:
    notes = "; ".join([*(["*optional*"] if optional else []), *_notes(hint)])
    return f"| `{key}` | {_type_name(hint)} | {notes} |"


def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


def _notes(hint: Any) -> Iterator[str]:
    """What the annotations say, from the inside out: the unit, then what is measured."""
    if get_origin(hint) in (NotRequired, Union, UnionType):
        for part in get_args(hint):
            yield from _notes(part)
    elif get_origin(hint) is Annotated:
        yield from _notes(get_args(hint)[0])
        yield from hint.__metadata__


def _type_name(hint: Any) -> str:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Annotated, NotRequired):
        return _type_name(arguments[0])
    if origin in (Union, UnionType):
        return " or ".join(map(_type_name, arguments))
    if origin is Literal:
        return " or ".join(f"`{value}`" for value in arguments)
    if origin is Sequence:
        return f"array of {_type_name(arguments[0])}"
    if origin is Mapping:
        names = f", for {', '.join(f'`{value}`' for value in get_args(arguments[0]))}"
        return f"object of {_type_name(arguments[1])}{names if get_origin(arguments[0]) is Literal else ''}"
    return f"[{_title(hint)}](#{_title(hint).lower().replace(' ', '-')})" if is_typeddict(hint) else _NAMES[hint]


def _records(kind: Any) -> Iterator[Any]:
    """The objects inside an output."""
    hints = _hints(kind).values() if is_typeddict(kind) else get_args(kind) if get_origin(kind) is not Literal else ()
    for hint in hints:
        if is_typeddict(hint):
            yield hint
        yield from _records(hint)


def _title(kind: Any) -> str:
    """`LaneRegretRecord` as "Lane regret"."""
    name: str = kind.__name__.removesuffix("Record").removesuffix("Output")
    words = "".join(f" {char.lower()}" if char.isupper() else char for char in name).strip()
    return words.capitalize()


if __name__ == "__main__":
    print(json_reference(), end="")
