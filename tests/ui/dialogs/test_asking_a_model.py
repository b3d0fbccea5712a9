"""Asking a model in the app: contexts, consent, replies as they come next to the recorded one, and failures."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from inspector.analysis.asking import AskedContext
from inspector.core.conversation import MAIN
from inspector.engine.compression import Preset, save
from inspector.engine.strategies import STRATEGIES
from inspector.engine.window import BY_HAND, apply, manual_plan
from inspector.library import Library, Workbench
from inspector.ui.dialogs.ask_choices import AskSubject, choices_of, context_of
from inspector.ui.dialogs.ask_controller import AskController, AskState
from inspector.ui.dialogs.ask_dialog import AskList, AskScreen, answer_words
from inspector.ui.dialogs.consent_words import consent_words
from inspector.ui.widgets.key_bar import KeyBar
from inspector.ui.widgets.text_view import TextView
from tests import terminal
from tests.cli.loopback_models import MODEL_KEY, calls, last_line_with, model, set_model
from tests.driving import Opening, Word, Writer, press, settled, until
from tests.engine.summaries.endpoint import Endpoint, drips, fails, serving
from tests.generated import Ask, Reply, recorded, sized
from tests.manual_jobs import ManualJobs, RecordingHost

VILLAGE: dict[str, Any] = {
    "model": "gpt-4o",
    "messages": [
        {"role": "system", "content": "You keep the keys of the village."},
        {"role": "user", "content": "The key of the mill is KEY-4711."},
        {"role": "assistant", "content": "Noted."},
        {"role": "user", "content": "The key of the mill is KEY-9922 now."},
        {"role": "assistant", "content": "Noted as well."},
        {"role": "user", "content": "Which key opens the mill?"},
        {"role": "assistant", "content": "The key of the mill is KEY-9922 now."},
    ],
}


def last_notice(pilot: Pilot[None]) -> str:
    return str(list(pilot.app._notifications)[-1].message)


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with serving(model(last_line_with("KEY"))) as endpoint:
        set_model(monkeypatch, endpoint.url)
        yield endpoint


def asking(pilot: Pilot[None]) -> AskScreen:
    screen = pilot.app.screen
    assert isinstance(screen, AskScreen)
    return screen


def words(screen: AskScreen, part: str) -> str:
    return " ".join(str(screen.query_one(f"#{part}", Static).render()).split())


def text_of(screen: AskScreen, part: str) -> str:
    view = screen.query_one(f"#{part}", TextView)
    rows = ("".join(span.text for span in view.render_line(line)) for line in range(view.count))
    return " ".join(" ".join(rows).split())


def rows(screen: AskScreen) -> list[str]:
    listed = screen.query_one(AskList)
    return [" ".join(listed.render_line(line).text.split()) for line in range(listed.count)]


async def choose(pilot: Pilot[None], label: str) -> None:
    listed = asking(pilot).query_one(AskList)
    listed.cursor = [row.choice.label for row in listed.rows].index(label)
    await settled(pilot)
    await press(pilot, "space")


def sized_chat() -> dict[str, Any]:
    """A chat of many turns."""
    turns = [{"role": role, "content": f"Row {n} is noted."} for n in range(50) for role in ("user", "assistant")]
    return {"model": "gpt-4o", "messages": [*turns, {"role": "user", "content": "Which key?"}]}


def text_of_reply(screen: AskScreen, row: int) -> str:
    reply = screen.controller.state.answers[screen.query_one(AskList).rows[row].key].reply
    return reply.problem if reply else ""


async def test_consent_is_asked_for_and_replies_stand_next_to_the_recorded_one(
    running: Opening, write: Writer, endpoint: Endpoint, library: Library
) -> None:
    async with running(write("s.json", VILLAGE)) as pilot:
        await press(pilot, ":", *"4", "enter", "@")
        screen = asking(pilot)
        consent = words(screen, "consent")
        for part in ("1 call to gpt-4o at 127.0.0.1", "tokens", "$", "The limit is $0.50", "not redacted"):
            assert part in consent
        assert "Ask a model at turn" in screen.heading and endpoint.requests == []
        await press(pilot, "down", "space")
        assert rows(screen)[1].startswith("[x] without #4") and "2 calls" in words(screen, "consent")
        assert endpoint.requests == []
        await press(pilot, "y")
        assert len(endpoint.requests) == 2
        assert "another step" in rows(screen)[1] and "same step" in rows(screen)[0]
        assert text_of(screen, "answer") == "The key of the mill is KEY-4711."
        assert text_of(screen, "recorded-reply") == "The key of the mill is KEY-9922 now."
        assert "2 calls, $" in words(screen, "consent") and "nothing is sent or paid again" in words(screen, "consent")
        await press(pilot, "y")
        assert len(endpoint.requests) == 2
        assert library.store is not None
        kept = library.store.experiments.of(screen.controller.subject.bench.store_id)
        assert sorted(str(row.about["context"]) for row in kept) == ["as recorded", "without #4"]


async def test_without_a_model_one_sentence_names_the_variables(
    running: Opening, write: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("INSPECTOR_MODEL", "OPENAI_MODEL"):
        monkeypatch.delenv(name, raising=False)
    async with running(write("s.json", VILLAGE)) as pilot:
        await press(pilot, "@", "y")
        screen = asking(pilot)
        assert words(screen, "consent").startswith(
            "No model is set up: set INSPECTOR_MODEL to its name, OPENAI_API_KEY"
        )
        assert not screen.controller.state.answers


async def test_a_question_of_ones_own_is_put_to_each_context(
    running: Opening, write: Writer, endpoint: Endpoint
) -> None:
    async with running(write("s.json", VILLAGE)) as pilot:
        await press(pilot, "@", "t", Word("Which key is the newest?"), "enter")
        screen = asking(pilot)
        assert "Question: Which key is the newest?" in words(screen, "consent")
        await press(pilot, "+", "y")
        assert len(endpoint.requests) == 2
        assert all(one.body["messages"][-1]["content"].endswith("is the newest?") for one in endpoint.requests)
        assert "no recorded reply to this question" in words(screen, "recorded-head")
        assert "✓ replied" in rows(screen)[0]
        assert rows(screen)[1].startswith("sample 2")


async def test_text_is_shown_while_it_is_written_and_esc_keeps_what_has_come(
    running: Opening, write: Writer, endpoint: Endpoint
) -> None:
    endpoint.then(model(last_line_with("KEY")), drips("lamp "))
    async with running(write("s.json", VILLAGE)) as pilot:
        await press(pilot, "@", "+")
        screen = asking(pilot)
        await pilot.press("y")
        await until(
            pilot, lambda: any("lamp lamp" in answer.text for answer in screen.controller.state.answers.values())
        )
        await until(pilot, lambda: any(answer.reply for answer in screen.controller.state.answers.values()))
        assert screen.controller.state.is_asking
        await press(pilot, "escape")
        assert asking(pilot) is screen and not screen.controller.state.is_asking
        replies = [answer.reply for answer in screen.controller.state.answers.values()]
        assert sorted(bool(reply and reply.problem) for reply in replies) == [False, True]
        assert endpoint.abandoned.wait(30)
        await press(pilot, "escape")
        assert not isinstance(pilot.app.screen, AskScreen)


async def test_calls_are_compared_and_a_failure_is_one_sentence(
    running: Opening, write: Writer, endpoint: Endpoint
) -> None:
    log = {**VILLAGE, "messages": [*VILLAGE["messages"][:-1]]}
    call = {"id": "c", "type": "function", "function": calls("read_file", path="/srv/a.txt")}
    log["messages"].append({"role": "assistant", "content": "", "tool_calls": [call]})
    endpoint.then(model(lambda _: calls("read_file", path="/srv/b.txt")), fails(401, {"message": f"Bad {MODEL_KEY}"}))
    async with running(write("s.json", log)) as pilot:
        await press(pilot, "@", "y")
        screen = asking(pilot)
        assert "another step" in rows(screen)[0]
        assert text_of(screen, "answer") == "≠ read_file /srv/b.txt"
        assert text_of(screen, "recorded-reply") == "≠ read_file /srv/a.txt"
        await press(pilot, "+", "y")
        assert "did not accept the API key (401)" in rows(screen)[1] and MODEL_KEY not in rows(screen)[1]


async def test_secrets_are_hidden_and_the_limit_holds(running: Opening, write: Writer, endpoint: Endpoint) -> None:
    log = {**VILLAGE, "messages": [dict(message) for message in VILLAGE["messages"]]}
    log["messages"][1]["content"] += " My mail is anna@example.org."
    async with running(write("s.json", log)) as pilot:
        await press(pilot, "@", "ctrl+s", "<", "<", "<")
        screen = asking(pilot)
        assert "The text is redacted." in words(screen, "consent") and "$0.05" in words(screen, "consent")
        await press(pilot, "+", "y")
        assert len(endpoint.requests) == 1 and "anna@" not in str(endpoint.requests[0].body)
        withheld = next(row for row in rows(screen) if "Not asked: the call could cost" in row)
        assert "--max-cost" not in withheld and "limit of $0.050 (> raises it)." in text_of_reply(screen, 1)
        assert screen.controller.state.progress == (1, 1)


async def test_a_burst_of_keys_sends_nothing_twice(running: Opening, write: Writer, endpoint: Endpoint) -> None:
    async with running(write("s.json", VILLAGE)) as pilot:
        await press(pilot, "@", Word("yyyy"))
        assert len(endpoint.requests) == 1
        await press(pilot, "2")
    assert len(endpoint.requests) == 1


class Controlled:
    """The controller without an app."""

    def __init__(self) -> None:
        session = recorded((Ask("The key is KEY-1."), Reply("Noted."), Ask("Which?"), Reply("KEY-1")))
        bench = Workbench(session, sized(session, limit=200_000))
        self.jobs, self.host = ManualJobs(), RecordingHost()
        self.states: list[AskState] = []
        subject = AskSubject(bench, bench.preview(2))
        choices = choices_of(subject, session.messages[0])
        self.controller = AskController(self.jobs, self.host, subject, choices, None, self.states.append)

    @property
    def state(self) -> AskState:
        return self.controller.state


def test_a_choice_is_estimated_before_it_can_be_sent(endpoint: Endpoint) -> None:
    controlled = Controlled()
    controlled.controller.start()
    assert consent_words("", is_wanted=controlled.state.is_wanted) == "Counting the calls …"
    controlled.controller.send()
    assert "You are asked once they are counted" in consent_words("", is_wanted=controlled.state.is_wanted)
    controlled.jobs.finish()
    assert controlled.state.plan is not None and len(controlled.state.plan.calls) == 1
    assert controlled.state.is_wanted and not controlled.state.is_asking and not endpoint.requests
    words = consent_words(controlled.state.plan.sentence, is_wanted=True)
    assert words.startswith("Send this? y: send. 1 call to gpt-4o")
    controlled.controller.toggle("as recorded")
    controlled.controller.send()
    controlled.jobs.finish()
    assert not controlled.state.is_wanted
    controlled.controller.send()
    assert "Nothing is chosen" in controlled.host.notices[-1][0] and not controlled.state.is_asking


def test_replies_are_kept_without_a_store_while_the_dialog_is_open(endpoint: Endpoint) -> None:
    controlled = Controlled()
    controlled.controller.start()
    controlled.jobs.finish()
    for _ in range(2):
        controlled.controller.send()
        controlled.jobs.finish()
    assert len(endpoint.requests) == 1
    answer = controlled.state.answers["as recorded", 1]
    assert answer.reply is not None and answer.reply.text


def test_a_context_that_changes_nothing_says_so() -> None:
    controlled = Controlled()
    controlled.controller.start()
    controlled.controller.toggle("restored")
    controlled.jobs.finish()
    plan = controlled.state.plan
    assert plan is not None and "nothing was removed" in plan.problems["restored"].problem
    assert plan.problems["restored"].is_withheld


def test_a_context_that_is_not_asked_counts_as_no_reply_and_is_no_failure(endpoint: Endpoint) -> None:
    controlled = Controlled()
    controlled.controller.start()
    controlled.controller.toggle("restored")
    controlled.jobs.finish()
    controlled.controller.send()
    assert controlled.state.progress == (0, 1)
    controlled.jobs.finish()
    assert controlled.state.progress == (1, 1) and len(endpoint.requests) == 1
    inks = {answer_words(answer)[1] for (label, _), answer in controlled.state.answers.items() if label == "restored"}
    assert inks == {"warning"}


async def test_the_users_own_presets_can_be_asked(running: Opening, write: Writer, endpoint: Endpoint) -> None:
    save(Preset("tight", 50))
    async with running(write("s.json", VILLAGE)) as pilot:
        await press(pilot, "@")
        screen = asking(pilot)
        await choose(pilot, "tight")
        await press(pilot, "y")
        assert len(endpoint.requests) == 1  # the context is the same
        assert ("tight", 1) in screen.controller.state.answers
        labels = [choice.label for choice in screen.controller.choices]
        assert labels.index("late") < labels.index("tight") < labels.index("dedupe")


async def test_each_strategy_can_be_asked(running: Opening, write: Writer, endpoint: Endpoint) -> None:
    async with running(write("s.json", sized_chat())) as pilot:
        await press(pilot, "@")
        screen = asking(pilot)
        await choose(pilot, "deletion")
        await press(pilot, "y")
        sent = {len(request.body["messages"]) for request in endpoint.requests}
        assert len(endpoint.requests) == 2 and min(sent) < max(sent) == 101
        assert screen.controller.state.answers["deletion", 1].reply is not None
        assert {choice.label for choice in screen.controller.choices} >= set(STRATEGIES)


def test_changes_by_hand_are_a_context_of_their_own_and_presets_keep_pins() -> None:
    session = recorded(
        (Ask("The key is KEY-1."), Reply("Noted."), Ask("And KEY-2."), Reply("Noted."), Ask("Which?"), Reply("KEY-1"))
    )
    bench = Workbench(session, sized(session, limit=200_000))
    window = bench.preview(3).base
    first, second, third = (window.ids[place] for place in (0, 2, -1))
    plans = []
    changes: tuple[tuple[str, Literal["pinned", "dropped"], str], ...] = (
        (first, "dropped", BY_HAND),
        (third, "pinned", BY_HAND),
        (second, "dropped", "dedupe"),
    )
    for name, kind, strategy in changes:
        plans.append(replace(manual_plan(window, (name,), kind), strategy=strategy))
        window = apply(window, plans[-1])
    bench.plans = {MAIN: tuple(plans)}
    subject = AskSubject(bench, bench.preview(3))
    choices = {choice.label: choice for choice in choices_of(subject, None)}
    by_hand = context_of(choices["without what you dropped"], subject, "")
    assert isinstance(by_hand, AskedContext)
    assert set(by_hand.recorded.ids) - set(by_hand.window.ids) == {first}
    assert "1 message" in choices["without what you dropped"].about
    assert choices["balanced"].about.endswith("keeps 1 pinned message")


async def test_an_edited_message_is_asked_without_the_secrets_of_the_edit(
    running: Opening, write: Writer, endpoint: Endpoint
) -> None:
    async with running(write("s.json", VILLAGE)) as pilot:
        await press(pilot, ":", *"4", "enter", "@")
        screen = asking(pilot)
        assert screen.message is not None
        screen.controller.edit(screen.message, "The key of the mill is KEY-5555.")
        await settled(pilot)
        assert rows(screen)[1].startswith("[x] edited #4") and "2 calls" in words(screen, "consent")
        await press(pilot, "y", "down")
        assert text_of(screen, "answer") == "The key of the mill is KEY-5555." and "another step" in rows(screen)[1]
        screen.controller.edit(screen.message, "The mail of the KEY is ann@example.org.")
        await settled(pilot)
        assert sum("edited #4" in row for row in rows(screen)) == 1 and "another step" not in rows(screen)[1]
        await press(pilot, "ctrl+s", "y")
        assert "The mail of the KEY is" in str(endpoint.requests[-1].body) + str(endpoint.requests[-2].body)
        assert all("ann@example.org" not in str(one.body) for one in endpoint.requests)
        await press(pilot, "O")
        assert "No editor" in last_notice(pilot) or "No terminal is available" in last_notice(pilot)


@pytest.mark.usefixtures("endpoint")
async def test_the_request_is_edited_if_the_message_under_the_cursor_is_the_reply(
    running: Opening, write: Writer
) -> None:
    async with running(write("s.json", VILLAGE)) as pilot:
        await press(pilot, "@")
        message = asking(pilot).message
        assert message is not None and message.text == "Which key opens the mill?"


async def test_kept_replies_are_shown_and_are_not_offered_again(
    running: Opening, write: Writer, endpoint: Endpoint
) -> None:
    path = write("s.json", VILLAGE)
    async with running(path) as pilot:
        await press(pilot, "@", "y", "escape", "@")
        screen = asking(pilot)
        assert "kept reply of" in rows(screen)[0] and "same step" in rows(screen)[0]
        assert "nothing is sent or paid again" in words(screen, "consent")
        assert "send" not in str(screen.query_one(KeyBar).render())
        await press(pilot, "y")
        assert len(endpoint.requests) == 1 and "All replies are kept" in last_notice(pilot)
        await press(pilot, "+")
        assert "send" in str(screen.query_one(KeyBar).render()) and "1 call to" in words(screen, "consent")


EDITOR = """
import sys
path = sys.argv[-1]
text = open(path).read()
open(path, "w").write(text.replace("KEY-9922", "KEY-5555") + "\\n")
"""


@pytest.mark.skipif(os.name != "posix", reason="a pseudo-terminal is needed")
def test_the_message_is_edited_in_the_users_editor(write: Writer, tmp_path: Path) -> None:
    path, script = write("s.json", {**VILLAGE, "messages": VILLAGE["messages"][:4]}), tmp_path / "editor.py"
    script.write_text(EDITOR)
    command = shlex.join([sys.executable, str(script)])
    with terminal.running(
        [terminal.inspector(), str(path)], environment=terminal.environment_in(tmp_path) | {"EDITOR": command}
    ) as shell:
        shell.wait_for("KEY-9922")
        shell.settle()
        shell.send("@")
        shell.wait_for("as recorded")
        shell.settle()
        shell.text = ""
        shell.send("O")
        shell.wait_for("edited #4")
        shell.wait_for("KEY-5555")
        shell.settle()
        shell.send("ctrl+q")
        assert shell.wait() == 0
