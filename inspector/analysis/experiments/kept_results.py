"""Keep the results of presets between runs, by everything that they depend on.

A result is used again only if the file, the sizes, the price, the settings and the source code of Inspector are the
same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from functools import lru_cache
from hashlib import blake2b

import orjson

from inspector.analysis.experiments.trials import TrialResult, TrialSetup
from inspector.analysis.replay import NONE
from inspector.core.conversation import Message
from inspector.core.extraction_cache import digest_of_code
from inspector.core.plain_values import Link, PlainValues
from inspector.engine.compression import Preset

_SOURCES = ("analysis", "core", "engine", "formats", "llm")
"""Folders of the package that determine a result."""
_HEAD = tuple(field.name for field in fields(Message) if field.name != "body")


def result_keys(subject: TrialSetup, presets: Sequence[Preset]) -> list[bytes]:
    """Return the key of each preset's result; none without a cache."""
    content = subject.kept.content_digest() if subject.kept and subject.services is None else None
    if content is None:
        return []
    session, sizes = subject.session, subject.sizes.described()
    common = blake2b(digest_of_code(_SOURCES) + content, digest_size=32)
    for part in (replace(session, messages=()), sizes, subject.price, subject.agent, dict(subject.weights or {})):
        common.update(repr(part).encode("utf-8", "surrogatepass"))
    common.update(repr(subject.facts is None and subject.read_facts is None).encode())
    for message in session.messages:
        common.update(repr([getattr(message, name) for name in _HEAD]).encode("utf-8", "surrogatepass"))
    return [_key_for_preset(common.digest(), preset) for preset in presets]


def _key_of_part(subject: TrialSetup, key: bytes) -> bytes:
    """Return the key of a result without all judgements of the state of the work; the given key if it has all."""
    return key if subject.judged == "all" else blake2b(key + subject.judged.encode(), digest_size=16).digest()


def load_results(subject: TrialSetup, presets: Sequence[Preset], keys: Sequence[bytes]) -> dict[int, TrialResult]:
    """Return the kept results by index of their preset. Damaged ones are missing."""
    results = dict[int, TrialResult]()
    form = _form()
    for place, key in enumerate(keys):
        for name in dict.fromkeys((key, _key_of_part(subject, key))):
            text = subject.kept.load_result(name) if subject.kept else None
            if text is not None and (result := _result_from(text, form)) is not None:
                results[place] = replace(result, preset=presets[place])
                break
    return results


def keep_result(subject: TrialSetup, key: bytes, result: TrialResult) -> None:
    """Keep a result under its key."""
    if subject.kept:
        subject.kept.save_result(_key_of_part(subject, key), orjson.dumps(_form().fields(result)).decode())


@lru_cache
def _form() -> PlainValues[TrialResult]:
    """Return how a result is written: without its preset, which is a part of its key."""
    return PlainValues(TrialResult, {Preset: Link(lambda _: "", lambda _: NONE)})


def _result_from(text: str, form: PlainValues[TrialResult]) -> TrialResult | None:
    try:
        return form.value(orjson.loads(text))
    except (TypeError, ValueError, LookupError, AttributeError):
        return None


def _key_for_preset(common: bytes, preset: Preset) -> bytes:
    return blake2b(common + repr(preset).encode("utf-8", "surrogatepass"), digest_size=16).digest()
