"""Chat histories of aider, in Markdown.

https://aider.chat/docs/config/options.html: lines that begin with `#### ` are the user's, those with `> ` are output of
tools and the program; both end with two spaces (`append_chat_history` in aider's io.py). All other lines are the
model's. A command, which begins with `/` or `!`, is never sent. If it asks a question (`/ask`, `/code`), most versions
repeat its text as it was sent. The plan of an architect's model is sent to the editor's model in a separate context.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, ClassVar, NamedTuple

from inspector.core.conversation import MAIN, Problem, Session, Usage
from inspector.core.text import word_set
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch
from inspector.formats.building.ids import digest, unique
from inspector.formats.building.log_builder import LogBuilder
from inspector.formats.reading.content import Content, Sample
from inspector.formats.reading.incremental_lines import note_missing_head
from inspector.formats.reading.source import Progress

_CHAT = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)")
_MODEL = re.compile(r"> (?:Main model|Model|Models): (\S+)")
_EDITORS_MODEL = re.compile(r"> Editor model: (\S+)")
_COUNT = r"(\d{1,9}(?:,\d{3}){0,3}(?:\.\d)?)(k?)"
_USAGE = re.compile(
    rf"Tokens: {_COUNT} sent(?:, {_COUNT} cache write)?(?:, {_COUNT} (?:cache hit|cached))?, {_COUNT} received"
)
_LIMIT = re.compile(r"^Input tokens: ~([\d,]{1,11}) of [\d,]{1,11}.*\nOutput tokens: ~([\d,]{1,11})", re.MULTILINE)
"""Usage of a reply that exceeded a limit: "Input tokens: ~15,461 of 128,000" and the line after it."""
_BEGIN = re.compile(r"\A(?:####|>) ?")
_DECLINED = re.compile(r"(?:/instructions\)|\[Yes\]:) no?$", re.MULTILINE)
"""End of the question whether to add an output to the chat, when the answer was no."""
_BLANK = "<blank>"
"""Text of an empty input."""
_EDITOR = "editor"
"""Agent that carries out the plan of an architect."""
_MIN_PLAN = 20
"""Minimum number of characters of an input that repeats the last reply, and was added by the program."""
_CLEARING = word_set("clear reset")
_CLEARED = frozenset({"All chat history cleared.", "All files dropped and chat history cleared."})
"""Message of the program about commands that are read from a file."""
_ASKING = word_set("ask code architect context")
"""Commands whose arguments are sent to the model."""
_ANSWERED = word_set("run test lint web paste")
"""Commands whose output may be sent to the model."""
_MIN_LETTERS = 3
"""Minimum length of an abbreviated command."""


class Aider(Format):
    """Chat histories of aider, with a session for each start of the program."""

    name = "aider"
    features: ClassVar[frozenset[Feature]] = frozenset({"times", "models", "usage", "sub-agents"})
    page = "https://aider.chat/docs/config/options.html"
    place = ".aider.chat.history.md in a project's folder"

    def recognize(self, sample: Sample) -> FormatMatch:
        lines = sample.head.split("\n")
        known = any(_CHAT.fullmatch(line.rstrip()) for line in lines)
        return FormatMatch(0.95, "a line that says when an aider chat started") if known else UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        sessions = []
        for start, time, lines in _chats(content.text_lines(progress)):
            if not time:
                if "user" not in map(_begins, lines):
                    if any(map(str.strip, lines)):
                        content.problems.add("lines before the first chat were left out", start)
                    continue
                note_missing_head(content, "the start of a chat")
            log = _log_of(lines, time)
            if log.messages:
                model = next((match[1] for line in lines if (match := _MODEL.match(line))), "")
                sessions.append(
                    log.session(content, self.name, f"aider-{digest(time, start)}", model=model, line=start)
                )
        if not sessions:
            return [LogBuilder().session(content, self.name)]
        sessions = unique(sessions)
        if problem := problem_of_cut(content):
            content.problems.add(problem.text, problem.line)
            sessions[-1] = replace(sessions[-1], problems=(*sessions[-1].problems, problem))
        return sessions


def _chats(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str, list[str]]]:
    """Yield each chat with its first line number, time and lines. The time is "" if the start is missing."""
    start, time, own = 1, "", list[str]()
    for number, line in lines:
        if match := _CHAT.fullmatch(line.rstrip()):
            if own:
                yield start, time, own
            start, time, own = number, match[1].replace(" ", "T"), []
        else:
            own.append(line)
    if own:
        yield start, time, own


def problem_of_cut(content: Content) -> Problem | None:
    """Return the problem of a file whose last line has no end."""
    source = content.source
    (last,) = source.read([(source.size - 1, 1)])
    if last in (b"\n", b"\r"):
        return None
    number = sum(1 for _ in source.lines())
    return Problem("the last line has no line break: the chat may be truncated", number)


class _AiderLines(NamedTuple):
    """Lines of one kind: "user" for input, "tool" or "usage" for output of the program, or "model"."""

    kind: str
    text: str


def _log_of(lines: Sequence[str], time: str) -> LogBuilder:
    editors_model = next((match[1] for line in lines if (match := _EDITORS_MODEL.match(line))), "")
    chat = _AiderChat(time, editors_model)
    stretches = [*_stretches(lines)]
    for stretch, after in zip_longest(stretches, stretches[1:], fillvalue=_AiderLines("", "")):
        chat.feed(stretch, after)
    return chat.log


def _stretches(lines: Sequence[str]) -> Iterator[_AiderLines]:
    """Yield runs of lines of one kind. An input ends at an empty line. Blank lines belong to the run before them."""
    run, last, is_apart, reader = list[str](), "", False, _LineKinds(lines)
    for line, kind in [*((line, reader.kind_of(line)) for line in lines), ("", "end")]:
        if kind != last or (kind == "user" and is_apart and line.strip()):
            if last and (text := _stretch_text(last, run)):
                yield _AiderLines(last, text)
            last, run = kind, []
        run.append(line)
        is_apart = not line.strip()


def _stretch_text(kind: str, run: Sequence[str]) -> str:
    return "\n".join(line if kind == "model" else _BEGIN.sub("", line).rstrip() for line in run).strip()


class _LineKinds:
    """Classifier of lines by the kind of their run.

    aider ends its own lines and those of the user with two spaces, which quotes and headings of the model lack, and
    writes an empty line before a reply. Output of the program that is written at once has the spaces on its last line
    only, and may contain empty lines. If an editor removed the spaces, lines are classified by their first characters.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self.has_ends = any(line.endswith("  ") and _begins(line) for line in lines)
        self.has_asked = not self.has_ends
        """True if the user is speaking: the previous lines are a command of several paragraphs."""
        self.kind = ""
        self.is_behind = False
        """True if the previous line is from the program or the user."""
        self.is_open = False
        """True if the program's output is incomplete."""

    def kind_of(self, line: str) -> str:
        """Return the kind of the next line."""
        begin, is_end = _begins(line), line.endswith("  ") or not self.has_ends
        if not line.strip():
            self.is_behind = False
        elif begin and (is_end or (self.is_behind and begin == "tool")):
            self.kind, self.is_behind, self.is_open = begin, self.has_ends, not is_end
            self.has_asked |= begin == "user"
        elif self.is_open:
            self.is_behind, self.is_open = is_end, not is_end
        elif not self.is_behind:
            self.kind = "model" if self.has_asked else "tool"
        return self.kind


