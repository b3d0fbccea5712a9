"""The nouns: a recorded session, its messages, and the parts that a message is made of.

Everything here is immutable and loss-free. A message keeps the *raw* record it came from, in the dialect it was
written in; its parts are a reading of that record, made when asked for. What no one understood is still in the raw
record, so it survives storage and export untouched.

A message is light: the few facts that windows and strategies need (role, calls, size, a preview) stand in it, and
the text itself stays behind a `Body` until somebody reads it. That is what lets a 50 MB log open in a moment.
"""

from __future__ import annotations

from inspector.conversation.media import anthropic_source, attachment
from inspector.conversation.message import (
    MAIN,
    SENT_KINDS,
    Body,
    CallHead,
    InMemoryBody,
    Kind,
    Message,
    parts_of,
    register_parser,
)
from inspector.conversation.parts import (
    PREVIEW,
    Dialect,
    Document,
    Image,
    Part,
    ProviderName,
    Raw,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
    Usage,
    readable,
)
from inspector.conversation.session import Problem, RequestContext, Session, SizeFacts, size_facts

__all__ = [
    "MAIN",
    "PREVIEW",
    "SENT_KINDS",
    "Body",
    "CallHead",
    "Dialect",
    "Document",
    "Image",
    "InMemoryBody",
    "Kind",
    "Message",
    "Part",
    "Problem",
    "ProviderName",
    "Raw",
    "RequestContext",
    "Role",
    "Session",
    "SizeFacts",
    "Text",
    "Thinking",
    "ToolCall",
    "ToolResult",
    "Unknown",
    "Usage",
    "anthropic_source",
    "attachment",
    "parts_of",
    "readable",
    "register_parser",
    "size_facts",
]
