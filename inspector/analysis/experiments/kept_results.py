"""Keep the results of presets between runs, by everything that they depend on.

A result is used again only if the file, the sizes, the price, the settings and the source code of Inspector are the
same. The row of the recording is always computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, fields, replace
from hashlib import blake2b
from typing import Any

import orjson

from inspector.analysis.experiments.trials import TrialResult, TrialSetup
from inspector.analysis.replay import RECORDED, CacheLifetime, StateKept
from inspector.core.conversation import Message
from inspector.core.extraction_cache import digest_of_code
from inspector.engine.compression import Preset
from inspector.engine.facts import RetainedFact
from inspector.llm.models import Cost

_SOURCES = ("analysis", "core", "engine", "formats", "llm")
"""Folders of the package that determine a result."""
_PARTS = {"parts": Cost, "lifetime": CacheLifetime, "state": StateKept}
"""Fields of a result that are data classes of plain values."""
_ABSENT = ("preset", "reported", "rereads", "retention")
"""Fields of a result that are not kept, or in another form."""
_HEAD = tuple(field.name for field in fields(Message) if field.name != "body")


def result_keys(subject: TrialSetup, presets: Sequence[Preset]) -> list[bytes]:
    """Return the key of each preset's result, b"" for results that are not kept; empty without a cache."""
    content = subject.kept.content_digest() if subject.kept and subject.services is None else None
    if content is None:
        return []
    session, sizes = subject.session, subject.sizes.described()
    common = blake2b(digest_of_code(_SOURCES) + content, digest_size=32)
    for part in (replace(session, messages=()), sizes, subject.price, subject.agent, dict(subject.weights or {})):
        common.update(repr(part).encode("utf-8", "surrogatepass"))
    common.update(repr((subject.judges_state, subject.facts is None)).encode())
    for message in session.messages:
        common.update(repr([getattr(message, name) for name in _HEAD]).encode("utf-8", "surrogatepass"))
    return [b"" if preset == RECORDED else _key_for_preset(common.digest(), preset) for preset in presets]


def load_results(subject: TrialSetup, presets: Sequence[Preset], keys: Sequence[bytes]) -> dict[int, TrialResult]:
    """Return the kept results by index of their preset. Damaged ones are missing."""
    results = dict[int, TrialResult]()
    for place, key in enumerate(keys):
        text = subject.kept.load_result(key) if subject.kept and key else None
        if text is not None and (result := _result_from(text, presets[place])) is not None:
            results[place] = result
    return results


def keep_result(subject: TrialSetup, key: bytes, result: TrialResult) -> None:
    """Keep a result under its key; do nothing if the key is empty."""
    if not (subject.kept and key) or result.reported is not None or result.rereads is not None:
        return
    names = [field.name for field in fields(TrialResult) if field.name not in (*_ABSENT, *_PARTS)]
    values: dict[str, Any] = {name: getattr(result, name) for name in names}
    values |= {name: astuple(getattr(result, name)) for name in _PARTS}
    values["retention"] = {name: astuple(counts) for name, counts in result.retention.items()}
    subject.kept.save_result(key, orjson.dumps(values).decode())


def _result_from(text: str, preset: Preset) -> TrialResult | None:
    try:
        values: Mapping[str, Any] = orjson.loads(text)
        nested = {name: cls(*values[name]) for name, cls in _PARTS.items()}
        retention = {name: RetainedFact(*counts) for name, counts in values["retention"].items()}
        return TrialResult(preset=preset, **{**values, **nested, "retention": retention})
    except (TypeError, ValueError, LookupError, AttributeError):
        return None


def _key_for_preset(common: bytes, preset: Preset) -> bytes:
    return blake2b(common + repr(preset).encode("utf-8", "surrogatepass"), digest_size=16).digest()