def _begins(line: str) -> str:
    if line.startswith("> "):
        return "usage" if line.startswith("> Tokens: ") else "tool"
    return "user" if line.startswith("####") else ""


def _command_in(text: str) -> tuple[str, str]:
    """Return the name and the arguments of a command, or "" for a message to the model."""
    if text.startswith("!"):
        return "run", text[1:].strip()
    if not text.startswith("/"):
        return "", ""
    name, *rest = text[1:].split(None, 1) or [""]
    return _full_name(name) or "/", "".join(rest).strip()


def _full_name(name: str) -> str:
    """Return the full name of a command that may be abbreviated."""
    known = (full for full in (*_CLEARING, *_ASKING) if len(name) >= _MIN_LETTERS and full.startswith(name))
    return next(known, name)


class _AiderChat:
    """A chat, built run by run."""

    def __init__(self, time: str, editors_model: str) -> None:
        self.log = LogBuilder()
        self.time = time
        self.models = {_EDITOR: editors_model}
        self.agent = MAIN
        self.command = ""
        """Command whose output follows."""
        self.is_cleared = False
        """True if the next message starts a new context."""
        self.has_spoken = False
        """True if the current context has a message."""
        self.reply = ""

    def feed(self, stretch: _AiderLines, after: _AiderLines) -> None:
        """Add the next run, given the one after it."""
        match stretch.kind:
            case "user":
                self.add_input(stretch.text, after.text if after.kind == "user" else "")
            case "model":
                self.command, self.reply = "", stretch.text
                self.add("assistant", "chat", stretch.text)
            case _:
                self.add_output(stretch)

    def add_input(self, text: str, after: str) -> None:
        """Add an input by the user, or by the program on the user's behalf, given the next input."""
        command, words_behind = _command_in(text)
        self.agent, self.command = MAIN, command
        if text == _BLANK:
            self.add("user", "notice", text)
        elif not command:
            if len(text) >= _MIN_PLAN and _says_the_same(text, self.reply):
                self.agent = _EDITOR
                self.log.begin_anew(_EDITOR)
            self.add("user", "chat", text)
        elif command in _ASKING and words_behind and not _says_the_same(words_behind, after):
            self.command = ""
            self.add("user", "chat", words_behind, {"command": command})
        else:
            self.add("user", "notice", text)
            if command in _CLEARING:
                self.clear()

    def add_output(self, stretch: _AiderLines) -> None:
        """Add output of the program. The output of most commands is not sent to the model."""
        if stretch.kind == "usage":
            self.add_usage(stretch.text)
        elif match := _LIMIT.search(stretch.text):
            self.set_usage(Usage(*(_number(digits, None) for digits in match.groups())))
        is_sent = self.has_spoken
        if self.command:
            is_sent = self.command in _ANSWERED and not _DECLINED.search(stretch.text)
        self.add("user", "injected" if is_sent and stretch.kind == "tool" else "notice", stretch.text)
        if self.command == "load" and not _CLEARED.isdisjoint(stretch.text.split("\n")):
            self.clear()

    def clear(self) -> None:
        self.is_cleared, self.has_spoken = True, False

    def add(self, role: str, kind: str, text: str, record: dict[str, Any] | None = None) -> None:
        if self.is_cleared and kind != "notice":
            self.log.begin_anew()
            self.is_cleared = False
        self.has_spoken |= kind == "chat"
        number = len(self.log.messages) + 1
        facts: dict[str, Any] = {"kind": kind, "agent": self.agent, "time": self.time if number == 1 else ""}
        if role == "assistant":
            facts["model"] = self.models.get(self.agent, "")
        self.log.add(f"m{number}", {"role": role, "content": text}, record or {}, **facts)

    def add_usage(self, text: str) -> None:
        """Add the usage of the previous reply. Newer versions of aider round counts above a thousand."""
        if match := _USAGE.match(text):
            sent, written, read, received = (_number(digits, k) for digits, k in _pairs(match))
            self.set_usage(Usage(_sent_in_all(sent, written, read), received, cache_read=read, cache_write=written))

    def set_usage(self, usage: Usage) -> None:
        """Set the usage of the previous reply, if the last message of the chat is one."""
        messages = self.log.messages
        last = next((at for at in reversed(range(len(messages))) if messages[at].kind == "chat"), -1)
        if last >= 0 and messages[last].role == "assistant":
            self.log.change(last, usage=usage)


def _says_the_same(text: str, other: str) -> bool:
    return text.split() == other.split()


def _number(digits: str | None, thousands: str | None) -> int:
    return round(float((digits or "0").replace(",", "")) * (1000 if thousands else 1))


def _sent_in_all(sent: int, written: int, read: int) -> int:
    """Return the total number of input tokens. The counts of some providers exclude cached tokens."""
    sent += written if sent < written else 0
    return sent + read if sent < written + read else sent


def _pairs(match: re.Match[str]) -> Iterator[tuple[str | None, str | None]]:
    groups = match.groups()
    return zip(groups[::2], groups[1::2], strict=True)
