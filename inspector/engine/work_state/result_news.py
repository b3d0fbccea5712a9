"""News about the work in the result of a call: failures, processes that start or end, and answers of the user."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import orjson

from inspector.core.conversation import ToolResult
from inspector.core.text import lazy_pattern, one_line

_EDGE = 1_500
"""Characters at either end of a result that are read."""
_HEAD = 1_000
"""Characters at the start of a result that say what became of the call."""
_STARTS = ("with id", "session id", "session_id", "agentid", "agent_id", "task id", "background pids: ", "shellid: ")
_REFUSALS = (
    "proceed with",
    "reject",
    "declined",
    "denied",
    "refused",
    "planning",
    "chose to stay",
    "not approved",
    "aborted by user",
    "cancelled",
)
_SHAPES = (
    "validation",
    "no such tool",
    "invalid ",
    "require",
    "unexpected ",
    "unrecognized",
    "failed to parse",
    "unknown ",
    "unsupported ",
    "tool not found",
    "schema",
    "missing field",
    "incompatible",
    "apply_patch",
)
_CLASHES = ("eaddrinuse", "already ", "is allocated", "is taken")
"""Words in lower case, one of which every match of a pattern contains. Looking for them is much cheaper."""
_ASSERTS = "e  "
_FAILS = ("fail", "error", _ASSERTS)
"""Words in lower case, one of which every line that reports failing tests contains; the last one begins it."""
_STARTED = lazy_pattern(
    r"(?i)(?:running in (?:the )?background(?: by user)? with ID: ?|was manually backgrounded by user with ID: ?"
    r"|Process running with session ID |launched successfully\.?\s{1,4}agentId: ?|\"agent_id\": ?\""
    r"|<command (?:started [^>\n]{0,60})?with shellId: (?=[\w-]{1,80} is still running|[\w-]{1,80}>)"
    r"|background task ID: ?|Background PIDs: (?=\d)|session_id\"?: ?\"?(?=\d{1,9}\b(?!-)))"
    r"([\w-]{1,80})"
)
"""Id of a process or sub-agent that goes on: "Command running in background with ID: b7f3a1"."""
_EXIT = lazy_pattern(
    r"(?im)^(?:Process exited with code|Exit code:?|Error: Exit code|exit status|Command exited with code"
    r"|\[?The command completed with exit code) (-?\d{1,5})\b"
    r'|"exit_code": ?(-?\d{1,5})|<exit_code>(-?\d{1,5})</exit_code>|^<returncode>(-?\d{1,5})'
)
_STATUS = lazy_pattern(r"<status>\s*(\w+)\s*</status>|^status: (\w+)", re.MULTILINE)
_OVER = frozenset(("completed", "failed", "killed", "stopped", "exited", "cancelled", "error"))
_REFUSED = lazy_pattern(
    r"(?i)doesn't want to proceed with this tool use|user (?:rejected|declined|denied|refused)"
    r"|rejected by (?:the )?user|^aborted by user|^Action rejected\b|\Arequest_user_input was cancelled"
    r"|The tool use was rejected|User chose to (?:stay|keep planning)|keep planning|plan (?:was )?(?:rejected"
    r"|not approved)"
)
_APPROVED = lazy_pattern(r"(?i)User has approved your plan|plan (?:was |has been )?approved|approved the plan")
_FAILED_TESTS = lazy_pattern(
    r"(?im)^(?:FAILED|FAIL|ERROR|E  )[ :\t].{0,300}$|^.{0,80}\b[1-9]\d{0,5} (?:tests? )?(?:failed|failing"
    r"|failures?|errors?)\b.{0,200}$|^.{0,120}\*\*\*Failed\b.{0,80}$"
)
_ERROR_LINE = lazy_pattern(
    r"(?im)^.{0,200}\b(?:error|exception|failed|failure|fatal|cannot|not found|denied|undefined|invalid|unknown"
    r"|unrecognized|no such|unable|missing|unexpected)\b.{0,300}$"
)
_NO_REASON = lazy_pattern(
    r"(?i)(?:Error: )?Exit code:? -?\d+$|Process exited with code|Wall time|Chunk ID|Original token count"
    r"|Script (?:completed|running|failed)|Output:$|#|<"
)
"""Line of a failing command that does not say why it failed."""
_SHAPE = lazy_pattern(
    r"(?i)Input ?Validation ?Error|no such tool available|invalid (?:arguments|parameters|input|params)"
    r"|required parameter|missing required|unexpected parameter|unrecognized[_ ](?:keys?|arguments?|propert)"
    r"|failed to parse (?:function )?arguments|schema validation|unknown parameter"
    r"|unsupported (?:custom )?(?:tool )?call|unknown tool|tool not found|validation errors? for |field required"
    r"|must have required propert|unexpected keyword argument|does not match (?:the )?schema|missing field `"
    r"|unknown field `|is a required property|should be defined, instead was"
    r"|apply_patch verification failed: invalid (?:patch|hunk)|incompatible payload|apply_patch handler received"
    r"|without explicit call to apply_patch"
)
"""Words of a call that was rejected because of its arguments."""
_REJECTED = lazy_pattern(
    r"(?i)\A(?:Script (?:error|failed)\S{0,2}\s{1,4})?(?:failed to parse (?:function )?arguments"
    r"|unsupported (?:custom )?(?:tool )?call|tool call error|unknown tool|tool \S{1,60} invoked with incompatible"
    r"|apply_patch (?:verification failed|handler received)|patch detected without explicit|invalid (?:arguments"
    r"|parameters|params)(?: for\b|: )|error: (?:invalid arguments|no such tool|unknown tool|tool not found)"
    r"|(?:<tool_use_error>\s{0,4})?InputValidationError)"
)
"""Start of a result by which a program rejects a call without an exit code."""
_UNACCEPTED = lazy_pattern(
    r"(?i)\A(?:(?:mcp )?error:? (?:-32602|invalid (?:arguments|params)|missing required|input validation"
    r"|(?:[\w.]{1,80}\(\) got an )?unexpected keyword argument)"
    r"|\d{1,3} validation errors? for |input validation error)"
)
"""Start of a result by which the server of a tool rejects the arguments, or a command fails."""
_INVALID = lazy_pattern(
    r"(?i)\A(?:<tool_use_error>)?\s{0,4}(?:InputValidationError|(?:Error: )?No such tool available)"
)
"""Start of a result by which Claude Code rejects the arguments of a call."""
_UNDONE = lazy_pattern(r"\A\[(?:Your proposed edit has introduced|No (?:exact )?match(?:es)? (?:was |were )?found)\b")
"""Result of an edit that changed nothing."""
_FRAME = lazy_pattern(
    r"(?m)^(?:Command: .*|Directory: .*|(?:Output|Error|Signal|Background PIDs): \((?:none|empty)\)|Exit Code: .*"
    r"|Signal: .*|Process Group PGID: .*)$\n?|^(?:Output|Error): (?=.)"
)
"""Lines around the output of a command in the results of Gemini CLI."""
_COLOR = lazy_pattern(r"\x1b\[[\d;]{0,20}m")
_CLASH = lazy_pattern(
    r"(?i)EADDRINUSE|address already in use|port \d+ (?:is|was) (?:already )?(?:in use|allocated|taken)|already running"
)
_NUMBERED = lazy_pattern(r"Task #?(\d{1,6}) created")
_LINE = lazy_pattern(r"^.*\w.*$", re.MULTILINE)


Wrote = Literal["created", "changed", ""]
_OVERWROTE = lazy_pattern(
    r"(?i)\bsuccessfully overwr(?:ote|itten)\b|\boverwr(?:ote|itten)\b.{0,20}\bfile\b"
    r"|\bfile\b.{0,200}\bhas been (?:updated|overwritten)\b|\bupdated (?:existing )?file\b"
)
_WRITES = ("overwr", "updated", "created", "wrote to new")
_CREATED = lazy_pattern(r"(?i)\bfile created\b|\bcreated (?:a |the )?(?:new )?file\b|\bwrote to new file\b")


class ResultNews(NamedTuple):
    """News in the result of a call."""

    call: str
    failed: bool = False
    line: str = ""
    """First line that names the failure."""
    started: str = ""
    """Id of a process or sub-agent that goes on."""
    is_over: bool = False
    """True if the process that was asked about has ended."""
    refused: bool = False
    """True if the user refused the call."""
    approved: bool = False
    """True if the user approved a plan."""
    passed: bool = False
    """True if the result states the exit code 0."""
    wrong_shape: bool = False
    """True if the call was rejected because of its arguments."""
    clash: bool = False
    """True if something was already running in its place."""
    number: str = ""
    """Number of a task that was created."""
    wrote: Wrote = ""
    """Change that an editing tool reports for its file."""
    answer: str = ""
    """First words of the text."""
    has_failing_tests: bool = False


def news_of(result: ToolResult) -> ResultNews:
    """Return what a result reports. Reads both ends of a long text."""
    whole, printed = _edges_of(result.text), _edges_of(_printed_in(result.text))
    low = whole.lower()
    head = whole[:_HEAD]
    start = low[:_HEAD]
    codes = [int(code) for row in _rows_with(low, "exit", "<returncode>") for code in _codes_in(row)]
    has_failing_tests = _has_failing_tests(printed.lower())
    failed = result.is_error or any(codes[:1]) or _is_rejected(head)
    return ResultNews(
        result.call_id,
        failed,
        _failing_line(printed) if failed or has_failing_tests else "",
        _started_in(head, start),
        _is_over(low, codes),
        _has_any(start, _REFUSALS) and _matches(_REFUSED, head),
        _has_any(start, ("approved",)) and _matches(_APPROVED, head),
        codes[:1] == [0],
        failed and _has_wrong_shape(head, start),
        _has_any(low, _CLASHES) and _matches(_CLASH, low),
        _first(_NUMBERED, head),
        wrote_in(head),
        whole[:500],
        has_failing_tests,
    )


def _edges_of(text: str) -> str:
    return text if len(text) <= 2 * _EDGE else f"{text[:_EDGE]}\n{text[-_EDGE:]}"


def _printed_in(text: str) -> str:
    """Return what a command printed, without the object that Codex records around it."""
    place = text.find('{"', 0, _HEAD) if '"output"' in text else -1
    if place < 0:
        return text
    try:
        output = orjson.loads(text[place:]).get("output")
    except orjson.JSONDecodeError:
        return text
    return _COLOR.sub("", output) if isinstance(output, str) and output.strip() else text


def _has_wrong_shape(head: str, low: str) -> bool:
    """Return True if the start of a result, which `low` repeats in lower case, rejects the arguments of its call."""
    return _has_any(low, _SHAPES) and _matches(_SHAPE, head)


def _is_rejected(head: str) -> bool:
    """Return True if a result begins as one of a call that a program did not carry out."""
    return any(pattern.match(head) for pattern in (_UNDONE, _REJECTED, _UNACCEPTED))


def rejects_arguments(answer: str) -> bool:
    """Return True if a result begins as one of a call whose arguments the agent's own program rejects."""
    return _matches(_INVALID, answer) or (_matches(_REJECTED, answer) and _matches(_SHAPE, answer))


