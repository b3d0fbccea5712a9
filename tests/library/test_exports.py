"""What is exported opens again: the same messages and sizes, and the same bytes when it is exported once more."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.conversation import Message, Session
from inspector.formats import companion_path, digest_of, find, load
from inspector.library import Export, OpenError, Workbench, exact_sizes, resolve
from inspector.providers import EMPTY, FIRST_WORDS, NEXT_WORDS
from inspector.store import Store
from inspector.window import Window, problems
from tests.cli.calling import transcript
from tests.formats.written import write_json, write_lines
from tests.generated import conversations

SESSIONS = Path(__file__).resolve().parent.parent.parent / "sessions"
FORMS = ("anthropic", "openai", "openai-responses")
OWN = {"anthropic": {"anthropic"}, "openai": {"openai", "openai-responses"}}


def bench_of(session: Session) -> Workbench:
    return Workbench(session, exact_sizes(session))


def written(export: Export, path: Path) -> Path:
    for file, text in export.files(path).items():
        file.write_text(text, encoding="utf-8", errors="backslashreplace")
    return path


def opened(path: Path) -> Workbench:
    (session,) = load(path)
    return bench_of(session)


def gist(message: Message) -> tuple[object, ...]:
    return message.role, message.kind, message.text, [call.name for call in message.calls], message.thinks


def is_small(difference: int, window: Window) -> bool:
    """Whether totals differ by no more than counts are rounded."""
    return abs(difference) <= 1 + len(window.messages) // 50


@pytest.mark.parametrize("to", FORMS)
@pytest.mark.parametrize("strategy", [None, "sliding_window"])
@pytest.mark.parametrize("file", sorted(path.name for path in SESSIONS.glob("*.json*")))
def test_a_sample_session_opens_again_as_it_was(file: str, strategy: str | None, to: str, tmp_path: Path) -> None:
    for session in load(SESSIONS / file)[:2]:
        bench = bench_of(session)
        for turn in (None, max(1, bench.turns() // 2)):
            preview = bench.preview(turn, strategy=strategy)
            export = Export(preview, to)
            again = opened(written(export, tmp_path / "request.json")).preview()
            before, after = preview.after, again.after
            assert again.session.problems == ()
            assert Export(again, to).text == export.text
            difference = after.total - before.total
            is_own = to in OWN[session.dialect] and (to == "anthropic" or not any(m.thinks for m in before.messages))
            if is_own and not problems(before, to):
                assert sorted(map(repr, map(gist, after.messages))) == sorted(map(repr, map(gist, before.messages)))
                assert is_small(difference, before)
            assert abs(difference) <= 0.08 * before.total  # others count tools and pictures otherwise
            assert after.limit == before.limit
            assert [m.kind for m in after.messages if m.kind != "chat"] == [
                m.kind for m in before.messages if m.kind != "chat"
            ]
            assert again.session.model == session.model and again.session.title == session.title
            assert bool(problems(after, to)) == bool(before.excess)


@pytest.mark.parametrize("to", FORMS)
def test_what_a_transcript_never_recorded_is_counted_again(to: str, tmp_path: Path) -> None:
    """Without its companion such a request is a tenth of the window."""
    log = write_lines(tmp_path / "agent.jsonl", transcript(turns=8))
    preview = bench_of(load(log)[0]).preview()
    out = written(Export(preview, to), tmp_path / "request.json")
    again = opened(out).preview().after
    assert abs(again.total - preview.after.total) <= 10
    assert again.sizes.factor == preview.after.sizes.factor
    companion_path(out).unlink()
    assert opened(out).preview().after.total < 0.2 * preview.after.total


@pytest.mark.parametrize("to", FORMS)
@given(session=conversations(), share=st.sampled_from([0.5, 1.0]))
def test_a_generated_session_opens_again_with_its_kinds_and_words(to: str, session: Session, share: float) -> None:
    preview = bench_of(session).preview(max(1, round(share * len(session.turns()))))
    export = Export(preview, to)
    with tempfile.TemporaryDirectory() as folder:
        again = opened(written(export, Path(folder, "request.json"))).preview()
        assert again.session.problems == ()
        assert Export(again, to).text == export.text
        assert [gist(message)[:3] for message in marked(again.after)] == [
            gist(message)[:3] for message in marked(preview.after)
        ]
        if any(message.role != "system" for message in again.after.messages):
            assert problems(again.after, to) == () or again.after.excess


def marked(window: Window) -> list[Message]:
    """Messages that are not what their role says, but those that an export puts in and those that say nothing."""
    odd = [message for message in window.messages if message.kind in ("summary", "injected") and message.text.strip()]
    return [message for message in odd if message.text not in (EMPTY, FIRST_WORDS, NEXT_WORDS)]


def joined(folder: Path) -> tuple[Path, dict[str, Any]]:
    """An exported request in which a summary and words of a person are one message, and its companion."""
    records = transcript(turns=1)
    records[0] |= {"isCompactSummary": True, "message": {"role": "user", "content": "The pier has nine lamps."}}
    first = {**records[0], "uuid": "more", "parentUuid": records[0]["uuid"], "isCompactSummary": False}
    first["message"] = {"role": "user", "content": "Go on."}
    records[1]["parentUuid"] = "more"
    log = write_lines(folder / "agent.jsonl", [records[0], first, *records[1:]])
    preview = bench_of(load(log)[0]).preview()
    out = written(Export(preview, "anthropic"), folder / "request.json")
    return out, json.loads(companion_path(out).read_text())


def test_joined_messages_are_told_apart_again(tmp_path: Path) -> None:
    out, companion = joined(tmp_path)
    messages = opened(out).session.messages
    assert [(m.kind, m.text) for m in messages[:2]] == [
        ("summary", "The pier has nine lamps."),
        ("chat", "Go on."),
    ]
    assert [row["index"] for row in companion["messages"]] == [0]
    assert len(json.loads(out.read_text())["messages"]) == 3


Change = Callable[[dict[str, Any]], object]
BROKEN: list[Change] = [
    lambda file: file.update(inspector=2),
    lambda file: file.pop("sizes"),
    lambda file: file["sizes"].update(factor=-1),
    lambda file: file["sizes"].update(factor=1e308),
    lambda file: file["sizes"].update(unrecorded=True),
    lambda file: file["sizes"].update(limit=10**30),
    lambda file: file.update(title=["x"]),
    lambda file: file.update(model="x" * 1000),
    lambda file: file.update(messages=7),
    lambda file: file["messages"].append({"index": "0", "pieces": []}),
    lambda file: file["messages"].append({"index": 0, "pieces": [None]}),
    lambda file: file["messages"].append({"index": 0, "pieces": [{"kind": "notice"}]}),
    lambda file: file["messages"].append({"index": 0, "pieces": [{"length": -5}]}),
]


@pytest.mark.parametrize("change", BROKEN)
def test_a_broken_companion_is_told_in_one_sentence_and_left_out(change: Change, tmp_path: Path) -> None:
    out, companion = joined(tmp_path)
    change(companion)
    write_json(companion_path(out), companion)
    assert problems_of(out) == ["request.inspector.json was left out: it is not what Inspector writes beside an export"]


@pytest.mark.parametrize("text", ["", "[" * 100_000, "[]", "null", '"x"', "{}", "\ud800", "x" * (9 << 20)])
def test_whatever_stands_in_its_place_the_request_is_opened(text: str, tmp_path: Path) -> None:
    out, _ = joined(tmp_path)
    companion_path(out).write_bytes(text.encode("utf-8", "surrogatepass"))
    assert len(problems_of(out)) == 1


def test_no_pipe_is_waited_for(tmp_path: Path) -> None:
    out, _ = joined(tmp_path)
    companion_path(out).unlink()
    os.mkfifo(companion_path(out))
    assert problems_of(out) == []


def problems_of(out: Path) -> list[str]:
    session = opened(out).session
    assert session.sizes is None and session.records_system
    assert session.messages[0].kind == "chat"
    return [problem.text for problem in session.problems]


def test_a_companion_of_other_bytes_is_told_and_left_out(tmp_path: Path) -> None:
    out, _ = joined(tmp_path)
    out.write_text(out.read_text() + " ")
    assert problems_of(out) == ["request.inspector.json was left out: it is about another content of request.json"]


@pytest.mark.parametrize("lengths", [[1], [1, 5], [0, 0], [10**12, 1], [1, 1, 1]])
def test_pieces_that_do_not_make_up_a_message_leave_it_whole(lengths: list[int], tmp_path: Path) -> None:
    out, companion = joined(tmp_path)
    companion["messages"] = [{"index": 0, "pieces": [{"length": length, "kind": "injected"} for length in lengths]}]
    write_json(companion_path(out), companion)
    words = "\n\n".join(m.text for m in opened(out).session.messages if m.role == "user")
    assert words == "The pier has nine lamps.\n\nGo on."


def test_the_store_keeps_what_the_companion_says(tmp_path: Path) -> None:
    out, _ = joined(tmp_path)
    bench = opened(out)
    with Store(tmp_path / "inspector.db") as store:
        session = store.load(store.add(bench.session).id)
        assert session.sizes == bench.session.sizes
        assert session.settings == bench.session.settings
        assert [(m.kind, m.id, m.time) for m in session] == [(m.kind, m.id, m.time) for m in bench.session]
        assert bench_of(session).preview().after.total == bench.preview().after.total


def test_a_companion_is_no_conversation_of_its_own(tmp_path: Path) -> None:
    out, _ = joined(tmp_path)
    (tmp_path / "agent.jsonl").unlink()
    assert find(tmp_path) == [out]
    with pytest.raises(OpenError):
        resolve(str(companion_path(out)))


def test_a_request_of_another_model_takes_no_calibration_along(tmp_path: Path) -> None:
    log = write_lines(tmp_path / "agent.jsonl", transcript(turns=8))
    preview = bench_of(load(log)[0]).preview()
    session = opened(written(Export(preview, "openai", "gpt-4o"), tmp_path / "request.json")).session
    assert session.model == "gpt-4o"
    assert session.sizes == (1.0, preview.after.unrecorded, 0)


def test_the_digest_is_that_of_the_bytes_that_are_written(tmp_path: Path) -> None:
    out, companion = joined(tmp_path)
    assert companion["request"] == {"sha256": digest_of(out.read_bytes()), "provider": "anthropic"}
