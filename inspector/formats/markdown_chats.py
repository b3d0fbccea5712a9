"""Conversations in Markdown: the history that aider keeps, and what SpecStory writes.

https://aider.chat/docs/config/options.html: `#### ` begins what the person typed, `> ` what tools and the program said,
both with two blanks at the end (`append_chat_history` in aider's io.py); all else is the model's.
https://docs.specstory.com: turns stand under a line such as `_**User**_`, tools in `<tool-use>`,
reasoning in `<think>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

from inspector.conversation import MAIN, Part, Session, Text, Usage
from inspector.formats.base import UNLIKE, Format, Holding, Recognition
from inspector.formats.blocks import call_of, result_of, thoughts_of
from inspector.formats.ids import digest, unique
from inspector.formats.log_builder import LogBuilder, dialect_for
from inspector.formats.sample import Content, Sample, Shape
from inspector.formats.source import Progress

_CHAT = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)")
_MODEL = re.compile(r"> (?:Main model|Model|Models): (\S+)")
_COUNT = r"(\d{1,9}(?:\.\d)?)(k?)"
_USAGE = re.compile(rf"Tokens: {_COUNT} sent(?:, {_COUNT} cache write)?(?:, {_COUNT} cache hit)?, {_COUNT} received")
_TURN = re.compile(r"_\*\*(User|Agent|Assistant|Claude|Human)( - sidechain)?(?: \(([^()]*)\))?\*\*_")
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d\S{0,12})")
_SESSION = re.compile(r"<!-- (.{1,60}?) Session (\S{1,100})(?: \(([^()]*)\))? -->")
_TOOL = re.compile(r'<tool-use\b[^>]*?data-tool-name="([^"]{0,200})"[^>]*>')
_ID = re.compile(r'data-tool-id="([^"]{0,200})"')
_FOLD = re.compile(r"</?(?:details|summary)[^>]{0,200}>")


_PEOPLE = ("User", "Human")
_PROGRAM = ("tool", "usage")
_BEGIN = re.compile(r"\A(?:####|>) ?")


class _MarkdownFormat(Format):
    shapes: ClassVar[frozenset[Shape]] = frozenset({"text"})


class Aider(_MarkdownFormat):
    """The chat history of aider: a session for each time that it was started."""

    name = "aider"
    title = "aider chat histories"
    holds: ClassVar[frozenset[Holding]] = frozenset({"times", "models", "usage"})
    page = "https://aider.chat/docs/config/options.html"
    place = ".aider.chat.history.md in a project's folder"

    def recognize(self, sample: Sample) -> Recognition:
        lines = sample.head.split("\n")
        known = any(_CHAT.fullmatch(line.rstrip()) for line in lines)
        return Recognition(0.95, "a line that says when an aider chat started") if known else UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        sessions = []
        for start, time, lines in _aider_chats(content.text_lines(progress)):
            log = _aider_log(lines, time)
            if log.messages:
                model = next((match[1] for line in lines if (match := _MODEL.match(line))), "")
                sessions.append(
                    log.session(content, self.name, f"aider-{digest(time, start)}", model=model, line=start)
                )
        return unique(sessions) or [LogBuilder().session(content, self.name)]


def _aider_chats(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str, list[str]]]:
    """Each chat: the line it starts at, when, and its lines."""
    start, time, own = 0, "", list[str]()
    for number, line in lines:
        if match := _CHAT.fullmatch(line.rstrip()):
            if own:
                yield start, time, own
            start, time, own = number, match[1].replace(" ", "T"), []
        elif start:
            own.append(line)
    if own:
        yield start, time, own


def _aider_log(lines: list[str], time: str) -> LogBuilder:
    """Runs of lines of one kind, each a message. What is blank belongs to the run before it."""
    log = LogBuilder()
    run = list[str]()
    last = ""
    for line, kind in [*_aider_kinds(lines), ("", "end")]:
        if kind != last:
            _add_run(log, last, run, time)
            last, run = kind, []
        run.append(line)
    return log


def _aider_kinds(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Lines with whose they are: "user", "tool" for the program, "usage" for its counts, "model".

    aider ends its own lines and those of the person with two blanks, which quotes and headings of the model lack, and
    puts an empty line before a reply. Where an editor took the blanks away, only the first characters are left to ask.
    """
    has_ends = any(line.endswith("  ") and _begins(line) for line in lines)
    kind, is_behind, has_asked = "", False, not has_ends
    for line in lines:
        if not line.strip():
            is_behind = False
        elif (begin := _begins(line)) and (line.endswith("  ") or not has_ends):
            kind, is_behind = begin, has_ends
            has_asked |= begin == "user"
        elif not is_behind:
            kind = "model" if has_asked else "tool"  # a command line of more than one paragraph
        yield line, kind


def _begins(line: str) -> str:
    if line.startswith("> "):
        return "usage" if line.startswith("> Tokens: ") else "tool"
    return "user" if line.startswith("####") else ""


def _add_run(log: LogBuilder, kind: str, run: list[str], time: str) -> None:
    text = "\n".join(line if kind == "model" else _BEGIN.sub("", line).rstrip() for line in run).strip()
    if not text or not kind:
        return
    if kind == "usage":
        _add_usage(log, text)
    has_spoken = any(message.kind == "chat" for message in log.messages)
    own = "chat" if kind not in _PROGRAM else "injected" if kind == "tool" and has_spoken else "notice"
    role = "assistant" if kind == "model" else "user"
    facts: dict[str, Any] = {"time": time if not log.messages else ""}
    log.add(f"m{len(log.messages) + 1}", {"role": role, "content": text}, {}, kind=own, **facts)


