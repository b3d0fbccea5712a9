"""A list counts if it is sent, kept or returned to callers; one that only a text or another request uses does not."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from inspector.report.source.analysis import SourceReport, analyse_source, main_assembly
from tests.report.sources import write_source

CALL = "client.chat.completions.create(model=m, messages={})\n"


def report_of(tmp_path: Path, text: str) -> SourceReport:
    return analyse_source(write_source(tmp_path, {"agent.py": dedent(text)}))


def evictions(tmp_path: Path, text: str) -> list[tuple[str, str]]:
    return [(finding.kind, finding.confidence) for finding in report_of(tmp_path, text).of("eviction")]


SENT = {
    "in the function": "def ask(client, m, messages: list[ChatMessage]):\n    return " + CALL.format("messages[-20:]"),
    "by the caller": """
        def recent(messages: list[ChatMessage]):
            return messages[-20:]
        def ask(client, m, messages):
            short = recent(messages)
            return client.chat.completions.create(model=m, messages=short)
        """,
    "through a parameter": """
        def ask(client, m, messages: list[ChatMessage]):
            return send(client, m, [convert(one) for one in messages[-20:]])
        def send(client, m, rows):
            return client.chat.completions.create(model=m, messages=rows)
        """,
    "through a field": """
        class Agent:
            def shorten(self):
                self.messages: list[ChatMessage] = self.messages[-20:]
            def ask(self, client, m):
                self.shorten()
                return client.chat.completions.create(model=m, messages=self.messages)
        """,
    "in place": """
        def shorten(messages: list[ChatMessage]):
            while len(messages) > 20:
                messages.pop(0)
        def ask(client, m, messages: list[ChatMessage]):
            shorten(messages)
            return client.chat.completions.create(model=m, messages=messages)
        """,
}
UNUSED = {
    "a text": """
        def describe(messages: list[ChatMessage]):
            return "; ".join(one.content for one in messages[-20:])
        """,
    "the input of another request": """
        def generate_title(client, m, messages: list[ChatMessage]):
            return client.chat.completions.create(model=m, messages=messages[-20:])
        """,
    "the last calls": """
        def names(messages: list[ChatMessage]):
            rows = []
            for one in messages[-20:]:
                rows.append(one.name)
            return rows
        def show(messages):
            print(names(messages))
        """,
    "an inserted element": """
        def ask(client, m, messages: list[ChatMessage], place, note):
            messages = messages[:place] + [note] + messages[place:]
            return client.chat.completions.create(model=m, messages=messages)
        """,
}


@pytest.mark.parametrize("way", SENT)
def test_a_shortened_list_that_reaches_a_model_call_is_an_eviction(way: str, tmp_path: Path) -> None:
    assert [kind for kind, _ in evictions(tmp_path, SENT[way])] in (["window"], ["fifo"])


@pytest.mark.parametrize("use", UNUSED)
def test_a_shortened_list_that_is_neither_sent_nor_kept_is_none(use: str, tmp_path: Path) -> None:
    assert evictions(tmp_path, UNUSED[use]) == []


@pytest.mark.parametrize(
    "text",
    [
        """
        def compact(messages: list[ChatMessage], system, llm):
            summary = summarize_messages(messages, llm)
            messages.clear()
            messages.extend(system)
            messages.append(summary)
        def ask(client, m, messages: list[ChatMessage]):
            compact(messages, [], client)
            return client.chat.completions.create(model=m, messages=messages)
        """,
        """
        def view(messages: list[ChatMessage], summary, cutoff):
            return [summary, *messages[cutoff:]]
        def ask(client, m, messages, summary):
            return client.chat.completions.create(model=m, messages=view(messages, summary, 9))
        """,
        """
        def before_model(state, llm):
            summary = summarize_messages(state["messages"], llm)
            return {"messages": [RemoveMessage(id="all"), summary, *state["messages"][-5:]]}
        """,
    ],
)
def test_summaries_that_replace_messages_are_recognised_in_each_form(text: str, tmp_path: Path) -> None:
    assert "summarization" in [kind for kind, _ in evictions(tmp_path, text)]


def test_the_headline_is_the_list_nearest_to_the_model_call(tmp_path: Path) -> None:
    report = report_of(
        tmp_path,
        """
        class Agent:
            def outline(self, history):
                return [{"role": "system", "content": self.prompt}, *history]
            def ask(self, client, m, history, question):
                messages = [{"role": "system", "content": self.prompt}, *history]
                return client.chat.completions.create(model=m, messages=messages)
        """,
    )
    headline = main_assembly(report.findings)
    assert headline is not None and headline.scope == "Agent.ask"


def test_a_number_that_counts_no_tokens_is_no_budget(tmp_path: Path) -> None:
    text = "window_size = 3\nsummary_limit = 500\nmax_history_tokens = 2000\nhistory: list = []\n"
    assert [finding.detail for finding in report_of(tmp_path, text).of("tokens")] == ["max_history_tokens = 2000"]
