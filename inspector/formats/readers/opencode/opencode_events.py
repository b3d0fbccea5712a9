"""Messages of newer versions of opencode, converted to the form of the earlier tables.

https://github.com/sst/opencode (packages/core/src/session/message.ts, runner/to-llm-message.ts): one row contains the
text, the files and the calls of a message. Output of a user's shell command, and content that a program added, are sent
with the role of the user. A compaction contains a summary, and the newest messages that it kept as text.
"""

from __future__ import annotations

from typing import Any

from inspector.core.text import word_set
from inspector.formats.building.blocks import fields_of, objects_of
from inspector.formats.reading.content import Fields
from inspector.llm.providers import as_text

Entry = tuple[Fields, list[Fields]]
"""A message with its parts."""
_SILENT = word_set("agent-switched model-switched")
_PUT_IN = word_set("synthetic skill shell")


def entry_of_event(kind: str, id: str, data: Fields) -> Entry | None:
    """Return the message of a row with its parts, or None if the row is not a message.

    Args:
        kind: Type of the row, such as "user" or "compaction".
        id: Id of the row, which becomes that of the message.
        data: Its decoded JSON.
    """
    info = {"id": id, "time": data.get("time")}
    match kind:
        case "user":
            files = ({"type": "file", **_file(file)} for file in objects_of(data.get("files")))
            return info | {"role": "user"}, [*_text_parts(data.get("text")), *files]
        case "system":
            return info | {"role": "system"}, _text_parts(data.get("text"))
        case "assistant":
            model = fields_of(data.get("model"))
            own = {"role": "assistant", "modelID": model.get("id"), "tokens": data.get("tokens")}
            others = {name: data[name] for name in ("agent", "cost", "finish", "error") if name in data}
            return info | others | own, [*map(_part, objects_of(data.get("content")))]
        case "compaction" if data.get("status") in (None, "completed"):
            own = {"role": "assistant", "summary": True}
            return info | own, [
                *_text_parts(data.get("summary")),
                *_text_parts(data.get("recent") or data.get("include")),
            ]
        case _ if kind in _PUT_IN:
            text = data.get("text") if kind != "shell" else _shell(data)
            return info | {"role": "user"}, [part | {"synthetic": True} for part in _text_parts(text)]
    return None


def is_silent(kind: str) -> bool:
    """Return True if a row of this kind only records an event between messages."""
    return kind in _SILENT or kind == "compaction"


def _text_parts(text: Any) -> list[Fields]:
    return [{"type": "text", "text": text}] if isinstance(text, str) and text else []


def _shell(data: Fields) -> str:
    output = data.get("output")
    return f"Ran `{as_text(data.get('command'))}`\n{as_text(fields_of(output).get('output', output))}"


def _file(file: Fields) -> Fields:
    """Return an attached file with its type, and its URL or its data."""
    place = as_text(file.get("uri") or fields_of(file.get("source")).get("uri"))
    kind = as_text(file.get("mime"))
    data = f"data:{kind};base64,{as_text(file.get('data'))}" if file.get("data") else ""
    return {"mime": kind, "url": data if kind.startswith("image/") and data else place or as_text(file.get("name"))}


def _part(content: Fields) -> Fields:
    """Return the text, thinking or call in a reply. A call includes its result."""
    if content.get("type") != "tool":
        return content
    state = fields_of(content.get("state"))
    error = state.get("error")
    answers = {
        "output": state.get("content"),
        "error": fields_of(error).get("message") or error or state.get("content"),
    }
    own = {"callID": content.get("id"), "tool": content.get("name"), "state": {**state, **answers}}
    return {"type": "tool", "id": content.get("id"), **own}
