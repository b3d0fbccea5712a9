"""Join the transcript of a session with its captured requests.

The transcript gives the messages, their times and the structure of the session. The requests give what it lacks: the
system prompt, the tools, the texts that the program adds to its requests, and the reported sizes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from inspector.core.conversation import ADDITION, Message, Session, Text
from inspector.formats import LogBuilder

_UNIQUE_CHARS = 24
"""Minimum length of a reply that is recognized by its beginning and length."""
_SAME_BEGINNING = 48
"""Characters at the start of a text that are compared, because the end can be redacted."""

_REDACTED = re.compile(r"\[redacted:[^\]\n]{1,40}\]")
"""Replacement of a secret in a capture: `[redacted:api-key-1]`."""


class _CapturedPlace(NamedTuple):
    """A message of the captured requests."""

    session: Session
    position: int


@dataclass
class _Addition:
    """A message of the requests that the transcript lacks."""

    id: str
    raw: dict[str, Any]
    agent: str
    is_prompt: bool


@dataclass
class _Join:
    """A transcript that is being joined."""

    transcript: Session
    replies: dict[str, _CapturedPlace]
    """Captured replies by their ids, calls and texts."""
    before: dict[int, list[_Addition]] = field(default_factory=dict)
    """Messages to add before those at some positions of the transcript."""
    prompts: dict[int, str] = field(default_factory=dict)
    """Id of the system prompt of the contexts that begin at some positions."""
    changes: dict[int, dict[str, Any]] = field(default_factory=dict)
    """Other fields of messages of the transcript."""
    done: set[int] = field(default_factory=set)
    """Positions of the transcript that are joined."""
    matched: Counter[Session] = field(default_factory=Counter)
    """Captured sessions by the number of joined replies of the main agent."""


def join_capture(transcript: Session, captures: Sequence[Session], path: str) -> Session:
    """Return a transcript with the additions of its captured requests; or the transcript if they are of another.

    Args:
        transcript: The session as its program records it.
        captures: Sessions of a capture. Those that lack the system prompt are no requests, and are ignored.
        path: File of the capture.
    """
    join = _Join(transcript, _replies_of([one for one in captures if one.records_system], transcript.id))
    for position, message in enumerate(transcript.messages):
        if message.is_reply and (place := _captured_reply(message, join.replies)):
            _join_reply(join, position, place)
    if not join.matched:
        return transcript
    _share_prompts(join)
    return _with_facts(transcript, join.matched.most_common(1)[0][0], _joined_log(join), path)


def _with_facts(transcript: Session, main: Session, messages: tuple[Message, ...], path: str) -> Session:
    """Return the joined session with the tools and settings of the captured session of its first agent."""
    has_tools = bool(main.tools) and main.dialect == transcript.dialect
    is_whole = has_tools or (not main.tools and any(message.role == "system" for message in main.messages[:1]))
    return replace(
        transcript,
        messages=messages,
        tools=main.tools if has_tools else transcript.tools,
        settings=transcript.settings or main.settings,
        records_system=transcript.records_system or is_whole,
        capture=path,
        stated_parts=(),
    )


def reply_keys(session: Session) -> list[set[str]]:
    """Return, for each reply of a transcript or a capture, the keys by which the other one is found."""
    replies = (session.messages[place] for places in session.replies.values() for place in places)
    return [{_own_id(message) or message.id, *_reply_keys(message)} for message in replies]


def _own_id(message: Message) -> str:
    """Return the id of a captured reply that the API gave it; "" for any other."""
    own = message.record.get("id")
    return own if isinstance(own, str) else ""


def _replies_of(captures: Sequence[Session], id: str) -> dict[str, _CapturedPlace]:
    """Return the captured replies by each of their keys. A key of several different replies is left out.

    Args:
        captures: Sessions of captured requests, or a joined session that is stored.
        id: Id of the transcript.
    """
    places: dict[str, _CapturedPlace] = {}
    counts = Counter[str]()
    for session in captures:
        for position in (place for places_of_agent in session.replies.values() for place in places_of_agent):
            message = session.messages[position]
            same = message.id if session.id == id else ""
            keys = {_own_id(message), same, *_reply_keys(message)} - {""}
            counts.update(keys)
            places |= dict.fromkeys(keys, _CapturedPlace(session, position))
    return {key: place for key, place in places.items() if counts[key] == 1}


def _reply_keys(message: Message) -> Iterator[str]:
    yield from (f"call {call.id}" for call in message.calls if call.id)
    if not message.calls and message.chars >= _UNIQUE_CHARS:
        yield f"text {message.chars} {message.preview}"


def _captured_reply(message: Message, replies: dict[str, _CapturedPlace]) -> _CapturedPlace | None:
    return next((replies[key] for key in (message.id, *_reply_keys(message)) if key in replies), None)


def _join_reply(join: _Join, position: int, place: _CapturedPlace) -> None:
    """Join the messages between a reply and the last joined ones before it."""
    transcript, capture = join.transcript, place.session
    message, reply = transcript.messages[position], capture.messages[place.position]
    ours = transcript.path_to(message.parent, join.done)
    first = transcript.messages[ours[0]] if ours else message
    if message.usage is None or reply.usage is not None:
        join.changes[position] = {"usage": reply.usage, "model": message.model or reply.model}
    if message.agent == transcript.agents[0]:
        join.matched[capture] += 1
    join.done.update(ours, (position,))
    if first.parent >= 0:
        theirs = _since_reply(join, first.parent, place)
    else:
        theirs = capture.path_to(reply.parent)
        if not any(transcript.messages[one].role == "system" for one in ours):
            _add_prompt(join, ours[0] if ours else position, theirs, message.agent, capture)
    _align(join, ours, [one for one in theirs if capture.messages[one].role != "system"], position, capture)


def _since_reply(join: _Join, anchor: int, place: _CapturedPlace) -> list[int]:
    """Return the positions of the captured messages after the newest joined reply of the transcript; [] if unknown.

    Args:
        join: The join.
        anchor: Position in the transcript of the message before those that are joined.
        place: The captured reply after them.
    """
    messages, (capture, position) = join.transcript.messages, place
    known: _CapturedPlace | None = None
    while anchor >= 0 and not known:
        known = _captured_reply(messages[anchor], join.replies) if messages[anchor].is_reply else None
        anchor = messages[anchor].parent
    if known is None:
        return []
    end = capture.messages[position].parent
    theirs = capture.path_to(end, {known.position} if known.session is capture else ())
    if known.session is capture and known.position in (end, *(capture.messages[one].parent for one in theirs[:1])):
        return theirs
    reply = known.session.messages[known.position]
    copies = (at for at in range(len(theirs) - 1, -1, -1) if capture.messages[theirs[at]].role == "assistant")
    place_of_copy = next((at for at in copies if _is_same_reply(reply, capture.messages[theirs[at]])), None)
    return [] if place_of_copy is None else theirs[place_of_copy + 1 :]


def _add_prompt(join: _Join, first: int, theirs: Sequence[int], agent: str, capture: Session) -> None:
    """Begin the context at a position with the system prompt of a request. One that an agent has is used again."""
    prompt = next((capture.messages[one] for one in theirs if capture.messages[one].role == "system"), None)
    if prompt is None:
        return
    known = [one for additions in join.before.values() for one in additions if one.is_prompt and one.agent == agent]
    same = next((one for one in known if _prompt_text(one.raw) == prompt.text), None)
    if same is None:
        same = _Addition(_id_of_addition(prompt, capture), dict(prompt.raw), agent, is_prompt=True)
        start = next(place for place, one in enumerate(join.transcript.messages) if one.agent == agent)
        join.before.setdefault(first if known else start, []).insert(0, same)
    join.prompts[first] = same.id


def _prompt_text(raw: dict[str, Any]) -> str:
    content = raw.get("content")
    if isinstance(content, str):
        return content
    return "\n\n".join(str(block.get("text", "")) for block in content or () if isinstance(block, dict))


def _id_of_addition(message: Message, capture: Session, part: str = "") -> str:
    if message.id.startswith(ADDITION):
        return message.id + part[1:]
    own = message.id.replace("#", ".")
    return f"{ADDITION}{capture.id[:12]}-{own}" + (f"-{part}" if part else "")


def _align(join: _Join, ours: Sequence[int], theirs: Sequence[int], reply: int, capture: Session) -> None:
    """Find the texts of a request between the messages of the transcript, and messages that it lacks.

    Args:
        join: The join.
        ours: Positions of the messages of the transcript before a reply.
        theirs: Positions of the captured messages for them.
        reply: Position of the reply in the transcript.
        capture: Session of the captured messages.
    """
    messages = join.transcript.messages
    pieces = list(_sent_pieces(theirs, capture))
    at = 0
    for index, position in enumerate(ours):
        place = _find(messages[position], pieces, at)
        if place < 0:
            if pieces and messages[position].kind == "injected":
                join.changes.setdefault(position, {})["kind"] = "notice"
            continue
        before, after = _rests_of_piece(messages[position], pieces[place])
        _add_pieces(join, position, [*pieces[at:place], *before], capture, ours[index:])
        pieces[place : place + 1] = after
        at = place
    _add_pieces(join, reply, pieces[at:], capture, ())


class _SentPiece(NamedTuple):
    """A text, a result or another part of a captured message."""

    message: Message
    name: str
    """Distinguishes it from the other pieces of the message."""
    text: str
    """The text; empty for anything but a text of the user."""
    answers: str
    """Id of the call that a result answers."""


def _sent_pieces(theirs: Sequence[int], capture: Session) -> Iterator[_SentPiece]:
    for position in theirs:
        message = capture.messages[position]
        if message.answers is not None:
            yield _SentPiece(message, "", "", message.answers)
        elif message.role == "assistant":
            yield _SentPiece(message, "", "", "")
        else:
            for number, part in enumerate(message.parts if message.kind != "notice" else ()):
                if isinstance(part, Text) and part.text.strip():
                    yield _SentPiece(message, str(number + 1), part.text, "")


def _rests_of_piece(message: Message, piece: _SentPiece) -> tuple[list[_SentPiece], list[_SentPiece]]:
    """Return the parts of a captured text before and after the text of the transcript that it contains."""
    before, _, after = piece.text.partition(message.text.strip()) if piece.text else ("", "", "")
    if not before.strip() and not after.strip():
        return [], []
    rests = ((before, f"{piece.name}a"), (after, f"{piece.name}b"))
    pieces = [[piece._replace(text=text.strip(), name=name)] if text.strip() else [] for text, name in rests]
    return pieces[0], pieces[1]


def _find(message: Message, pieces: Sequence[_SentPiece], start: int) -> int:
    """Return the place of the newest piece of a message, or -1."""
    if message.answers is not None:
        return next((at for at in range(start, len(pieces)) if pieces[at].answers == message.answers), -1)
    if message.role == "assistant":
        same = (at for at in range(start, len(pieces)) if pieces[at].message.role == "assistant")
        return next((at for at in same if _is_same_reply(message, pieces[at].message)), -1)
    newest = -1
    for part in message.parts:
        if isinstance(part, Text) and part.text.strip():
            first = max(start, newest + 1)
            place = next((at for at in range(first, len(pieces)) if _is_same_text(part.text, pieces[at].text)), -1)
            newest = max(newest, place)
    return newest


def _is_same_reply(message: Message, other: Message) -> bool:
    return message.calls == other.calls if message.calls else message.preview == other.preview


def _is_same_text(text: str, sent: str) -> bool:
    """Return True if a text of the transcript was sent as another one, in which secrets can be redacted."""
    text, sent = text.strip(), sent.strip()
    is_part = text in sent if len(text) >= _UNIQUE_CHARS else f"\n{text}\n" in f"\n{sent}\n"
    return bool(sent and text) and (is_part or _begin_alike(text, sent) or _is_redacted_form(text, sent))


def _is_redacted_form(text: str, sent: str) -> bool:
    """Return True if a text becomes another one when its secrets are redacted."""
    pieces = _REDACTED.split(sent)
    if len(pieces) == 1 or not any(map(str.strip, pieces)):
        return False
    place = 0
    for piece in pieces:
        place = text.find(piece, place)
        if place < 0:
            return False
        place += len(piece)
    return True


def _begin_alike(text: str, sent: str) -> bool:
    length = min(_SAME_BEGINNING, len(text), len(sent))
    return length >= _UNIQUE_CHARS and text[:length] == sent[:length]


def _add_pieces(
    join: _Join, position: int, pieces: Sequence[_SentPiece], capture: Session, later: Sequence[int]
) -> None:
    """Add the texts of the user in some pieces before a message, unless a later message states them."""
    messages = join.transcript.messages
    agent = messages[position].agent
    for piece in pieces:
        if not piece.text or any(_find(messages[one], [piece], 0) == 0 for one in later):
            continue
        raw = {"role": "user", "content": piece.text}
        addition = _Addition(_id_of_addition(piece.message, capture, piece.name), raw, agent, is_prompt=False)
        join.before.setdefault(position, []).append(addition)


def _share_prompts(join: _Join) -> None:
    """Begin the contexts that were not captured with the prompt of the agent's context before, or else its first."""
    known: dict[str, str] = {}
    messages = join.transcript.messages
    roots = [place for place, message in enumerate(messages) if message.parent < 0 and message.role != "system"]
    for additions in join.before.values():
        for one in additions:
            if one.is_prompt:
                known.setdefault(one.agent, one.id)
    for place in roots:
        agent = messages[place].agent
        if place in join.prompts:
            known[agent] = join.prompts[place]
        elif agent in known:
            join.prompts[place] = known[agent]


def _joined_log(join: _Join) -> tuple[Message, ...]:
    """Return the messages of the transcript with those that are added, which follow each other in each context."""
    log, new = LogBuilder(join.transcript.dialect), dict[int, int]()
    places: dict[str, int] = {}
    joined: list[Message] = []
    for position, message in enumerate(join.transcript.messages):
        parent = new.get(message.parent, -1)
        waiting = join.before.get(position, ())
        for one in waiting:
            if one.is_prompt:
                places[one.id] = len(joined)
                joined.append(_added(log, one, -1))
        if message.parent < 0 and position in join.prompts:
            parent = places.get(join.prompts[position], -1)
        for one in waiting:
            if not one.is_prompt:
                joined.append(_added(log, one, parent))
                parent = len(joined) - 1
        new[position] = len(joined)
        if parent == message.parent and position not in join.changes:
            joined.append(message)
        else:
            joined.append(replace(message, parent=parent, **join.changes.get(position, {})))
    return tuple(joined)


def _added(log: LogBuilder, addition: _Addition, parent: int) -> Message:
    kind = "chat" if addition.is_prompt else "injected"
    place = log.add(addition.id, addition.raw, {}, agent=addition.agent, after=parent, kind=kind)
    return log.messages[place]
