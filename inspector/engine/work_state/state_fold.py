"""The fold of a conversation's messages to the state of the work."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from inspector.core.conversation import Message, WorkEvent
from inspector.core.text import lazy_pattern
from inspector.engine.commands import check_kind, checks_old_code, commands_in, covers, joined, plain_command
from inspector.engine.work_state.background_work import end_processes, note_process, with_process, without_missing
from inspector.engine.work_state.effect_values import CallEffects, FileChange
from inspector.engine.work_state.instruction_reads import is_product
from inspector.engine.work_state.instruction_rules import OF_INSTRUCTION
from inspector.engine.work_state.message_steps import NOTHING, Instruction, MessageSteps, instruction_read, steps_of
from inspector.engine.work_state.plan_answers import with_answer
from inspector.engine.work_state.promised_rules import with_promises
from inspector.engine.work_state.result_news import ResultNews
from inspector.engine.work_state.state_items import Actor, StateItem, WorkState
from inspector.engine.work_state.task_fold import with_tasks
from inspector.engine.work_state.user_fold import hear
from inspector.engine.work_state.work_folders import (
    COPY,
    branch_of,
    committed_on,
    copied_to,
    is_at,
    is_in,
    is_in_added,
    names_copy,
    new_worktree,
    user_moved,
    wants_copy,
)
from inspector.engine.work_state.work_plans import has_plan, with_plan, with_plan_in_file, with_plan_of_call, with_reply

_MAX_TEXT = 2_000
_SAMPLES = 6
_MIN_SPACES = 5
"""Fewest spaces in a reply whose language is detected."""
_MIN_LETTERS = 12
"""Fewest characters of a reply in a script without spaces."""
_WORKTREE = lazy_pattern(r"/[\w.-]{0,80}worktrees?/([^/]+)")
_BRANCH = lazy_pattern(r"(?m)^(?:Output: )?On branch ([\w./-]{1,200})$")
_RESOLVES = lazy_pattern(
    r"\bgit (?:commit|push|(?:merge|rebase|cherry-pick) (?:\S+ )*--(?:continue|abort|skip|quit))\b"
)
"""A git command that succeeds only after conflicts are resolved."""
_SKIPPED = tuple(
    f"{command} "
    for command in (
        *["grep", "rg", "test", "diff", "ls", "cat", "which", "find", "[", "curl", "pgrep", "lsof", "head", "ps"],
        *("git show", "git log", "gh pr diff", "gh pr view", "gh run view", "gh api"),
    )
)
"""Commands whose failure is an answer."""


def fold(messages: Iterable[Message], state: WorkState | None = None) -> WorkState:
    """Return the state of the work after some messages of one agent.

    Args:
        messages: The messages in order. Copies of earlier messages must not be among them.
        state: The state before them; that of an empty conversation by default.

    Raises:
        OSError: If a message can no longer be read.
    """
    state = state or WorkState()
    for message in messages:
        state = advance(state, message)
    return state


def advance(state: WorkState, message: Message) -> WorkState:
    """Return the state after one more message.

    Args:
        state: State before the message.
        message: Next message of the conversation.

    Raises:
        OSError: The message can no longer be read.
    """
    steps = steps_of(message)
    turn = state.turn + 1
    state = recorded(state, message)
    if message.is_reply:
        return _replied(state, steps, message.id)
    if steps.news and steps.words:
        heard = hear(state.with_items(state.items, turn), steps, message.id, turn)
        state = _with_results(heard.with_items(heard.items, turn - 1), steps.news, message.id)
        return replace(state, actor="agent")
    if steps.news:
        return _with_reads(state, _with_results(state, steps.news, message.id), steps.news, message)
    if steps is NOTHING:
        return state
    heard = _received(state.with_items(state.items, turn), steps, message.id)
    return heard.with_items(heard.items, turn - 1)


def recorded(state: WorkState, message: Message) -> WorkState:
    """Return the state after what the program recorded with a message, without the message itself."""
    if not message.events:
        return state
    turn = state.turn + 1
    new = _recorded(state.with_items(state.items, turn), message.events, message.id, turn)
    return new.with_items(new.items, turn - 1)


def _received(state: WorkState, steps: MessageSteps, message: str) -> WorkState:
    """Return the state after a message of a user or a program. `state.turn` is the turn that it becomes part of."""
    if steps.words is not None:
        return hear(state, steps, message, state.turn)
    if steps.plan:
        return state if has_plan(state, steps.plan) else with_plan(state, steps.plan, message)
    if steps.expanded:
        return _expanded(state, steps.expanded, message)
    if steps.instruction:
        return replace(_instructed(state, steps.instruction, message, state.turn), actor="agent")
    return replace(end_processes(state, steps.ended[0], message, steps.ended[1]), actor="agent")


def _with_results(state: WorkState, every: Iterable[ResultNews], message: str) -> WorkState:
    turn = state.turn
    for news in every:
        calls = {**state.open_calls}
        call = calls.pop(news.call, None)
        is_silent = call is None or (call.is_silent and not news.number)
        actor: Actor = "user" if news.refused or (call is not None and call.finishes) else "agent"
        state = _scalars(state, turn if is_silent else turn + 1, actor, calls)
        if call is not None and not is_silent:
            state = _answered(state, call, news, message, turn + 1)
            state = state.with_items(state.items, turn)
    return state


def _with_reads(before: WorkState, state: WorkState, every: Iterable[ResultNews], message: Message) -> WorkState:
    """Return the state with the instructions whose files a message shows. Files that the agent wrote are its work."""
    for news in every:
        call = before.open_calls.get(news.call)
        if call is None or not call.reads or news.failed or news.refused:
            continue
        own = before.items.get("file", {})
        base = call.folder or before.text("where", "folder")
        read = [joined(base, name) for name in call.reads]
        if paths := [path for path in read if path not in own and not is_product(path, base)]:
            text = instruction_read(message, news.call, paths)
            text = text if len(paths) == len(read) else text._replace(rules=())  # the files are not told apart
            state = _instructed(state, text, message.id, state.turn + 1)
    return state


def _scalars(state: WorkState, turn: int, actor: Actor, calls: Mapping[str, CallEffects], said: str = "") -> WorkState:
    """Return the state with new values except its items. `dataclasses.replace` takes three times as long."""
    is_sample = said.count(" ") >= _MIN_SPACES or (len(said) >= _MIN_LETTERS and not said.isascii())
    samples = (*state.samples[-_SAMPLES + 1 :], said) if is_sample else state.samples
    return WorkState(state.items, actor, turn, samples, calls, state.last_task)


def _recorded(state: WorkState, events: Iterable[WorkEvent], message: str, turn: int) -> WorkState:
    items: list[StateItem] = []
    for event in events:
        if event.part == "running":
            state = note_process(state, event.name, event.value, message, turn)
        elif event.part == "instruction":
            items.append(StateItem("instruction", event.name, event.name, "loaded", event.value, message, turn))
        elif event.part == "mode":
            items.append(StateItem("mode", event.name, event.value, message=message, turn=turn))
        elif event.part == "where" and (event.name, event.value) != ("branch", state.text("where", "branch")):
            items.append(StateItem("where", event.name, event.value, "recorded", "", message, turn))
            if event.name == "folder" and (worktree := _WORKTREE.search(event.value)):
                items.append(StateItem("where", "worktree", worktree[1], "recorded", event.value, message, turn))
            elif event.name == "folder":
                state = _in_folder(state, event.value, message)
    return state.put(*items)


def _in_folder(state: WorkState, folder: str, message: str) -> WorkState:
    """Return the state without the copy that the user left, or else the worktree, when the work is in a folder."""
    if (copy := state.get("where", COPY)) and user_moved(state):
        return state if is_in(folder, copy.text) else state.end(copy, message)
    old = state.get("where", "worktree")
    return state.end(old, message) if old and not is_in_added(old, folder) else state


def _expanded(state: WorkState, text: Instruction, message: str) -> WorkState:
    """Return the state with the text of the slash command that the user has just given, if it has no text yet."""
    request = state.get("request", "latest")
    if request is None or request.turn != state.turn or not request.text.startswith("/"):
        return state
    name = request.text[1:].split(" ", 1)[0]
    known = (state.get("instruction", called) for called in (name, _short(name)))
    if any(item is not None and item.turn == state.turn for item in known):
        return state
    return _instructed(state, text._replace(name=name), message, state.turn)


def _short(name: str) -> str:
    """Return the name of a skill without that of its plugin: "superpowers:writing-plans"."""
    return name.rpartition(":")[2]


def _instructed(state: WorkState, instruction: Instruction, message: str, turn: int) -> WorkState:
    called = (item.name for item in state.of("instruction") if not item.detail and ":" in item.name)
    whole = next((name for name in called if _short(name) == instruction.name), instruction.name)
    instruction = instruction._replace(name=whole)
    known = state.get("instruction", instruction.name)
    is_another = known is not None and bool(known.detail and instruction.path) and known.detail != instruction.path
    name = instruction.path if is_another else instruction.name
    item = StateItem(
        "instruction",
        name,
        f"{instruction.name}, about {instruction.tokens:,} tokens",
        "loaded",
        instruction.path,
        message,
        turn,
    )
    own = {rule.name for rule in state.of("rule") if rule.state != OF_INSTRUCTION}
    rules = (
        StateItem("rule", rule, rule, OF_INSTRUCTION, name, message, turn)
        for rule in instruction.rules
        if rule not in own
    )
    return state.put(item, *rules)


def _replied(state: WorkState, steps: MessageSteps, message: str) -> WorkState:
    state = with_promises(state, steps.promises)
    turn = state.turn + 1
    if not steps.calls:
        state = _scalars(state, turn, steps.next_actor, state.open_calls, steps.sample)
        state = with_reply(state, steps.plan, steps.outline, message)
        if steps.question:
            state = state.put(StateItem("question", "open", steps.question, "open", "", message, turn))
        return state
    calls = {**state.open_calls}
    for call in steps.calls:
        calls[call.call] = call
    state = _scalars(state, turn, "tool", calls, steps.sample)
    for call in steps.calls:
        if call.tasks:
            state = with_tasks(state, call, message)
        elif call.plan:
            state = with_plan_of_call(state, call.plan, message)
        elif call.asks:
            text = " ".join(call.asks)[:_MAX_TEXT]
            state = replace(state.put(StateItem("question", "open", text, "open", "", message, turn)), actor="user")
        elif call.stops:
            state = end_processes(state, call.stops, message, "stopped")
        elif call.finishes:
            state = replace(state, actor="user")
    return state


def _answered(state: WorkState, call: CallEffects, news: ResultNews, message: str, turn: int) -> WorkState:
    """Return the state after the result of a call that may affect the work."""
    if call.plan or call.asks:
        return _decided(state, call, news, message)
    if news.refused:
        return state
    if news.number:
        state = with_tasks(state, call, message, news.number)
    if call.polls and (news.is_over or news.failed):
        state = end_processes(state, call.polls, message, "ended")
    state = _ran(with_process(state, call, news, message, turn), call, news, message, turn)
    return state if news.failed else _changed(_loaded(state, call, message, turn), call, news, message, turn)


def _decided(state: WorkState, call: CallEffects, news: ResultNews, message: str) -> WorkState:
    """Return the state after the user's answer to a question or a plan."""
    if call.asks:
        asked = state.get("question", "open")
        return state.end(asked, message, "answered") if asked and not news.refused else state
    plan = next(reversed(state.of("plan")), None)
    word = "refused" if news.refused or news.failed else "approved"
    return with_answer(state, plan, message, word) if plan else state


