"""Write kept replies as test cases of promptfoo, inspect-ai and pytest: the same request must give the same step.

A reply with calls must call the same tools with the same arguments; a reply with text must contain its values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from inspector.analysis.asking.kept_replies import kept_reply
from inspector.analysis.asking.step_agreement import WORDED_CLASSES
from inspector.core.text import plain_dumps, printable_json
from inspector.engine.facts import extract
from inspector.llm.providers import text_message
from inspector.store import Experiment

_MAX_VALUES = 8
_TEMPLATES = ("{{", "{%", "{#")
"""Beginnings of expressions in promptfoo's templates."""
_MARK = "\0"


def case_rows(
    experiments: Sequence[Experiment], request: Callable[[int], Mapping[str, Any] | None]
) -> Iterator[dict[str, Any]]:
    """Yield the experiments whose requests are kept as cases.

    Args:
        experiments: Experiments of a session.
        request: Returns the request of an experiment by its number.
    """
    for row in experiments:
        body, reply = request(row.number), kept_reply(row)
        if body is None:
            continue
        facts = extract(text_message("", "assistant", reply.text, "openai")) if not reply.calls else ()
        values = [fact.text for fact in facts if fact.cls not in WORDED_CLASSES and fact.text in reply.text]
        texts = values or [text for text in [reply.text.strip()] if text]
        yield {
            "name": f"{row.about.get('context')}, turn {row.about.get('turn')}, sample {row.sample}",
            "api": row.about.get("api"),
            "model": row.about.get("model"),
            "request": body,
            "reply": reply.text,
            "contains": [] if reply.calls else list(dict.fromkeys(texts))[:_MAX_VALUES],
            "calls": [{"name": call.name, "arguments": call.arguments} for call in reply.calls],
        }


