"""Detection of model calls: by the API of known clients, or by messages passed to an object named like a model."""

from __future__ import annotations

import ast
import re

from inspector.report.findings import Subject
from inspector.report.source.expressions import dotted, tail_name
from inspector.report.source.subjects import MessageLists

# e.g. "client.chat.completions.create", "litellm.acompletion"
_CLIENTS = re.compile(
    r"(?:chat\.completions|completions|responses|messages|models|converse|chat)\.(?:with_raw_response\.)?"
    r"(?:create|stream|parse|generate_content|generate_content_stream|complete|send_message)$|"
    r"(?:^|\.)(?:a?completion|converse|converse_stream|invoke_model|invoke_model_with_response_stream|"
    r"chat_completion|create_chat_completion)$"
)
"""Calls of provider clients, by the end of their dotted names."""
_ARGUMENTS = frozenset(
    {None, "model", "messages", "input", "contents", "prompt", "max_tokens", "modelId", "body", "stream", "request"}
)
"""Keywords of such calls; None represents unpacked ones (`**kwargs`)."""
# e.g. "chat", "call_llm", "generate_content_async"
_VERBS = re.compile(
    r"^_?(?:a|async_|call_|get_|request_)?(?:chat|complete|completion|create|create_stream|invoke|generate|"
    r"stream|stream_chat|stream_complete|predict|call|request|request_stream|ask|respond|response|get_response|stream_response|"
    r"generate_content|generate_stream|generate_content_async|"
    r"chat_with_tools|llm|model|query_model|structured_output|run|__call__)(?:_async|_stream|_sync|_llm|_model|_messages)?$"
)
# e.g. "llm", "chat_model", "openai_client"
_MODELS = re.compile(
    r"(?:^|_)(?:llm|lm|model|client|chat_model|language_model|chat_generator|generator|provider|backend|engine|completions?)s?(?:$|_)",
    re.I,
)
# e.g. "call_llm", "get_model_response", "llm_chat"
_ASKS = re.compile(
    r"^_?a?(?:call|query|ask|invoke|prompt|request|get|run|stream)_(?:the_)?(?:llm|model|chat_model|language_model|lm|openai|anthropic|gemini)"
    r"(?:_(?:response|completion|reply|output|answer|call|stream|api|with_retry))?(?:_async|_stream)?$|^llm(?:_call|_chat|_func)?$|^(?:get|stream)_(?:new_)?(?:chat_|llm_|model_)(?:response|completion)\w*$|^stream_messages$",
    re.IGNORECASE,
)
"""Functions whose names indicate that they call a model."""
_AGENTS = re.compile(r"agent|chain|summari", re.IGNORECASE)
_CARRIERS = (
    "messages",
    "input",
    "contents",
    "chat_history",
    "history",
    "message_history",
    "prompt",
    "system_instruction",
)


def is_client_call(call: ast.Call) -> bool:
    """Return True if a provider's client is called, judged by name and arguments."""
    words = {item.arg for item in call.keywords}
    return bool(words & _ARGUMENTS or call.args) and bool(_CLIENTS.search(dotted(call.func)))


def sent_messages(call: ast.Call, lists: MessageLists) -> Subject | None:
    """Return the messages that a call passes to a model, or None if it is not a model call."""
    name = dotted(call.func)
    receiver, _, verb = name.rpartition(".")
    if not is_client_call(call):
        if (
            receiver
            and not (_VERBS.search(verb) and _MODELS.search(receiver.rpartition(".")[2]))
            and not _ASKS.match(verb)
        ):
            return None
        if not receiver and not _ASKS.match(verb):
            return None
    for argument in _carried(call):
        if subject := lists.subject(argument):
            return subject
    return None


def _carried(call: ast.Call) -> list[ast.expr]:
    return [
        *(item.value for item in call.keywords if item.arg in _CARRIERS),
        *call.args[:2],
    ]


def sends_request(call: ast.Call) -> bool:
    """Return True if a call passes an object named like a request to one named like a model."""
    receiver, _, verb = dotted(call.func).rpartition(".")
    is_model = bool(_VERBS.search(verb) and _MODELS.search(receiver.rpartition(".")[2]))
    return is_model and any(tail_name(argument).endswith("request") for argument in call.args[:1])


def asks_a_model(call: ast.Call) -> bool:
    """Return True if an object named like a model is asked, with any arguments."""
    receiver, _, verb = dotted(call.func).rpartition(".")
    last = receiver.rpartition(".")[2]
    return is_client_call(call) or bool(_VERBS.search(verb) and (_MODELS.search(last) or _AGENTS.search(last)))
