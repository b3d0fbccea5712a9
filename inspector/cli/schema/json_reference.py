"""The reference of the JSON that the commands print, as Markdown, read from the schema.

`make docs` writes it to `docs/json.md`; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from inspector.cli.schema import OUTPUTS, VERSION, output_types
from inspector.cli.schema.object_types import (
    KeyType,
    has_known_keys,
    is_mapping,
    is_object,
    is_text,
    key_types,
    object_about,
    object_title,
    objects_within,
    union_members,
    without_notes,
)
from inspector.cli.schema.values import FailureOutput

_OPENING = f"""# JSON

With `--json`, a command prints one object on standard output, and notes and warnings on standard error. Each object has
`"version": {VERSION}` at its top. Keys are only added; the version is incremented when a key is removed or changes its
meaning. Keys marked *optional* may be missing; all others are always present, and null if they have no value. Control
characters are escaped, so that the output cannot send escape sequences to a terminal.

The exit code is 0 on success, 1 for unusable input, 2 for wrong usage, 3 for a failed gate and 130 after an interrupt.
`inspector export` without `--json` prints the request or the file itself, which has no version.

An exported file `NAME.json` has a sidecar file `NAME.inspector.json` (any other `NAME` has `NAME.inspector`) with data
that a request has no place for:

- `inspector`: the version of the sidecar, 1.
- `request`: the `sha256` of the request's bytes, and the `provider`.
- `title` and `model` of the session.
- `sizes`: the `factor` that counts are multiplied by, the `unrecorded` tokens that were sent, and the `limit` of the
  window, 0 if unknown.
- `messages`: the `index` of each message in the request (-1 for a separate system prompt; items of a Responses request
  count as the chat messages that they form), and the `pieces` that it was joined from. A piece has its `length` in
  blocks, or in characters of plain text (none if it is the whole message), and its `kind` (chat, summary, injected,
  copy), `id`, `name` and `time`. `invented` pieces, such as the result of a pending call, are dropped when the request
  is opened again.
"""
_NAMES = {int: "integer", float: "number", bool: "boolean", NoneType: "null", Any: "any"}


def json_reference() -> str:
    """Return the whole page."""
    pages = [_OPENING, "## Commands\n"]
    objects: dict[str, Any] = {}
    for command in OUTPUTS:
        kinds = output_types(command)
        pages.append(f"### `{f'inspector {command}'.strip()}{' PATH…' if not command else ''}`\n")
        pages += [_key_table(kind) for kind in kinds]
        objects |= {object_title(kind): kind for output in kinds for kind in _objects_inside(output)}
    pages += ["### A command that fails\n", _key_table(FailureOutput), "## Objects\n"]
    pages += [f"### {title}\n\n{_key_table(objects[title])}" for title in sorted(objects, key=_alphabetical)]
    return "\n".join(pages)


def _alphabetical(title: str) -> str:
    """Return the sort key of a title: "Message line" sorts before "Message", and "Loss" before "Losses"."""
    return f"{title.lower()} record"


def _objects_inside(kind: Any) -> Iterator[Any]:
    """Yield the objects of which an output is made."""
    for key in key_types(kind).values():
        for inner in objects_within(key.hint):
            yield inner
            yield from _objects_inside(inner)


def _key_table(kind: Any) -> str:
    rows = [_key_row(key) for key in key_types(kind).values()]
    return "\n".join([object_about(kind), "", "| key | type | meaning |", "|---|---|---|", *rows, ""])


def _key_row(key: KeyType) -> str:
    notes = "; ".join(filter(None, ["*optional*" if key.is_optional else "", key.notes]))
    return f"| `{key.name}` | {_type_name(key.hint)} | {notes} |"


def _type_name(hint: Any) -> str:
    hint = without_notes(hint)
    origin, arguments = get_origin(hint), get_args(hint)
    if len(members := union_members(hint)) > 1:
        return " or ".join(dict.fromkeys(map(_type_name, members)))
    if origin is Literal:
        return " or ".join(f"`{value}`" for value in arguments)
    if is_object(hint):
        return f"[{object_title(hint)}](#{object_title(hint).lower().replace(' ', '-')})"
    if is_text(hint):
        return "string"
    if is_mapping(hint):
        names = f", for {', '.join(f'`{value}`' for value in get_args(arguments[0]))}" if has_known_keys(hint) else ""
        return f"object of {_type_name(arguments[1])}{names}"
    return f"array of {_type_name(arguments[0])}" if arguments else _NAMES[hint]


if __name__ == "__main__":
    print(json_reference(), end="")
