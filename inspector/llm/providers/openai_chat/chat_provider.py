"""Provider for OpenAI's chat completions API: https://platform.openai.com/docs/api-reference/chat."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from inspector.core.conversation import Image, Message, Raw, RequestContext, Usage
from inspector.llm.providers.base import Provider, RecordedCall, Request, TextCounter
from inspector.llm.providers.openai_chat import chat_rules, chat_tokens
from inspector.llm.providers.openai_chat.chat_request import chat_request, repaired_message
from inspector.llm.providers.openai_chat.chat_settings import context_refusals
from inspector.llm.providers.openai_chat.chat_wire import OPENAI_CHAT_WIRE, RESPONSES
from inspector.llm.providers.rules import Fault, Lengths, MessageSequence
from inspector.llm.providers.usage import token_count, usage_unless_zero

_SETTINGS = (
    "audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens "
    "metadata modalities n parallel_tool_calls prediction presence_penalty prompt_cache_key "
    "prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop store "
    "stream stream_options temperature tool_choice top_logprobs top_p user verbosity web_search_options"
)


class OpenAIChat(Provider):
    """OpenAI's chat completions API."""

    name = "openai"
    title = "OpenAI chat"
    wire = OPENAI_CHAT_WIRE
    families = frozenset({"openai", "azure"})
    content = chat_rules.CONTENT
    settings = frozenset([*_SETTINGS.split(), RESPONSES])

    def confidence(self, call: RecordedCall) -> float:
        """Return the confidence from messages or, with less certainty, from tools and replies with choices."""
        if sure := max(map(self.wire.confidence, call.raws), default=0.0):
            return sure
        return 0.5 if call.tools or "choice" in call.reply_record else 0.0

    def usage(self, report: Raw) -> Usage | None:
        """Return the reported usage. The prompt includes cached tokens, and some gateways add Anthropic's fields."""
        if "prompt_tokens" not in report and "completion_tokens" not in report:
            return None
        details = report.get("prompt_tokens_details")
        cached = token_count(details, "cached_tokens") or token_count(report, "cache_read_input_tokens")
        stored = token_count(report, "cache_creation_input_tokens")
        tokens_in, tokens_out = token_count(report, "prompt_tokens"), token_count(report, "completion_tokens")
        return usage_unless_zero(tokens_in, tokens_out, cached, stored)

    def message_faults(self, messages: Sequence[Message], lengths: Lengths) -> Iterator[Fault]:
        return chat_rules.message_faults(messages)

    def mend(self, message: Message) -> Raw | None:
        return repaired_message(message)

    def size_fault(self, limit: int) -> str:
        return f"This model's maximum context length is {limit} tokens. Please reduce the length of the messages."

    def sequence_faults(self, sequence: MessageSequence, lengths: Lengths) -> Iterator[Fault]:
        return chat_rules.sequence_faults(sequence, lengths)

    def context_refusals(self, context: RequestContext) -> Iterator[str]:
        return context_refusals(context)

    def request(self, context: RequestContext, messages: Sequence[Message]) -> Request:
        return chat_request(context, messages)

    def count_tools(self, tools: Iterable[Raw], counter: TextCounter) -> int:
        return chat_tokens.count_tools(tools, counter)

    def image_tokens(self, image: Image) -> int:
        return chat_tokens.image_tokens(image)
