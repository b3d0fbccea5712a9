"""A model on loopback that refuses what a provider would refuse, and calls tools until a run is long.

Run inside the environment of a framework, where pytest and the test extras are not installed.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.provider_rules import check_openai
from tests.responses_rules import check_responses

TASK = "Visit every place and count the orders of May"
SYSTEM = "You keep the books of a small shop."
BUDGET = 3_000
ROUNDS = 10
"""Requests of a run in which the model calls tools."""


def look(place: str) -> str:
    """Return a long description of a place."""
    return f"{place}: " + "orders and more orders " * 60


class Model:
    """Answers requests, and keeps them. `refused` has the reasons of all refusals."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.refused: list[str] = []
        self.rounds = 0
        self.made = 0
        """Calls that were made."""
        self.url = ""
        self.budget = BUDGET

    def begin(self) -> None:
        """Begin a run: the model calls tools again."""
        self.rounds = 0

    def refusals(self, request: dict[str, Any]) -> list[str]:
        known: dict[str, Any] = {
            name: request[name] for name in ("model", "messages", "input", "tools") if name in request
        }
        problems = check_responses(known) if "input" in request else check_openai(known)
        reasons = [problem for problem in problems if "could be one" not in problem]  # OpenAI accepts it
        entries = request.get("messages") or request.get("input") or []
        text = json.dumps(entries)
        if TASK not in text:
            reasons.append("the task is missing")
        words = sum(len(str(entry.get("content") or entry.get("output") or "").split()) for entry in entries)
        if words > self.budget:  # a word is at least a token
            reasons.append(f"{words:,} words are more than the budget")
        return reasons

    def calls(self) -> list[tuple[str, dict[str, str]]]:
        self.rounds += 1
        if self.rounds > ROUNDS:
            return []
        number = len(self.requests)
        self.made += 1 + self.rounds % 2
        return [(f"call_{number}_{n}", {"place": f"place {number} {n}"}) for n in range(1 + self.rounds % 2)]

    def check(self, least: int, *, compressed: bool = True) -> None:
        """Fail unless there were enough requests, none was refused, and the last one is without some of the results."""
        assert not self.refused, self.refused
        assert len(self.requests) >= least, len(self.requests)
        entries = self.requests[-1].get("messages") or self.requests[-1]["input"]
        results = sum(entry.get("role") == "tool" or entry.get("type") == "function_call_output" for entry in entries)
        whole = sum(len(str(entry.get("content") or entry.get("output") or "").split()) >= 240 for entry in entries)
        assert not compressed or min(results, whole) < self.made, "nothing was compressed"


@contextmanager
def serving() -> Iterator[Model]:
    model = Model()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            model.requests.append(request)
            if reasons := model.refusals(request):
                model.refused += reasons
                self.reply(400, {"error": {"message": "; ".join(reasons), "type": "invalid_request_error"}})
            elif "input" in request:
                self.reply(200, response_of(model.calls()))
            elif request.get("stream"):
                self.stream(completion_of(model.calls()))
            else:
                self.reply(200, completion_of(model.calls()))

        def reply(self, status: int, body: dict[str, Any]) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def stream(self, body: dict[str, Any]) -> None:
            choice = body["choices"][0]
            calls = [{**call, "index": n} for n, call in enumerate(choice["message"].get("tool_calls") or ())]
            delta = {"role": "assistant", "content": choice["message"]["content"]} | (
                {"tool_calls": calls} if calls else {}
            )
            pieces = [
                {"index": 0, "delta": delta, "finish_reason": None},
                {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]},
            ]
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for piece in pieces:
                chunk = {**body, "object": "chat.completion.chunk", "choices": [piece]}
                self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
            self.wfile.write(b"data: [DONE]\n\n")

        def log_message(self, format: str, *args: Any) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    model.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()


def completion_of(calls: list[tuple[str, dict[str, str]]]) -> dict[str, Any]:
    uses = [
        {"id": name, "type": "function", "function": {"name": "look", "arguments": json.dumps(values)}}
        for name, values in calls
    ]
    message = {"role": "assistant", "content": None if uses else "There are twelve orders."} | (
        {"tool_calls": uses} if uses else {}
    )
    choice = {"index": 0, "finish_reason": "tool_calls" if uses else "stop", "message": message, "logprobs": None}
    usage = {"prompt_tokens": 40, "completion_tokens": 6, "total_tokens": 46}
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-4o",
        "choices": [choice],
        "usage": usage,
    }


def response_of(calls: list[tuple[str, dict[str, str]]]) -> dict[str, Any]:
    text = {"type": "output_text", "text": "There are twelve orders.", "annotations": []}
    message = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text]}
    uses = [
        {"type": "function_call", "id": f"fc_{name}", "call_id": name, "name": "look", "arguments": json.dumps(values)}
        for name, values in calls
    ]
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    usage = {"input_tokens": 40, "output_tokens": 6, "total_tokens": 46, **details}
    about = {"object": "response", "created_at": 1, "status": "completed", "model": "gpt-4o", "tool_choice": "auto"}
    rest = {"parallel_tool_calls": True, "tools": [], "usage": usage}
    return {"id": "resp_1", **about, **rest, "output": uses or [message]}
