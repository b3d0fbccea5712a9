"""Patterns of keys and tokens that are recognisable by themselves, according to `key_shapes.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from importlib.resources import files

from inspector.analysis.redaction.likelihood import is_token
from inspector.analysis.redaction.secret_search import SecretPattern
from inspector.core.text import lazy_pattern

_STARTS = {
    # Not after a letter or a digit, except one that ends an escape sequence: `\\nghp_…`, `\\u003dghp_…`, `%3Dghp_…`
    "token": r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=\\u[0-9A-Fa-f]{4})|(?<=%[0-9A-Fa-f]{2}))",
    "word": r"(?<![A-Za-z0-9_-])",
    "anywhere": "",
}
"""Possible starts of a token."""


def _published_shapes() -> Iterator[SecretPattern]:
    text = files("inspector.analysis.redaction").joinpath("key_shapes.toml").read_text(encoding="utf-8")
    for shape in tomllib.loads(text)["shape"]:
        first = f"(?=[{shape['first']}])" if "first" in shape else ""  # quicker than the tests of the start
        pattern = lazy_pattern(f"{first}{_STARTS[shape.get('start', 'token')]}(?:{shape['pattern']})")
        yield SecretPattern(shape["kind"], tuple(shape["hints"]), pattern, is_token)


TOKEN_PATTERNS = tuple(_published_shapes())
