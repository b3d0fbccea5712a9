"""The model that writes summaries, and its endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from inspector.core.text import one_line
from inspector.llm.models import profile

_FIRST_BYTE = 60.0
OPENAI = "https://api.openai.com/v1"
ANTHROPIC = "https://api.anthropic.com"
MODEL_APIS: Mapping[str, str] = {"chat": "openai", "responses": "openai-responses", "anthropic": "anthropic"}
"""APIs that a model can be asked by, each with the provider whose requests it accepts."""
MODEL_VARIABLES = (
    "set INSPECTOR_MODEL to its name, OPENAI_API_KEY to its key, and OPENAI_BASE_URL to its address if it is not "
    "at OpenAI"
)
"""Clause that explains how to configure a model."""


@dataclass(frozen=True)
class ModelSettings:
    """A model at an OpenAI-compatible endpoint, or at Anthropic's API."""

    model: str
    base_url: str = OPENAI
    api_key: str = field(default="", repr=False)
    """Only sent to the endpoint. Local servers need none."""
    timeout: float = 120.0
    """Maximum seconds for one request, including waits and retries."""
    first_byte: float = 0.0
    """Maximum seconds until the endpoint begins to answer; 0 for a minute, or half of `timeout` if that is longer."""
    retries: int = 3
    """Number of retries after a rejection (429), a server error or a connection failure."""
    max_output: int = 0
    """Maximum tokens for the server to write; 0 for none. The summariser stops answers that are far too long anyway."""
    window: int = 0
    """Tokens of the model's context window; 0 to use the known size."""
    api: str = "openai"
    """Provider whose requests the endpoint accepts; one of the values of `MODEL_APIS`."""

    @property
    def label(self) -> str:
        """The model's name on one line, safe to display."""
        return one_line(self.model)

    @property
    def patience(self) -> float:
        """Maximum seconds until the endpoint begins to answer."""
        return self.first_byte or max(_FIRST_BYTE, self.timeout / 2)

    @property
    def host(self) -> str:
        """Host and port of the endpoint, for display. Never contains user names or passwords."""
        try:
            parts = urlsplit(self.base_url)
            name, port = parts.hostname or "", f":{parts.port}" if parts.port else ""
        except ValueError:
            return ""
        if not name or parts.scheme not in ("http", "https"):
            return ""
        return (f"[{name}]" if ":" in name else name) + port

    @property
    def model_clause(self) -> str:
        """The model as the subject of a sentence, by its host or, if unknown, by its name."""
        return f"The model at {self.host}" if self.host else f"The model {self.model}".rstrip()

    @property
    def place(self) -> str:
        """Name of the model's server, for use within a sentence."""
        return self.host or "the provider"

    @property
    def context(self) -> int:
        """Maximum tokens of a request and its answer together."""
        return self.window or profile(self.model).limit


def from_environment(environ: Mapping[str, str]) -> ModelSettings | None:
    """Return the settings in an environment; None if it names no model.

    INSPECTOR_MODEL (or OPENAI_MODEL) names the model, OPENAI_BASE_URL the endpoint and OPENAI_API_KEY the key.
    INSPECTOR_MODEL_API is one of `MODEL_APIS`, chat by default. For anthropic, the endpoint and the key are
    ANTHROPIC_BASE_URL and ANTHROPIC_API_KEY.
    INSPECTOR_MODEL_TIMEOUT, INSPECTOR_MODEL_FIRST_BYTE (seconds) and INSPECTOR_MODEL_WINDOW (tokens) are for slow or
    small machines.

    Raises:
        ValueError: A number or the name of the API is invalid. The message is one sentence.
    """
    model = environ.get("INSPECTOR_MODEL", "").strip() or environ.get("OPENAI_MODEL", "").strip()
    if not model:
        return None
    name = environ.get("INSPECTOR_MODEL_API", "").strip() or "chat"
    if name not in MODEL_APIS:
        raise ValueError(f"INSPECTOR_MODEL_API must be one of {', '.join(MODEL_APIS)}, not {name[:40]!r}.")
    maker, address = ("ANTHROPIC", ANTHROPIC) if name == "anthropic" else ("OPENAI", OPENAI)
    return ModelSettings(
        model,
        environ.get(f"{maker}_BASE_URL", "").strip() or address,
        environ.get(f"{maker}_API_KEY", "").strip(),
        api=MODEL_APIS[name],
        timeout=_positive(environ, "INSPECTOR_MODEL_TIMEOUT", ModelSettings.timeout),
        first_byte=_positive(environ, "INSPECTOR_MODEL_FIRST_BYTE", 0),
        window=int(_positive(environ, "INSPECTOR_MODEL_WINDOW", 0)),
    )


def setup_fault(settings: ModelSettings) -> str:
    """Return why no request can succeed with some settings, as a clause; "" if one can."""
    maker = "ANTHROPIC" if settings.api == "anthropic" else "OPENAI"
    if not settings.host:
        return f"The address of the model ({maker}_BASE_URL) must begin with http:// or https://"
    if settings.base_url in (OPENAI, ANTHROPIC) and not settings.api_key:
        return f"There is no API key for {settings.host} ({maker}_API_KEY)"
    if not settings.api_key.isascii():
        return f"The API key ({maker}_API_KEY) contains invalid characters"
    return ""


def _positive(environ: Mapping[str, str], name: str, otherwise: float) -> float:
    text = environ.get(name, "").strip()
    try:
        number = float(text) if text else otherwise
    except ValueError:
        number = -1
    if text and not 0 < number < float("inf"):
        raise ValueError(f"{name} must be a number above 0, not {text[:40]!r}.")
    return number
