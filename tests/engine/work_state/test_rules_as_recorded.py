"""Rules, failures, plans and command texts as programs record them: wrapped, quoted, attached or escaped."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from inspector.core.conversation import InMemoryBody, Message, Text, ToolResult
from inspector.engine.work_state import fold
from inspector.engine.work_state.instruction_reads import text_of_file
from inspector.engine.work_state.instruction_rules import rules_of_instruction
from inspector.engine.work_state.result_news import news_of
from inspector.engine.work_state.rule_bans import bans_in
from inspector.engine.work_state.user_words import read_user_words
from tests.engine.work_state.scripts import User, session_of


def _said(text: str, kind: Literal["chat", "injected"] = "chat") -> Message:
    return Message(text[:20], "user", InMemoryBody({"role": "user", "content": text}), kind=kind)


def test_a_rule_that_goes_on_in_the_next_line_is_whole() -> None:
    text = (
        "1. Never read raw logs unless\n   `tool logs` fails.\n\nDo not sort\nit all\n\n- Never stop\n- Always Go on\n"
    )
    assert rules_of_instruction(text) == (
        "Never read raw logs unless `tool logs` fails.",
        "Do not sort it all",
        "Never stop",
        "Always Go on",
    )


def test_a_rule_without_an_object_of_its_own_is_none() -> None:
    assert rules_of_instruction("If a skill fits, you have no choice.\n\nYOU MUST USE IT.\n") == ()


def test_the_fields_of_each_of_several_files_are_no_rules() -> None:
    field = "---\ndescription: Use only when the user asks for it\n---\n"
    shown = f"==> a/SKILL.md <==\n{field}\nNever guess.\n\n==> b/SKILL.md <==\n{field}\nNever wait.\n"
    assert rules_of_instruction(text_of_file(shown)) == ("Never guess.", "Never wait.")


def test_a_sub_agent_after_a_comma_is_not_limited_to_one() -> None:
    assert not any(ban.most for ban in bans_in("If there isn't one, the Spec sub-agent will skip it."))
    assert any(ban.most for ban in bans_in("Use only one background sub-agent."))


@pytest.mark.parametrize(
    "sentence",
    [
        "Make sure the details view is loaded when a row is selected",
        "keep the grouping by session and add a second view",
        "Only the message of the agent should have an avatar.",
        "can you check that they don't repeat it, don't test libraries and are useful",
    ],
)
def test_a_wish_about_the_result_is_no_rule(sentence: str) -> None:
    assert read_user_words(sentence).rules == ()


@pytest.mark.parametrize(
    "sentence",
    [
        "Keep all commits small.",
        "Make sure you ask first.",
        "Keep the bundle below 200 kB.",
        "Only use tabs in this repo.",
    ],
)
def test_a_wish_about_the_work_is_a_rule(sentence: str) -> None:
    assert read_user_words(sentence).rules == (sentence,)


@pytest.mark.parametrize(
    "attached",
    [
        "\n--- Content from referenced files ---\nContent from @GUIDE.md:\nNever publish it.",
        "\nCalled the Read tool with the following input: {}\nNever publish it.",
        "\n>>> TRANSCRIPT START\n[1] user: Never publish it.",
    ],
)
def test_attached_texts_are_not_words_of_the_user(attached: str) -> None:
    words = read_user_words(f"Never push.\n{attached}")
    assert (words.text.strip(), words.rules) == ("Never push.", ("Never push.",))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 1\nOriginal token count: 0\nOutput:\n", ""),
        (
            'Script completed\nWall time 1.0 seconds\nOutput:\n\n{"exit_code":1,"output":"\\n RUN  v4\\n'
            '\\u001b[31mError: listen EPERM\\u001b[0m\\n    at x"}',
            "Error: listen EPERM",
        ),
    ],
)
def test_the_failing_line_is_one_of_the_command(text: str, line: str) -> None:
    assert news_of(ToolResult("c", (Text(text),), is_error=True)).line == line


def test_the_text_of_a_slash_command_is_an_instruction() -> None:
    command = _said("<command-name>/ship</command-name>")
    text = _said("Ship the branch.\n\nNever push to main.\n" + "Step. " * 60, "injected")
    state = fold((command, text))
    assert [item.name for item in state.of("instruction")] == ["ship"]
    assert [item.text for item in state.of("rule")] == ["Never push to main."]
    assert not fold((_said("Hello."), text)).of("instruction")


def test_a_plan_that_the_user_gives_is_approved(tmp_path: Path) -> None:
    given = User("Implement the following plan:\n\n# Fix the pump\n1. Edit pump.py\n2. Test it")
    session = session_of((given,), "claude-code", tmp_path)
    plan = fold(session.messages).of("plan")[0]
    assert (plan.text, plan.state) == ("Fix the pump", "approved")
