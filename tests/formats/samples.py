"""A small file of every format, with the same question and the same answer in it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import ormsgpack

from tests.formats.editor_samples import editor_samples
from tests.formats.written import write_lines

ASK = {"role": "user", "content": "Count the orders of May."}
REPLY = "There are three."
TEXT = {"text": ASK["content"]}
ZED = {"content": [{"Text": REPLY}]}


def attribute(key: str, text: str) -> dict[str, Any]:
    """An attribute of a span in OTLP JSON."""
    return {"key": key, "value": {"stringValue": text}}


def otel_message(role: str, *texts: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": text} for text in texts]}


def claude_events(*events: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """Events of Claude Code in OTLP JSON, each with its name and attributes."""
    records = []
    for event, fields in events:
        values = {
            key: {"stringValue": value}
            if isinstance(value, str)
            else {"intValue": value}
            if isinstance(value, int)
            else {"doubleValue": value}
            for key, value in ({"session.id": "s1", "event.name": event} | fields).items()
        }
        attributes = [{"key": key, "value": value} for key, value in values.items()]
        records.append({"body": {"stringValue": f"claude_code.{event}"}, "attributes": attributes})
    return {"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}


SAMPLES: dict[str, list[Any]] = {
    "claude-code": [
        {"type": "user", "uuid": "u1", "sessionId": "s1", "message": ASK},
        {
            "type": "assistant",
            "uuid": "u2",
            "parentUuid": "u1",
            "sessionId": "s1",
            "message": {"id": "m1", "role": "assistant", "content": [{"type": "text", "text": REPLY}]},
        },
    ],
    "capture": [
        {
            "capture": 1,
            "api": "openai-chat",
            "time": "2026-01-02T03:04:05.000+00:00",
            "status": 200,
            "path": "/chat/completions",
            "request": {"model": "gpt-5", "messages": [ASK]},
            "response": {"model": "gpt-5", "choices": [{"message": {"role": "assistant", "content": REPLY}}]},
        },
    ],
    "codex": [
        {"timestamp": "2026-01-02T03:04:05Z", "type": "session_meta", "payload": {"id": "s1"}},
        {"type": "response_item", "payload": {"type": "message", **ASK}},
        {
            "type": "response_item",
            "payload": {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": REPLY}]},
        },
    ],
    "copilot-cli": [
        {"type": "session.start", "data": {"sessionId": "s1"}, "id": "e1"},
        {"type": "user.message", "data": {"content": ASK["content"]}, "id": "e2", "parentId": "e1"},
        {"type": "assistant.message", "data": {"content": REPLY, "toolRequests": []}, "id": "e3", "parentId": "e2"},
    ],
    "gemini-cli": [
        {"sessionId": "s1", "projectHash": "p1", "startTime": "2026-01-02T03:04:05Z"},
        {"id": "m1", "type": "user", "content": [{"text": ASK["content"]}]},
        {"id": "m2", "type": "gemini", "content": REPLY},
    ],
    "qwen-code": [
        {
            "uuid": "u1",
            "sessionId": "s1",
            "type": "user",
            "message": {"role": "user", "parts": [{"text": ASK["content"]}]},
        },
        {
            "uuid": "u2",
            "parentUuid": "u1",
            "sessionId": "s1",
            "type": "assistant",
            "message": {"role": "model", "parts": [{"text": REPLY}]},
        },
    ],
    "opencode": [
        {
            "info": {"id": "s1"},
            "messages": [
                {"info": {"id": "m1", "role": "user"}, "parts": [{"type": "text", "text": ASK["content"]}]},
                {"info": {"id": "m2", "role": "assistant"}, "parts": [{"type": "text", "text": REPLY}]},
            ],
        },
    ],
    "goose": [
        {"working_dir": "/pier", "description": "Orders", "message_count": 2},
        {"role": "user", "created": 1, "content": [{"type": "text", "text": ASK["content"]}]},
        {"role": "assistant", "created": 2, "content": [{"type": "text", "text": REPLY}]},
    ],
    "pi": [
        {"type": "session", "id": "s1", "cwd": "/tmp"},
        {"type": "message", "message": ASK},
        {"type": "message", "message": {"role": "assistant", "content": [{"type": "text", "text": REPLY}]}},
    ],
    "kiro": [
        {"version": "v1", "kind": kind, "data": {"message_id": kind, "content": [{"kind": "text", "data": text}]}}
        for kind, text in (("Prompt", str(ASK["content"])), ("AssistantMessage", REPLY))
    ],
    "letta-code": [
        {"kind": "user", "text": ASK["content"], "captured_at": "2026-01-02T03:04:05Z"},
        {"kind": "assistant", "text": REPLY, "captured_at": "2026-01-02T03:04:06Z"},
    ],
    "continue": [
        {
            "sessionId": "s1",
            "history": [
                {"message": ASK, "contextItems": []},
                {"message": {"role": "assistant", "content": REPLY}, "contextItems": []},
            ],
        },
    ],
    "droid": [
        {"type": "session_start", "id": "s1", "title": "A walk"},
        {
            "type": "message",
            "id": "a",
            "message": {"role": "user", "content": [{"type": "text", "text": ASK["content"]}]},
        },
        {
            "type": "message",
            "id": "b",
            "parentId": "a",
            "message": {"role": "assistant", "content": [{"type": "text", "text": REPLY}]},
        },
    ],
    "cursor": [
        {"role": "user", "message": {"content": [{"type": "text", "text": ASK["content"]}]}},
        {"role": "assistant", "message": {"content": [{"type": "text", "text": REPLY}]}},
    ],
    "kimi": [
        {"type": "metadata", "protocol_version": "1.4"},
        {"type": "context.append_message", "message": {**ASK, "origin": {"kind": "user"}}},
        {
            "type": "context.append_loop_event",
            "event": {"type": "content.part", "part": {"type": "text", "text": REPLY}},
        },
        {"type": "context.append_loop_event", "event": {"type": "step.end", "uuid": "u1"}},
    ],
    "chatgpt": [
        {
            "id": "s1",
            "current_node": "b",
            "mapping": {
                "a": {"id": "a", "message": {"author": {"role": "user"}, "content": {"parts": [ASK["content"]]}}},
                "b": {
                    "id": "b",
                    "parent": "a",
                    "message": {"author": {"role": "assistant"}, "content": {"parts": [REPLY]}},
                },
            },
        },
    ],
    "deepseek": [
        {
            "id": "s1",
            "inserted_at": "2026-01-02T03:04:05Z",
            "mapping": {
                "root": {"id": "root", "children": ["1"], "message": None},
                "1": {"parent": "root", "message": {"fragments": [{"type": "REQUEST", "content": ASK["content"]}]}},
                "2": {"parent": "1", "message": {"fragments": [{"type": "RESPONSE", "content": REPLY}]}},
            },
        },
    ],
    "claude-ai": [
        {
            "uuid": "s1",
            "chat_messages": [
                {"uuid": "a", "sender": "human", "text": ASK["content"]},
                {"uuid": "b", "sender": "assistant", "text": "", "content": [{"type": "text", "text": REPLY}]},
            ],
        },
    ],
    "atif": [
        {
            "schema_version": "ATIF-v1.5",
            "session_id": "s1",
            "agent": {"name": "a", "version": "1"},
            "steps": [
                {"step_id": 1, "source": "user", "message": ASK["content"]},
                {"step_id": 2, "source": "agent", "message": REPLY},
            ],
        },
    ],
    "swe-agent": [
        {
            "trajectory": [],
            "history": [ASK, {"role": "assistant", "content": REPLY, "agent": "primary"}],
            "info": {"exit_status": "submitted"},
        },
    ],
    "mini-swe-agent": [
        {
            "trajectory_format": "mini-swe-agent-1.1",
            "info": {"exit_status": "Submitted", "model_stats": {"instance_cost": 0.01}},
            "messages": [ASK, {"role": "assistant", "content": REPLY}],
        },
    ],
    "openhands": [
        {"id": 1, "source": "user", "action": "message", "args": {"content": ASK["content"]}},
        {"id": 2, "source": "agent", "action": "message", "args": {"content": REPLY}},
    ],
    "openhands-sdk": [
        {"kind": "MessageEvent", "source": "user", "id": "e1", "llm_message": ASK},
        {"kind": "MessageEvent", "source": "agent", "id": "e2", "llm_message": {"role": "assistant", "content": REPLY}},
    ],
    "letta": [
        {
            "agents": [
                {
                    "id": "a",
                    "messages": [{"role": "user", "content": ASK["content"]}, {"role": "assistant", "content": REPLY}],
                }
            ],
            "blocks": [],
        },
    ],
    "sharegpt": [
        {"conversations": [{"from": "human", "value": ASK["content"]}, {"from": "gpt", "value": REPLY}]},
    ],
    "locomo": [
        {
            "conversation": {
                "speaker_a": "Ann",
                "speaker_b": "Ben",
                "session_1": [
                    {"speaker": "Ann", "dia_id": "D1:1", "text": ASK["content"]},
                    {"speaker": "Ben", "dia_id": "D1:2", "text": REPLY},
                ],
            },
        },
    ],
    "group-chat": [
        {
            "history": [
                {"role": "system", "name": "Planner", "content": "Be brief."},
                {"role": "human", "content": ASK["content"]},
                {"role": "Counter", "content": REPLY},
            ],
        },
    ],
    "orchestration": [
        {
            "inspector": "collaboration",
            "steps": [{"agent_id": "counter", "request": ASK["content"], "contribution": {"content": REPLY}}],
        },
    ],
    "openai": [
        {
            "model": "gpt-4o",
            "messages": [{"role": "system", "content": "Be brief."}, ASK],
            "choices": [{"message": {"role": "assistant", "content": REPLY}}],
        },
    ],
    "anthropic": [
        {
            "request": {"model": "claude-sonnet-4-0", "max_tokens": 9, "system": "Be brief.", "messages": [ASK]},
            "response": {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "text", "text": REPLY}],
            },
        },
    ],
    "langsmith": [
        {
            "id": "r1",
            "trace_id": "t1",
            "run_type": "llm",
            "dotted_order": "20260102T030405Zr1",
            "extra": {"metadata": {"ls_model_name": "gpt-4o"}},
            "inputs": {
                "messages": [[{"lc": 1, "id": ["langchain", "HumanMessage"], "kwargs": {"content": ASK["content"]}}]]
            },
            "outputs": {"generations": [[{"message": {"type": "ai", "data": {"content": REPLY}}}]]},
        },
    ],
    "langfuse": [
        {
            "trace": {"id": "t1", "name": "orders"},
            "observations": [
                {"id": "o1", "traceId": "t1", "type": "SPAN", "startTime": "2026-01-02T03:04:04Z", "input": None},
                {
                    "id": "o2",
                    "traceId": "t1",
                    "type": "GENERATION",
                    "model": "gpt-4o",
                    "startTime": "2026-01-02T03:04:05Z",
                    "input": json.dumps([ASK]),
                    "output": json.dumps({"role": "assistant", "content": REPLY}),
                    "usageDetails": {"input": 9, "output": 3},
                },
            ],
        },
    ],
    "open-telemetry": [
        {
            "resourceSpans": [
                {
                    "scopeSpans": [
                        {
                            "spans": [
                                {
                                    "traceId": "t1",
                                    "spanId": "p1",
                                    "startTimeUnixNano": "1767323045000000000",
                                    "attributes": [
                                        attribute("gen_ai.operation.name", "chat"),
                                        attribute("gen_ai.request.model", "gpt-4o"),
                                        attribute(
                                            "gen_ai.input.messages", json.dumps([otel_message("user", ASK["content"])])
                                        ),
                                        attribute(
                                            "gen_ai.output.messages", json.dumps([otel_message("assistant", REPLY)])
                                        ),
                                    ],
                                }
                            ]
                        }
                    ]
                }
            ]
        },
    ],
    "tau2": [
        {
            "simulations": [
                {
                    "id": "s1",
                    "task_id": "t1",
                    "termination_reason": "user_stop",
                    "messages": [ASK, {"role": "assistant", "content": REPLY, "turn_idx": 1}],
                }
            ],
        },
    ],
    "beam": [
        {
            "batch_number": 1,
            "time_anchor": "January-02-2026",
            "turns": [[{"id": 0, **ASK}, {"id": 1, "role": "assistant", "content": REPLY}]],
        },
    ],
    "pydantic-ai": [
        {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": ASK["content"]}]},
        {"kind": "response", "parts": [{"part_kind": "text", "content": REPLY}]},
    ],
    "langchain": [
        {"type": "human", "data": {"content": ASK["content"]}},
        {"type": "ai", "data": {"content": REPLY}},
    ],
    "llama-index": [
        {"store": {"orders": [ASK, {"role": "assistant", "content": REPLY}]}, "class_name": "SimpleChatStore"}
    ],
    "autogen": [
        {
            "type": "AssistantAgentState",
            "llm_context": {
                "messages": [
                    {"type": "UserMessage", "source": "user", "content": ASK["content"]},
                    {"type": "AssistantMessage", "source": "clerk", "content": REPLY},
                ]
            },
        }
    ],
    "amp": [{"id": "T-1", "messages": [ASK, {"role": "assistant", "content": [{"type": "text", "text": REPLY}]}]}],
    "jan": [
        {"id": own, "object": "thread.message", "role": who, "content": [{"type": "text", "text": {"value": text}}]}
        for own, who, text in (("m1", "user", ASK["content"]), ("m2", "assistant", REPLY))
    ],
    "librechat": [
        {
            "conversationId": "c1",
            "messages": [
                {"messageId": "a", "sender": "User", "isCreatedByUser": True, "text": ASK["content"]},
                {"messageId": "b", "parentMessageId": "a", "sender": "GPT", "isCreatedByUser": False, "text": REPLY},
            ],
        }
    ],
    "open-webui": [
        {
            "id": "c1",
            "chat": {
                "history": {
                    "messages": {
                        "a": {"parentId": None, **ASK},
                        "b": {"parentId": "a", "role": "assistant", "content": REPLY},
                    },
                    "currentId": "b",
                }
            },
        }
    ],
    "chatbot-ui": [
        {
            "history": [{"id": "c1", "messages": [ASK, {"role": "assistant", "content": REPLY}]}],
            "folders": [],
            "prompts": [],
        }
    ],
    "ai-studio": [
        {
            "runSettings": {"model": "models/gemini-3-pro"},
            "chunkedPrompt": {
                "chunks": [{"role": "user", "text": ASK["content"]}, {"role": "model", "text": REPLY}],
            },
        }
    ],
    "grok": [
        {
            "conversations": [
                {
                    "conversation": {"conversation_id": "c1"},
                    "responses": [
                        {"response": {"response_id": "a", "sender": "human", "message": ASK["content"]}},
                        {
                            "response": {
                                "response_id": "b",
                                "parent_response_id": "a",
                                "sender": "assistant",
                                "message": REPLY,
                            }
                        },
                    ],
                }
            ]
        }
    ],
    "google-adk": [
        {
            "id": "s1",
            "events": [
                {"author": "user", "content": {"role": "user", "parts": [{"text": ASK["content"]}]}},
                {"author": "clerk", "content": {"role": "model", "parts": [{"text": REPLY}]}},
            ],
        }
    ],
    "grok-build": [
        {"type": "user", "content": ASK["content"], "prompt_index": 0},
        {"type": "assistant", "content": REPLY, "model_id": "grok-4.5"},
    ],
    "mistral-vibe": [{**ASK, "message_id": "m1"}, {"role": "assistant", "content": REPLY, "message_id": "m2"}],
    "posit-assistant": [
        {"id": 0, "message": {**ASK, "providerOptions": {}}},
        {"id": 1, "message": {"role": "assistant", "content": REPLY, "providerOptions": {}}},
    ],
    "claude-code-events": [
        claude_events(("user_prompt", {"prompt": ASK["content"]})),
        claude_events(("api_request", {"model": "claude-opus-4-5"}), ("assistant_response", {"response": REPLY})),
    ],
    "dsh": [
        {"type": "session", "version": 0, "id": "s1", "cwd": "/shop", "delegationDepth": 0},
        {"type": "user/message", "seq": 0, "data": {"role": "user", "content": [{"type": "text", **TEXT}]}},
        {"type": "assistant/message", "seq": 1, "data": {"message": {"role": "assistant", "content": REPLY}}},
    ],
    "qwenpaw": [
        {"agent": {"memory": {"content": [[{"id": "m1", **ASK}, []], [{"role": "assistant", "content": REPLY}, []]]}}}
    ],
    "entire": [
        {"v": 1, "agent": "Codex", "cli_version": "0.5", "type": "user", "content": [TEXT]},
        {"v": 1, "agent": "Codex", "cli_version": "0.5", "type": "assistant", "content": [{"text": REPLY}]},
    ],
    "agents-sdk-state": [
        {
            "$schemaVersion": "1.13",
            "current_agent": {"name": "clerk"},
            "original_input": ASK["content"],
            "generated_items": [
                {
                    "type": "message_output_item",
                    "raw_item": {
                        "type": "message",
                        "id": "m1",
                        "role": "assistant",
                        "content": [{"type": "output_text", "text": REPLY}],
                    },
                }
            ],
            "model_responses": [],
        }
    ],
    "managed-agents": [
        {
            "type": "user.message",
            "id": "e1",
            "processed_at": "2026-01-02T03:04:05Z",
            "content": [{"type": "text", **TEXT}],
        },
        {
            "type": "agent.message",
            "id": "e2",
            "processed_at": "2026-01-02T03:04:06Z",
            "content": [{"type": "text", "text": REPLY}],
        },
    ],
    "antigravity": [
        {"step_index": 0, "source": "USER_EXPLICIT", "type": "USER_INPUT", "content": ASK["content"]},
        {"step_index": 1, "source": "MODEL", "type": "PLANNER_RESPONSE", "content": REPLY},
    ],
    "cursor-stream": [
        {"type": "system", "subtype": "init", "apiKeySource": "login", "session_id": "s1", "model": "m"},
        {"type": "user", "message": ASK, "session_id": "s1"},
        {"type": "assistant", "message": {"role": "assistant", "content": REPLY}, "session_id": "s1"},
    ],
    "droid-stream": [
        {"type": "system", "session_id": "s1", "model": "m"},
        {"type": "message", "session_id": "s1", "role": "user", "text": ASK["content"], "id": "m1"},
        {"type": "completion", "session_id": "s1", "finalText": REPLY, "id": "end"},
    ],
    "gemini-stream": [
        {"type": "init", "timestamp": "2026-01-02T03:04:05Z", "session_id": "s1", "model": "m"},
        {"type": "message", "timestamp": "2026-01-02T03:04:05Z", **ASK},
        {"type": "message", "timestamp": "2026-01-02T03:04:05Z", "role": "assistant", "content": REPLY},
    ],
    "smolagents": [{"task": ASK["content"]}, {"step_number": 1, "model_output": REPLY}],
    "zed": [{"messages": [{"User": {"id": "u1", "content": [{"Text": ASK["content"]}]}}, {"Agent": ZED}]}],
    "dify": [{"id": "m1", "conversation_id": "c1", "query": ASK["content"], "answer": REPLY}],
    "kiro-history": [
        {
            "conversation_id": "c1",
            "history": [
                {
                    "user": {"content": {"Prompt": {"prompt": ASK["content"]}}},
                    "assistant": {"Response": {"message_id": "m1", "content": REPLY}},
                }
            ],
        }
    ],
}
"""Of formats that may stand on lines, the records of such a file."""
SAMPLES |= editor_samples(ASK["content"], REPLY)


def _agents_database(folder: Path) -> Path:
    path = folder / "sessions.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE agent_messages (id INTEGER PRIMARY KEY, session_id, message_data, created_at)")
        for item in (
            ASK,
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": REPLY}]},
        ):
            values = ("s1", json.dumps(item), "2026-01-02 03:04:05")
            connection.execute(
                "INSERT INTO agent_messages (session_id, message_data, created_at) VALUES (?, ?, ?)", values
            )
    return path


def _llm_database(folder: Path) -> Path:
    path = folder / "logs.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE conversations (id, name, model)")
        connection.execute(
            "CREATE TABLE responses (id, model, prompt, system, response, conversation_id, datetime_utc,"
            " input_tokens, output_tokens, token_details)"
        )
        values = ("r1", "gpt-4o", ASK["content"], None, REPLY, "s1", "2026-01-02T03:04:05", 9, 3, None)
        connection.execute(f"INSERT INTO responses VALUES ({', '.join('?' * len(values))})", values)
    return path


def checkpoint(*messages: dict[str, Any]) -> bytes:
    """A state of LangGraph, with each message as the extension that its library writes."""
    rows = [ormsgpack.Ext(5, ormsgpack.packb(["langchain_core.messages", name(row), row, ""])) for row in messages]
    return ormsgpack.packb({"ts": "2026-01-02T03:04:05Z", "channel_values": {"messages": rows}})


def name(message: dict[str, Any]) -> str:
    return {"human": "HumanMessage", "ai": "AIMessage"}.get(message["type"], "ToolMessage")


def checkpoints_database(folder: Path, *states: Any, kind: str = "msgpack") -> Path:
    """A database of one thread with these states, in order."""
    path = folder / "checkpoints.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE TABLE checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type,"
            " checkpoint BLOB, metadata BLOB)"
        )
        rows = [("s1", "", f"c{number}", None, kind, state, b"{}") for number, state in enumerate(states)]
        connection.executemany("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
    return path


def _langgraph_database(folder: Path) -> Path:
    ask = {"type": "human", "id": "m1", "content": ASK["content"]}
    reply = {"type": "ai", "id": "m2", "content": REPLY}
    return checkpoints_database(folder, checkpoint(ask), checkpoint(ask, reply))


def _eval_archive(folder: Path) -> Path:
    path = folder / "log.eval"
    with ZipFile(path, "w") as archive:
        archive.writestr("header.json", json.dumps({"eval": {"task": "orders", "model": "gpt-4o"}}))
        messages = [ASK, {"role": "assistant", "content": REPLY}]
        archive.writestr("samples/1_epoch_1.json", json.dumps({"id": 1, "epoch": 1, "messages": messages}))
    return path


def _aider_history(folder: Path) -> Path:
    path = folder / "history.md"
    path.write_text(f"\n# aider chat started at 2026-01-02 03:04:05\n\n#### {ASK['content']}  \n\n{REPLY}\n")
    return path


def _aider_requests(folder: Path) -> Path:
    path = folder / "llm.history"
    request = f"TO LLM 2026-01-02T03:04:05\n-------\nUSER {ASK['content']}\n"
    path.write_text(f"{request}LLM RESPONSE 2026-01-02T03:04:09\nASSISTANT {REPLY}\n")
    return path


def _specstory_history(folder: Path) -> Path:
    path = folder / "history.md"
    head = (
        "<!-- Generated by SpecStory, Markdown v2.1.0 -->\n\n# Orders\n\n<!-- Claude Code Session s1 (2026-01-02) -->\n"
    )
    path.write_text(f"{head}\n_**User**_\n\n{ASK['content']}\n\n---\n\n_**Agent (m-1)**_\n\n{REPLY}\n\n---\n")
    return path


def _markdown_by_inspector(folder: Path) -> Path:
    path = folder / "conversation.md"
    head = '<!-- inspector conversation 1 0123abcd {"title":"Orders","id":"s1","model":"m-1"} -->\n# Orders\n'
    sections = [(role, text) for role, text in (("user", ASK["content"]), ("assistant", REPLY))]
    path.write_text(
        head
        + "".join(
            f'<!-- 0123abcd message {{"role":"{role}"}} -->\n## {role}\n\n<!-- 0123abcd text -->\n{text}\n\n'
            for role, text in sections
        )
    )
    return path


def _unknown_json(folder: Path) -> Path:
    path = folder / "chat.json"
    turns = [{"speaker": "human", "text": ASK["content"]}, {"speaker": "bot", "text": REPLY}]
    path.write_text(json.dumps({"export": {"turns": turns}}))
    return path


def _unknown_database(folder: Path) -> Path:
    path = folder / "chat.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE messages (chat_id TEXT, role TEXT, text TEXT)")
        rows = [("c1", "user", ASK["content"]), ("c1", "assistant", REPLY)]
        connection.executemany("INSERT INTO messages VALUES (?, ?, ?)", rows)
    return path


def _openclaw_database(folder: Path) -> Path:
    path = folder / "agent.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE transcript_events (session_id, seq, event_json, created_at)")
        rows = [("s1", number, json.dumps(record)) for number, record in enumerate(SAMPLES["pi"])]
        connection.executemany("INSERT INTO transcript_events VALUES (?, ?, ?, 1767323045000)", rows)
    return path


def _crush_database(folder: Path) -> Path:
    path = folder / "crush.db"
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE TABLE sessions (id, parent_session_id, title, completion_tokens, created_at, updated_at, "
            "summary_message_id)"
        )
        connection.execute("CREATE TABLE messages (id, session_id, role, parts, model, created_at, is_summary_message)")
        connection.execute("INSERT INTO sessions VALUES ('s1', NULL, 'Orders', 0, 1, 2, NULL)")
        for name, role, text in (("m1", "user", ASK["content"]), ("m2", "assistant", REPLY)):
            parts = json.dumps([{"type": "text", "data": {"text": text}}, {"type": "finish", "data": {}}])
            connection.execute("INSERT INTO messages VALUES (?, 's1', ?, ?, 'gpt-5', 1, 0)", (name, role, parts))
    return path


def _google_database(folder: Path) -> Path:
    path = folder / "session.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE sessions (app_name, user_id, id, state, create_time, update_time)")
        connection.execute("CREATE TABLE events (id, app_name, session_id, invocation_id, timestamp, event_data)")
        connection.execute("INSERT INTO sessions VALUES ('orders', 'u', 's1', '{}', 1, 2)")
        for number, event in enumerate(SAMPLES["google-adk"][0]["events"]):
            row = (f"e{number}", "orders", "s1", "i1", number, json.dumps(event))
            connection.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)", row)
    return path


def _mastra_database(folder: Path) -> Path:
    path = folder / "mastra.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE mastra_messages (id, thread_id, content, role, createdAt)")
        for number, (role, text) in enumerate((("user", ASK["content"]), ("assistant", REPLY))):
            content = json.dumps({"format": 2, "parts": [{"type": "text", "text": text}]})
            connection.execute("INSERT INTO mastra_messages VALUES (?, 't1', ?, ?, ?)", (number, content, role, number))
    return path


def _kiro_database(folder: Path) -> Path:
    path = folder / "data.sqlite3"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE conversations_v2 (key, conversation_id, value)")
        value = json.dumps(SAMPLES["kiro-history"][0])
        connection.execute("INSERT INTO conversations_v2 VALUES ('/shop', 'c1', ?)", (value,))
    return path


def _cursor_state(folder: Path) -> Path:
    path = folder / "state.vscdb"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE cursorDiskKV (key, value)")
        heads = [{"bubbleId": "b1", "type": 1}, {"bubbleId": "b2", "type": 2}]
        rows = {
            "composerData:c1": {"composerId": "c1", "fullConversationHeadersOnly": heads},
            "bubbleId:c1:b1": {"type": 1, "text": ASK["content"]},
            "bubbleId:c1:b2": {"type": 2, "text": REPLY},
        }
        for key, value in rows.items():
            connection.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", (key, json.dumps(value)))
    return path


def _strands_session(folder: Path) -> Path:
    messages = folder / "agents" / "agent_default" / "messages"
    messages.mkdir(parents=True)
    for number, message in enumerate((ASK, {"role": "assistant", "content": REPLY})):
        text = json.dumps({"message": message, "message_id": number})
        (messages / f"message_{number}.json").write_text(text)
    path = folder / "session.json"
    path.write_text('{"session_id": "s1", "session_type": "AGENT"}')
    return path


def _http_cassette(folder: Path) -> Path:
    path = folder / "cassette.yaml"
    request = json.dumps({"model": "m", "messages": [ASK]})
    reply = json.dumps({"model": "m", "choices": [{"message": {"role": "assistant", "content": REPLY}}]})
    path.write_text(
        "interactions:\n"
        f"- request:\n    body: '{request}'\n    method: POST\n    uri: https://api.example/v1/chat\n"
        f"  response:\n    body:\n      string: '{reply}'\n    status: {{code: 200, message: OK}}\nversion: 1\n"
    )
    return path


OTHER_SAMPLES: dict[str, Callable[[Path], Path]] = {
    "unknown": _unknown_json,
    "unknown-database": _unknown_database,
    "markdown": _markdown_by_inspector,
    "aider": _aider_history,
    "aider-requests": _aider_requests,
    "specstory": _specstory_history,
    "inspect-eval": _eval_archive,
    "llm": _llm_database,
    "openai-agents": _agents_database,
    "langgraph": _langgraph_database,
    "openclaw": _openclaw_database,
    "crush": _crush_database,
    "google-adk-db": _google_database,
    "mastra": _mastra_database,
    "http-traffic": _http_cassette,
    "kiro-database": _kiro_database,
    "cursor-state": _cursor_state,
    "strands": _strands_session,
}
"""Of the others, what writes a file into a folder."""


def write_sample(name: str, folder: Path) -> Path:
    """A file of a format."""
    return (
        OTHER_SAMPLES[name](folder) if name in OTHER_SAMPLES else write_lines(folder / "recording.jsonl", SAMPLES[name])
    )
