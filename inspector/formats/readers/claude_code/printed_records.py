"""Output of `claude -p --output-format stream-json`: the records of a transcript in an envelope of other fields.

https://code.claude.com/docs/en/headless describes it. The question is only included if it was sent in the same form.
"""

from __future__ import annotations

from typing import Any

from inspector.formats.readers.claude_code.message_drafts import text_in
from inspector.formats.reading.problems import Problems

_Record = dict[str, Any]

MARK = "parent_tool_use_id"
"""The field that only printed records have: the call that started a sub-agent, or null in the main conversation."""


class PrintedRecords:
    """Puts printed records into the form of a transcript's, in the order in which they were printed."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._has_begun = False
        self._compacted: set[str] = set()
        """The threads whose summary is still to come."""

    def translate(self, record: _Record) -> _Record:
        """Convert a printed record to one of a transcript. Records of transcripts are returned unchanged."""
        if "session_id" not in record or "sessionId" in record:
            return record
        thread, kind = text_in(record, MARK), record.get("type")
        fields: _Record = {"sessionId": record["session_id"]}
        if thread:
            fields |= {"isSidechain": True, "agentId": thread}
        if record.get("subtype") == "compact_boundary":
            self._compacted.add(thread)
            fields["compactMetadata"] = _in_camel_case(record.get("compact_metadata"))
        elif kind in ("user", "assistant"):
            self._note_beginning(thread, kind)
            if record.get("isSynthetic"):
                fields["isCompactSummary" if thread in self._compacted else "isMeta"] = True
            self._compacted.discard(thread)
        return record | fields

    def _note_beginning(self, thread: str, kind: str) -> None:
        if not thread and not self._has_begun:
            self._has_begun = True
            if kind == "assistant":
                self._problems.add("this is output of claude -p, which does not include the first question")


def _in_camel_case(value: Any) -> Any:
    """JSON with the names of fields as a transcript has them: `preserved_segment` as `preservedSegment`."""
    if not isinstance(value, dict):
        return value
    names = {name: name.split("_") for name in value}
    return {
        first + "".join(word.capitalize() for word in words): _in_camel_case(value[name])
        for name, (first, *words) in names.items()
    }