def schema_of(tool: str) -> str:
    """Return the text of the item for a tool whose schema was loaded on demand."""
    return f"schema of {tool}"


def _loaded(state: WorkState, call: CallEffects, message: str, turn: int) -> WorkState:
    """Return the state with the skill or the schemas that a call loaded, and with the tool that it used."""
    items = [StateItem("instruction", tool, schema_of(tool), "loaded", "", message, turn) for tool in call.loads]
    if call.skill and state.get("instruction", call.skill) is None:
        items.append(StateItem("instruction", call.skill, call.skill, "loaded", "", message, turn))
    return state.put(*items)


def _ran(state: WorkState, call: CallEffects, news: ResultNews, message: str, turn: int) -> WorkState:
    """Return the state after a command: its failure, or the end of an earlier one; folder and branch."""
    if checks_old_code(call.command) or not (command := plain_command(call.command)):
        return state
    is_check = bool(check_kind(command))
    if news.failed or (is_check and _has_failing_tests(call.command, news)):
        if command.startswith(_SKIPPED):
            return without_missing(state, command, message)
        item = StateItem("failure", command[:_MAX_TEXT], news.line or "failed", "failing", "", message, turn)
        return _without_older(state, message, is_check).put(item)
    for item in state.of("failure"):
        if item.name == command or covers(command, item.name) or _settles(command, item.name):
            state = state.end(item, message, "passed")
    return _on_branch(_moved_by(state, call, message, turn), command, news, message, turn)


