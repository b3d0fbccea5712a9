"""Registry of providers, and look-up by name, wire format, message or recorded call.

Other distributions add providers at the entry point `inspector.providers`: classes that conform to `Provider`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from inspector.core.conversation import Dialect, ProviderName, Raw, RequestContext, Session, Usage, find_parsers_with
from inspector.core.plugins import Registry, checked_instance
from inspector.core.text import word_set
from inspector.llm.providers.base import Provider, RecordedCall, WireFormat


@dataclass(frozen=True, slots=True)
class ProviderEntry:
    """Data about a provider that is available before it is imported."""

    target: str
    """Class of the provider, as `module:name`."""
    title: str
    """Display name."""
    dialect: Dialect
    """Name of the wire format."""
    families: frozenset[str] = frozenset()
    """Families and makers of models that are served by this API, as named by `inspector.llm.models`."""


_OWN: Mapping[ProviderName, ProviderEntry] = {
    "openai": ProviderEntry(
        "inspector.llm.providers.openai_chat.chat_provider:OpenAIChat",
        "OpenAI chat",
        "openai",
        word_set("openai azure"),
    ),
    "openai-responses": ProviderEntry(
        "inspector.llm.providers.openai_responses.responses_provider:OpenAIResponses", "OpenAI Responses", "openai"
    ),
    "anthropic": ProviderEntry(
        "inspector.llm.providers.anthropic.anthropic_provider:Anthropic",
        "Anthropic",
        "anthropic",
        word_set("anthropic"),
    ),
}
"""The first provider is the default, since most gateways use its wire format."""
DIALECTS: tuple[Dialect, ...] = tuple(dict.fromkeys(entry.dialect for entry in _OWN.values()))
"""Names of this package's wire formats."""
_OF_DIALECT: Mapping[Dialect, ProviderName] = {entry.dialect: name for name, entry in reversed([*_OWN.items()])}
"""First provider of each wire format."""
DEFAULT_DIALECT = DIALECTS[0]


def _checked_provider(name: str, value: Any) -> Provider:
    """Return an instance of a provider class.

    Raises:
        PluginError: The class is not a provider, or has another name.
    """
    kind = "not a Provider of inspector.llm.providers"
    provider: Provider = checked_instance(name, value, kind, ("title", "wire", "families", "request"))
    return provider


PROVIDERS: Registry[Provider] = Registry(
    "inspector.providers", {name: entry.target for name, entry in _OWN.items()}, _checked_provider
)
"""All providers by name, those of plugins last."""


def provider_titles() -> dict[ProviderName, str]:
    """Return the display name of each provider by its name."""
    titles = {name: entry.title for name, entry in _OWN.items()}
    return titles | {name: provider.title for name, provider in PROVIDERS.added.items()}


def provider_of(dialect: Dialect) -> Provider:
    """Return the provider of a wire format; if several share it, the first one.

    Raises:
        KeyError: No provider uses this wire format.
    """
    if (name := _OF_DIALECT.get(dialect)) is not None:
        return PROVIDERS[name]
    for provider in PROVIDERS.added.values():
        if provider.wire.name == dialect:
            return provider
    raise KeyError(dialect)


def api_of(context: Session | RequestContext) -> ProviderName:
    """Return the name of the provider that recorded requests were sent to, which may share its wire format."""
    return next((name for name in _OWN if name in context.settings), context.dialect)


def wire_of(dialect: Dialect) -> WireFormat:
    """Return the wire format with this name.

    Raises:
        KeyError: No provider uses this wire format.
    """
    return provider_of(dialect).wire


def provider_by_name(*names: str) -> Provider:
    """Return the provider with one of these names or model families, or the default if there is no match."""
    words = {name.strip().lower() for name in names}
    for name, families in _families():
        if name in words or not families.isdisjoint(words):
            return PROVIDERS[name]
    return PROVIDERS[next(iter(_OWN))]


def dialect_of_family(family: str) -> Dialect:
    """Return the wire format for models of a family, or the default for an unknown family."""
    return next((PROVIDERS[name].wire.name for name, families in _families() if family in families), DEFAULT_DIALECT)


def _families() -> Iterator[tuple[ProviderName, frozenset[str]]]:
    yield from ((name, entry.families) for name, entry in _OWN.items())
    yield from ((name, provider.families) for name, provider in PROVIDERS.added.items())


def provider_after(name: ProviderName) -> ProviderName:
    """Return the name of the provider that follows the given one, wrapping around at the end."""
    names = list(PROVIDERS)
    return names[(names.index(name) + 1) % len(names)]


def provider_of_call(call: RecordedCall, surer_than: float = 0.0) -> Provider | None:
    """Return the most likely provider of a recorded call.

    Args:
        call: Recorded call.
        surer_than: Confidence from 0 to 1 that has to be exceeded; otherwise None is returned.
    """
    rated = ((provider.confidence(call), provider) for provider in PROVIDERS.values())
    confidence, best = max(rated, key=itemgetter(0))
    return best if confidence > surer_than else None


def dialect_of_message(raw: Raw) -> Dialect:
    """Return the most likely wire format of a raw message, or the default without evidence."""
    return max(PROVIDERS.values(), key=lambda provider: provider.wire.confidence(raw)).wire.name


def usage_of(report: Any) -> Usage | None:
    """Return the usage reported in any provider's form, or None if nothing was reported."""
    if not isinstance(report, dict):
        return None
    return next(filter(None, (provider.usage(report) for provider in PROVIDERS.values())), None)


find_parsers_with(lambda dialect: wire_of(dialect).parse)
