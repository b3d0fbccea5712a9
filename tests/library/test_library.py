"""What there is to open, and opening it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from inspector.core.conversation import MAIN, Session
from inspector.engine.window import at_turn
from inspector.engine.window.plan import Plan
from inspector.library import (
    AgentFolder,
    Entry,
    Library,
    Opener,
    OpenError,
    OpenSession,
    agent_folders,
    distinctions,
    exact_sizes,
    in_order,
    known_counts,
    list_entries,
    place_of,
    resolve,
    speaker,
    target_entries,
)
from inspector.library.listing.discovery import agent_session_files
from inspector.library.opening.loading import save_size
from inspector.library.opening.session_refs import session_id_in
from inspector.llm.providers import message_from_raw
from inspector.llm.tokens.sizes import count_session, counter_for, estimate_sizes
from inspector.store import StaleError, Store, StoreError, default_path
from tests.cli.calling import chat, transcript, written


@pytest.fixture(autouse=True)
def _own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return written(tmp_path / "log.json", chat())


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "store" / "inspector.db"


def read_target(target: str, store: Store | None = None) -> tuple[Session, str]:
    session = resolve(target, store).session
    return session, session_id_in(session, store) if store else ""


def targets(entries: list[Entry]) -> list[str]:
    return [entry.target for entry in entries]


# targets


def test_a_target_is_a_path_or_one_session_of_a_file(log: Path, tmp_path: Path) -> None:
    assert place_of(str(log)) == (log, 0)
    assert place_of(f"{log}#3") == (log, 3)
    odd = written(tmp_path / "log#2", chat(1))
    assert place_of(str(odd)) == (odd, 0)
    assert place_of("nothing like a file") == (None, 0)
    assert place_of("nul\0byte") == (None, 0)
    assert place_of("x" * 5_000) == (None, 0)


def test_a_file_reads_the_same_with_a_store_and_without(log: Path, db: Path) -> None:
    with Store(db) as store:
        with_store, kept = read_target(str(log), store)
    without, _ = read_target(str(log))
    assert (with_store.id, len(with_store.messages), kept) == (without.id, len(without.messages), "")


def test_a_stored_session_is_found_by_the_beginning_of_its_id(tmp_path: Path, db: Path) -> None:
    with Store(db) as store:
        for name in ("aaa-lamp", "aab-gull"):
            store.add(read_target(str(written(tmp_path / f"{name}.jsonl", transcript(name))))[0])
        session, kept = read_target("aab", store)
        assert (session.id, kept) == ("aab-gull", "aab-gull")
        with pytest.raises(OpenError, match="give more of it"):
            read_target("aa", store)
        with pytest.raises(OpenError, match="There is no file zz, and no stored session"):
            read_target("zz", store)


def test_without_a_store_an_id_is_no_file() -> None:
    with pytest.raises(OpenError, match=r"aab-gull does not exist\. Check the name\."):
        read_target("aab-gull")


def test_the_log_of_a_path_is_known_to_the_store_while_it_grows(tmp_path: Path, db: Path) -> None:
    file = written(tmp_path / "agent.jsonl", transcript(turns=2))
    with Store(db) as store:
        store.add(read_target(str(file))[0])
        written(file, transcript(turns=5))
        session, kept = read_target(str(file), store)
        assert (len(session.messages), kept) == (11, "3f0c")
        written(file, transcript(turns=1))
        assert read_target(str(file), store)[1] == "3f0c"


def test_another_log_with_the_same_id_is_not_taken_for_it(tmp_path: Path, db: Path) -> None:
    first = written(tmp_path / "a.jsonl", transcript())
    other = written(tmp_path / "b.jsonl", transcript(prompt="Paint the pier."))
    with Store(db) as store:
        store.add(read_target(str(first))[0])
        assert read_target(str(other), store)[1] == ""
        assert store.add(read_target(str(other))[0]).id == "3f0c~2"
        assert read_target(str(other), store)[1] == "3f0c~2"
        assert read_target(str(first), store)[1] == "3f0c"


def test_what_is_to_be_said_about_a_target_comes_with_it(tmp_path: Path) -> None:
    many = written(tmp_path / "logs" / "many.jsonl", [chat(1), chat(2)])
    (note,) = resolve(str(many)).notes
    assert note == f"{many} contains 2 sessions. This is the first; the next is {many}#2."
    assert resolve(f"{many}#2").notes == ()
    written(tmp_path / "logs" / "one.json", chat(3))
    assert len(resolve(str(tmp_path / "logs")).notes) == 2


def test_a_folder_without_a_conversation_says_so(tmp_path: Path) -> None:
    written(tmp_path / "logs" / "package.json", {"name": "lamp"})
    with pytest.raises(OpenError, match="contains no conversation"):
        read_target(str(tmp_path / "logs"))


# sizes and plans


def test_what_was_counted_once_is_taken_from_the_store(log: Path, db: Path) -> None:
    session, _ = read_target(str(log))
    with Store(db) as store:
        sizes = exact_sizes(session, store)
        known = known_counts(store, session, "o200k_base")
        again = list(count_session(session, counter_for(session.model), known))
        assert again[-1].is_complete and not any(batch.fresh for batch in again)
        assert exact_sizes(session, store).tokens == sizes.tokens == exact_sizes(session).tokens
    assert known_counts(None, session, "o200k_base") == {}


def test_progress_tells_what_goes_on(log: Path) -> None:
    told: list[tuple[str, int, int]] = []
    with Library(log.parent / "x.db") as library:
        library.open(str(log), on_progress=lambda doing, done, total: told.append((doing, done, total)))
    assert {doing for doing, _, _ in told} == {"reading", "counting"}
    assert all(done <= total for _, done, total in told)


def test_an_opened_session_carries_its_applied_plans_by_path_and_by_id(tmp_path: Path, db: Path) -> None:
    file = written(tmp_path / "agent.jsonl", transcript(turns=8))
    with Library(db, required=True) as library:
        opened = library.open(str(file))
        plan = opened.bench.preview(strategy="deletion", settings={"keep_recent": 2}).plan
        assert plan is not None
        opened.push(plan, MAIN)
        small = opened.bench.preview().after
        for target in (str(file), "3f0c"):
            again = library.open(target)
            assert again.bench.store_id == "3f0c"
            assert again.bench.preview().after.ids == small.ids
            assert again.bench.preview().after.total == small.total
        assert library.open("3f0c").undo(MAIN) == plan
        assert library.open(str(file)).bench.plans == {}


def test_the_plans_of_each_agent_are_their_own(tmp_path: Path, db: Path) -> None:
    session, _ = read_target(str(written(tmp_path / "agent.jsonl", transcript(turns=8))))
    with Library(db, required=True) as library:
        opened = library.open(str(tmp_path / "agent.jsonl"))
        opened.push(opened.bench.hand_plan((session.messages[1].id,), "pinned", None), MAIN)
        assert library.store is not None
        assert [agent for agent in session.agents if library.store.plans("3f0c", agent)] == [MAIN]


def test_a_store_that_cannot_be_used_is_a_warning_where_it_is_not_needed(log: Path, tmp_path: Path) -> None:
    (tmp_path / "blocked").write_text("")
    broken = tmp_path / "blocked" / "inspector.db"
    with Library(broken) as library:
        assert "cannot be written" in library.warning
        opened = library.open(str(log))
        assert opened.bench.preview().valid
        with pytest.raises(StoreError):
            opened.push(opened.bench.hand_plan((), "pinned", None), MAIN)
    with pytest.raises(StoreError):
        Library(broken, required=True)


def summarised(opened: OpenSession, keep_recent: int) -> Plan:
    plan = opened.bench.preview(strategy="sliding_window", settings={"keep_recent": keep_recent}).plan
    assert plan is not None and plan.summaries
    return plan


def test_two_who_have_looked_at_the_same_stack_do_not_both_put_a_plan_on_it(tmp_path: Path, db: Path) -> None:
    file = written(tmp_path / "log.json", chat())
    with Library(db, required=True) as one, Library(db, required=True) as other:
        first, second = one.open(str(file)), other.open(str(file))
        plan = summarised(second, 2)
        first.push(summarised(first, 12), MAIN)
        with pytest.raises(StaleError, match="has changed since it was opened"):
            second.push(plan, MAIN)
        assert (second.bench.plans, len(one.open(str(file)).bench.plans[MAIN])) == ({}, 1)
        again = other.open(str(file))
        again.push(summarised(again, 2), MAIN)
        names = [summary.id for plan in again.bench.plans[MAIN] for summary in plan.summaries]
        assert names == ["summary 1", "summary 2"]
        with pytest.raises(StaleError):
            first.undo(MAIN)
        assert again.undo(MAIN) and again.undo(MAIN)


def test_a_plan_that_is_refused_does_not_put_its_session_into_the_store(log: Path, db: Path) -> None:
    with Library(db, required=True) as library:
        opened = library.open(str(log))
        opened.bench.versions[MAIN] = 7
        with pytest.raises(StaleError):
            opened.push(opened.bench.hand_plan((), "pinned", None), MAIN)
        assert (library.required_store.sessions(), opened.bench.store_id) == ([], "")


def test_no_two_summaries_of_a_session_have_one_name_whosever_they_are(log: Path, db: Path) -> None:
    with Library(db, required=True) as library:
        opened = library.open(str(log))
        opened.push(summarised(opened, 2), MAIN)
        opened.bench.plans["helper"] = opened.bench.plans.pop(MAIN)
        assert [summary.id for summary in summarised(opened, 2).summaries] == ["summary 2"]


@pytest.mark.skipif(os.name == "nt", reason="permissions work differently there")
def test_a_store_that_others_could_read_is_closed_to_them_and_that_is_told(log: Path, db: Path) -> None:
    with Library(db, required=True) as library:
        assert library.warning == ""
        library.required_store.add(read_target(str(log))[0])
    db.chmod(0o644)
    with Library(db) as library:
        assert library.warning == f"Other users could read {db}. Its permissions are now restricted to you."
        assert db.stat().st_mode & 0o777 == 0o600
    with Library(db) as library:
        assert library.warning == ""


@pytest.mark.skipif(os.name == "nt", reason="permissions work differently there")
def test_the_programs_own_folder_is_closed_to_others_and_no_folder_of_the_persons(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("INSPECTOR_DB", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    own, mine = default_path().parent, tmp_path / "mine"
    for folder in (own, mine):
        folder.mkdir(parents=True)
        folder.chmod(0o755)
    with Library(default_path()), Library(mine / "inspector.db"):
        assert [folder.stat().st_mode & 0o777 for folder in (own, mine)] == [0o700, 0o755]


# listing


def test_everything_is_listed_once_in_the_order_given_stored_found(log: Path, tmp_path: Path, db: Path) -> None:
    mine = written(tmp_path / "claude" / "projects" / "-pier" / "cc.jsonl", transcript("cc"))
    written(tmp_path / "claude" / "projects" / "-pier" / "dd.jsonl", transcript("dd"))
    with Store(db) as store:
        store.add(read_target(str(mine))[0])
        store.add(read_target(str(log))[0])
        entries = [entry for entry, _ in list_entries([str(log)], store)]
        assert [(entry.origin, entry.title) for entry in entries] == [
            ("given", "Find the nights on which the lamp went out, please."),
            ("stored", "Mend the pier lights."),
            ("found", "Mend the pier lights."),
        ]
        assert [entry.origin for entry, _ in list_entries([], store, look_around=False)] == ["stored", "stored"]


def test_a_copy_of_what_is_stored_is_listed_once_wherever_it_lies(tmp_path: Path, db: Path) -> None:
    mine, copy = (written(tmp_path / folder / "cc.jsonl", transcript("cc")) for folder in ("one", "other"))
    with Store(db) as store:
        store.add(read_target(str(mine))[0])
        assert [entry.origin for entry, _ in list_entries([str(copy)], store, look_around=False)] == ["given"]


def test_an_entry_opens_what_it_stands_for(log: Path, tmp_path: Path, db: Path) -> None:
    written(tmp_path / "claude" / "projects" / "-pier" / "dd.jsonl", transcript("dd"))
    many = written(tmp_path / "many.jsonl", [chat(1), chat(2)])
    with Store(db) as store:
        store.add(read_target(str(written(tmp_path / "ee.jsonl", transcript("ee"))))[0])
        for entry, _ in list_entries([str(log), str(many)], store):
            session, _ = read_target(entry.target, store)
            assert session.title == entry.title
            assert entry.messages in (None, len(session.messages))


def test_the_share_of_the_work_that_is_done_grows_to_one(log: Path, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    for number in range(3):
        written(folder / f"{number}.json", chat(number + 1))
    shares = [share for _, share in target_entries([str(folder), str(log)])]
    assert shares == [0.25, 0.5, 0.75, 1.0]


def test_a_stored_session_is_listed_by_its_id(tmp_path: Path, db: Path) -> None:
    with Store(db) as store:
        store.add(read_target(str(written(tmp_path / "ee.jsonl", transcript("ee-lamp"))))[0])
        ((entry, _),) = target_entries(["ee"], store)
        assert (entry.target, entry.origin) == ("ee-lamp", "stored")


def test_a_peak_is_a_share_of_the_models_window(tmp_path: Path, db: Path) -> None:
    file = written(tmp_path / "agent.jsonl", transcript(turns=3))
    session, _ = read_target(str(file))
    with Library(db, required=True) as library:
        list(library.import_targets([str(file)]))
        ((stored, _),) = target_entries(["3f0c"], library.store)
    ((given, _),) = target_entries([str(file)])
    largest = max(at_turn(session, estimate_sizes(session), turn).total for turn in range(1, 5))
    assert given.peak_share == pytest.approx(largest / 200_000, rel=0.01)
    assert stored.peak_share == pytest.approx(given.peak_share, rel=0.05)


def test_a_session_belongs_to_the_folder_that_its_agent_worked_in(log: Path, tmp_path: Path, db: Path) -> None:
    records = [record | {"cwd": "/home/gate/tide gate"} for record in transcript("ee")]
    file = written(tmp_path / "ee.jsonl", records)
    with Store(db) as store:
        store.add(read_target(str(file))[0])
        store.add(read_target(str(log))[0])
        rows = {entry.title: entry for entry, _ in list_entries([], store, look_around=False)}
        ((given, _),) = target_entries([str(file)])
        assert (given.folder, given.project) == ("/home/gate/tide gate", "tide gate")
        assert {entry.project for entry in rows.values()} == {"tide gate", tmp_path.name}


def test_a_list_is_sorted_by_time_and_unreadable_entries_come_last() -> None:
    entries = [
        Entry("stored", "e", "stored", changed="2026-09-01"),
        Entry("broken", "a", "given", changed="2026-08-01", problem="It is broken."),
        Entry("damaged", "b", "given", changed="2026-07-01", damage=2),
        Entry("old", "c", "given", changed="2026-01-01"),
        Entry("timeless", "d", "given"),
        Entry("new", "d", "given", changed="2026-02-01"),
    ]
    assert targets(in_order(entries)) == ["damaged", "new", "old", "timeless", "broken", "stored"]


def test_sessions_with_one_title_are_told_apart_by_file_and_number() -> None:
    entries = [
        Entry("/a/lamps.json#1", "Hello", "given", path="/a/lamps.json"),
        Entry("/a/lamps.json#2", "Hello", "given", path="/a/lamps.json"),
        Entry("/a/gulls.json", "Hello", "given", path="/a/gulls.json"),
        Entry("/a/else.json", "Good evening", "given", path="/a/else.json"),
        Entry("3f0c", "Hello", "stored", path="/b/s.jsonl"),
        Entry("3f0c~2", "Hello", "stored", path="/b/s.jsonl"),
    ]
    assert distinctions(entries) == {
        "/a/lamps.json#1": "lamps #1",
        "/a/lamps.json#2": "lamps #2",
        "/a/gulls.json": "gulls",
        "3f0c": "3f0c",
        "3f0c~2": "3f0c~2",
    }


def test_files_of_a_folder_that_hold_no_conversation_are_one_entry_with_a_reason_for_each(tmp_path: Path) -> None:
    written(tmp_path / "log.json", chat())
    for name in ("one", "two"):
        written(tmp_path / f"{name}.json", {"name": name})
    entries = [entry for entry, _ in target_entries([str(tmp_path)])]
    (strange,) = [entry for entry in entries if entry.unsupported]
    assert len(entries) == 2 and len(strange.unsupported) == 2
    assert "one.json" in strange.unsupported[0] and "2 files" in strange.problem


# on this machine


def test_what_agents_have_left_is_counted(tmp_path: Path) -> None:
    assert agent_folders() == ()
    for name in ("cc", "dd"):
        written(tmp_path / "claude" / "projects" / "-pier" / f"{name}.jsonl", transcript(name))
    assert agent_folders() == (AgentFolder("Claude Code", 2, "claude-code"),)


def test_found_sessions_are_the_newest_first_and_capped(tmp_path: Path) -> None:
    folder = tmp_path / "claude" / "projects"
    for number in range(6):
        file = written(folder / f"-p{number}" / f"s{number}.jsonl", transcript(f"s{number}", prompt=f"Task {number}"))
        os.utime(file, (1_000_000 + number, 1_000_000 + number))
    assert [found.title for found in agent_session_files(4)] == ["Task 5", "Task 4", "Task 3", "Task 2"]
    assert agent_session_files(1)[0].mtime == 1_000_005


def test_what_is_no_session_of_its_own_is_not_found(tmp_path: Path) -> None:
    folder = tmp_path / "claude" / "projects" / "-pier"
    written(folder / "dd.jsonl", transcript("dd"))
    written(folder / "dd" / "subagents" / "agent-1.jsonl", transcript("dd"))
    written(folder / "agent-2.jsonl", transcript("dd"))
    written(folder / "settings.json", {"theme": "dark"})
    (folder / "empty.jsonl").write_text("")
    assert [found.path.name for found in agent_session_files(10)] == ["dd.jsonl"]


def test_a_title_comes_from_the_first_lines_only(tmp_path: Path) -> None:
    folder = tmp_path / "claude" / "projects" / "-pier"
    meta = {"type": "user", "isMeta": True, "message": {"content": "Caveat: not typed by the person"}}
    command = {"type": "user", "message": {"content": "<command-name>/clear</command-name>"}}
    written(folder / "a.jsonl", [meta, command, *transcript("a", prompt="Paint   the\npier.")])
    written(folder / "b.jsonl", [*transcript("b"), {"type": "summary", "summary": "Lights mended"}])
    (folder / "c.jsonl").write_bytes(b"\xff\xfe not json\n" + b"x" * 200_000)
    long = written(
        folder / "d.jsonl", [{"type": "user", "message": {"content": [{"type": "text", "text": "go " * 99}]}}]
    )
    titles = {found.path.name: found.title for found in agent_session_files(10)}
    assert titles == {
        "a.jsonl": "Paint the pier.",
        "b.jsonl": "Lights mended",
        "c.jsonl": "c",
        "d.jsonl": titles["d.jsonl"],
    }
    assert len(titles[long.name]) == 120


def test_a_machine_without_agents_has_none() -> None:
    assert agent_session_files(10) == []


def test_a_session_that_the_app_stores_names_its_file_from_any_folder(
    tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path / "agent.jsonl", transcript())
    monkeypatch.chdir(tmp_path)
    with Library(db, required=True) as library:
        list(Opener(library.store, keeps=True).steps("agent.jsonl"))
        assert [row.path for row in library.required_store.sessions()] == [str(tmp_path / "agent.jsonl")]


def test_files_that_are_not_looked_at_are_named_beside_those_without_a_conversation(tmp_path: Path) -> None:
    written(tmp_path / "log.json", chat())
    (tmp_path / "notes.txt").write_text("buy a lamp")
    (tmp_path / "README.md").write_text("# Lamps")
    (tmp_path / ".hidden").write_text("x")
    assert not [entry for entry, _ in target_entries([str(tmp_path)]) if entry.passed_over], "nothing is wrong there"
    written(tmp_path / "other.json", {"name": "lamp"})
    (strange,) = [entry for entry, _ in target_entries([str(tmp_path)]) if entry.unsupported]
    assert strange.passed_over == ("README.md", "notes.txt") and len(strange.unsupported) == 1


def test_in_a_group_chat_speakers_have_their_names() -> None:
    messages = [
        message_from_raw("m1", {"role": "assistant", "name": "Librarian", "content": "Shelf nine."}, "openai"),
        message_from_raw("m2", {"role": "assistant", "content": "Here."}, "openai"),
    ]
    assert [speaker(message, {}) for message in messages] == ["Librarian", "assistant"]


def test_a_part_of_a_stored_session_does_not_change_its_size(tmp_path: Path, db: Path) -> None:
    records = transcript("ee")
    files = [written(tmp_path / name, rows) for name, rows in (("all.jsonl", records), ("part.jsonl", records[:-2]))]
    with Library(db) as library:
        assert library.store is not None
        assert len(list(library.import_targets([str(files[0])]))) == 1
        whole, part = (library.open(str(file)).bench for file in files)
        size = sum(whole.sizes.tokens)
        assert sum(part.sizes.tokens) < size
        for bench in (whole, part):
            (row,) = library.store.sessions()
            save_size(library.store, row.id, bench.session, bench.sizes)
            (row,) = library.store.sessions()
            assert row.tokens == size
