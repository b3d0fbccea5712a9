"""The state of the work: what each kind of message does to it, and that the fold is incremental, pure and bounded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import InMemoryBody, Message
from inspector.engine.work_state import WorkHistory, WorkState, fates_of, fold, state_block
from inspector.engine.work_state.state_items import MAX_ITEMS
from inspector.engine.work_state.user_words import read_user_words
from inspector.formats import load
from tests.engine.work_state.scripts import (
    ROOT,
    Agent,
    Compact,
    Edit,
    Plan,
    Run,
    Say,
    Skill,
    Step,
    Stop,
    Tasks,
    Tool,
    User,
    Where,
    Write,
    session_of,
    transition_of,
)
from tests.formats.test_growth_exponents import written

SCRIPT: tuple[Step, ...] = (
    User("Add a discount to the cart. Do not touch the invoices."),
    Tasks((("Add the discount", "in_progress"), ("Document it", "pending"))),
    Run("npm run dev", background="b1"),
    Run("npm run watch", background="b2"),
    Write(f"{ROOT}/src/discount.py"),
    Edit(f"{ROOT}/src/cart.py"),
    Run("pytest -q tests/test_cart.py", "FAILED tests/test_cart.py::test_sum - assert 1 == 2\n1 failed", 1),
    Stop("b2"),
    Tasks((("Add the discount", "completed"), ("Document it", "pending"))),
    Plan("# Cache the prices\n1. Write src/price_cache.py\n2. Use it in src/cart.py", False),
    User("No, not now. Skip the documentation, too."),
    Skill("tour", "# Tour\n\n- Keep it short.\n"),
    Say("Should the discount apply to shipping as well?"),
)


@pytest.mark.parametrize("form", ["claude-code", "codex"])
def test_the_state_of_both_formats(form: str, tmp_path: Path) -> None:
    session = session_of((*SCRIPT[:-1], Where(f"{ROOT}/sub", "feat/x"), User("Go on."), SCRIPT[-1]), form, tmp_path)
    state = WorkHistory(session).at_turn()
    assert state.actor == "user"
    assert state.text("where", "folder") == f"{ROOT}/sub"
    assert state.text("request", "latest") == "Go on."
    assert "apply to shipping" in state.text("question", "open")
    assert [item.text for item in state.of("rule")] == ["Do not touch the invoices."]
    assert {item.text: item.state for item in state.of("task")} == {
        "Add the discount": "done",
        "Document it": "dropped",
    }
    assert [(item.text, item.state) for item in state.of("plan")] == [("Cache the prices", "refused")]
    assert [(item.detail, item.text) for item in state.of("running")] == [("b1", "npm run dev")]
    assert {item.name: item.state for item in state.of("file")} == {
        f"{ROOT}/src/discount.py": "created",
        f"{ROOT}/src/cart.py": "changed",
    }
    assert [item.name for item in state.of("failure")] == ["pytest -q tests/test_cart.py"]
    assert [item.name for item in state.of("instruction")] == ["tour"]
    ids = {message.id for message in session.messages}
    assert all(item.message in ids and item.turn > 0 for item in state)
    stopped = state.items["running"]["b2"]
    assert stopped.state == "stopped" and stopped.ended_by in ids


@pytest.mark.parametrize(
    ("words", "rules"),
    [
        ("Fix it. Never commit to main.", ["Never commit to main."]),
        ("Please don't add dependencies", ["Please don't add dependencies"]),
        ("Rename it, but leave the tests as they are", ["leave the tests as they are"]),
        ("Fill it in if it is known, otherwise leave as empty string", []),
        ("Use pnpm instead of npm.", ["Use pnpm instead of npm."]),
        ("Use an icon instead of the initials and names in circles", []),
        ("I don't know why it fails. Don't worry about the docs.", []),
        ("Why do you never use the cache?", []),
        ("The tests never pass on Windows", []),
    ],
)
def test_rules_in_the_words_of_a_user(words: str, rules: list[str]) -> None:
    message = Message("m", "user", InMemoryBody({"role": "user", "content": words}))
    assert [item.text for item in fold([message]).of("rule")] == rules


WRITTEN = {"file_path": f"{ROOT}/a.py", "content": "a = 1"}


@pytest.mark.parametrize(
    ("step", "state"),
    [
        (Tool("Write", WRITTEN, f"File created successfully at: {ROOT}/a.py"), "created"),
        (Tool("Write", WRITTEN, f"The file {ROOT}/a.py has been updated. Here's the result:\n1 a = 1"), "changed"),
        (Tool("write_file", WRITTEN, f"Successfully overwrote file: {ROOT}/a.py."), "changed"),
        (Tool("write_file", WRITTEN, f"Successfully created and wrote to new file: {ROOT}/a.py."), "created"),
        (Tool("create", {"path": f"{ROOT}/a.py", "file_text": "x"}, "Overwrote the existing file."), "changed"),
        (Tool("str_replace_editor", {"command": "view", "path": f"{ROOT}/a.py"}, "1 a = 1"), ""),
    ],
)
def test_a_file_that_existed_is_changed_and_one_that_is_viewed_is_not(step: Step, state: str, tmp_path: Path) -> None:
    session = session_of((User("Write it."), step), "claude-code", tmp_path)
    assert [item.state for item in WorkHistory(session).at_turn().of("file")] == list(filter(None, [state]))


def test_a_new_file_stays_new_when_it_is_written_again(tmp_path: Path) -> None:
    again = Tool("Write", WRITTEN, f"The file {ROOT}/a.py has been updated.")
    script = (User("Write it."), Write(f"{ROOT}/a.py"), again, Run(f"rm {ROOT}/a.py"), Write(f"{ROOT}/a.py"), again)
    session = session_of(script, "claude-code", tmp_path)
    states = [WorkHistory(session).at(place).of("file")[0].state for place in (4, 6, 8, 10)]
    assert states == ["created", "deleted", "created", "created"]


PROPOSAL = "Plan: move the queue to Redis\n1. Write src/redis_queue.py\n2. Delete src/queue.py\n\nShall I go ahead?"


@pytest.mark.parametrize(
    ("script", "state"),
    [
        ((User("Ok."),), "approved"),
        ((User("Go on."),), "approved"),
        ((User("What does Redis cost?"), Say("Nothing here. Shall I go ahead?"), User("Yes.")), "approved"),
        ((User("First fix the typo."), Edit("a.py"), Say("It is fixed."), User("Ok, continue.")), "proposed"),
        ((User("First fix the typo."), Edit("a.py"), Say("It is fixed."), User("Implement the plan.")), "approved"),
        ((User("First fix the typo."), Edit("a.py"), Say("It is fixed."), User("No, the other file.")), "proposed"),
        ((User("No, not now."), Say("I leave it."), User("Go on.")), "refused"),
        ((User(f"PLEASE IMPLEMENT THIS PLAN:\n{PROPOSAL}\n- Abandon the old queue. Drop that table."),), "approved"),
        ((User("No, not now."), Say("I leave it."), User("Ok, continue with the queue tests.")), "refused"),
        ((User("No, not now."), Say("Shall I fix the typo?"), User("Yes, please do.")), "refused"),
        ((User("No, not now."), Say("I leave it."), User("Ok, let's do the Redis plan after all.")), "approved"),
        ((User("Ok."), Edit("a.py"), User("Shelve the Redis plan."), Say("It is shelved."), User("Ok")), "shelved"),
    ],
)
@pytest.mark.parametrize("form", ["claude-code", "codex"])
def test_only_a_plan_that_waits_for_an_answer_is_approved_by_words_such_as_go_on(
    script: tuple[Step, ...], state: str, form: str, tmp_path: Path
) -> None:
    session = session_of((User("Make a plan."), Say(PROPOSAL), *script), form, tmp_path)
    assert [item.state for item in WorkHistory(session).at_turn().of("plan")] == [state]


def test_the_description_of_a_pull_request_is_no_plan(tmp_path: Path) -> None:
    said = "## Summary\n- Round the tax\n\n## Test plan\n- Run the tests\n- Lint it\n\nWant me to create the PR?"
    state = WorkHistory(session_of((User("Describe the PR."), Say(said)), "claude-code", tmp_path)).at_turn()
    assert state.of("plan") == () and "create the PR" in state.text("question", "open")


def test_going_on_is_no_approval_of_what_the_agent_did_not_ask_for(tmp_path: Path) -> None:
    rule = User("Fix it. Do not push without my approval.")
    for words, asked, holds in (("Go on.", "", True), ("Go on.", "May I push?", False), ("Approved.", "", False)):
        session = session_of((rule, Say(asked or "It is fixed."), User(words)), "claude-code", tmp_path)
        assert bool(WorkHistory(session).at_turn().of("rule")) is holds


@pytest.mark.parametrize(
    ("words", "holds"),
    [
        ("You may push now.", False),
        ("Push it to origin.", False),
        ("Never push, I said.", True),
        ("Fix the typo.", True),
    ],
)
def test_a_rule_ends_when_the_user_allows_it(words: str, holds: bool) -> None:
    said = ("Never push.", words)
    messages = [
        Message(f"m{n}", "user", InMemoryBody({"role": "user", "content": text})) for n, text in enumerate(said)
    ]
    assert ("Never push." in [item.text for item in fold(messages).of("rule")]) is holds


@given(cut=st.integers(0, len(SCRIPT)), steps=st.lists(st.sampled_from(SCRIPT), max_size=12))
def test_the_fold_is_incremental_and_pure(
    cut: int, steps: list[Step], tmp_path_factory: pytest.TempPathFactory
) -> None:
    script = (User("Start."), *steps, *SCRIPT[cut:])
    messages = session_of(script, "claude-code", tmp_path_factory.getbasetemp()).messages
    whole = fold(messages)
    half = fold(messages[: len(messages) // 2])
    before = repr(half)
    assert fold(messages[len(messages) // 2 :], half) == whole == fold(messages)
    assert repr(half) == before


def test_the_state_is_bounded(tmp_path: Path) -> None:
    script = tuple(Write(f"{ROOT}/src/f{number}.py") for number in range(MAX_ITEMS + 50))
    state = WorkHistory(session_of((User("Write them."), *script), "claude-code", tmp_path)).at_turn()
    assert len(state.all("file")) == MAX_ITEMS
    assert state.all("file")[-1].name.endswith(f"f{MAX_ITEMS + 49}.py")


def test_kept_states_change_no_answer_whatever_is_asked_first_and_go_on_with_the_session(tmp_path: Path) -> None:
    script = (*SCRIPT, *(Write(f"{ROOT}/src/f{number}.py") for number in range(70)), Compact("Written."), *SCRIPT)
    session = session_of(script, "claude-code", tmp_path)
    history, places = WorkHistory(session), range(0, len(session.messages), 9)
    states = {place: WorkHistory(session).at(place) for place in places}
    assert {place: history.at(place) for place in reversed(places)} == states
    assert {place: history.at(place) for place in places} == states
    start = replace(session, messages=session.messages[:100])
    known = WorkHistory(start)
    known.at(99)
    assert known.continued(session, known.agent).at(places[-1]) == states[places[-1]]
    other = session_of((User("Never push."), *script), "claude-code", tmp_path)
    assert known.continued(other, known.agent).at(100) == WorkHistory(other).at(100)


def test_an_empty_conversation_has_no_state() -> None:
    assert [*fold([])] == [] and fold([]) == WorkState()


def test_the_fates_of_a_compaction(tmp_path: Path) -> None:
    summary = (
        "Summary:\n1. Primary Request and Intent:\n   Add a discount to the cart.\n"
        "2. Errors: none, all cart tests pass\n"
        "3. Pending Tasks:\n   - Add the discount\n   - Cache the prices in src/price_cache.py\n"
        "4. The user asked to delete all vouchers of last year.\n"
    )
    session = session_of((*SCRIPT, Agent("Review"), Compact(summary)), "claude-code", tmp_path)
    rows = fates_of(transition_of(session))
    fates = {(row.part, row.item): row.fate for row in rows}
    assert fates["rule", "Do not touch the invoices."] == "dropped"
    assert fates["task", "Add the discount"] == "stale"
    assert fates["plan", "Cache the prices"] == "revived"
    assert fates["running", "npm run dev"] == "dropped"
    assert fates["instruction", next(item for part, item in fates if part == "instruction")] == "dropped"
    invented = [row.item for row in rows if row.fate == "invented"]
    assert any("delete all vouchers" in one for one in invented)
    assert any("all cart tests pass" in one for one in invented)
    assert all(row.compaction for row in rows)


@pytest.mark.parametrize(
    ("summary", "part", "fate"),
    [
        ("Loaded the `house-style` skill first.", "instruction", "paraphrased"),
        ("Loaded two skills first.", "instruction", "dropped"),
        ("**Undefined: total** in cart.go, not yet fixed.", "failure", "kept"),
        ("`make cart` failed because of a name.", "failure", "kept"),
        ("`make docs` failed in the other session.", "failure", "dropped"),
        ("1. **Phase 1, price_helpers.py rewrite**: complete.", "task", "kept"),
        ("1. **Part 1, tax_helpers.py rewrite**: complete.", "task", "dropped"),
        ("1. Phase 1: new versions of the helpers, updated for the node", "task", "kept"),
        ("Code: `cart.go` says undefined: tax", "failure", "dropped"),
    ],
)
def test_fates_of_what_a_summary_names_in_other_words(summary: str, part: str, fate: str, tmp_path: Path) -> None:
    script: tuple[Step, ...] = (
        Skill("house-style", "# Style\n\nShort names.\n"),
        Tasks((("Phase 1: Update price_helpers.py (Node 2.1)", "completed"),)),
        Run("make cart", "# shop\ncart.go:4:2: undefined: total", 1),
        Compact(summary),
    )
    rows = fates_of(transition_of(session_of(script, "claude-code", tmp_path)))
    assert [row.fate for row in rows if row.part == part] == [fate]


def test_leaving_the_program_asks_nothing_of_the_agent(tmp_path: Path) -> None:
    leave = User("<command-name>/exit</command-name>\n<command-message>exit</command-message>")
    state = WorkHistory(session_of((User("Fix it."), Say("It is fixed."), leave), "claude-code", tmp_path)).at_turn()
    assert (state.actor, state.text("request", "latest")) == ("user", "Fix it.")


def test_what_a_summary_states_in_several_sentences_is_kept(tmp_path: Path) -> None:
    tasks = Tasks(
        (("Update tests for price_list, price_cache, tax_table", "completed"), ("Ship the tax_rounding", "pending"))
    )
    summary = "Done:\n- Updated test_price_list.py\n- Renamed in test_price_cache.py\n- Removed from test_tax_table.py"
    session = session_of((User("Do it."), tasks, Compact(summary)), "claude-code", tmp_path)
    fates = {row.item: row.fate for row in fates_of(transition_of(session)) if row.part == "task"}
    assert fates == {tasks.states[0][0]: "kept", tasks.states[1][0]: "dropped"}


def test_what_the_conversation_says_is_not_invented(tmp_path: Path) -> None:
    summary = (
        "The user asked to add a discount to the cart, and not to touch the invoices. src/discount.py was written."
    )
    session = session_of((*SCRIPT, Compact(summary)), "claude-code", tmp_path)
    rows = fates_of(transition_of(session))
    assert [row for row in rows if row.fate == "invented"] == []
    assert {row.fate for row in rows if row.part == "rule"} == {"kept"}


def test_the_block_of_state_for_the_agent(tmp_path: Path) -> None:
    state = WorkHistory(session_of(SCRIPT, "claude-code", tmp_path)).at_turn()
    text = state_block(state, 2_000)
    for words in (
        f"You work in {ROOT} on the branch main.",
        "The user has to answer",
        "Rule: “Do not touch the invoices.”",
        "Do not carry out the plan “Cache the prices”",
        "[dropped by the user] Document it",
        "Running: b1 npm run dev",
        "Read again: tour in",
    ):
        assert words in text
    assert len(state_block(state, 200)) <= 200
    assert state_block(WorkState(), 2_000) == ""


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("It's ok to push now.", "withdrawals"),
        ("Never mind that point.", "drops"),
        ("We don't need the cache.", "drops"),
        ("We're not adding the header.", "drops"),
        ("Let's not do it.", "shelves"),
        ("Put the queue on hold.", "shelves"),
        ("Sounds good.", "approves"),
        ("Then pick up the plan.", "approves"),
        ("We are done with the worktree.", "moves"),
        ("Please re-launch the server.", "restarts"),
    ],
)
def test_what_a_user_says_of_the_work_is_heard(text: str, field: str) -> None:
    assert getattr(read_user_words(text), field)
    assert not getattr(read_user_words("It's not adding the new header to the invoices?"), field)


def test_a_failure_ends_with_other_options_and_a_slash_command_is_a_request(tmp_path: Path) -> None:
    command = "<command-message>review is running</command-message>\n<command-name>/review</command-name>\n"
    script = (
        User(f"{command}<command-args>the cart, briefly</command-args>"),
        Run("npm install left-pad", "npm ERR! peer dependency", 1),
        Run("npm install --force left-pad", "added 1 package"),
        Run("pytest -q tests/test_cart.py", "FAILED tests/test_cart.py::test_a\n1 failed", 1),
    )
    state = WorkHistory(session_of(script, "claude-code", tmp_path)).at_turn()
    assert state.text("request", "latest") == "/review the cart, briefly"
    assert [item.name for item in state.of("failure")] == ["pytest -q tests/test_cart.py"]


@pytest.mark.parametrize(
    ("line", "branch"),
    [("git switch -c b", "b"), ("cd ../dock && git switch -c b", "a"), ("cd src && git switch -c b", "b")],
)
def test_a_branch_of_another_repository_is_not_that_of_the_work(line: str, branch: str, tmp_path: Path) -> None:
    script = (User("Go on."), Run("git switch -c a", "Switched to a new branch 'a'"), Run(line, "Switched"))
    assert WorkHistory(session_of(script, "codex", tmp_path)).at_turn().text("where", "branch") == branch


@pytest.mark.parametrize(("words", "state"), [("can you do the fix?", "approved"), ("what is a fix?", "proposed")])
def test_a_request_for_the_fix_approves_the_plan_that_proposes_it(words: str, state: str, tmp_path: Path) -> None:
    plan = Say("Here is the plan:\n1. Read the tide table.\n2. Correct the harbour offset.\n\nShall I go ahead?")
    script = (User("Why is the tide late?"), plan, User("what is the offset?"), Say("Ten minutes."), User(words))
    (item,) = WorkHistory(session_of(script, "claude-code", tmp_path)).at_turn().of("plan")
    assert item.state == state


def test_state_after_hundreds_of_compactions(tmp_path: Path) -> None:
    (session,) = load(written("compactions", tmp_path / "long.jsonl", 600))
    history = WorkHistory(session)
    assert history.at_turn().text("request", "latest") == "Question 599."
    assert [one.before.turn for one in history.transitions()] == sorted(
        one.before.turn for one in history.transitions()
    )


def test_states_in_any_order_are_those_of_a_fresh_history(tmp_path: Path) -> None:
    script: tuple[Step, ...] = (User("Go."), *(Run(f"echo {number}", "done") for number in range(80)))
    session = session_of(script, "claude-code", tmp_path)
    history, turns = WorkHistory(session), len(session.turns())
    assert history.is_known(1), "it follows from nothing"
    assert not history.is_known(turns)
    history.at_turn()
    assert history.is_known(turns)
    for turn in (turns, 3, turns // 2, turns + 1):
        assert history.at_turn(turn) == WorkHistory(session).at_turn(turn)