def wrote_in(head: str) -> Wrote:
    """Return whether the first line of a result reports a new file, or the change of an existing one."""
    line = head.partition("\n")[0][:300]
    if not _has_any(line.lower(), _WRITES):
        return ""
    return "changed" if _OVERWROTE.search(line) else "created" if _CREATED.search(line) else ""


def _rows_with(text: str, *words: str) -> list[str]:
    """Return the lines of a text that contain one of some words, without a line break, in their order."""
    rows: dict[int, int] = {}
    for word in words:
        place = text.find(word)
        while place >= 0:
            end = text.find("\n", place)
            end = len(text) if end < 0 else end
            rows[text.rfind("\n", 0, place) + 1] = end
            place = text.find(word, end)
    return [text[start : rows[start]] for start in sorted(rows)]


def _codes_in(row: str) -> Iterator[str]:
    """Yield the exit codes in a line."""
    return (code for match in _EXIT.finditer(row) for code in match.groups() if code)


def _is_over(low: str, codes: Sequence[int]) -> bool:
    """Return True if a text in lower case states that a process has ended, by its exit codes or its status."""
    if codes and "background pids: " not in low:
        return True
    matches = _STATUS.finditer(low) if "status" in low else ()
    return any(word in _OVER for match in matches for word in match.groups() if word)


