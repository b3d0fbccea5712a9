"""What each detector sees and what it passes over, on functions written for it."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given, strategies as st

from inspector.report import KINDS, SourceFinding, analyse_source
from inspector.report.source.detectors import DETECTORS, run_detectors
from inspector.report.source.modules import ParsedModule
from inspector.report.source.subjects import MessageLists

SEEN: dict[str, dict[str, str]] = {
    "archiving": {
        "vector": """
            def swap(self, messages):
                older = messages[:-10]
                self.vector_store.add(older)
                messages = messages[-10:]
                return messages
        """
    },
    "budget loops": {
        "token window": """
            def window(history, max_tokens):
                chosen, tokens = [], 0
                for message in reversed(history):
                    tokens += count_tokens(message)
                    if tokens > max_tokens:
                        break
                    chosen.insert(0, message)
                return chosen
        """
    },
    "budgets": {
        "budget": """
            class History:
                def __init__(self, token_limit=3000):
                    self.token_limit = token_limit
        """
    },
    "builders": {
        "builder": """
            def build_prompt(self, question):
                prompt = PromptBuilder()
                prompt.add_system(self.rules)
                prompt.add_memory(self.recall(question))
                prompt.add_history(self.history)
                return prompt.build()
        """
    },
    "counting": {
        "tiktoken": """
            import tiktoken
            def count(text):
                return len(tiktoken.get_encoding("o200k_base").encode(text))
        """,
        "tokenizer": """
            def count(self, text):
                return len(self.tokenizer.encode(text))
        """,
        "api": """
            def size(self, messages):
                return self.client.messages.count_tokens(messages=messages).input_tokens
        """,
    },
    "deques": {
        "window": """
            from collections import deque
            class Talk:
                def __init__(self, size=20):
                    self.messages = deque(maxlen=size)
        """
    },
    "estimates": {
        "estimate": """
            def estimate_tokens(text):
                return len(text) // 4
        """
    },
    "fields": {
        "session": """
            class ChatHistory:
                def __init__(self):
                    self.messages: list[ChatMessage] = []
        """
    },
    "insertions": {
        "insertion": """
            def prepare(messages, system_prompt):
                messages.insert(0, {"role": "system", "content": system_prompt})
        """
    },
    "message lists": {
        "message list": """
            def prepare(self, question):
                return [{"role": "system", "content": self.rules}, *self.history, {"role": "user", "content": question}]
        """
    },
    "model calls": {
        "model call": """
            def ask(client, messages):
                return client.chat.completions.create(model="lamp-1", messages=messages)
        """
    },
    "overflow": {
        "overflow error": """
            def check(messages, token_limit):
                tokens = count_tokens(messages)
                if tokens > token_limit:
                    raise ValueError("too long")
        """,
        "overflow handler": """
            def call(self, messages):
                try:
                    return self.model.chat(messages)
                except ContextWindowExceededError:
                    return self.compact_and_retry(messages)
        """,
    },
    "pops": {
        "fifo": """
            def trim(self, max_messages):
                while len(self.history) > max_messages:
                    self.history.pop(0)
        """
    },
    "removals": {
        "removal": """
            class Talk:
                def reset(self):
                    self.messages.clear()
        """
    },
    "scores": {
        "importance": """
            def choose(self, messages, limit):
                best = sorted(messages, key=lambda message: self.importance(message))
                return best[:limit]
        """
    },
    "search": {
        "semantic": """
            class NightMemory:
                def remember(self, question):
                    return self.vectors.similarity_search(question, k=5)
        """
    },
    "slices": {
        "window": """
            def newest(messages, count):
                return messages[-count:]
        """
    },
    "storage": {
        "persistent": """
            import sqlite3
            class MessageStore:
                def save_message(self, text):
                    self.db.execute("INSERT INTO messages VALUES (?)", (text,))
        """
    },
    "summaries": {
        "summarization": """
            def compact(self, max_tokens):
                if self.total_tokens < max_tokens:
                    return
                half = len(self.history) // 2
                summary = self.llm.summarize(self.history[:half])
                self.history = [{"role": "system", "content": summary}, *self.history[half:]]
        """
    },
    "templates": {
        "template": """
            def fill(self, question):
                return PROMPT.format(tools=self.tools, history=self.history, question=question)
        """
    },
    "tool results": {
        "tool results": """
            def clear_tool_results(messages):
                for message in messages:
                    if message["role"] == "tool":
                        message["content"] = "[tool result cleared]"
        """
    },
    "usage": {
        "api": """
            def is_full(self, response):
                return response.usage.input_tokens > self.threshold
        """
    },
}
"""For each detector, what it has to see, with the kind."""

PASSED_OVER = {
    "a queue of work that is worked off": """
        def work(queue):
            while queue:
                run(queue.pop(0))
    """,
    "a list of error texts": """
        def newest(error_messages: list[str]) -> list[str]:
            return error_messages[-3:]
    """,
    "log lines that are called messages": """
        def shorten(messages: list[str], limit: int) -> list[str]:
            while len(messages) > limit:
                messages.pop(0)
            return messages
    """,
    "a look at the last message": """
        def last(messages):
            return messages[-1:]
    """,
    "what is new since a place": """
        def unseen(self, messages):
            new = messages[self.last_index:]
            return new
    """,
    "reversing": """
        def backwards(messages):
            return messages[::-1]
    """,
    "a deque without an end": """
        from collections import deque
        class Talk:
            def __init__(self):
                self.messages = deque()
    """,
    "a price for tokens": """
        def cost(usage, price):
            return usage.input_tokens * price
    """,
    "a text with its end cut off": """
        def title(text, longest):
            return text[:longest] + "..."
    """,
    "a set that things are added to": """
        import sqlite3
        class MessageStore:
            def close(self, name):
                self.closed_names.add(name)
    """,
    "a number that is no count of tokens": """
        def half(names):
            return len(names) // 2
    """,
    "an overflow of numbers": """
        def squared(number):
            try:
                return number ** 2
            except OverflowError:
                return None
    """,
    "arguments that do not fit together": """
        class Settings:
            def __init__(self, max_tokens, token_limit):
                if max_tokens > token_limit:
                    raise ValueError("max_tokens is too large")
    """,
}


def module_of(text: str) -> ParsedModule:
    return ParsedModule.of_text("night.py", dedent(text).strip("\n") + "\n")


def findings_of(folder: Path, text: str) -> list[SourceFinding]:
    """What a report on one file lists, all confidences but low."""
    (folder / "agent.py").write_text(dedent(text), encoding="utf-8")
    return [finding for finding in analyse_source(folder).findings if finding.confidence != "low"]


@pytest.mark.parametrize(
    ("name", "kind", "text"), [(name, kind, text) for name, rows in SEEN.items() for kind, text in rows.items()]
)
def test_a_detector_sees_what_it_is_for(name: str, kind: str, text: str) -> None:
    module = module_of(text)
    seen = [row for scope in module.scopes for row in DETECTORS[name](scope, MessageLists(scope))]
    assert kind in {row.kind for row in seen}


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for rows in SEEN.values() for kind, text in rows.items()])
def test_what_a_detector_sees_is_in_the_report(kind: str, text: str, tmp_path: Path) -> None:
    assert kind in {finding.kind for finding in findings_of(tmp_path, text)}


@pytest.mark.parametrize("text", PASSED_OVER.values(), ids=PASSED_OVER.keys())
def test_what_only_looks_alike_is_passed_over(text: str, tmp_path: Path) -> None:
    assert [finding.words for finding in findings_of(tmp_path, text)] == []


def test_every_detector_has_its_examples_and_every_kind_is_met() -> None:
    assert SEEN.keys() == DETECTORS.keys()
    assert {kind for rows in SEEN.values() for kind in rows} == {kind for rows in KINDS.values() for kind in rows}


@pytest.mark.parametrize("text", [text for rows in SEEN.values() for text in rows.values()])
def test_every_sighting_shows_its_line(text: str) -> None:
    module = module_of(text)
    for row in run_detectors(module):
        assert row.kind in KINDS[row.topic]
        assert row.scope in {scope.name for scope in module.scopes} | {
            f"{name}.__init__" for name in module.class_nodes
        }
        assert row.lines and row.words and not row.words.endswith(".")
        for line, code in row.lines:
            assert module.lines[line - 1].strip() == code


STATEMENTS = [text for rows in SEEN.values() for text in rows.values()] + list(PASSED_OVER.values())


def kinds_of(module: ParsedModule) -> Counter[tuple[str, str]]:
    """How often each kind is seen in each function."""
    return Counter((row.scope, row.kind) for row in run_detectors(module) if row.scope != "<module>")


@given(st.lists(st.sampled_from(STATEMENTS), min_size=1, max_size=4), st.integers(0, 3))
def test_what_stands_around_a_function_changes_nothing_of_what_is_seen_in_it(texts: list[str], blank: int) -> None:
    alone = sum((kinds_of(module_of(text)) for text in texts), Counter[tuple[str, str]]())
    together = "\n\n".join(dedent(text).strip("\n") for text in texts)
    assert kinds_of(module_of("\n" * blank + together)) == alone


NAMES = st.sampled_from(["messages", "history", "self.messages", "tokens", "limit", "summary", "role", "0", "None"])
EXPRESSIONS = st.recursive(
    NAMES,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda pair: f"({pair[0]})[-({pair[1]}):]"),
        st.tuples(inner, inner).map(lambda pair: f"[{pair[0]}, *({pair[1]})]"),
        st.tuples(inner, inner).map(lambda pair: f"f({pair[0]}, key={pair[1]})"),
        inner.map(lambda one: f"(lambda x: {one})"),
        inner.map(lambda one: f"len({one})"),
        st.tuples(inner, inner).map(lambda pair: f"({pair[0]} if {pair[1]} > limit else None)"),
    ),
    max_leaves=12,
)


@given(
    st.lists(st.tuples(st.sampled_from(["messages = {}", "return {}", "while {}: messages.pop(0)", "{}"]), EXPRESSIONS))
)
def test_any_function_can_be_read(lines: list[tuple[str, str]]) -> None:
    body = "".join(f"    {form.format(text)}\n" for form, text in lines) or "    pass\n"
    module = ParsedModule.of_text("any.py", f"def reply(self, messages, limit):\n{body}")
    assert ast.dump(module.tree)
    for row in run_detectors(module):
        assert row.kind in KINDS[row.topic]
        assert all(0 < line <= len(module.lines) for line, _ in row.lines)
