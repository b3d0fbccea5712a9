"""An OpenAI chat request in the making: messages, tool calls, and what the tools answered."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from _make.names import Names
from _make.prose import prose

from .archive import Archive
from .page import ARCHIVE, PAPERS, Page

Use = tuple[str, dict[str, Any]]


def search(query: str, top: int = 6) -> Use:
    return "search", {"query": query, "top": top}


def opened(where: str) -> Use:
    """A page by the end of its address; study keys are enough."""
    root = PAPERS if where.startswith("s-") else ARCHIVE
    return "open_page", {"url": f"{root}/{where}"}


def query(sql: str) -> Use:
    return "run_query", {"sql": sql}


def note(title: str, text: str) -> Use:
    return "note", {"title": title, "text": prose(text)}


@dataclass
class Talk:
    archive: Archive
    names: Names = field(default_factory=lambda: Names("research"))
    messages: list[dict[str, Any]] = field(default_factory=list)

    def system(self, text: str) -> None:
        self.messages.append({"role": "system", "content": prose(text)})

    def user(self, text: str) -> None:
        self.messages.append({"role": "user", "content": prose(text)})

    def say(self, text: str) -> None:
        """The assistant's last word of a turn."""
        self.messages.append({"role": "assistant", "content": prose(text)})

    def do(self, text: str, *uses: Use) -> None:
        """Say something, or nothing, and use tools; their results follow in the order of the calls."""
        calls = [
            {
                "id": self.names.short("call_", 24),
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)},
            }
            for name, arguments in uses
        ]
        self.messages.append({"role": "assistant", "content": prose(text) or None, "tool_calls": calls})
        for call, (name, arguments) in zip(calls, uses, strict=True):
            answer = getattr(self.archive, name)(**arguments)
            self.messages.append({"role": "tool", "tool_call_id": call["id"], "content": answer})

    def page(self, where: str) -> Page:
        return self.archive.pages[opened(where)[1]["url"]]


def tool(name: str, description: str, **parameters: tuple[str, str]) -> dict[str, Any]:
    """The definition of a tool; a parameter is a type and what it is for."""
    properties = {key: {"type": kind, "description": text} for key, (kind, text) in parameters.items()}
    required = [key for key in properties if key != "top"]
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


TOOLS = [
    tool(
        "search",
        "Search the archive of the city and the library of studies. Gives titles, addresses and the first words.",
        query=("string", "A few words."),
        top=("integer", "How many pages, 6 if not given."),
    ),
    tool(
        "open_page", "Open a page of the archive or a study, whole.", url=("string", "The address, as search gives it.")
    ),
    tool(
        "run_query",
        "Ask the measurement database in SQL (SQLite). Tables: streets, stations, air, trees, calls. Read only. "
        "Air is hourly, 9 to 22 July 2026, local time, degrees Celsius as recorded.",
        sql=("string", "One select statement."),
    ),
    tool(
        "note",
        "Keep a finding or a decision in the notebook of this session. Notes are printed with the memo.",
        title=("string", "At most eight words."),
        text=("string", "The finding, with source and date."),
    ),
]
