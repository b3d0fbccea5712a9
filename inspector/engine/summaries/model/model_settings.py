"""Which model writes summaries, and where it is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from inspector.core.text import one_line
from inspector.llm.models import profile

OPENAI = "https://api.openai.com/v1"
MODEL_VARIABLES = (
    "INSPECTOR_MODEL names one, OPENAI_API_KEY holds its key, and OPENAI_BASE_URL says where it is "
    "when that is not OpenAI"
)
"""How a model is set up, for a sentence."""


@dataclass(frozen=True)
class ModelSettings:
    """A model behind an OpenAI-compatible endpoint."""

    model: str
    base_url: str = OPENAI
    api_key: str = field(default="", repr=False)
    """Sent to the endpoint and told to nobody else; local servers need none."""
    timeout: float = 120.0
    """Seconds that one request may take in all, waiting and trying again included."""
    retries: int = 3
    """How often a request is made again after it was turned away (429), the server failed, or nobody answered."""
    max_output: int = 0
    """Tokens after which the server is to stop; 0 leaves that to the summariser, which stops a text far too long."""
    window: int = 0
    """Tokens of the model's context window; 0 stands for what is known about the model."""

    @property
    def label(self) -> str:
        """The model's name on one line, safe to show."""
        return one_line(self.model)

    @property
    def host(self) -> str:
        """Where the model is, for people: the host and the port, never names and passwords."""
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
        """The model as the subject of a sentence: by its place or, where that is not known, by its name."""
        return f"The model at {self.host}" if self.host else f"The model {self.model}".rstrip()

    @property
    def place(self) -> str:
        """The name of the model's server, for the middle of a sentence."""
        return self.host or "the provider"

    @property
    def context(self) -> int:
        """Tokens that a request and its answer may have together."""
        return self.window or profile(self.model).limit


def from_environment(environ: Mapping[str, str]) -> ModelSettings | None:
    """The settings in an environment; None when it names no model.

    INSPECTOR_MODEL (or OPENAI_MODEL) names the model, OPENAI_BASE_URL the endpoint and OPENAI_API_KEY the key, as for
    every program that talks to such endpoints. INSPECTOR_MODEL_TIMEOUT (seconds) and INSPECTOR_MODEL_WINDOW (tokens)
    are for models on slow or small machines. Raises ValueError, with a sentence, where one of these is no number.
    """
    model = environ.get("INSPECTOR_MODEL", "").strip() or environ.get("OPENAI_MODEL", "").strip()
    if not model:
        return None
    return ModelSettings(
        model,
        environ.get("OPENAI_BASE_URL", "").strip() or OPENAI,
        environ.get("OPENAI_API_KEY", "").strip(),
        timeout=_positive(environ, "INSPECTOR_MODEL_TIMEOUT", ModelSettings.timeout),
        window=int(_positive(environ, "INSPECTOR_MODEL_WINDOW", 0)),
    )


def _positive(environ: Mapping[str, str], name: str, otherwise: float) -> float:
    text = environ.get(name, "").strip()
    try:
        number = float(text) if text else otherwise
    except ValueError:
        number = -1
    if text and not 0 < number < float("inf"):
        raise ValueError(f"{name} must be a number above 0, not {text[:40]!r}.")
    return number