def _add_usage(log: LogBuilder, text: str) -> None:
    """What aider counted for the reply before it: rounded to hundreds above a thousand, to thousands above ten."""
    last = next((at for at in reversed(range(len(log.messages))) if log.messages[at].kind == "chat"), -1)
    if last < 0 or log.messages[last].role != "assistant" or not (match := _USAGE.match(text)):
        return
    sent, written, read, received = (round(float(number or 0) * (1000 if k else 1)) for number, k in _pairs(match))
    usage = Usage(max(sent, written + read), received, cache_read=read, cache_write=written)
    log.change(last, usage=usage)


def _pairs(match: re.Match[str]) -> Iterator[tuple[str | None, str | None]]:
    groups = match.groups()
    return zip(groups[::2], groups[1::2], strict=True)


class SpecStory(_MarkdownFormat):
    """Conversations that SpecStory writes down beside the project."""

    name = "specstory"
    title = "SpecStory histories"
    holds: ClassVar[frozenset[Holding]] = frozenset({"times", "models", "thinking", "sub-agents"})
    page = "https://docs.specstory.com"
    place = ".specstory/history in a project's folder"

    def recognize(self, sample: Sample) -> Recognition:
        head = sample.head[:2000]
        if "Generated by SpecStory" in head:
            return Recognition(1.0, "a line that says it was generated by SpecStory")
        turns = sum(bool(_TURN.fullmatch(line.strip())) for line in sample.head.split("\n"))
        return Recognition(0.7, "turns of a user and an agent") if turns >= 2 else UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        title = name = ""
        turns = list[_Turn]()
        for _, line in content.text_lines(progress):
            if match := _TURN.fullmatch(line.strip()):
                agent = _agent_of_turn(bool(match[2]), turns[-1].agent if turns else MAIN, len(turns))
                turns.append(_Turn(match[1] in _PEOPLE, agent, match[3] or "", []))
            elif turns:
                turns[-1].lines.append(line)
            elif match := _SESSION.fullmatch(line.strip()):
                name = match[2]
            elif line.startswith("# "):
                title = title or line[2:].strip()
        models = (turn.model for turn in reversed(turns) if turn.agent == MAIN)
        model = next(filter(None, models), "")
        log = LogBuilder(dialect_for(model))
        for turn in turns:
            _add_turn(log, turn, model)
        return [log.session(content, self.name, name, title, model=model)]


class _Turn(NamedTuple):
    """A turn: whose it is, what stands beside that, and the lines below."""

    is_user: bool
    agent: str
    about: str
    lines: list[str]

    @property
    def model(self) -> str:
        """The model that an agent's turn names, before its time or as `model NAME, mode NAME`; empty for none."""
        name = self.about.partition(",")[0].removeprefix("model ").split()
        return name[0] if name and not self.is_user and not name[0][0].isdigit() else ""

    @property
    def time(self) -> str:
        match = _TIME.search(self.about)
        return f"{match[1]}T{match[2]}" if match else ""


def _agent_of_turn(is_sidechain: bool, before: str, number: int) -> str:
    """Whose a turn is: sidechain turns that follow one another are of one sub-agent, and nothing names it."""
    if not is_sidechain:
        return MAIN
    return f"sidechain-{number + 1}" if before == MAIN else before


def _add_turn(log: LogBuilder, turn: _Turn, model: str) -> None:
    """A turn: words, reasoning, and tools with what they answered, in their order."""
    text = "\n".join(turn.lines).strip().removesuffix("---").strip()
    facts: dict[str, Any] = {"time": turn.time, "agent": turn.agent}
    if turn.is_user:
        if text:
            log.add(f"m{len(log.messages) + 1}", {"role": "user", "content": text}, {}, **facts)
        return
    model = turn.model or (model if turn.agent == MAIN else "")
    own: list[Part] = []
    at = 0
    for start, end in _elements(text):
        own += [Text(words)] if (words := text[at:start].strip()) else []
        at = end
        element = text[start:end]
        if element.startswith("<think"):
            own += thoughts_of(_inner(element))
            continue
        tool, named = _TOOL.match(element), _ID.search(element[:1000])
        call_id = named[1] if named else f"call-{len(log.messages) + len(own) + 1}"
        own.append(call_of(call_id, tool[1] if tool else "tool", {}))
        log.add_parts(f"m{len(log.messages) + 1}", "assistant", own, {}, model=model, **facts)
        log.add_parts(f"m{len(log.messages) + 1}", "tool", [result_of(call_id, _inner(element))], {}, **facts)
        own = []
    own += [Text(words)] if (words := text[at:].strip()) else []
    if own:
        log.add_parts(f"m{len(log.messages) + 1}", "assistant", own, {}, model=model, **facts)


def _elements(text: str) -> Iterator[tuple[int, int]]:
    """Where reasoning and tools begin and end."""
    at = 0
    while True:
        starts = [(place, mark) for mark in ("tool-use", "think") if (place := text.find(f"<{mark}", at)) >= 0]
        if not starts:
            return
        start, mark = min(starts)
        end = text.find(f"</{mark}>", start)
        if end < 0:
            return
        at = end + len(mark) + 3
        yield start, at


def _inner(element: str) -> str:
    """What stands between the tags of an element, without those that only fold it."""
    inner = element[element.find(">") + 1 : element.rfind("</")]
    return _FOLD.sub("", inner).strip()
