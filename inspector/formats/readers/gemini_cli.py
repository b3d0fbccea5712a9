"""Sessions of Gemini CLI, and checkpoints that the user saved.

https://github.com/google-gemini/gemini-cli: one object with `messages`, or JSON lines with a header, messages and
patches. A reply holds its calls together with their results. A checkpoint is a list of `{"role", "parts"}`, as the
Gemini API has them, or an object with that list as `history`, or as `clientHistory` where a call waits for approval.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, ClassVar

from inspector.core.conversation import Kind, Part, Session, Text, Usage
from inspector.core.sequences import common_start
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch, IncrementalReader
from inspector.formats.building.blocks import blocks_of, call_of, fields_of, objects_of, result_of, thoughts_of, time_of
from inspector.formats.building.gemini_contents import ContentCalls, is_content, is_of_model, response_content
from inspector.formats.building.log_builder import LogBuilder, LogMark, dialect_for
from inspector.formats.readers.gemini_patches import apply_patch
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.incremental_lines import GrowingLines, note_missing_head, read_records
from inspector.formats.reading.record_order import RecordOrder
from inspector.formats.reading.source import Progress
from inspector.llm.providers import as_text, token_count, usage_unless_zero

_NOTICES = frozenset({"info", "warning", "error", "system"})
_CHANGES = frozenset({"$set", "$patch", "$rewindTo"})
"""Fields of records that change earlier ones."""


class GeminiCLI(Format):
    """Chats that Gemini CLI keeps in its temporary folder."""

    name = "gemini-cli"
    order: ClassVar[RecordOrder] = RecordOrder(
        id="id", time="timestamp", lists="messages history clientHistory", skips_repeats=True
    )
    features: ClassVar[frozenset[Feature]] = frozenset({"usage", "times", "models", "thinking", "compactions"})
    page = "https://github.com/google-gemini/gemini-cli"
    place = "~/.gemini/tmp"

    def recognize(self, sample: Sample) -> FormatMatch:
        if any("projectHash" in record and "sessionId" in record for record in sample.objects):
            return FormatMatch(1.0, "a sessionId and a projectHash")
        if sample.shape == "lines" and _lacks_head(sample.objects):
            return FormatMatch(0.85, "messages of the type gemini, or changes such as $set")
        if any(map(_is_cut_chat, sample.objects)):
            return FormatMatch(0.85, "messages of the type gemini")
        records = [content for record in sample.objects for content in _saved(record) or [record]]
        is_checkpoint = all(map(is_content, records)) and any(map(is_of_model, records))
        return FormatMatch(0.9, "contents with a role and parts, some of a model") if is_checkpoint else UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        sessions = read_records(_Chat(), content, progress)
        if content.sample.shape == "lines" and _lacks_head(content.sample.objects):
            note_missing_head(content, "a sessionId and a projectHash")
        return sessions

    def incremental(self, content: Content) -> IncrementalReader:
        return GrowingLines(_Chat(), content)


def _lacks_head(records: Sequence[Fields]) -> bool:
    """Return True if these are messages and changes of a chat whose first record is missing."""
    known = [record for record in records if _is_change(record) or _is_message_of_chat(record)]
    tells = any(_is_change(record) or record["type"] == "gemini" for record in known)
    return tells and 2 * len(known) > len(records) and not any("projectHash" in record for record in records)


def _is_cut_chat(record: Fields) -> bool:
    """Return True if a record is a chat whose end, with its ids, is missing."""
    return "lastUpdated" in record and any(map(_is_message_of_chat, objects_of(record.get("messages"))))


def _is_change(record: Fields) -> bool:
    return not record.keys().isdisjoint(_CHANGES)


def _is_message_of_chat(record: Fields) -> bool:
    is_typed = record.get("type") in ("user", "gemini", *_NOTICES)
    return is_typed and {"id", "timestamp", "content"} <= record.keys()


def _saved(record: Fields) -> list[Fields]:
    """Return the contents of a checkpoint that is one object, or none."""
    return objects_of(record.get("clientHistory") or (record.get("history") if "messages" not in record else None))


_COPY = "\0"
"""Separator of a message's name and the number of its replacement."""
_SNAPSHOT, _FIRST = "<state_snapshot>", 200
"""Start of the summary of a compression, and the number of characters in which it occurs."""
_ENVIRONMENT = ("<session_context>", "This is the Gemini CLI. We are setting up the context for our chat.")
"""Starts of the message that describes the environment, of newer and of older versions."""


