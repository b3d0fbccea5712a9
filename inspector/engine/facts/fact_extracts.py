"""Store the extracted facts of messages on disk for later processes."""

from __future__ import annotations

from sys import intern
from typing import Any

from inspector.core.extraction_cache import Extractor, require_types
from inspector.engine.facts.classes import NAMES
from inspector.engine.facts.extraction import ExtractedFacts, read

_CLASSES = {name: name for name in NAMES}


def _fields(value: ExtractedFacts) -> list[Any]:
    """Return the facts as JSON values, by column."""
    classes, texts = zip(*value.facts, strict=True) if value.facts else ((), ())
    terms, needs, spellings = zip(*value.facts.values(), strict=True) if value.facts else ((), (), ())
    return [classes, texts, terms, needs, spellings, list(value.terms), list(value.needs)]


def _facts_of(fields: Any) -> ExtractedFacts:
    """Restore facts from such values. Raises the same exceptions as `Extractor.value`."""
    classes, *columns = fields
    require_types(str, *columns)
    texts, terms, needs, spellings, all_terms, all_needs = columns
    keys = zip([_CLASSES[name] for name in classes], texts, strict=True)
    wordings = zip(map(intern, terms), needs, spellings, strict=True)
    return ExtractedFacts(dict(zip(keys, wordings, strict=True)), set(all_terms), set(all_needs))


FACTS_EXTRACTOR = Extractor("facts", read, _fields, _facts_of)
