"""Who takes part in a session, and who wrote each message of it.

Two kinds of recordings hold several agents. In most, each agent has a context of its own (`Message.agent`), as
sub-agents have. In a group chat there is one conversation, whose messages name who speaks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from inspector.core.conversation import MAIN, Message, Session

PERSON = "person"
"""Who typed what no agent wrote."""
_THOUGHT = "(thought)"
"""How group chats mark what a speaker told nobody."""
_MIN_SPEAKERS = 2
"""Different speakers from which on one conversation is a group chat."""


@dataclass(frozen=True)
class Participants:
    """The agents of a session, and who wrote which message. Messages are known by their positions in the log."""

    names: tuple[str, ...]
    """The agents, the main one first, then in the order in which they came in."""
    writers: Sequence[str]
    """For each message: the agent that wrote it, `PERSON`, or "" for what a tool or a program put in."""
    order: Sequence[int]
    """All positions in the order of time, as far as the recording tells it; else in that of the log."""
    is_chat: bool = False
    """Whether all agents speak in one conversation."""
    groups: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The groups that messages are recorded to be for, each with the agents that wrote for it."""
    audiences: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """For each message that is not for everybody: the groups that it is for."""

    def may_read(self, reader: str, position: int) -> bool:
        """Whether a message is for an agent, as far as groups were recorded."""
        audience = self.audiences.get(position)
        return audience is None or any(reader in self.groups[group] for group in audience)


def read_participants(session: Session) -> Participants:
    """The parties of a session. Raises OSError where a recording can no longer be read."""
    if len(session.agents) > 1:
        writers = [_writer_in_context(message) for message in session.messages]
        groups, audiences = _groups_of(session, writers)
        return Participants(_agents_of(session), writers, _order_of(session), groups=groups, audiences=audiences)
    speakers = _speakers(session)
    names = [name for name in dict.fromkeys(speakers) if name not in ("", PERSON)]
    if len(names) < _MIN_SPEAKERS:
        return Participants(session.agents, [_writer_in_context(message) for message in session.messages], ())
    groups, audiences = _groups_of(session, speakers)
    return Participants(tuple(names), speakers, range(len(session.messages)), True, groups, audiences)


def _agents_of(session: Session) -> tuple[str, ...]:
    """The agents, the main one first; without it where only a person speaks there."""
    return tuple(name for name in session.agents if name != MAIN or session.turns(MAIN))


def _writer_in_context(message: Message) -> str:
    if message.is_reply:
        return message.agent
    return PERSON if message.role == "user" and message.kind == "chat" and message.agent == MAIN else ""


def _order_of(session: Session) -> list[int]:
    """Positions by time.

    A message without one comes when the one before it in its agent's log came; an agent's first, when the one before it
    in the whole log did.
    """
    newest: dict[str, str] = {}
    times: list[str] = []
    for message in session.messages:
        before = newest.get(message.agent) or (times[-1] if times and not message.time else "")
        newest[message.agent] = max(message.time, before)
        times.append(newest[message.agent])
    return sorted(range(len(times)), key=times.__getitem__)


def _speakers(session: Session) -> list[str]:
    """Who speaks each message of a conversation with names in it."""
    return [_speaker(message) if message.speaks else "" for message in session.messages]


def _speaker(message: Message) -> str:
    name = message.name or _text_of(message, "agent_id")
    if name:
        return name
    return PERSON if message.role == "user" else message.agent


def _text_of(message: Message, key: str) -> str:
    """A text that a recorder noted on a message; Claude Code's transcripts, long ones on disk, have none of it."""
    value = "" if message.dialect == "anthropic" else message.raw.get(key)
    return value if isinstance(value, str) else ""


def _groups_of(
    session: Session, speakers: Sequence[str]
) -> tuple[dict[str, frozenset[str]], dict[int, tuple[str, ...]]]:
    """The recorded groups with who wrote for them, and the messages that are for groups."""
    members: dict[str, set[str]] = {}
    audiences: dict[int, tuple[str, ...]] = {}
    for position, message in enumerate(session.messages):
        if groups := _audience(message, speakers[position]) if speakers[position] else ():
            audiences[position] = groups
            for group in groups:
                members.setdefault(group, set()).add(speakers[position])
    return {name: frozenset(agents) for name, agents in sorted(members.items())}, audiences


def _audience(message: Message, speaker: str) -> tuple[str, ...]:
    """The groups that a message is for; that of its speaker alone for what was only thought; none for everybody."""
    if message.dialect == "anthropic":
        return ()
    raw, record = message.body.load()
    groups = raw.get("groups") or record.get("groups")
    if isinstance(groups, list | tuple) and groups:
        return tuple(sorted(map(str, groups)))
    return (f"only {speaker}",) if str(record.get("role")).endswith(_THOUGHT) else ()


def is_private(group: str, writers: Collection[str]) -> bool:
    """Whether a group stands for what one agent told nobody."""
    return [group] == [f"only {writer}" for writer in writers]


def count_calls(session: Session, parties: Participants) -> Counter[str]:
    """How many model calls each agent made."""
    pairs = zip(session.messages, parties.writers, strict=True)
    return Counter(writer for message, writer in pairs if message.is_reply)