def _on_branch(state: WorkState, command: str, news: ResultNews, message: str, turn: int) -> WorkState:
    """Return the state with the branch that `git status` reports, unless the program records it."""
    branch = state.get("where", "branch")
    name = committed_on(news.answer) if "commit" in command else ""
    if reported := _BRANCH.search(news.answer) if "git status" in command else None:
        name = reported[1] if branch is None or branch.state != "recorded" else ""
    if not name or (branch is not None and branch.text == name):
        return state
    return state.put(StateItem("where", "branch", name, "", "", message, turn))


def _has_failing_tests(line: str, news: ResultNews) -> bool:
    """Return True if the result of a check reports failing tests and no exit code of the check itself says otherwise.

    The exit code of `pytest | tail` is that of another command.
    """
    hides_code = any(operator not in ("", "&&") for _, operator in commands_in(line))
    return news.has_failing_tests and (not news.passed or hides_code)


def _settles(command: str, failed: str) -> bool:
    """Return True if a command that succeeded ends an earlier failure: it tries again, or resolves a conflict."""
    is_conflict = failed.startswith("git ") and _RESOLVES.search(command) is not None
    return is_conflict or _tries_again(command, failed)


def _tries_again(command: str, other: str) -> bool:
    """Return True if a command that checks nothing repeats another one with other options: `pip install -U x`."""
    words, earlier = ([word for word in line.split() if word[0] != "-"] for line in (command, other))
    return not check_kind(other) and len(earlier) > 1 and words[: len(earlier)] == earlier


