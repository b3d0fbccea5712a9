"""Prompts assembled from a window: a template, a list of messages, and a builder."""

from __future__ import annotations

from inspector.prompts.builder import Prompt, PromptBuilder, as_messages, as_text, messages_of
from inspector.prompts.memories import quote_memory
from inspector.prompts.template import PROMPT_TEMPLATE, Template, format_history, format_tools

__all__ = [
    "PROMPT_TEMPLATE",
    "Prompt",
    "PromptBuilder",
    "Template",
    "as_messages",
    "as_text",
    "format_history",
    "format_tools",
    "messages_of",
    "quote_memory",
]
