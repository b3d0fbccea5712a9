"""Tokens of tool definitions and images in a request to OpenAI.

Function tools are written into the prompt in a special syntax. OpenAI's published formula is exact for flat parameters
(https://cookbook.openai.com/examples/how_to_count_tokens_with_tiktoken). Anything that it does not cover (nested
objects, unions, defaults) is estimated as compact JSON. Images are counted according to
https://platform.openai.com/docs/guides/images-vision#calculating-costs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import ceil
from typing import Any

from inspector.core.conversation import Image, Raw
from inspector.core.text import dumps, plain_text
from inspector.llm.providers.base import TextCounter

_FUNCTION = 7
_OLDER_FUNCTION = 10
"""For the models that use cl100k_base: gpt-4 and gpt-3.5."""
_PROPERTIES = 3
_PROPERTY = 3
_ENUM = -3
_ENUM_ITEM = 3
_END = 12
"""Added once, after all functions."""
_FLAT = frozenset({"type", "description", "enum"})
"""Keys of a property that the formula covers."""


_IMAGE_BASE = 85
_IMAGE_TILE = 170
_UNKNOWN_IMAGE = 1_105
"""Tokens of an image of unknown size: OpenAI's example of a large image, with six tiles."""


def image_tokens(image: Image) -> int:
    """Return the tokens of an image: 85, and 170 for each tile of 512 x 512 pixels.

    The image is first scaled to fit into 2048 x 2048, and then to a short side of at most 768 pixels.
    """
    width, height = image.width, image.height
    if width <= 0 or height <= 0:
        return _UNKNOWN_IMAGE
    scale = min(1.0, 2048 / max(width, height))
    scale *= min(1.0, 768 / (min(width, height) * scale))
    tiles = ceil(round(width * scale, 3) / 512) * ceil(round(height * scale, 3) / 512)
    return _IMAGE_BASE + _IMAGE_TILE * tiles


def count_tools(tools: Iterable[Raw], counter: TextCounter) -> int:
    """Return the uncalibrated tokens of all tool definitions of a request; 0 without tools."""
    counts = [_count_tool(tool, counter) for tool in tools]
    return sum(counts) + _END if counts else 0


def _count_tool(tool: Any, counter: TextCounter) -> int:
    """Return the tokens of one tool, in the nested form of chat requests or the flat form of the Responses API."""
    start = _OLDER_FUNCTION if counter.name == "cl100k_base" else _FUNCTION
    match tool:
        case {"function": {"name": str(name), **rest}} | {"name": str(name), **rest}:
            text = f"{name}:{_sentence(rest.get('description'))}"
            return start + counter.count(text) + _count_parameters(rest.get("parameters"), counter)
        case _:
            return start + counter.count(dumps(tool))


def _count_parameters(parameters: Any, counter: TextCounter) -> int:
    match parameters:
        case None:
            return 0
        case {"properties": dict(properties)} if all(isinstance(key, str) for key in properties):
            return sum(
                (_count_property(name, schema, counter) for name, schema in properties.items()),
                start=_PROPERTIES if properties else 0,
            )
        case {} if not parameters or set(parameters) <= {"type", "additionalProperties", "required"}:
            return 0
        case _:
            return counter.count(dumps(parameters))


def _count_property(name: str, schema: Any, counter: TextCounter) -> int:
    match schema:
        case {"type": str(kind)} if schema.keys() <= _FLAT:
            text = f"{name}:{kind}:{_sentence(schema.get('description'))}"
            return _PROPERTY + counter.count(text) + _count_enum(schema, counter)
        case _:
            return _PROPERTY + counter.count(dumps({name: schema}))


def _count_enum(schema: Mapping[str, Any], counter: TextCounter) -> int:
    items = schema.get("enum")
    if not isinstance(items, list):
        return 0
    return _ENUM + sum(_ENUM_ITEM + counter.count(plain_text(item)) for item in items)


def _sentence(description: Any) -> str:
    """Return a description without its final period, as it is written into the prompt."""
    return description.removesuffix(".") if isinstance(description, str) else ""
