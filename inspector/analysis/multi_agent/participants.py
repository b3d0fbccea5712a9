"""Identify the participants of a session and the writer of each message.

Two kinds of recordings contain several agents. In most, each agent has a separate context (`Message.agent`), for
example a sub-agent. In a group chat there is one conversation, whose messages name their speakers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from inspector.core.conversation import MAIN, Message, Session

PERSON = "person"
"""Writer of messages that a user typed."""
_THOUGHT = "(thought)"
"""Mark with which group chats label a speaker's private thoughts."""
_MIN_SPEAKERS = 2
"""Minimum number of distinct speakers in a group chat."""


@dataclass(frozen=True)
class Participants:
    """Agents of a session, and the writer of each message by its position in the log."""

    names: tuple[str, ...]
    """Names of the agents in order of appearance. If they have separate contexts, the main agent is first."""
    writers: Sequence[str]
    """Writer of each message: an agent, `PERSON`, or "" for text inserted by a tool or a program."""
    order: Sequence[int]
    """Positions in chronological order as far as times are recorded; empty if there is only one agent."""
    is_chat: bool = False
    """True if all agents speak in one conversation."""
    groups: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Recorded groups that messages are addressed to, each with the agents that wrote to it."""
    audiences: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """Groups that each message is addressed to, for messages that are not for everyone."""

    def may_read(self, reader: str, position: int) -> bool:
        """Return True if a message is addressed to an agent, according to the recorded groups."""
        audience = self.audiences.get(position)
        return audience is None or any(reader in self.groups[group] for group in audience)


def read_participants(session: Session) -> Participants:
    """Identify the participants of a session.

    Raises:
        OSError: If the recording can no longer be read.
    """
    if len(session.agents) > 1:
        writers = [_writer_in_context(message) for message in session.messages]
        groups, audiences = _groups_of(session, writers)
        return Participants(_agents_of(session), writers, _order_of(session), groups=groups, audiences=audiences)
    speakers = [_speaker(message) if message.speaks else "" for message in session.messages]
    names = [name for name in dict.fromkeys(speakers) if name not in ("", PERSON)]
    if len(names) < _MIN_SPEAKERS:
        return Participants(session.agents, [_writer_in_context(message) for message in session.messages], ())
    groups, audiences = _groups_of(session, speakers)
    return Participants(tuple(names), speakers, range(len(session.messages)), True, groups, audiences)


def _agents_of(session: Session) -> tuple[str, ...]:
    """Return the agents, the main agent first; without it if it never replies."""
    return tuple(name for name in session.agents if name != MAIN or session.turns(MAIN))


def _writer_in_context(message: Message) -> str:
    if message.is_reply:
        return message.agent
    return PERSON if message.role == "user" and message.kind == "chat" and message.agent == MAIN else ""


def _order_of(session: Session) -> list[int]:
    """Return all positions sorted by time.

    A message without a time gets that of the previous message of its agent, or of the whole log if it is the agent's
    first.
    """
    newest: dict[str, str] = {}
    times: list[str] = []
    for message in session.messages:
        before = newest.get(message.agent) or (times[-1] if times and not message.time else "")
        newest[message.agent] = max(message.time, before)
        times.append(newest[message.agent])
    return sorted(range(len(times)), key=times.__getitem__)


def _speaker(message: Message) -> str:
    name = message.name or _text_of(message, "agent_id")
    if name:
        return name
    return PERSON if message.role == "user" else message.agent


def _text_of(message: Message, key: str) -> str:
    """Return a text that a recorder added to a message.

    Claude Code transcripts never contain one, and reading them from disk is slow, so they are skipped.
    """
    value = "" if message.dialect == "anthropic" else message.raw.get(key)
    return value if isinstance(value, str) else ""


def _groups_of(
    session: Session, speakers: Sequence[str]
) -> tuple[dict[str, frozenset[str]], dict[int, tuple[str, ...]]]:
    """Return the recorded groups with their writers, and the groups that each message is addressed to."""
    members: dict[str, set[str]] = {}
    audiences: dict[int, tuple[str, ...]] = {}
    for position, message in enumerate(session.messages):
        if groups := _audience(message, speakers[position]) if speakers[position] else ():
            audiences[position] = groups
            for group in groups:
                members.setdefault(group, set()).add(speakers[position])
    return {name: frozenset(agents) for name, agents in sorted(members.items())}, audiences


def _audience(message: Message, speaker: str) -> tuple[str, ...]:
    """Return the groups that a message is addressed to: a private group for thoughts, none if it is for everyone."""
    if message.dialect == "anthropic":
        return ()
    raw, record = message.body.load()
    groups = raw.get("groups") or record.get("groups")
    if isinstance(groups, list | tuple) and groups:
        return tuple(sorted(map(str, groups)))
    return (f"only {speaker}",) if str(record.get("role")).endswith(_THOUGHT) else ()


def is_private(group: str, writers: Collection[str]) -> bool:
    """Return True if a group contains only an agent's private thoughts."""
    return [group] == [f"only {writer}" for writer in writers]


def count_calls(session: Session, parties: Participants) -> Counter[str]:
    """Count the model calls of each agent."""
    pairs = zip(session.messages, parties.writers, strict=True)
    return Counter(writer for message, writer in pairs if message.is_reply)