def cases_text(form: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """Return cases as the text of a file.

    Args:
        form: "json", "promptfoo", "inspect-ai" or "pytest".
        rows: The cases.
    """
    match form:
        case "promptfoo":
            return printable_json(_promptfoo(rows)) + "\n"
        case "inspect-ai":
            return _INSPECT_AI.replace(_MARK, repr(plain_dumps(list(rows))))
        case "pytest":
            return _PYTEST.replace(_MARK, repr(plain_dumps(list(rows))))
    return printable_json({"cases": list(rows)}) + "\n"


def is_written_by(form: str, row: Mapping[str, Any]) -> bool:
    """Return True if a form can express a case: those of promptfoo and inspect-ai are chat requests."""
    return form in ("json", "pytest") or row["api"] == "openai"


def _promptfoo(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a configuration: one prompt, one provider and one test for each case."""
    prompts, providers, tests = [], [], []
    for number, row in enumerate(rows, 1):
        body = {name: value for name, value in row["request"].items() if name not in ("model", "messages")}
        label = f"case-{number}"
        prompts.append({"label": label, "raw": _without_templates(plain_dumps(row["request"]["messages"]))})
        providers.append({"id": f"openai:chat:{row['model']}", "label": label, "config": body})
        checks = [{"type": "contains", "value": _without_templates(value)} for value in row["contains"]]
        checks += [{"type": "contains", "value": call["name"]} for call in row["calls"]]
        tests.append({"description": row["name"], "prompts": [label], "providers": [label], "assert": checks})
    return {"description": "Cases of Inspector", "prompts": prompts, "providers": providers, "tests": tests}


def _without_templates(text: str) -> str:
    """Return a text whose braces promptfoo does not read as a template."""
    for sign in _TEMPLATES:
        text = text.replace(sign, f"{sign[0]}\u2060{sign[1]}")
    return text


_CHECK = '''

def failures(case, text, calls):
    """Return what a reply lacks of the kept one."""
    lacks = [f"the text lacks {value!r}" for value in case["contains"] if value not in text]
    wanted = [(call["name"], json.loads(call["arguments"] or "{}")) for call in case["calls"]]
    return lacks + [f"there is no call {call!r}" for call in wanted if call not in calls]
'''
_INSPECT_AI = f'''"""Replies that were kept by Inspector, for inspect-ai: inspect eval FILE --model openai/NAME."""

import json

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageTool, ChatMessageUser, get_model
from inspect_ai.scorer import CORRECT, INCORRECT, Score, accuracy, scorer
from inspect_ai.solver import solver
from inspect_ai.tool import ToolCall, ToolInfo, ToolParams

CASES = json.loads({_MARK})
{_CHECK}

def text_of(content):
    """Return the text of a message."""
    if isinstance(content, list):
        return "\\n\\n".join(part.get("text", "") for part in content)
    return content or ""


def message_of(raw):
    """Return a message of a request as one of inspect-ai."""
    text = text_of(raw.get("content"))
    if raw["role"] in ("system", "developer"):
        return ChatMessageSystem(content=text)
    if raw["role"] == "user":
        return ChatMessageUser(content=text)
    if raw["role"] == "tool":
        return ChatMessageTool(content=text, tool_call_id=raw.get("tool_call_id"))
    calls = [
        ToolCall(
            id=call["id"],
            function=call["function"]["name"],
            arguments=json.loads(call["function"].get("arguments") or "{{}}"),
        )
        for call in raw.get("tool_calls") or []
    ]
    return ChatMessageAssistant(content=text, tool_calls=calls or None)


def tools_of(case):
    """Return the tools of a case, of which none is executed."""
    functions = [tool["function"] for tool in case["request"].get("tools") or []]
    return [
        ToolInfo(
            name=one["name"],
            description=one.get("description") or one["name"],
            parameters=ToolParams.model_validate(one.get("parameters") or {{}}),
        )
        for one in functions
    ]


@solver
def reply_once():
    """Ask the model once, with the tools of the case."""

    async def solve(state, generate):
        state.output = await get_model().generate(state.messages, tools=tools_of(state.metadata["case"]))
        return state

    return solve


@scorer(metrics=[accuracy()])
def same_step():
    """Compare the reply with the kept one."""

    async def score(state, target):
        message = state.output.message
        calls = [(call.function, call.arguments) for call in message.tool_calls or []]
        lacks = failures(state.metadata["case"], message.text, calls)
        return Score(value=INCORRECT if lacks else CORRECT, explanation="; ".join(lacks))

    return score


@task
def inspector_cases():
    """Return the cases as a task. Calls are answers and are not executed."""
    samples = [
        Sample(id=number, input=[message_of(raw) for raw in case["request"]["messages"]], metadata={{"case": case}})
        for number, case in enumerate(CASES, 1)
    ]
    return Task(dataset=MemoryDataset(samples), solver=reply_once(), scorer=same_step())
'''
_PYTEST = f'''"""Replies that were kept by Inspector, as tests: OPENAI_API_KEY=… pytest FILE. Calls are not executed."""

import json
import os

import pytest

CASES = json.loads({_MARK})
{_CHECK}

def ask(case):
    """Return the text and the calls of a new reply to a request."""
    request = case["request"]
    if case["api"] == "anthropic":
        client = pytest.importorskip("anthropic").Anthropic()
        required = ("model", "messages", "max_tokens")
        rest = {{name: value for name, value in request.items() if name not in required}}
        reply = client.messages.create(**{{name: request[name] for name in required}}, extra_body=rest)
        text = "\\n\\n".join(block.text for block in reply.content if block.type == "text")
        return text, [(block.name, block.input) for block in reply.content if block.type == "tool_use"]
    client = pytest.importorskip("openai").OpenAI()
    if case["api"] == "openai-responses":
        rest = {{name: value for name, value in request.items() if name not in ("model", "input")}}
        reply = client.responses.create(model=request["model"], input=request["input"], extra_body=rest)
        calls = [item for item in reply.output if item.type == "function_call"]
        return reply.output_text, [(call.name, json.loads(call.arguments)) for call in calls]
    rest = {{name: value for name, value in request.items() if name not in ("model", "messages")}}
    reply = client.chat.completions.create(model=request["model"], messages=request["messages"], extra_body=rest)
    message = reply.choices[0].message
    calls = [(call.function.name, json.loads(call.function.arguments or "{{}}")) for call in message.tool_calls or []]
    return message.content or "", calls


@pytest.mark.skipif(
    not (os.environ.get("OPENAI_API_KEY") or os.environ.get("ANTHROPIC_API_KEY")), reason="there is no key of a model"
)
@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_model_takes_the_same_step(case):
    """Compare the reply with the kept one."""
    assert failures(case, *ask(case)) == []
'''