class _Chat:
    """A chat, built record by record. A message that is recorded again replaces the first one."""

    refusal = "is not a message of a Gemini CLI chat"

    def __init__(self) -> None:
        self.facts: Fields = {}
        self.messages: dict[str, Fields] = {}
        self.places: dict[str, int] = {}
        """Position of each message, by name."""
        self.contents: list[Fields] = []
        self.count = 0
        """Number of times that all messages were replaced."""
        self.begin(self.model)

    def begin(self, model: str) -> None:
        """Start the log in the wire format of a model."""
        self.log = LogBuilder(dialect_for(model))
        self.marks: list[LogMark] = []
        """State of the log before each message."""

    @property
    def model(self) -> str:
        models = (str(message["model"]) for message in reversed(self.messages.values()) if message.get("model"))
        return next(models, "") or as_text(fields_of(self.facts.get("meta")).get("model"))

    def feed(self, record: Fields, _number: int = 0) -> bool:
        match record:
            case {"role": str(), "parts": list()}:
                self.contents.append(record)
            case {"clientHistory": list()} | {"history": list()}:
                self.contents += _saved(record)
            case {"$set": dict(changes)}:
                self.change(changes)
            case {"$patch": dict(patch)}:
                return self.patch(patch)
            case {"$rewindTo": last}:
                self.rewind(as_text(last))
            case {"type": str(), "content": _} | {"type": str(), "toolCalls": _}:
                self.put(str(record.get("id") or f"m{len(self.messages) + 1}"), record)
            case {"messages": list()} | {"sessionId": _} | {"lastUpdated": _}:
                self.facts |= {key: value for key, value in record.items() if key != "messages"}
                for message in objects_of(record.get("messages")):
                    self.feed(message)
            case _:
                return False
        return True

    def change(self, changes: Fields) -> None:
        """Change data of the chat, which may include its messages."""
        facts = {key: value for key, value in changes.items() if key != "messages"}
        self.feed({"sessionId": self.facts.get("sessionId", ""), **facts})
        if isinstance(messages := changes.get("messages"), list):
            self.replace_messages([one for one in objects_of(messages) if isinstance(one.get("type"), str)])

    def put(self, name: str, message: Fields) -> None:
        """Add a message, or replace the one with the same name."""
        self.drop_from(self.places.setdefault(name, len(self.messages)))
        self.messages[name] = message

    def name_of(self, id: str) -> str:
        """Return the name of the newest message with an id."""
        copy = f"{id}{_COPY}{self.count}"
        return copy if copy in self.messages else id

    def patch(self, patch: Fields) -> bool:
        """Apply a patch to messages. Return True if it names any."""
        messages = apply_patch(self.messages, patch, self.name_of)
        if messages is not None:
            self.change_messages(messages)
        return messages is not None

    def change_messages(self, messages: dict[str, Fields]) -> None:
        """Continue with messages of which some have changed."""
        self.drop_from(common_start(self.messages.items(), messages.items()))
        self.messages = messages
        self.places = {name: place for place, name in enumerate(messages)}

    def rewind(self, first: str) -> None:
        """Remove a message and those after it."""
        place = self.places.get(first, len(self.messages))
        self.drop_from(place)
        while len(self.messages) > place:
            del self.places[self.messages.popitem()[0]]

    def replace_messages(self, messages: list[Fields]) -> None:
        """Continue with other messages: those kept by a compression, or fewer after a rewind."""
        start = max((place for place, message in enumerate(self.messages.values()) if not message), default=-1) + 1
        names = [*self.messages][start:]
        own = [as_text(message.get("id")) for message in messages]
        if own == [name.partition(_COPY)[0] for name in names[: len(own)]]:
            self.rewind(names[len(own)] if len(own) < len(names) else "")
            self.change_messages({**self.messages, **dict(zip(names, messages, strict=False))})
            return
        self.count += 1
        self.put(f"{_COPY}{self.count}", {})
        for name, message in zip(own, messages, strict=True):
            self.put(f"{name}{_COPY}{self.count}" if name in self.places else name, message)

    def drop_from(self, place: int) -> None:
        """Remove the messages from a position on, because they have changed."""
        if place < len(self.marks):
            self.log.undo(self.marks[place])
            del self.marks[place:]

    def session(self, content: Content) -> Session:
        model = self.model
        if dialect_for(model) != self.log.dialect:
            self.begin(model)
        for name in [*islice(reversed(self.messages), len(self.messages) - len(self.marks))][::-1]:
            self.marks.append(self.log.mark())
            if message := self.messages[name]:
                _add_message(self.log, name.partition(_COPY)[0] or name, message, is_copy=_COPY in name)
            else:
                self.log.begin_anew()
        mark = self.log.mark()
        _add_contents(self.log, self.contents)
        name, title = as_text(self.facts.get("sessionId")), as_text(self.facts.get("summary"))
        try:
            return self.log.session(content, GeminiCLI.name, name, title, model=model)
        finally:
            self.log.undo(mark)


