"""A format: lines such as `2026-01-02 03:04:05 ana: Count the orders.`, continued on indented lines."""

from __future__ import annotations

import re
from typing import ClassVar

from inspector.core.conversation import Session
from inspector.formats import UNLIKE, Content, Feature, Format, FormatEntry, FormatMatch, LogBuilder, Progress, Sample

_LINE = re.compile(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) ([\w-]{1,40}): (.*)")
_ROLES = {"assistant": "assistant", "bot": "assistant", "system": "system"}


class PlainLog(Format):
    """Conversations in a plain log, one message after another."""

    name = "plainlog"
    entry = FormatEntry("plain logs", shapes=frozenset({"text"}), hints={0.9: ""}, suffixes=frozenset({".log"}))
    features: ClassVar[frozenset[Feature]] = frozenset({"times"})

    def recognize(self, sample: Sample) -> FormatMatch:
        known = _LINE.match(sample.head.lstrip())
        return FormatMatch(0.9, "a first line with a time and a speaker") if known else UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        turns: list[tuple[str, str, list[str]]] = []
        for number, line in content.text_lines(progress):
            if match := _LINE.match(line):
                turns.append((f"{match[1]}T{match[2]}", match[3], [match[4]]))
            elif turns and line.startswith(" "):
                turns[-1][-1].append(line.strip())
            elif line.strip():
                content.problems.add("this line was skipped: it has no time and no speaker", number)
        log = LogBuilder()
        for number, (time, speaker, lines) in enumerate(turns, 1):
            raw = {"role": _ROLES.get(speaker.lower(), "user"), "content": "\n".join(lines)}
            log.add(f"m{number}", raw, {"speaker": speaker}, time=time)
        return [log.session(content, self.name)]