def _without_older(state: WorkState, message: str, is_check: bool) -> WorkState:
    """Return the state before another failure: of commands that check nothing, only the newest one stays."""
    for item in () if is_check else state.of("failure"):
        state = state if check_kind(item.name) else state.end(item, message, "superseded")
    return state


def _moved_by(state: WorkState, call: CallEffects, message: str, turn: int) -> WorkState:
    """Return the state after the `cd` and git commands of a line that succeeded."""
    folder = state.get("where", "folder")
    place = joined(state.text("where", "folder"), call.folder)
    for words, _ in commands_in(call.command):
        match words:
            case ["cd", target]:
                place = joined(place, target)
                if folder is None or folder.state != "recorded":
                    state = state.put(StateItem("where", "folder", place, "", "", message, turn))
            case ["git", "switch" | "checkout", *rest] if (branch := branch_of(rest)) and is_at(place, state):
                state = state.put(StateItem("where", "branch", branch, "", "", message, turn))
            case ["git", "commit", *_]:
                state = state.put(*(replace(item, detail="committed") for item in state.of("file")))
            case ["git", "worktree", "add", *rest] if path := new_worktree(rest):
                path = joined(state.text("where", "folder"), path)
                state = state.put(StateItem("where", "worktree", path.rsplit("/", 1)[-1], "added", path, message, turn))
            case ["git", "clone", *_] | ["cp" | "rsync", *_] if (copy := copied_to(words))[1]:
                state = _in_copy(state, joined(place, copy[0]), joined(place, copy[1]), message, turn)
            case ["git", "worktree", "remove", *_] if worktree := state.get("where", "worktree"):
                state = state.end(worktree, message, "removed")
    return end_processes(state, "", message, "stopped", call.command)


def _in_copy(state: WorkState, source: str, copy: str, message: str, turn: int) -> WorkState:
    """Return the state with a new copy of the project, if the user asked for the work to be done in it."""
    request = state.text("request", "latest")
    is_asked_for = names_copy(request, copy) or wants_copy(request, source, state.text("where", "folder"))
    return state.put(StateItem("where", COPY, copy, "named", "", message, turn)) if is_asked_for else state


def _changed(state: WorkState, call: CallEffects, news: ResultNews, message: str, turn: int) -> WorkState:
    """Return the state after the file changes of a call."""
    is_reported = news.wrote and len(call.files) == 1 and not call.command
    base = call.folder or state.text("where", "folder")
    for change in (one for one in call.files if "*" not in one.path):
        path = joined(base, change.path)
        old = state.items.get("file", {}).get(path)
        kind: str = news.wrote if is_reported and change.kind in ("created", "changed") else change.kind
        if old and {kind, old.state} == {"created", "changed"}:
            kind = old.state
        item = StateItem("file", path, path, kind, "", message, turn)
        if change.kind == "moved":
            item = _moved(base, path, change, message, turn)
        state = state.put(item)
        if change.kind == "created":
            state = with_plan_in_file(state, path, change.text, message)
    return state


def _moved(base: str, path: str, change: FileChange, message: str, turn: int) -> StateItem:
    return StateItem("file", path, f"{path} → {joined(base, change.text)}", "moved", "", message, turn)