def _has_failing_tests(low: str) -> bool:
    fails = _FAILS if low.startswith(_ASSERTS) or f"\n{_ASSERTS}" in low else _FAILS[:2]
    return any(map(_reports_failing_tests, _rows_with(low, *fails)))


def _reports_failing_tests(row: str) -> bool:
    return "fixed" not in row and _FAILED_TESTS.match(row) is not None


def _matches(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.search(text) is not None


def _has_any(text: str, words: Sequence[str]) -> bool:
    return any(map(text.__contains__, words))


def _first(pattern: re.Pattern[str], text: str) -> str:
    """Return the first group of the first match of a pattern; "" without a match."""
    match = pattern.search(text)
    return match[1] if match else ""


def _started_in(head: str, low: str) -> str:
    return _first(_STARTED, head) if _has_any(low, _STARTS) else ""


def _failing_line(text: str) -> str:
    text = _FRAME.sub("", text) if text.startswith("Command: ") else text
    return one_line(next(_failing_lines(text), ""))[:300]


def _failing_lines(text: str) -> Iterator[str]:
    for pattern in (_FAILED_TESTS, _ERROR_LINE, _LINE):
        lines = (match[0].strip() for match in pattern.finditer(text))
        yield from (line for line in lines if not _NO_REASON.match(line))
