"""YAML of a text file as a JSON object. Aliases, with which a small file describes endless data, are rejected."""

from __future__ import annotations

from typing import Any

from inspector.core.limits import limit
from inspector.core.text import one_line
from inspector.formats.reading.content import Content
from inspector.formats.reading.source import Progress, UnreadableError


def yaml_object(content: Content, what: str, progress: Progress | None = None) -> dict[str, Any]:
    """Return the object in a YAML file, or {} if it is another value. See `yaml_value`."""
    value = yaml_value(content, what, progress)
    return value if isinstance(value, dict) else {}


def yaml_value(content: Content, what: str, progress: Progress | None = None) -> Any:
    """Return the value in a YAML file.

    Args:
        content: The file.
        what: Name of such a file, with its article, for errors.
        progress: Called repeatedly with the number of bytes read and the total number of bytes.

    Raises:
        UnreadableError: It is not YAML, is too large, or has aliases.
    """
    import yaml

    path = content.source.path
    if content.source.size > limit("yaml_file"):
        raise UnreadableError(path, f"{path} is {what} of {content.source.size / 1e6:,.0f} MB: open a part of it.")
    text = "\n".join(line for _, line in content.text_lines(progress))
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, loader)):
            raise UnreadableError(path, f"{path} is {what} with YAML aliases, which are not read: remove them.")
        return yaml.load(text, loader)
    except (yaml.YAMLError, ValueError) as error:
        raise UnreadableError(path, f"{path} cannot be read as YAML: {one_line(str(error))[:200]}.") from error
