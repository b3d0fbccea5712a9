"""Files of lines that other programs go on with: what is read on comes to what is read at once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.formats import load
from inspector.formats.reading.content import SAMPLE_RECORDS
from inspector.library.tailing import FollowedFile
from tests.formats.written import write_lines
from tests.growth import calls_made
from tests.library.tailing.growing import assert_same, pieces, read_whole, session_of
from tests.places import DATA

Record = dict[str, Any]


def codex(pick: Callable[[int], int], count: int) -> Iterator[Record]:
    """Turns of a rollout: replies in several items, results, reports, and compactions that keep something or not."""

    def item(**fields: Any) -> Record:
        return {"timestamp": f"2026-01-02T03:04:{number % 60:02}Z", "type": "response_item", "payload": fields}

    def text(kind: str, words: str) -> list[Record]:
        return [{"type": kind, "text": words}]

    number = 0
    yield {"type": "session_meta", "payload": {"id": "s1", "base_instructions": {"text": "Keep the archive."}}}
    for number in range(count):
        match pick(8):
            case 0:
                yield item(type="message", role="user", content=text("input_text", f"Count bóx {number} 📦."))
            case 1:
                yield item(type="reasoning", summary=[{"type": "summary_text", "text": f"Bóx {number} 📦 first."}])
            case 2 | 3:
                yield item(type="function_call", name="shell", arguments="{}", call_id=f"c{number}", id=f"i{pick(9)}")
            case 4:
                yield item(type="function_call_output", call_id=f"c{number - 1}", output=f"{number} scans")
            case 5:
                yield item(type="message", role="assistant", content=text("output_text", f"{number} scans."))
            case 6:
                usage = {"input_tokens": 10 * number, "output_tokens": 5, "cached_input_tokens": 0}
                info = {"last_token_usage": usage, "model_context_window": 1000 + number}
                yield {"type": "event_msg", "payload": {"type": "token_count", "info": info}}
            case _:
                kept = [{"type": "message", "role": "user", "content": text("input_text", "Count.")}][: pick(2)]
                said = {"message": f"So far {number} 箱."}
                yield {"type": "compacted", "payload": said | ({"replacement_history": kept} if pick(3) else {})}
                if pick(2):
                    yield {"type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 1 + pick(3)}}


def pi(pick: Callable[[int], int], count: int) -> Iterator[Record]:
    """Entries of a session of pi: branches, compactions that keep the last entries, messages that come again, models of
    two providers."""
    yield {"type": "session", "id": "s1", "cwd": "/home/archive"}
    for number in range(count):
        own = {"id": f"e{number}", "parentId": f"e{number - 1 - pick(3) * pick(2)}" if number else None}
        match pick(9):
            case 7:
                words = {"id": f"w{number - pick(3)}", "role": "user", "content": f"Pier {number}."}
                yield {"type": "message", **own, "message": words}
            case 8:
                yield {"type": "reset", **own, "firstKeptEntryId": f"e{number - pick(4)}"}
            case 0 | 1:
                yield {"type": "message", **own, "message": {"role": "user", "content": f"Count bóx {number} 📦."}}
            case 2 | 3:
                call = {"type": "toolCall", "id": f"c{number}", "name": "list", "arguments": {"box": number}}
                reply = {"role": "assistant", "content": [call], "model": ["gpt-5", "claude-opus-4-5"][pick(20) // 19]}
                yield {"type": "message", **own, "message": reply}
            case 4:
                result = {"role": "toolResult", "toolCallId": f"c{number - 1}", "content": f"{number} scans"}
                yield {"type": "message", **own, "message": result}
            case 5:
                yield {"type": "session_info", **own, "name": f"Archive {number}"}
            case _:
                first = f"e{max(0, number - 1 - pick(4))}"
                yield {"type": "compaction", **own, "summary": f"So far {number} 箱.", "firstKeptEntryId": first}


def gemini(pick: Callable[[int], int], count: int) -> Iterator[Record]:
    """Records of a chat: messages that come again with their results, are changed in part, or are taken back."""
    yield {"sessionId": "s1", "projectHash": "p1"}
    for number in range(count):
        match pick(8):
            case 0 | 1:
                yield {"id": f"m{number}", "type": "user", "content": [{"text": f"Count bóx {number} 📦."}]}
            case 2 | 3:
                calls = [{"id": f"c{number}", "name": "list", "args": {"box": number}, "status": "pending"}]
                yield {"id": f"m{number}", "type": "gemini", "content": "", "toolCalls": calls, "model": "gemini-3-pro"}
            case 4:
                back = number - 1 - pick(3)
                calls = [{"id": f"c{back}", "name": "list", "args": {}, "status": "success", "result": f"{number}"}]
                yield {"id": f"m{back}", "type": "gemini", "content": "There.", "toolCalls": calls}
            case 5:
                yield {"$rewindTo": f"m{number - 1 - pick(5)}"}
                if pick(3) == 0:
                    said = {"id": f"m{number}", "type": "user", "content": f"<state_snapshot>{number}</state_snapshot>"}
                    kept = {"id": f"m{number - 1}", "type": "gemini", "content": "There.", "model": "gemini-3-pro"}
                    yield {"$set": {"messages": [said, kept]}}
            case 6:
                yield {"id": f"m{number}", "type": "gemini", "content": "There."}
                change = {"id": f"m{number}", "content": f"There, {number}."}
                yield {"$patch": change if pick(2) else {"updates": [change], "removeIds": [f"m{number - 1}"]}}
            case _:
                yield {"$set": {"summary": f"Archive {number}"}}


def qwen(pick: Callable[[int], int], count: int) -> Iterator[Record]:
    """Records of a chat that name their parents: replies, answers, compressions, commands, ways back."""
    for number in range(count):
        back = number - 1 - (pick(4) if pick(5) == 0 else 0)
        own = {"uuid": f"r{number}", "parentUuid": f"r{back}" if back >= 0 else None, "sessionId": "s1"}
        said = {"role": "user", "parts": [{"text": f"Count bóx {number} 📦."}]}
        match pick(6):
            case 0 | 1:
                yield {**own, "type": "user", "message": said}
            case 2:
                call = {"functionCall": {"name": "list", "args": {"box": number}}}
                yield {**own, "type": "assistant", "message": {"role": "model", "parts": [call]}, "model": "qwen3-max"}
            case 3:
                answer = {"functionResponse": {"name": "list", "response": {"output": f"{number}"}}}
                yield {**own, "type": "tool_result", "message": {"role": "user", "parts": [answer]}}
            case 4:
                command = {"rawCommand": f"Count bóx {number - 1} 📦.", "outputHistoryItems": [{"type": "assistant"}]}
                own |= {"type": "system", "subtype": "slash_command"}
                yield {**own, "systemPayload": {"phase": "result", **command}}
            case _:
                own |= {"type": "system", "subtype": "chat_compression"}
                yield {**own, "systemPayload": {"compressedHistory": [said]}}


def copilot(pick: Callable[[int], int], count: int) -> Iterator[Record]:
    """Events of a session: models of two providers, answers, compactions that keep the prompt."""

    def event(kind: str, **data: Any) -> Record:
        return {"type": kind, "id": f"e{number}", "timestamp": f"2026-01-02T03:04:{number % 60:02}Z", "data": data}

    number = 0
    yield event("session.start", sessionId="s1")
    yield event("system.message", content="Keep the archive.")
    for number in range(count):
        calls = [{"toolCallId": f"c{number}", "name": "list", "arguments": {"box": number}}]
        match pick(8):
            case 0 | 1:
                yield event("user.message", content=f"Count bóx {number} 📦.")
            case 2 | 3:
                model = ["gpt-5", "claude-opus-4-5"][pick(20) // 19]
                yield event("assistant.message", content="", toolRequests=calls, model=model)
            case 4:
                result = {"content": f"{number} scans"}
                yield event("tool.execution_complete", toolCallId=f"c{number - 1}", result=result, success=True)
            case 5:
                yield event("subagent.started", toolCallId=f"c{number - 1}", agentName="clerk")
                yield event("user.message", content="Count.", parentToolCallId=f"c{number - 1}")
                yield event("session.shutdown", toolDefinitionsTokens=number)
            case 6 if number > 3:
                yield event("session.snapshot_rewind", upToEventId=f"e{number - 2}", eventsRemoved=1)
            case _:
                yield event("session.compaction_complete", summaryContent=f"So far {number} 箱.")


def kimi(pick: Callable[[int], int], count: int) -> Iterator[Record]:
    """Records of a context: steps that are cut off, answers in them, compactions that keep words of the user."""
    yield {"type": "config.update", "modelAlias": "moonshot/k2", "systemPrompt": "Keep the archive."}
    for number in range(count):
        match pick(7):
            case 0 | 1:
                message = {"role": "user", "content": f"Count bóx {number} 📦."}
                yield {"type": "context.append_message", "message": message}
            case 6:
                yield {"type": "context.apply_compaction", "summary": f"So far {number} 箱.", "keptUserMessageCount": 2}
            case kind:
                part = {"type": "text", "text": f"Bóx {number} 📦."}
                events: list[Record] = [
                    {"type": "content.part", "part": part},
                    {"type": "tool.call", "toolCallId": f"c{number}", "name": "list", "args": {"box": number}},
                    {"type": "tool.result", "toolCallId": f"c{number - 1}", "result": {"output": f"{number} scans"}},
                    {"type": "step.end", "uuid": f"u{pick(9)}", "usage": {"inputOther": number, "output": 5}},
                ]
                yield {"type": "context.append_loop_event", "event": events[kind - 2]}


def droid(pick: Callable[[int], int], count: int) -> Iterator[Record]:
    """Messages of a session: replies that call, answers in messages of the user, branches, compactions."""
    yield {"type": "session_start", "id": "s1", "sessionTitle": "Archive"}
    for number in range(count):
        parent = f"e{number - 1 - pick(3) * pick(2)}" if number else None
        blocks: list[Record] = [
            {"type": "text", "text": f"Bóx {number} 📦."},
            {"type": "tool_use", "id": f"c{number}", "name": "list", "input": {"box": number}},
            {"type": "tool_result", "tool_use_id": f"c{number - 1}", "content": f"{number} scans"},
        ]
        block = blocks[pick(3)]
        message = {"role": "assistant" if block["type"] == "tool_use" else "user", "content": [block]}
        yield {"type": "message", "id": f"e{number}", "parentId": parent, "message": message}
        if pick(12) == 0:
            anchor = {"id": f"e{max(0, number - pick(3))}"}
            yield {"type": "compaction_state", "id": f"s{number}", "summaryText": "Counted.", "anchorMessage": anchor}


def cursor(pick: Callable[[int], int], count: int) -> Iterator[Record]:
    """Lines of a transcript: calls without ids, answers to them, ends of turns."""
    for number in range(count):
        blocks: list[Record] = [
            {"type": "text", "text": f"Bóx {number} 📦."},
            {"type": "tool_use", "name": "list", "input": {"box": number}},
            {"type": "tool_result", "content": f"{number} scans"},
        ]
        match pick(4):
            case 3:
                yield {"type": "turn_ended", "status": "success"}
            case kind:
                role = "assistant" if kind == 1 else "user"
                yield {"role": role, "message": {"content": [blocks[kind]]}}


WRITERS = {
    "codex": codex,
    "pi": pi,
    "gemini-cli": gemini,
    "qwen-code": qwen,
    "copilot-cli": copilot,
    "kimi": kimi,
    "droid": droid,
    "cursor": cursor,
}
writers = pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS.keys())


@writers
@given(data=st.data())
def test_a_file_at_any_moment_is_what_it_is_read_whole(
    write: Callable[[Callable[[int], int], int], Iterator[Record]],
    data: st.DataObject,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    dice = data.draw(st.randoms(use_true_random=False))
    records = [*write(dice.randrange, SAMPLE_RECORDS + 40)]
    text = b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records)
    start = sum(len(line) for line in text.splitlines(keepends=True)[:SAMPLE_RECORDS])
    path = tmp_path_factory.mktemp("followed") / "log.jsonl"
    path.write_bytes(text[:start])
    source = FollowedFile(path)
    session_of(source)
    assert source._growing is not None, "it is read on, not anew"
    for piece in pieces(text[start:], dice.randrange(1000), most=900):
        with path.open("ab") as file:
            file.write(piece)
        growth = source.poll()
        if not dice.randrange(10) and (growth := source.poll() or growth):  # a line without its end waits for one look
            assert_same(growth.session, read_whole(path))
    assert source._session is not None and source._growing is not None
    assert_same(source._session, read_whole(path))


@writers
def test_what_comes_costs_what_came_and_not_what_stood_there(
    write: Callable[[Callable[[int], int], int], Iterator[Record]], tmp_path: Path
) -> None:
    def cost(count: int) -> int:
        kinds = iter(range(10 * count))
        path = write_lines(tmp_path / f"{count}.jsonl", write(lambda most: next(kinds) // 3 % min(most, 5), count))
        source = FollowedFile(path)
        session_of(source)
        asks, calls = [*write(lambda _: 0, count)], [*write(lambda _: 2, count)]
        with path.open("a") as file:
            file.writelines(json.dumps(record) + "\n" for record in (*asks[-2:], *calls[-2:]))
        return calls_made(source.poll)

    assert cost(2_000) < 1.2 * cost(200)


@pytest.mark.parametrize(
    "recording",
    [path for name in WRITERS for path in sorted(DATA.glob(f"{name}/*/*.jsonl"))],
    ids=lambda path: path.name[:30],
)
def test_a_recorded_file_comes_to_the_same_piece_by_piece(recording: Path, tmp_path: Path) -> None:
    path, data, last = tmp_path / recording.name, recording.read_bytes(), None
    source = FollowedFile(path)
    for piece in pieces(data, 7, max(2_000, len(data) // 10)):
        with path.open("ab") as file:
            file.write(piece)
        growth = source.poll()
        last = growth.session if growth else last
    last = session_of(source) or last
    assert last is not None and len(load(path)) == 1
    assert_same(last, read_whole(path))


def test_a_file_without_a_message_says_so_until_one_comes(tmp_path: Path) -> None:
    facts = {"type": "event_msg", "payload": {"type": "task_started"}}
    path = write_lines(tmp_path / "log.jsonl", [facts] * SAMPLE_RECORDS)
    source = FollowedFile(path)
    assert session_of(source) is None and "no message" in source.problem
    with path.open("a") as file:
        file.write(json.dumps({"type": "response_item", "payload": {"role": "user", "content": "Count."}}) + "\n")
    growth = source.poll()
    assert growth is not None and growth.begins and not source.problem
