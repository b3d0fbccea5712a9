"""The providers, and which of them a name, a dialect, a message or a recorded call belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter
from typing import Any

from inspector.core.conversation import Dialect, ProviderName, Raw, Usage, register_parser
from inspector.llm.providers.anthropic.anthropic_provider import Anthropic
from inspector.llm.providers.base import Provider, RecordedCall, WireFormat
from inspector.llm.providers.openai_chat.chat_provider import OpenAIChat
from inspector.llm.providers.openai_responses.responses_provider import OpenAIResponses

_ALL: tuple[Provider, ...] = (
    OpenAIChat(),
    OpenAIResponses(),
    Anthropic(),
)
PROVIDERS: Mapping[ProviderName, Provider] = {provider.name: provider for provider in _ALL}
"""By name. The first is the one that is taken where nothing tells which: most gateways speak its form."""
_BY_DIALECT: dict[Dialect, Provider] = {provider.wire.name: provider for provider in reversed(_ALL)}
DIALECTS: tuple[Dialect, ...] = tuple(dict.fromkeys(provider.wire.name for provider in _ALL))
DEFAULT_DIALECT = DIALECTS[0]

for _provider in _ALL:
    register_parser(_provider.wire.name, _provider.wire.parse)


def provider_of(dialect: Dialect) -> Provider:
    """The provider whose own form a dialect is; the first, where several share it. Raises KeyError for no dialect."""
    return _BY_DIALECT[dialect]


def wire_of(dialect: Dialect) -> WireFormat:
    """The wire format with this name. Raises KeyError for no dialect."""
    return _BY_DIALECT[dialect].wire


def provider_by_name(*names: str) -> Provider:
    """The provider that one of these is the name of, or a family of its models; the default where none is."""
    words = {name.strip().lower() for name in names}
    return next(
        (provider for provider in _ALL if provider.name in words or not provider.families.isdisjoint(words)), _ALL[0]
    )


def provider_after(name: ProviderName) -> ProviderName:
    """The name of the provider after this one, going round."""
    names = list(PROVIDERS)
    return names[(names.index(name) + 1) % len(names)]


def provider_of_call(call: RecordedCall, surer_than: float = 0.0) -> Provider | None:
    """The provider that a recorded call was most likely made to; None where no confidence is above `surer_than`."""
    confidence, best = max(((provider.confidence(call), provider) for provider in _ALL), key=itemgetter(0))
    return best if confidence > surer_than else None


def dialect_of_message(raw: Raw) -> Dialect:
    """The dialect that a raw message is most likely in; the default where it could be any."""
    return max(_ALL, key=lambda provider: provider.wire.confidence(raw)).wire.name


def usage_of(report: Any) -> Usage | None:
    """Token counts in the words of any provider; None where nothing was reported."""
    if not isinstance(report, dict):
        return None
    for provider in _ALL:
        if usage := provider.usage(report):
            return usage
    return None
