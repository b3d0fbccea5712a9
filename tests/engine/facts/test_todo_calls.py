"""Which things to do are still to be done behind the calls that keep them."""

from __future__ import annotations

import orjson
import pytest

from inspector.core.conversation import Message
from inspector.engine.facts import closed_tasks
from inspector.llm.providers import message_from_raw

WICK, LAMP, OIL = "Trim the wick of the lamp", "Light the lamp at dusk", "Order oil for October"


def call(name: str, call_id: str = "c1", /, **arguments: object) -> Message:
    function = {"name": name, "arguments": orjson.dumps(arguments).decode()}
    raw = {"role": "assistant", "tool_calls": [{"id": call_id, "type": "function", "function": function}]}
    return message_from_raw(f"call {call_id}", raw, "openai")


def answer(text: str, id: str = "c1") -> Message:
    return message_from_raw(f"answer {id}", {"role": "tool", "tool_call_id": id, "content": text}, "openai")


def listed(**statuses: str) -> Message:
    points = {"wick": WICK, "lamp": LAMP, "oil": OIL}
    todos = [{"content": points[name], "status": status} for name, status in statuses.items()]
    return call("TodoWrite", todos=todos)


def test_what_a_later_list_says_is_done_is_closed() -> None:
    first, later = listed(wick="in_progress", lamp="pending"), listed(wick="completed", lamp="in_progress")
    assert closed_tasks([first]) == frozenset()
    assert closed_tasks([first, later]) == {WICK}
    assert closed_tasks([later, first]) == frozenset(), "it was opened again"


def test_what_the_next_list_leaves_out_is_closed() -> None:
    assert closed_tasks([listed(wick="pending", oil="pending"), listed(oil="pending")]) == {WICK}
    other = call("update_plan", plan=[{"step": LAMP, "status": "pending"}])
    assert closed_tasks([listed(wick="pending"), other]) == frozenset(), "another tool keeps another list"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("TaskUpdate", {"taskId": "2", "status": "completed"}),
        ("task_update", {"id": 2, "status": "cancelled"}),
        ("complete_task", {"task_id": "#2"}),
    ],
)
def test_one_that_was_created_is_closed_by_its_number(name: str, arguments: dict[str, object]) -> None:
    created = [
        call("TaskCreate", "a", subject=WICK, description="Before noon, with the small scissors"),
        answer("Task #1 created successfully", "a"),
        call("TaskCreate", "b", subject=LAMP),
        answer("Task #2 created successfully", "b"),
    ]
    assert closed_tasks(created) == frozenset()
    assert closed_tasks([*created, call(name, "c", **arguments)]) == {LAMP}
    started = call("TaskUpdate", "c", taskId="2", status="in_progress")
    assert closed_tasks([*created, started]) == frozenset()


def test_all_words_of_one_are_closed_with_it() -> None:
    created = [call("create_issue", "a", title=WICK, description=OIL), answer("Created issue #17.", "a")]
    assert closed_tasks([*created, call("close_issue", "b", issue_id=17)]) == {WICK, OIL}


def test_what_no_one_keeps_is_left_alone() -> None:
    unreadable = message_from_raw(
        "x",
        {"role": "assistant", "tool_calls": [{"id": "x", "function": {"name": "TodoWrite", "arguments": '{"status"'}}]},
        "openai",
    )
    unnumbered = [call("TaskCreate", "a", subject=WICK), answer("Yes.", "a"), call("TaskUpdate", "b", status="done")]
    assert closed_tasks([unreadable, *unnumbered, call("Read", "r", path="/a", status="done")]) == frozenset()