def _add_message(log: LogBuilder, name: str, message: Fields, *, is_copy: bool) -> None:
    """Add a message of a chat, followed by the results of its calls. A copy of a reply is not a reply."""
    kind, time = message["type"], time_of(message.get("timestamp"))
    record = {key: value for key, value in message.items() if key not in ("content", "toolCalls", "thoughts")}
    if kind in _NOTICES:
        log.add_parts(name, "system", blocks_of(message.get("content")), record, time=time, kind="notice")
        return
    if kind == "user":
        words = blocks_of(message.get("content"))
        kind_of_words = _kind_of_prompt([block.text for block in words if isinstance(block, Text)])
        log.add_parts(name, "user", words, record, time=time, kind=kind_of_words)
        return
    calls = objects_of(message.get("toolCalls"))
    parts: list[Part] = [
        *thoughts_of("\n\n".join(map(_thought, objects_of(message.get("thoughts"))))),
        *blocks_of(message.get("content")),
        *(call_of(call.get("id"), call.get("name"), call.get("args")) for call in calls),
    ]
    facts: Fields = {"model": as_text(message.get("model")), "usage": _gemini_usage(message.get("tokens"))}
    facts = {"time": time, **({"kind": "copy"} if is_copy else facts)}
    log.add_parts(name, "assistant", parts, record, **facts)
    for call in calls:
        if "result" in call or call.get("status") not in (None, "pending"):
            result = result_of(call.get("id"), _answer(call), is_error=call.get("status") == "error")
            log.add_parts(f"{name}-result", "tool", [result], {}, time=time_of(call.get("timestamp")) or time)


def _kind_of_prompt(texts: Sequence[str]) -> Kind:
    """Return the kind of a user message by its texts: the summary of a compression, the environment, or a prompt."""
    if any(_SNAPSHOT in text[:_FIRST] for text in texts):
        return "summary"
    return "injected" if texts and texts[0].lstrip().startswith(_ENVIRONMENT) else "chat"


def _thought(thought: Fields) -> str:
    return "\n".join(filter(None, (as_text(thought.get("subject")), as_text(thought.get("description")))))


def _answer(call: Fields) -> Any:
    """Return the result of a call as the model received it."""
    parts = call.get("result")
    answers = [response_content(part) for part in (parts if isinstance(parts, list) else [parts]) if part]
    return answers or call.get("resultDisplay") or as_text(call.get("status"))


def _add_contents(log: LogBuilder, contents: Iterable[Fields]) -> None:
    calls = ContentCalls()
    for number, message in enumerate(contents, 1):
        texts = [as_text(part.get("text")) for part in objects_of(message.get("parts"))]
        kind: Kind = "chat" if is_of_model(message) else _kind_of_prompt(texts)
        calls.add(log, f"m{number}", message, message, number, kind=kind)


def _gemini_usage(tokens: Any) -> Usage | None:
    """Return the usage of a reply. Thoughts are part of its output."""
    output = token_count(tokens, "output") + token_count(tokens, "thoughts")
    return usage_unless_zero(token_count(tokens, "input"), output, token_count(tokens, "cached"), 0)
