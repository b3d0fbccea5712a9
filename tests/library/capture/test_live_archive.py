"""Messages that a preset archives on live traffic come back in later runs, and are kept without secrets."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from inspector.engine.compression import find
from inspector.library.capture import live_archive as module
from inspector.library.capture.live_archive import LiveArchive, live_archive
from inspector.memory import FittedRequest, RequestFitter
from inspector.store import MemoryFilter, Store

_PRESET = replace(find("balanced"), strategy="vector_swap", settings={}, threshold=1_500)
_KEY = "sk-proj-abcdefghijklmnop1234567890"
_APIS = {"openai-chat": "messages", "anthropic-messages": "messages", "openai-responses": "input"}
_HEADING = "[Memory from earlier"


def _history(steps: int, task: str = "Mend the mill.") -> list[dict[str, Any]]:
    """A conversation with one word in each step that no other step has."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": task}]
    for number in range(steps):
        words = f"The gear{number} has {number * 7919} teeth. " + "The wheel turns. " * 30
        secret = f"OPENAI_API_KEY={_KEY}" if number == 1 else ""
        messages += [
            {"role": "assistant", "content": f"Part {number} is done."},
            {"role": "user", "content": words + secret},
        ]
    return messages


def _fit(fitter: RequestFitter, api: str, messages: Sequence[dict[str, Any]]) -> FittedRequest:
    return fitter.fit(api, {"model": "gpt-5", _APIS[api]: list(messages)})


def _run(store: Store, api: str, messages: Sequence[dict[str, Any]]) -> FittedRequest:
    """Send the requests of a conversation with a new archive, as a program that is recorded again."""
    with live_archive(store, _PRESET, is_trial=False) as archive:
        fitter = RequestFitter(_PRESET, archive=archive)
        for end in range(1, len(messages) + 1, 2):
            fitted = _fit(fitter, api, messages[:end])
            assert fitted.state != "original", fitted.reason
    assert archive and archive.failure == ""
    return fitted


@pytest.mark.parametrize("api", _APIS)
def test_archived_messages_come_back_in_another_run(tmp_path: Path, api: str) -> None:
    history = _history(14)
    with Store(tmp_path / "s.db") as store:
        assert "gear3 has 23757" not in str(_run(store, api, history).request)
        asked = [{"role": "user", "content": "How many teeth has gear3?"}]
        shortened = [*history[:2], *history[-3:-1], *asked]  # the program has forgotten the middle
        fitted = _run(store, api, shortened)
        assert _HEADING in str(fitted.request) and "gear3 has 23757" in str(fitted.request)
        assert str(fitted.request).count("gear3 has") == 1
        other = [{"role": "user", "content": "Mend the dam."}, *shortened[1:]]
        assert _HEADING not in str(_run(store, api, other).request), "another conversation"


def test_a_later_request_searches_again_until_something_is_found(tmp_path: Path) -> None:
    history = _history(14)
    with Store(tmp_path / "s.db") as store:
        _run(store, "openai-chat", history)
        start = [*history[:2], {"role": "user", "content": "Hello."}]
        reply = {"role": "assistant", "content": "Hello."}
        asked = {"role": "user", "content": "How many teeth has gear3?"}
        with live_archive(store, _PRESET, is_trial=False) as archive:
            fitter = RequestFitter(_PRESET, archive=archive)
            assert _HEADING not in str(_fit(fitter, "openai-chat", start).request)
            found = _fit(fitter, "openai-chat", [*start, reply, asked])
            assert "gear3 has 23757" in str(found.request)
            assert found.request["messages"][:4] == [*start, reply], "the beginning is the same"
            later = _fit(fitter, "openai-chat", [*start, reply, asked, reply, {"role": "user", "content": "gear4?"}])
            assert later.request["messages"][:5] == found.request["messages"], "until the next compaction"


def test_secrets_are_not_kept_and_nothing_is_kept_twice(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with Store(path) as store:
        _run(store, "openai-chat", _history(14))
        first = store.entries.page(-1)
        _run(store, "openai-chat", _history(14))
        assert len(store.entries.page(-1)) == len(first) > 5
        assert {(entry.kind, entry.tier, entry.origin) for entry in first} == {("archived", "persistent", "record")}
        assert all(entry.expires_at for entry in first)
        assert any("[redacted:" in entry.text for entry in first)
    assert not any(_KEY.encode() in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert path.stat().st_mode & 0o77 == 0


def test_the_oldest_messages_of_a_conversation_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_ENTRIES", 5)
    with Store(tmp_path / "s.db") as store:
        kept = store.entries.remember("fact", "The mill is old.")
        _run(store, "openai-chat", _history(14))
        assert len(store.entries.page(-1, meant=MemoryFilter(kind="archived"))) == 5
        _run(store, "openai-chat", _history(14, "Mend the dam."))
        assert len(store.entries.page(-1, meant=MemoryFilter(kind="archived"))) == 10
        assert store.entries.get(kept).text == "The mill is old."


def test_no_request_fails_if_the_store_does(tmp_path: Path) -> None:
    history = _history(14)
    with Store(tmp_path / "s.db") as store:
        archive = LiveArchive(store)
        with closing(sqlite3.connect(tmp_path / "s.db")) as connection:
            connection.execute("DROP TABLE memory")
        fitter = RequestFitter(_PRESET, archive=archive)
        fitted = [_fit(fitter, "openai-chat", history[:end]) for end in range(1, len(history) + 1, 2)]
        archive.close()
    assert {one.state for one in fitted} == {"unchanged", "applied"} and archive.failure


def test_presets_that_retrieve_nothing_have_no_archive(tmp_path: Path) -> None:
    pipeline = replace(find("late"), settings={"stages": "dedupe; vector_swap k=3"})
    with Store(tmp_path / "s.db") as store:
        for preset, is_trial, has_archive in (
            (find("late"), False, False),
            (find("balanced"), False, False),
            (_PRESET, False, True),
            (_PRESET, True, False),
            (pipeline, False, True),
        ):
            with live_archive(store, preset, is_trial=is_trial) as archive:
                assert (archive is not None) == has_archive, preset.name
