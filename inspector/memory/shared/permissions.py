"""Which agents may read and write which part of a shared memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

GROUPS = "groups"
"""The field of a shared message that names the groups it is for; one without it is for everybody."""


@dataclass(frozen=True, slots=True)
class AgentGroup:
    """Some agents, by their ids. Everything that a group's writers contribute is for its readers."""

    readers: frozenset[str]
    writers: frozenset[str]

    @classmethod
    def of(cls, members: Collection[str]) -> AgentGroup:
        """Return a group in which all members may read and write."""
        return cls(frozenset(members), frozenset(members))


@dataclass(frozen=True)
class Permissions:
    """Groups of agents, and the permissions of agents without a group.

    Contributions are visible to the groups that an agent writes to. An agent without such a group contributes to all
    agents if `outsiders_write`, otherwise to no one. Contributions to all are read by all.
    """

    groups: Mapping[str, AgentGroup] = field(default_factory=dict)
    outsiders_write: bool = True

    @classmethod
    def isolating(cls, agents: Iterable[str]) -> Permissions:
        """Return permissions with which no agent reads the contributions of another, except those to all."""
        return cls({f"only {agent}": AgentGroup.of([agent]) for agent in agents})

    def groups_read_by(self, agent_id: str) -> frozenset[str]:
        return frozenset(name for name, group in self.groups.items() if agent_id in group.readers)

    def groups_written_by(self, agent_id: str) -> frozenset[str]:
        return frozenset(name for name, group in self.groups.items() if agent_id in group.writers)

    def may_write(self, agent_id: str) -> bool:
        return self.outsiders_write or bool(self.groups_written_by(agent_id))

    def may_read(self, agent_id: str, message: Mapping[str, Any]) -> bool:
        """Return True if an agent may know that a message exists."""
        groups = message.get(GROUPS)
        return not groups or not self.groups_read_by(agent_id).isdisjoint(groups)


EVERYBODY = Permissions()
"""All agents see everything, as documented."""
