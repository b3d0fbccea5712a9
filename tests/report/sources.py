"""Sources written for the tests: small agents that remember, each in its own way, and programs that only look alike."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

AGENT = {
    "lighthouse/types.py": '''
        """Messages of the keeper."""
        from dataclasses import dataclass

        @dataclass
        class Note:
            role: str
            content: str
    ''',
    "lighthouse/agent.py": '''
        """The keeper's agent."""
        from lighthouse.types import Note
        from lighthouse.trimming import keep_newest

        class Keeper:
            def __init__(self, llm, lamp_prompt, window=12):
                self.llm = llm
                self.lamp_prompt = lamp_prompt
                self.window = window
                self.history: list[Note] = []

            def run(self, question):
                self.history.append(Note(role="user", content=question))
                return self._answer(question)

            def _answer(self, question):
                messages = [{"role": "system", "content": self.lamp_prompt}, *keep_newest(self.history, self.window)]
                messages.append({"role": "user", "content": question})
                return self.llm.chat(messages=messages, tools=[])
    ''',
    "lighthouse/trimming.py": '''
        """Windows."""
        from lighthouse.types import Note

        def keep_newest(history: list[Note], window: int) -> list[Note]:
            return history[-window:]
    ''',
    "tests/test_agent.py": "def test_nothing():\n    messages = []\n    messages.pop(0)\n",
    "web/page.ts": "export const lamp = 1;\n",
}
"""A package of three files, with a test and a file of another language beside it."""


def write_source(root: Path, files: dict[str, str]) -> Path:
    """Write files under a folder; it is given back."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text).lstrip("\n"), encoding="utf-8")
    return root
