"""What is exported opens again: the same messages and sizes, and the same bytes when it is exported once more."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import Message, RequestContext, Session, SizeFacts
from inspector.engine.window import Window, problems
from inspector.formats import companion_path, digest_of, find, load
from inspector.formats.alignment import pieces_in
from inspector.library import Export, OpenError, Workbench, exact_sizes, resolve
from inspector.llm.providers import EMPTY, FIRST_WORDS, NEXT_WORDS, NO_RESULT, PROVIDERS, message_from_raw
from inspector.store import Store
from tests.cli.calling import transcript
from tests.formats.written import write_json, write_lines
from tests.generated import conversations
from tests.growth import calls_made
from tests.places import SESSIONS

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
    assert problems_of(out) == ["request.inspector.json was left out: it is not a sidecar written by Inspector"]


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
    assert problems_of(out) == ["request.inspector.json was left out: it describes another version of request.json"]


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
    assert session.sizes == SizeFacts(unrecorded=preview.after.unrecorded)


def test_the_digest_is_that_of_the_bytes_that_are_written(tmp_path: Path) -> None:
    out, companion = joined(tmp_path)
    assert companion["request"] == {"sha256": digest_of(out.read_bytes()), "provider": "anthropic"}


# what a request holds for its provider's sake, and what it does not hold


def waiting(folder: Path, answers: int = 0, model: str = "claude-sonnet-4-20250514") -> Workbench:
    """A transcript that ends while two tools run, of which the first so many have answered."""
    records = transcript(turns=2)
    *before, call, result = records
    call["message"]["content"].append({"type": "tool_use", "id": "toolu_more", "name": "Grep", "input": {}})
    for record in records:
        if record["type"] == "assistant":
            record["message"]["model"] = model
    return bench_of(load(write_lines(folder / "agent.jsonl", [*before, call, *([result] * answers)]))[0])


@pytest.mark.parametrize("to", FORMS)
@pytest.mark.parametrize("answers", [0, 1])
@pytest.mark.parametrize("model", ["claude-sonnet-4-20250514", "claude-opus-4-6"])
def test_results_that_tools_still_owe_are_said_and_no_messages_of_the_window(
    to: str, answers: int, model: str, tmp_path: Path
) -> None:
    preview = waiting(tmp_path, answers, model).preview()
    export = Export(preview, to)
    assert export.text.count(NO_RESULT) == 2 - answers
    names = "Grep" if answers else "Read, Grep"
    assert f"Results of {names} are not recorded and were replaced by {NO_RESULT}." in export.notes()
    assert not any("left out" in note for note in export.notes())
    out = written(export, tmp_path / "request.json")
    again = opened(out).preview()
    assert [gist(m) for m in again.after.messages] == [gist(m) for m in preview.after.messages]
    assert abs(again.after.total - preview.after.total) <= (3 if to == "anthropic" else 30)
    assert again.valid
    assert Export(again, to).text == export.text
    companion_path(out).unlink()
    assert sum(m.text == NO_RESULT for m in opened(out).session.messages) == 2 - answers


def test_what_a_program_put_behind_a_waiting_call_keeps_its_kind(tmp_path: Path) -> None:
    records = transcript(turns=2)
    last = {**records[0], "uuid": "more", "parentUuid": records[-2]["uuid"], "isMeta": True}
    last["message"] = {"role": "user", "content": "The lamps are watched."}
    preview = bench_of(load(write_lines(tmp_path / "agent.jsonl", [*records[:-1], last]))[0]).preview()
    again = opened(written(Export(preview, "anthropic"), tmp_path / "request.json")).preview()
    assert preview.after.messages[-1].kind == "injected"
    assert [gist(m) for m in again.after.messages] == [gist(m) for m in preview.after.messages]


def answered(folder: Path, **facts: object) -> Workbench:
    """A transcript whose last reply is signed thinking and words, of a model that goes on with no reply."""
    *records, _ = transcript(turns=2)
    records[-1]["message"] |= {"model": "claude-opus-4-6", "content": [{"type": "text", "text": "All lit."}], **facts}
    return bench_of(load(write_lines(folder / "agent.jsonl", records))[0])


def test_the_line_for_the_next_words_is_no_message_of_the_window(tmp_path: Path) -> None:
    preview = answered(tmp_path).preview()
    export = Export(preview, "anthropic")
    assert export.request["messages"][-1] == {"role": "user", "content": NEXT_WORDS}
    again = opened(written(export, tmp_path / "request.json")).preview()
    assert [gist(m) for m in again.after.messages] == [gist(m) for m in preview.after.messages]
    assert abs(again.after.total - preview.after.total) <= 2
    assert again.valid
    assert Export(again, "anthropic").text == export.text


def test_thinking_that_is_taken_out_is_said(tmp_path: Path) -> None:
    thought = {"type": "thinking", "thinking": "Long thoughts about lamps.", "signature": "c2ln"}
    bench = answered(tmp_path, content=[thought, {"type": "text", "text": "All lit."}])
    for to, title in (("anthropic", "Anthropic"), ("openai", "OpenAI chat")):
        said = f"Thinking was removed, 1 of 1 passage: {title} does not accept it in this position."
        assert said in Export(bench.preview(), to).notes()
    asked = {"model": "claude-sonnet-4-20250514", "max_tokens": 9, "thinking": {"type": "enabled", "budget_tokens": 4}}
    messages = [{"role": "user", "content": "go"}, {"role": "assistant", "content": [thought, bench_text()]}]
    request = write_json(tmp_path / "asked.json", asked | {"messages": [*messages, {"role": "user", "content": "on"}]})
    assert Export(opened(request).preview(), "anthropic").notes() == []


def bench_text() -> dict[str, str]:
    return {"type": "text", "text": "All lit."}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ([{"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}], "it contains only thinking"),
        ([{"type": "text", "text": "All lit."}], "the model does not continue a reply"),
        ([{"type": "tool_use", "id": "t", "name": "f", "input": {}}], "the model does not continue a reply"),
    ],
)
def test_why_a_reply_is_left_out_is_said(content: list[dict[str, Any]], reason: str, tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "go"}, {"role": "assistant", "content": content}]
    request = {"model": "claude-opus-4-6", "max_tokens": 9, "messages": messages}
    preview = opened(write_json(tmp_path / "request.json", request)).preview()
    notes = Export(preview, "anthropic").notes()
    assert f"The last reply was omitted: {reason}." in notes
    assert not any("No result" in note for note in notes)


def test_a_companion_hides_nothing_that_somebody_said(tmp_path: Path) -> None:
    out, companion = joined(tmp_path)
    companion["messages"] = [{"index": index, "pieces": [{"invented": True}]} for index in range(3)]
    write_json(companion_path(out), companion)
    assert len(opened(out).session.messages) == 3
    companion["messages"][0]["pieces"][0]["invented"] = 1
    write_json(companion_path(out), companion)
    assert problems_of(out) == ["request.inspector.json was left out: it is not a sidecar written by Inspector"]


def calls_then_words(count: int) -> tuple[list[Message], dict[str, Any]]:
    """Replies without a word, and a request in which each of them has words."""
    raws: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for number in range(count):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        raws.append({"role": "assistant", "content": None, "tool_calls": [call]})
        raws.append({"role": "tool", "tool_call_id": f"c{number}", "content": "r"})
    messages = [message_from_raw(f"m{place}", raw, "openai") for place, raw in enumerate(raws)]
    request = PROVIDERS["openai"].request(RequestContext(model="gpt-4o"), messages)
    for item in request["messages"]:
        item["content"] = item["content"] or "changed"
    return messages, request


def long_joint(count: int) -> tuple[list[Message], dict[str, Any]]:
    """Many messages that are one in the request."""
    raws = [{"role": "user", "content": f"message {number % 7}"} for number in range(count)]
    messages = [message_from_raw(f"m{place}", raw, "openai") for place, raw in enumerate(raws)]
    return messages, PROVIDERS["openai"].request(RequestContext(model="gpt-4o"), messages)


def many_blocks(count: int) -> tuple[list[Message], dict[str, Any]]:
    """One message of many blocks that all say the same."""
    blocks = [{"type": "text", "text": "lamp"}] * count
    messages = [message_from_raw("m", {"role": "user", "content": blocks}, "anthropic")]
    return messages, PROVIDERS["anthropic"].request(RequestContext(model="claude-sonnet-4"), messages)


@pytest.mark.parametrize("case", [calls_then_words, long_joint, many_blocks])
def test_finding_the_pieces_takes_time_in_proportion(
    case: Callable[[int], tuple[list[Message], dict[str, Any]]],
) -> None:
    def work(count: int) -> int:
        messages, request = case(count)
        dialect = messages[0].dialect
        return calls_made(lambda: pieces_in(request, dialect, messages))

    assert work(400) < 2.5 * work(200)
