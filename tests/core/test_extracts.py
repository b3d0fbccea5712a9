"""What is read out of messages and kept: it comes back as it was, by the rules that read it, and by no others."""

from __future__ import annotations

import ast
import gc
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

import inspector
from inspector.core import extraction_cache
from inspector.core.conversation import Message
from inspector.core.extraction_cache import RULES, ExtractKind, Extractor, digest_of_sources, register_cache
from inspector.engine.facts import FACTS_EXTRACTOR, FactIndex
from inspector.engine.summaries import GIST_EXTRACTOR, summarise
from inspector.engine.summaries.extractive import gist as gist_module
from tests.drawn import raw_messages
from tests.store.made import chain

ROOT = Path(inspector.__file__).parent
LOG = chain("Never push to main. The port is 8080.", "See src/login.py:12 and https://example.org/a \ud800.", "Go on.")


class MemoryCache:
    """A cache in memory."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self.messages = list(messages)
        self.texts: dict[tuple[str, bytes, Message], str] = {}
        register_cache(self)

    def __contains__(self, message: Message) -> bool:
        return message in self.messages

    def load(self, kind: ExtractKind, rules: bytes, messages: Sequence[Message]) -> Mapping[Message, str]:
        return {key[2]: text for key, text in self.texts.items() if key[:2] == (kind, rules) and key[2] in messages}

    def save(self, kind: ExtractKind, rules: bytes, extracts: Mapping[Message, str]) -> None:
        self.texts |= {(kind, rules, message): text for message, text in extracts.items()}


def plain(value: Any) -> Any:
    """An extract as values that can be compared."""
    return [getattr(value, name) for name in type(value).__slots__]


def refuse(message: Message) -> Any:
    raise AssertionError(f"{message.id} was read again")


@pytest.mark.parametrize("extractor", [GIST_EXTRACTOR, FACTS_EXTRACTOR])
@given(messages=raw_messages())
def test_what_comes_from_a_cache_is_what_was_put_there(extractor: Extractor[Any], messages: list[Message]) -> None:
    messages = [*messages, *LOG.messages]
    cache = MemoryCache(messages)
    fresh = list(extractor.values(messages))
    assert len(cache.texts) == len(messages)
    kept = list(replace(extractor, make=refuse).values(messages))
    assert [plain(value) for value in kept] == [plain(extractor.make(message)) for message in messages]
    assert [plain(value) for value in fresh] == [plain(value) for value in kept]
    assert [list(value.facts) for value in kept] == [list(value.facts) for value in fresh]


def test_other_rules_read_everything_again(monkeypatch: pytest.MonkeyPatch) -> None:
    cache = MemoryCache(LOG.messages)
    list(GIST_EXTRACTOR.values(LOG.messages))
    monkeypatch.setattr(extraction_cache, "digest_of_rules", lambda: b"other rules")
    with pytest.raises(AssertionError, match="m0 was read again"):
        list(replace(GIST_EXTRACTOR, make=refuse).values(LOG.messages))
    list(GIST_EXTRACTOR.values(LOG.messages))
    own = extraction_cache.digest_of_code(RULES)
    assert {rules for _, rules, _ in cache.texts} == {b"other rules", own}


DAMAGES = [
    "",
    "{}",
    "[]",
    "null",
    "[1, 2, 3, 4, 5, 6]",
    "[[1],[2],[3],[4],[5],[6],[7]]",
    '[["Goal"],[1],[1.0],[""],[],true]',
]


@pytest.mark.parametrize("damage", [*DAMAGES, "[" * 100_000, '[["None"],["x"],[1.0],["x"],[],false]'])
@pytest.mark.parametrize("extractor", [GIST_EXTRACTOR, FACTS_EXTRACTOR])
def test_what_is_damaged_is_made_again(extractor: Extractor[Any], damage: str) -> None:
    cache = MemoryCache(LOG.messages)
    before = [plain(value) for value in extractor.values(LOG.messages)]
    right = dict(cache.texts)
    cache.texts = dict.fromkeys(right, damage)
    assert [plain(value) for value in extractor.values(LOG.messages)] == before
    assert {key: sorted(text) for key, text in cache.texts.items()} == {
        key: sorted(text) for key, text in right.items()
    }


def test_summaries_and_facts_are_the_same_from_a_cache() -> None:
    def outcome() -> Any:
        log = [replace(message) for message in LOG.messages] if cache is None else LOG.messages
        index = FactIndex(replace(LOG, messages=tuple(log)))
        return summarise(log, 100, len), index.facts, [index.facts_of(message) for message in log]

    cache = None
    afresh = outcome()
    cache = MemoryCache(LOG.messages)
    assert outcome() == afresh
    cache = MemoryCache(LOG.messages)
    assert outcome() == afresh


def test_a_cache_that_nobody_holds_is_not_asked() -> None:
    cache = MemoryCache(LOG.messages)
    list(GIST_EXTRACTOR.values(LOG.messages))
    assert cache.texts
    del cache
    gc.collect()
    with pytest.raises(AssertionError, match="m0 was read again"):
        list(replace(GIST_EXTRACTOR, make=refuse).values(LOG.messages))


def test_gists_that_can_be_had_again_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gist_module, "_CACHED_GISTS", 10)
    log = chain(*(f"Deploy step {number} to host-{number}." for number in range(25))).messages
    gist_module.GISTS.clear()
    afresh = [plain(value) for value in gist_module.gists(log)]
    assert len(gist_module.GISTS) == 25
    cache = MemoryCache(log)
    gist_module.GISTS.clear()
    assert [plain(gist_module.gist(message)) for message in log] == afresh
    assert len(gist_module.GISTS) <= 10
    assert len(cache.texts) == 25
    assert [plain(value) for value in gist_module.gists(log)] == afresh
    assert len(gist_module.GISTS) == 25  # as many as are asked for at once


def test_any_change_of_a_rule_changes_the_digest(tmp_path: Path) -> None:
    (tmp_path / "facts").mkdir()
    rule = tmp_path / "facts" / "rule.py"
    rule.write_text("WORDS = ['must']\n")
    (tmp_path / "one.py").write_text("")
    digests = [digest_of_sources(tmp_path, ("facts", "one.py"))]
    assert digest_of_sources(tmp_path, ("facts", "one.py")) == digests[0]
    rule.write_text("WORDS = ['must', 'never']\n")
    digests.append(digest_of_sources(tmp_path, ("facts", "one.py")))
    (tmp_path / "facts" / "more.py").write_text("")
    digests.append(digest_of_sources(tmp_path, ("facts", "one.py")))
    rule.rename(tmp_path / "facts" / "other.py")
    digests.append(digest_of_sources(tmp_path, ("facts", "one.py")))
    assert len({*digests}) == len(digests)


APART = {
    "core.caches": "keeps values and makes none",
    "core.json_objects": "keys and descriptions of output",
    "core.lazy": "loads names",
    "core.limits": "sizes of pictures",
    "core.plugins": "loads entries",
    "core.plugin_digest": "a part of the digest",
    "llm.models": "prices and windows",
    "llm.tokens": "counts",
    "engine.window": "windows, for types alone",
    "engine.summaries.repair": "adds to a summary",
}
"""What rules import that decides nothing of what is read."""


def test_everything_that_the_rules_import_is_in_their_digest() -> None:
    files = [path for part in RULES for path in (sorted((ROOT / part).rglob("*.py")) or [ROOT / part])]
    assert all(path.is_file() for path in files)
    assert {ROOT / "engine/facts/extraction.py", ROOT / "engine/summaries/extractive/gist.py"} <= {*files}
    others = set()
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for name in imported_modules(node):
                place = ROOT.joinpath(*name.split("."))
                if not {place.with_suffix(".py"), place / "__init__.py"} & {*files}:
                    others.add(name)
    beginnings = tuple(f"{name}." for name in APART)
    assert {name for name in others if not f"{name}.".startswith(beginnings)} == set()


def imported_modules(node: ast.AST) -> list[str]:
    """The modules of the package that a node imports, without the package's name."""
    if not isinstance(node, ast.ImportFrom) or not str(node.module).startswith("inspector."):
        return []
    module = str(node.module).removeprefix("inspector.")
    return [module] if "." in module else [f"{module}.{alias.name}" for alias in node.names]
