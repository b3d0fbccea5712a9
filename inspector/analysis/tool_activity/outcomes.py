"""Derive the outcome of a tool call from the tool's answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import orjson

from inspector.analysis.tool_activity.action import Action, ActionKind
from inspector.analysis.tool_activity.tool_calls import arguments_of, changed_texts, describe_values, written_text
from inspector.core.conversation import ToolCall
from inspector.core.text import clipped, one_line, plural

_LENGTH = 60
"""Maximum columns of an outcome in words."""
_TAIL = 4_000
"""Characters at the end of an output that are searched for the result of a test run."""
_FAILED = re.compile(r"(?<![\w.])(\d{1,6}) (?:failed|failures?|errors?)\b", re.I)
_PASSED = re.compile(r"(?<![\w.])(\d{1,6}) (?:passed|passing)\b", re.I)
_RAN = re.compile(r"^Ran (\d{1,6}) tests? in ", re.M)
_BROKEN = re.compile(r"\b(?:failures|errors)=(\d{1,6})")
_EXIT = re.compile(r"(?:exit(?:ed with)? code|exit status|returned|exitcode)[: ]+(-?\d{1,5})\b", re.I)
_COUNT = re.compile(r"\AFound (\d{1,7}) (?:files?|matches|lines)", re.I)
_HITS = re.compile(r"\A(\d[\d,]{0,9}) of (\d[\d,]{0,9} [a-z]{1,20})\b")
_NOTHING = re.compile(r"\ANo (?:files|matches|results)\b", re.I)
_HEADING = re.compile(r"^#{1,3} +(\S.{0,200})$", re.M)
_SENTENCE = re.compile(r"[^\n]{1,300}")
_TAG = re.compile(r"</?[\w-]{1,40}>")
_EMPTY_WORDS = re.compile(r"\A\s*(?:Error:?|Exit code \d{1,5})\s*")
"""Prefix of an error message that is followed by more specific text."""
_SHORT = 40
"""Maximum length of an answer that is shown unchanged."""
_HEAD = re.compile(
    r"\A(?:(?:Chunk ID|Wall time|Process exited|Exit code|Original token count|Command|Directory)\b[^\n]*\n){1,8}"
    r"(?:Warning: truncated[^\n]*\n)?Output: ?\n?"
)
"""Lines about a run before its output, for example "Exit code: 0", "Wall time: 0.1 seconds" and "Output:"."""
_ENDS = ("\nError: (none)\n", "\n<system-reminder>", "\n(Open file: ", "\n<shellId: ")
"""Beginnings of the text that a program appends to an answer."""
_MAX_TAIL = 2_000
"""Characters at the end of an answer that are searched for appended text."""


def outcome_of(action: Action, call: ToolCall | None, text: str, *, is_error: bool) -> str:
    """Return a short outcome of a call. An error is described in the tool's own words.

    Args:
        action: Action of the call.
        call: The call; None if it is unknown.
        text: Answer of the tool.
        is_error: True if the call failed.
    """
    if is_error:
        return _failure(action, text)
    arguments = arguments_of(call) if call else {}
    if action.kind == "edit" and call and not arguments:
        return _patch_counts(call.arguments)
    return one_line(_BY_KIND.get(action.kind, _answer)(arguments, text))


def _failure(action: Action, text: str) -> str:
    """Return the result of a test run, or the first words of an error."""
    if action.kind == "run" and (tests := _tests(text[-_TAIL:])):
        return tests
    words = _first_line(text)
    status = "" if words else _EXIT.search(text[:100])
    return f"exit {int(status[1])}" if status else f"failed: {clipped(words, _LENGTH)}" if words else "failed"


def _first_line(text: str) -> str:
    """Return the first line with content, without tags and generic error prefixes."""
    for match in _SENTENCE.finditer(text[:2_000]):
        line = _EMPTY_WORDS.sub("", _TAG.sub(" ", match[0])).strip(" :→\t")
        if line:
            return one_line(line)
    return ""


def _count_lines(text: str) -> int:
    """Count the lines of a text, ignoring a trailing line break."""
    return text.count("\n") + (not text.endswith("\n")) if text else 0


def _line_count(_arguments: Mapping[str, object], text: str) -> str:
    return plural(_count_lines(text.rstrip("\n")), "line") if text.strip() else "empty"


def _reading(_arguments: Mapping[str, object], text: str) -> str:
    return _line_count({}, body_of(text))


def _run(_arguments: Mapping[str, object], text: str) -> str:
    """Return the result of a test run, the exit status of a failed program, or the output or its size."""
    if tests := _tests(text[-_TAIL:]):
        return tests
    status = _EXIT.search(text[:500]) or _EXIT.search(text[-500:])
    if status and int(status[1]):
        return f"exit {int(status[1])}"
    text = body_of(text)
    if not text.strip():
        return "no output"
    return _answer({}, text) if len(text.strip()) <= _SHORT and "\n" not in text.strip() else _line_count({}, text)


def _tests(text: str) -> str:
    """Return the number of failed and passed tests; "" if the text reports no test run."""
    if run := next(reversed(list(_RAN.finditer(text))), None):
        total, failed = int(run[1]), sum(int(match[1]) for match in _BROKEN.finditer(text, run.end()))
        return f"{failed} failed of {total}" if failed else f"{total} passed"
    failed, passed = _last_count(_FAILED, text), _last_count(_PASSED, text)
    if failed and (passed or "FAILED" in text):
        return f"{failed} failed" + (f" of {failed + passed}" if passed else "")
    return f"{passed} passed" if passed else ""


def _last_count(pattern: re.Pattern[str], text: str) -> int:
    """Return the number in the last match of a pattern; 0 if there is no match."""
    return next((int(match[1]) for match in reversed(list(pattern.finditer(text)))), 0)


def _edit(arguments: Mapping[str, object], _text: str) -> str:
    """Return the number of added and removed lines, from the texts of an edit or from a patch."""
    pairs = changed_texts(arguments)
    if pairs:
        changes = [_changed_lines(old, new) for old, new in pairs]
        return f"+{sum(added for added, _ in changes):,} −{sum(removed for _, removed in changes):,}"
    patch = next((value for value in arguments.values() if isinstance(value, str) and "\n" in value), "")
    return _patch_counts(patch)


def _patch_counts(patch: str) -> str:
    lines = patch.split("\n")
    added = sum(line.startswith("+") and not line.startswith("+++") for line in lines)
    removed = sum(line.startswith("-") and not line.startswith("---") for line in lines)
    return f"+{added:,} −{removed:,}" if added or removed else ""


def _changed_lines(old: str, new: str) -> tuple[int, int]:
    """Return the number of added and removed lines, without the common lines at both ends."""
    before, after = old.split("\n"), new.split("\n")
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return len(after) - start - end, len(before) - start - end


def _write(arguments: Mapping[str, object], _text: str) -> str:
    text = written_text(arguments)
    return plural(_count_lines(text), "line") if text else ""


def _search(_arguments: Mapping[str, object], text: str) -> str:
    if match := _COUNT.search(text):
        return f"{int(match[1]):,} found"
    if match := _HITS.search(text):
        return f"{int(match[1].replace(',', '')):,} of {match[2]}"
    hits = _object_in(text).get("total_count") if text.startswith("{") else _list_in(text)
    if isinstance(hits, int) and hits:
        return f"{hits:,} found"
    if hits == 0 or not text.strip() or _NOTHING.search(text):
        return "nothing"
    return plural(_count_lines(text.strip()), "line")


def _fetch(_arguments: Mapping[str, object], text: str) -> str:
    heading = _HEADING.search(text[:2_000])
    size = _line_count({}, text)
    return f"{clipped(one_line(heading[1]), _SHORT)} · {size}" if heading else size


def _delegate(_arguments: Mapping[str, object], text: str) -> str:
    return plural(len(text.split()), "word") if text.strip() else ""


def _plan(_arguments: Mapping[str, object], _text: str) -> str:
    return ""


def _answer(arguments: Mapping[str, object], text: str) -> str:
    """Return a short answer unchanged, an object as its first values that are not arguments, another as its size."""
    words = text.strip()
    if words.startswith("{") and len(words) <= _TAIL and (values := _object_in(words)):
        fresh = {name: value for name, value in values.items() if arguments.get(name) != value}
        return clipped(describe_values(fresh), _LENGTH)
    if len(words) <= _SHORT and "\n" not in words:
        return words
    return _line_count({}, text) if _count_lines(words) > 1 else clipped(one_line(words[:200]), _LENGTH)


def _list_in(text: str) -> int | None:
    """Return the length of a JSON list; None if the text is not one."""
    try:
        value = orjson.loads(text) if text.startswith("[") else None
    except orjson.JSONDecodeError:
        return None
    return len(value) if isinstance(value, list) else None


def _object_in(text: str) -> dict[str, object]:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


_BY_KIND: Mapping[ActionKind, Callable[[Mapping[str, object], str], str]] = {
    "read": _reading,
    "search": _search,
    "fetch": _fetch,
    "edit": _edit,
    "write": _write,
    "run": _run,
    "delegate": _delegate,
    "plan": _plan,
}


def body_of(text: str) -> str:
    """Return the answer itself. A text encoded as a JSON string is decoded."""
    if text.startswith('"') and text.endswith('"'):
        try:
            value = orjson.loads(text)
        except orjson.JSONDecodeError:
            return text
        return value if isinstance(value, str) else text
    if head := _HEAD.match(text):
        text = text[head.end() :]
    for end in _ENDS:
        place = text.find(end, max(0, len(text) - _MAX_TAIL))
        text = text[:place] if place >= 0 else text
    return text
