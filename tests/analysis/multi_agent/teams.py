"""Sessions of several agents, written by hand."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from inspector.core.conversation import MAIN, Message, Session
from inspector.llm.providers import message_from_raw


@dataclass
class Team:
    """A log in the making. Every agent has a context of its own; `shared` puts all into one."""

    shared: bool = False
    messages: list[Message] = field(default_factory=list)
    heads: dict[str, int] = field(default_factory=dict)

    def add(self, agent: str, raw: dict[str, Any], **facts: Any) -> int:
        context = MAIN if self.shared else agent
        position = len(self.messages)
        values: dict[str, Any] = {"agent": context, "parent": self.heads.get(context, -1)} | facts
        self.messages.append(message_from_raw(f"m{position}", raw, "openai", **values))
        self.heads[context] = position
        return position

    def ask(self, text: str, agent: str = MAIN) -> int:
        """What the person asks, or what an agent is asked."""
        return self.add(agent, {"role": "user", "content": text})

    def say(self, text: str, agent: str = MAIN, **raw: Any) -> int:
        name = {"name": agent} if self.shared and "agent_id" not in raw else {}
        return self.add(agent, {"role": "assistant", "content": text, **name, **raw})

    def call(self, id: str, name: str, agent: str = MAIN, **arguments: Any) -> int:
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"id": id, "type": "function", "function": function}
        return self.add(agent, {"role": "assistant", "content": None, "tool_calls": [call]})

    def answer(self, id: str, text: str, agent: str = MAIN) -> int:
        return self.add(agent, {"role": "tool", "tool_call_id": id, "content": text})

    def read(self, path: str, text: str, agent: str = MAIN, **more: Any) -> int:
        """A file is read; the position of its text."""
        name = f"read-{len(self.messages)}"
        self.call(name, "Read", agent, file_path=path, **more)
        return self.answer(name, text, agent)

    def session(self) -> Session:
        return Session("team", "A team", "openai", tuple(self.messages), model="gpt-4o")


TASK = "Count the beehives on the hill and tell how many stand in the shade of the oaks."
REPORT = "There are 344 hives on the hill; the list is in survey/hives-2031.csv, by hill and by row."


def helped(report: str = REPORT) -> Team:
    """A person asks, the main agent hands it over, a helper reports, and the main agent goes on."""
    team = Team()
    team.ask("How are my bees?")
    team.call("t1", "Task", prompt=TASK, description="count")
    team.ask(TASK, "counter")
    team.read(
        "survey/hives-2031.csv", "\n".join(f"row {row} of the hill has {row + 7} hives" for row in range(20)), "counter"
    )
    team.say(report, "counter")
    team.answer("t1", f"{report}\n\nagentId: c1")
    team.say("Your list is in survey/hives-2031.csv: 344 hives.")
    return team
