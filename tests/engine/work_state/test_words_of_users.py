"""Wishes about other texts, questions in other scripts, refusals, and moves of the work, in many wordings."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.engine.work_state import WorkHistory, fates_of
from inspector.engine.work_state.languages import requested_language
from inspector.engine.work_state.open_questions import question_in
from inspector.engine.work_state.rule_bans import bans_in
from inspector.engine.work_state.user_words import read_user_words
from tests.engine.work_state.scripts import (
    ROOT,
    Compact,
    Edit,
    Run,
    Say,
    Step,
    Tasks,
    Tool,
    User,
    Where,
    Write,
    followed,
    session_of,
    transition_of,
)
from tests.engine.work_state.test_consequences import FORMS

SUMMARY = Compact("Summary: the mails are sent by a worker.")
REFUSAL = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected. STOP what you are doing and wait"
    " for the user to tell you how to proceed."
)


def kinds(script: tuple[Step, ...], form: str, folder: Path) -> list[str]:
    return [one.kind for one in followed(session_of(script, form, folder))]


@pytest.mark.parametrize(
    ("words", "language"),
    [
        ("Write the commit messages in Italian from now on.", ""),
        ("Answer in Polish, code comments in English.", "pl"),
        ("Docstrings: English only.", ""),
        ("Schreibe die Kommentare auf Englisch.", ""),
        ("コミットメッセージは英語で書いて", ""),
        ("scrivimi in italiano, per favore", "it"),
        ("Translate the site to German and reply in French.", "fr"),
        ("请用中文回答。", "zh"),
    ],
)
def test_only_a_wish_about_the_replies_is_one_for_their_language(words: str, language: str) -> None:
    assert requested_language(words) == language


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("rule", "message", "is_broken"),
    [
        ("Commit messages in Italian, please.", "Fix the retry of mails", True),
        ("Commit messages in Italian, please.", "Corregge il reinvio delle mail", False),
        ("Commit-Nachrichten immer auf Deutsch.", "Fix für den Versand der Mails", False),
        ("Write commit messages in English.", "Corrige le renvoi des mails", True),
        ("Write commit messages in English.", "Retry mails", False),
    ],
)
def test_commit_messages_in_another_language_break_a_rule(
    tmp_path: Path, form: str, rule: str, message: str, is_broken: bool
) -> None:
    script = (User(rule), Run("ls", "src"), SUMMARY, Run(f'git commit -m "{message}"', "ok"))
    assert kinds(script, form, tmp_path) == ["rule_broken"] * is_broken


@pytest.mark.parametrize(
    "words",
    [
        "Frag mich, bevor du committest.",
        "Demande-moi avant de committer.",
        "Pregúntame antes de hacer commit.",
        "Chiedimi prima di fare commit.",
        "Vraag me voor je commit.",
        "Спроси меня перед коммитом.",
        "提交之前先问我。",
    ],
)
def test_rules_to_ask_first_in_other_languages(words: str) -> None:
    ((ban,),) = [bans_in(rule) for rule in read_user_words(words).rules]
    assert (ban.actions, ban.ending) == (frozenset(("commit",)), "approval")


@pytest.mark.parametrize("words", ["Ich frage mich, was vor dem Commit läuft.", "提交前请确认测试通过。"])
def test_other_sentences_about_a_moment_before_a_commit_ask_for_nothing(words: str) -> None:
    assert not any(bans_in(rule) for rule in read_user_words(words).rules)


@pytest.mark.parametrize(
    ("reply", "question"),
    [
        ("队列已经建好。要不要加重试？", "队列已经建好。 要不要加重试？"),
        ("キューを作りました。再試行は必要ですか？", "キューを作りました。 再試行は必要ですか？"),
        ("- [ ] Train tickets\n- [ ] Hotel\n\nShall I book a bus?", "Shall I book a bus?"),
        ("1. Trains\n2. Hotels\n\nWhich of them first?", "Which of them first?"),
    ],
)
def test_questions_in_other_scripts_and_after_lists(reply: str, question: str) -> None:
    assert question_in(reply) == question


@pytest.mark.parametrize("form", FORMS)
def test_an_agent_that_goes_on_after_an_unanswered_question_in_another_script(tmp_path: Path, form: str) -> None:
    script = (User("添加队列。"), Say("队列已经建好。要不要加重试？"), SUMMARY, Edit(f"{ROOT}/src/queue.py"))
    assert kinds(script, form, tmp_path) == ["acted_while_waiting"]


@pytest.mark.parametrize(("answer", "is_wrong"), [("", True), ("Name it worker.py instead.", False)])
def test_a_call_that_the_user_stopped_is_not_to_be_repeated(tmp_path: Path, answer: str, is_wrong: bool) -> None:
    path = f"{ROOT}/src/queue.py"
    call = {"file_path": path, "content": "a = 1"}
    script: list[Step] = [User("Move the mails to a queue."), Tool("Write", call, REFUSAL, True)]
    script += [User("[Request interrupted by user for tool use]"), *([User(answer)] if answer else []), SUMMARY]
    assert kinds((*script, Write(path)), "claude-code", tmp_path) == ["acted_while_waiting"] * is_wrong


@pytest.mark.parametrize("form", FORMS)
def test_a_rule_about_this_worktree_ends_when_the_user_moves_the_work(tmp_path: Path, form: str) -> None:
    script = (
        *(Where(f"{ROOT}/.worktrees/mail", "mail"), User("Queue the mails. Work in this worktree only."), Say("Yes.")),
        User(f"Work in {ROOT} on main from now on."),
    )
    assert not WorkHistory(session_of(script, form, tmp_path)).at_turn().of("rule")


@pytest.mark.parametrize("form", FORMS)
def test_a_sentence_with_the_verb_of_a_rule_does_not_keep_it(tmp_path: Path, form: str) -> None:
    script = (User("Queue the mails. Work in this worktree only."), Say("Yes."), Compact("Work on a shop.\nMails."))
    rules = [fate for fate in fates_of(transition_of(session_of(script, form, tmp_path))) if fate.part == "rule"]
    assert [rule.fate for rule in rules] == ["dropped"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("path", "is_again"), [("e2e/mail.spec.ts", False), ("src/MailForm.tsx", True)])
def test_another_file_with_a_part_of_a_name_repeats_no_finished_task(
    tmp_path: Path, form: str, path: str, is_again: bool
) -> None:
    script = (
        *(User("Write a form for mails."), Tasks((("Add MailForm.tsx", "completed"), ("Check mails", "pending")))),
        *(Compact("Pending: Add MailForm.tsx"), Write(f"{ROOT}/{path}")),
    )
    assert ("finished_task_repeated" in kinds(script, form, tmp_path)) is is_again


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("words", "states"),
    [
        ("The mail queue: bounces matter too. Open it up again, the export can wait.", ["pending", "pending"]),
        ("My aunt uses the export. so no 1 doesnt happen", ["dropped", "pending"]),
    ],
)
def test_tasks_are_opened_again_and_dropped_in_short_words(
    tmp_path: Path, form: str, words: str, states: list[str]
) -> None:
    first = "completed" if "again" in words else "pending"
    script = (User("Two things."), Tasks((("Mail queue", first), ("Export of mails", "pending"))), User(words))
    tasks = WorkHistory(session_of(script, form, tmp_path)).at_turn().of("task")
    assert [task.state for task in tasks] == states


def test_what_was_said_is_no_task_and_files_that_are_free_may_be_changed(tmp_path: Path) -> None:
    script = (
        *(User("Clean up the mails. Don't run the slow tests. Hands off src/queue.py, Mia has it open."), Say("Ok.")),
        User("Forget what I said about the slow tests, run them. Mia is done, queue.py is free again."),
    )
    state = WorkHistory(session_of(script, "claude-code", tmp_path)).at_turn()
    assert (state.of("task"), state.of("rule")) == ((), ())


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("command", "is_broken"),
    [("npm install moment", True), ("npm install luxon", False), ("grep -rn moment src", False)],
)
def test_a_thing_that_is_not_used_for_a_purpose_is_not_installed(
    tmp_path: Path, form: str, command: str, is_broken: bool
) -> None:
    script = (User("Show the dates of mails. Never use moment for dates."), Say("Yes."), SUMMARY, Run(command, "ok"))
    assert ("rule_broken" in kinds(script, form, tmp_path)) is is_broken
