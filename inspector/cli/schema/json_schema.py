"""The JSON Schema (draft 2020-12) of the commands' output, generated from the same classes as the documentation.

It is strict: an object has exactly the keys that are listed, except optional ones, which may be missing.
"""

from __future__ import annotations

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
    union_members,
    without_notes,
)
from inspector.cli.schema.values import FailureOutput

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_NAMES = {int: "integer", float: "number", bool: "boolean", NoneType: "null"}

Schema = dict[str, Any]


def command_schema(command: str) -> Schema:
    """Return the schema of the output of one command; for `follow`, the schema of each line."""
    definitions: Schema = {}
    return {"$schema": _DRAFT, **_command_schema(command, definitions), "$defs": definitions}


def all_schemas() -> Schema:
    """Return the schema of an object with one key for each command, whose value is the output of that command."""
    definitions: Schema = {}
    commands = {command or "open": _command_schema(command, definitions) for command in OUTPUTS}
    document = {"$schema": _DRAFT, "title": "inspector --json", "type": "object", "properties": commands}
    return {**document, "additionalProperties": False, "$defs": definitions}


def _command_schema(command: str, definitions: Schema) -> Schema:
    outputs = [_object_schema(kind, definitions, is_output=True) for kind in output_types(command)]
    definitions["Failure"] = _object_schema(FailureOutput, definitions, is_output=True)
    title = f"inspector {command or 'PATH…'} --json"
    return {"title": title, "anyOf": [*outputs, {"$ref": "#/$defs/Failure"}]}


def _object_schema(kind: Any, definitions: Schema, *, is_output: bool = False) -> Schema:
    keys = key_types(kind)
    properties = {name: _key_schema(key, definitions) for name, key in keys.items()}
    if is_output:
        properties = {"version": {"const": VERSION}, **properties}
    return {
        "title": object_title(kind),
        "description": " ".join(object_about(kind).split()),
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in keys or not keys[name].is_optional],
        "additionalProperties": False,
    }


def _key_schema(key: KeyType, definitions: Schema) -> Schema:
    schema = _value_schema(key.hint, definitions)
    return {"description": key.notes, **schema} if key.notes else schema


def _value_schema(hint: Any, definitions: Schema) -> Schema:
    """Return the schema of the values of a type. Adds the objects in it to `definitions`."""
    hint = without_notes(hint)
    origin, arguments = get_origin(hint), get_args(hint)
    if len(members := union_members(hint)) > 1:
        return _union_schema([_value_schema(member, definitions) for member in members])
    if origin is Literal:
        return {"enum": list(arguments)}
    if is_object(hint):
        return _reference(hint, definitions)
    if is_text(hint):
        return {"type": "string"}
    if is_mapping(hint):
        names = {"propertyNames": _value_schema(arguments[0], definitions)} if has_known_keys(hint) else {}
        return {"type": "object", "additionalProperties": _value_schema(arguments[1], definitions), **names}
    if arguments:
        return {"type": "array", "items": _value_schema(arguments[0], definitions)}
    return {} if hint is Any else {"type": _NAMES[hint]}


def _reference(kind: Any, definitions: Schema) -> Schema:
    name = object_title(kind).title().replace(" ", "")
    if name not in definitions:
        definitions[name] = _object_schema(kind, definitions)
    return {"$ref": f"#/$defs/{name}"}


def _union_schema(schemas: list[Schema]) -> Schema:
    """Return the schema of a value that fits one of several schemas."""
    distinct = [schema for place, schema in enumerate(schemas) if schema not in schemas[:place]]
    if all(schema.keys() == {"type"} for schema in distinct):
        types = [schema["type"] for schema in distinct]
        return {"type": types if len(types) > 1 else types[0]}
    return {"anyOf": distinct}
