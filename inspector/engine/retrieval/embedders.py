"""Embedders: a small model in this process, or any OpenAI-compatible endpoint."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from inspector.core.errors import InspectorError
from inspector.core.text import one_line
from inspector.engine import summaries
from inspector.engine.retrieval.base import Embedder, FloatArray

MODEL_VARIABLE, ADDRESS_VARIABLE, KEY_VARIABLE = "INSPECTOR_EMBEDDING_MODEL", "OPENAI_BASE_URL", "OPENAI_API_KEY"
_OPENAI = "https://api.openai.com/v1"
_BATCH = 128
"""Number of texts per request."""


class EmbeddingError(InspectorError, RuntimeError):
    """Texts could not be embedded. The message is one sentence."""


class WordLlamaEmbedder:
    """The model of the package wordllama (256 dimensions). Its weights are part of the wheel, so nothing is downloaded.

    The vector of a text is the sum of its word pieces (https://github.com/dleemiller/WordLlama). The model is loaded on
    first use. Methods raise EmbeddingError if the package is not installed or damaged.
    """

    name = "wordllama-l2-256"
    dimensions = 256

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """See `Embedder.embed`. A text without words is a row of zeros."""
        import numpy as np

        model = _wordllama()
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for place, text in enumerate(texts):
            if any(map(str.isalnum, text)):
                rows[place] = model.embedding[_pieces(model, text)].sum(axis=0)
        return _unit(rows)

    def embed_words(self, weights: Mapping[str, float]) -> FloatArray:
        """See `WordEmbedder.embed_words`."""
        import numpy as np

        model = _wordllama()
        total = np.zeros(self.dimensions, np.float32)
        for word, weight in weights.items():
            total += np.float32(weight) * model.embedding[_pieces(model, word)].sum(axis=0)
        return _unit(total[np.newaxis])[0]


@cache
def _wordllama() -> Any:
    """Return the model, shared by the process, because loading it takes a second."""
    log, guard = logging.getLogger(), logging.NullHandler()
    log.addHandler(guard)  # keeps wordllama from configuring the root logger on import
    try:
        package: Any = import_module("wordllama")  # untyped package
        return package.WordLlama.load(cache_dir=Path(package.__file__).parent, disable_download=True)
    except ImportError as error:
        raise EmbeddingError("wordllama is not installed: pip install wordllama numpy.") from error
    except (OSError, ValueError, RuntimeError) as error:
        raise EmbeddingError(f"wordllama cannot be loaded ({type(error).__name__}). Reinstall it.") from error
    finally:
        log.removeHandler(guard)


def _pieces(model: Any, text: str) -> list[int]:
    """Return the word pieces of a text. Batch encoding would start threads, which a later fork warns about."""
    clean = text.encode("utf-8", "replace").decode()
    return list(model.tokenizer.encode(clean, add_special_tokens=False).ids)


class EndpointEmbedder:
    """A model at an OpenAI-compatible `/v1/embeddings` endpoint.

    Args:
        model: Name of the model.
        base_url: URL of the API, without `/embeddings`.
        api_key: Key of the API; empty if it needs none.
        dimensions: Number of dimensions to request, if the model offers several; 0 for its default.
        timeout: Timeout of a request in seconds.
    """

    def __init__(
        self, model: str, base_url: str = _OPENAI, api_key: str = "", dimensions: int = 0, timeout: float = 60.0
    ) -> None:
        self.name = model
        self.dimensions = dimensions
        self._base_url, self._key, self._timeout = base_url, api_key, timeout

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """See `Embedder.embed`.

        Raises:
            EmbeddingError: The request failed. The message is one sentence without the key.
        """
        import numpy as np

        rows: list[Any] = [None] * len(texts)
        places = [place for place, text in enumerate(texts) if text.strip()]
        for batch in _batches(places):
            for place, vector in zip(batch, self._ask([texts[place] for place in batch]), strict=True):
                rows[place] = vector
        size = next((len(row) for row in rows if row is not None), self.dimensions)
        if any(row is not None and len(row) != size for row in rows):
            raise EmbeddingError(f"{self._place} returned vectors of different sizes.")
        self.dimensions = size
        return _unit(np.array([[0.0] * size if row is None else row for row in rows], np.float32).reshape(-1, size))

    @property
    def _place(self) -> str:
        return f"The embedding model at {one_line(urlsplit(self._base_url).hostname or self._base_url)}"

    def _ask(self, texts: Sequence[str]) -> list[list[float]]:
        from openai import APIStatusError, DefaultHttpxClient, OpenAI, OpenAIError

        options: dict[str, Any] = {"dimensions": self.dimensions} if self.dimensions else {}
        hooks = {"response": [summaries.bound_vectors]}
        try:
            with OpenAI(
                base_url=self._base_url,
                api_key=self._key or "none",
                timeout=self._timeout,
                http_client=DefaultHttpxClient(follow_redirects=False, event_hooks=hooks),
            ) as client:
                answer = client.embeddings.create(
                    model=self.name, input=list(texts), encoding_format="float", **options
                )
                rows = [row.embedding for row in sorted(answer.data, key=lambda row: row.index)]
        except APIStatusError as error:
            raise EmbeddingError(f"{self._place} rejected the texts (HTTP {error.status_code}).") from error
        except (OpenAIError, OSError, ValueError, TypeError, AttributeError) as error:
            raise EmbeddingError(f"{self._place} returned no vectors ({type(error).__name__}).") from error
        if len(rows) != len(texts) or not all(rows):
            raise EmbeddingError(f"{self._place} returned {len(rows):,} vectors for {len(texts):,} texts.")
        return rows


def embedder_from_environment(environ: Mapping[str, str] = os.environ) -> Embedder | None:
    """Return the configured embedder, or None.

    This is an endpoint if INSPECTOR_EMBEDDING_MODEL names a model, otherwise wordllama if it is installed.
    INSPECTOR_EMBEDDING_MODEL=none disables both. The endpoint is configured by OPENAI_BASE_URL and OPENAI_API_KEY.
    """
    model = environ.get(MODEL_VARIABLE, "").strip()
    if model.lower() == "none":
        return None
    if model:
        return EndpointEmbedder(model, environ.get(ADDRESS_VARIABLE) or _OPENAI, environ.get(KEY_VARIABLE, ""))
    return WordLlamaEmbedder() if find_spec("wordllama") else None


def _batches(places: Sequence[int]) -> Iterator[list[int]]:
    for start in range(0, len(places), _BATCH):
        yield list(places[start : start + _BATCH])


def _unit(rows: FloatArray) -> FloatArray:
    """Normalise rows to length 1. Rows without a direction become zeros."""
    import numpy as np

    rows = np.nan_to_num(rows.astype(np.float32, copy=False), nan=0.0, posinf=0.0, neginf=0.0)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 1e-12)
