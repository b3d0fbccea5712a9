"""The providers by name, as data, and which of them a name, a dialect, a message or a recorded call belongs to.

Other distributions add theirs at the entry point `inspector.providers`: classes that conform to `Provider`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from inspector.core.conversation import Dialect, ProviderName, Raw, Usage, find_parsers_with
from inspector.core.plugins import PluginError, Registry
from inspector.core.text import word_set
from inspector.llm.providers.base import Provider, RecordedCall, WireFormat


@dataclass(frozen=True, slots=True)
class ProviderEntry:
    """What is known of a provider before it is imported."""

    target: str
    """The class, as `module:name`."""
    title: str
    """The name that people know it by."""
    dialect: Dialect
    """The name of its wire format."""
    families: frozenset[str] = frozenset()
    """Families and makers of models that are asked through it, as `inspector.llm.models` names them."""


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
"""The first is taken if nothing says which: most gateways speak its form."""
DIALECTS: tuple[Dialect, ...] = tuple(dict.fromkeys(entry.dialect for entry in _OWN.values()))
"""The names of this package's wire formats."""
DEFAULT_DIALECT = DIALECTS[0]


def _checked_provider(name: str, value: Any) -> Provider:
    """Return the one object of a provider's class. Raises PluginError for a class of another kind."""
    provider = value() if isinstance(value, type) else value
    if missing := [field for field in ("title", "wire", "families", "request") if not hasattr(provider, field)]:
        raise PluginError(f"it is no Provider of inspector.llm.providers: it has no {missing[0]}")
    if provider.name != name:
        raise PluginError(f"it calls itself {provider.name!r}")
    checked: Provider = provider
    return checked


PROVIDERS: Registry[Provider] = Registry(
    "inspector.providers", {name: entry.target for name, entry in _OWN.items()}, _checked_provider
)
"""All providers by name, those of plugins last."""


def provider_titles() -> dict[ProviderName, str]:
    """Return the title of each provider by its name."""
    titles = {name: entry.title for name, entry in _OWN.items()}
    return titles | {name: provider.title for name, provider in PROVIDERS.added.items()}


def provider_of(dialect: Dialect) -> Provider:
    """Return the provider whose own form a dialect is; the first, if several share it. Raises KeyError for none."""
    for name, entry in _OWN.items():
        if entry.dialect == dialect:
            return PROVIDERS[name]
    for provider in PROVIDERS.added.values():
        if provider.wire.name == dialect:
            return provider
    raise KeyError(dialect)


def wire_of(dialect: Dialect) -> WireFormat:
    """Return the wire format with this name. Raises KeyError for no dialect."""
    return provider_of(dialect).wire


def provider_by_name(*names: str) -> Provider:
    """Return the provider that one of these names or families of models belongs to; the default for none."""
    words = {name.strip().lower() for name in names}
    for name, families in _families():
        if name in words or not families.isdisjoint(words):
            return PROVIDERS[name]
    return PROVIDERS[next(iter(_OWN))]


def dialect_of_family(family: str) -> Dialect:
    """Return the wire format that models of a family are asked in; the default for an unknown one."""
    return next((PROVIDERS[name].wire.name for name, families in _families() if family in families), DEFAULT_DIALECT)


def _families() -> Iterator[tuple[ProviderName, frozenset[str]]]:
    yield from ((name, entry.families) for name, entry in _OWN.items())
    yield from ((name, provider.families) for name, provider in PROVIDERS.added.items())


def provider_after(name: ProviderName) -> ProviderName:
    """Return the name of the provider after this one, the first after the last."""
    names = list(PROVIDERS)
    return names[(names.index(name) + 1) % len(names)]


def provider_of_call(call: RecordedCall, surer_than: float = 0.0) -> Provider | None:
    """Return the provider of a recorded call, by confidence; None if none exceeds `surer_than`."""
    rated = ((provider.confidence(call), provider) for provider in PROVIDERS.values())
    confidence, best = max(rated, key=itemgetter(0))
    return best if confidence > surer_than else None


def dialect_of_message(raw: Raw) -> Dialect:
    """Return the likeliest dialect of a raw message; the default if it could be any."""
    return max(PROVIDERS.values(), key=lambda provider: provider.wire.confidence(raw)).wire.name


def usage_of(report: Any) -> Usage | None:
    """Return token counts reported in the words of any provider; None if nothing was reported."""
    if not isinstance(report, dict):
        return None
    return next(filter(None, (provider.usage(report) for provider in PROVIDERS.values())), None)


find_parsers_with(lambda dialect: wire_of(dialect).parse)
