"""`inspector team`, `inspector push` and `--db postgresql://…`, on a real server."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from inspector.analysis.redaction import redact
from inspector.store import ROLLUP_GROUPS, Store, TeamStore, default_path
from inspector.store.team_schema import first_sql
from tests.analysis.redaction.people import people
from tests.analysis.redaction.second_corpus import Corpus
from tests.analysis.redaction.test_redaction_recall import filled, lines
from tests.benchmarks.fleet import fill
from tests.cli.calling import inspect, transcript, written
from tests.places import SESSIONS
from tests.store.made import chain
from tests.store.teams import execute, login, new_team

SAMPLE = SESSIONS / "support-ticket.json"


@pytest.fixture
def team(postgres_address: str) -> str:
    return new_team(postgres_address)


def stored(*paths: Path) -> list[str]:
    """Import files; return the ids of their sessions."""
    return [row["id"] for row in inspect("import", *paths, "--json").json["sessions"]]


def push(team: str, *words: object) -> dict[str, Any]:
    return dict(inspect("push", "--to", team, "--json", *words).json)


def test_a_database_becomes_a_team_s_store_with_consent(postgres_address: str) -> None:
    name = execute(postgres_address, "CREATE DATABASE plain", "SELECT 1")
    plain = postgres_address.replace("/postgres?", "/plain?")
    assert name and "is no team's store: inspector team init" in inspect("ls", "--db", plain).err
    asked = inspect("team", "init", plain)
    assert asked.code == 2 and "CREATE SCHEMA inspector" in asked.out and "Confirm with --yes." in asked.err
    assert inspect("team", "init", plain, "--dry-run", "--json").json["applied"] is False
    assert inspect("team", "init", plain, "--yes", "--json").json["applied"] is True
    assert "is a team's store already" in inspect("team", "init", plain).out
    assert "No sessions" in inspect("ls", "--db", plain).out
    execute(plain, "UPDATE inspector.team SET version = 99")
    for words in (("team", "init", plain), ("ls", "--db", plain), ("push", "--all", "--to", plain)):
        ended = inspect(*words)
        assert ended.code == 1 and "has version 99 of the team's store" in ended.err


def test_commands_read_pushed_sessions_like_stored_ones(team: str, tmp_path: Path) -> None:
    ids = stored(SAMPLE, written(tmp_path / "pier.jsonl", transcript("pier")))
    first = push(team, "--all", "--no-redact")
    assert {row["session"] for row in first["pushed"]} == {*ids}
    assert push(team, "--all", "--no-redact") == first | {"pushed": [], "unchanged": 2}
    for words in (
        *(("show", ids[0]), ("top", ids[0]), ("why", ids[1]), ("find", ids[0], "refund")),
        *(("lost", ids[0]), ("replay", ids[1]), ("compare", *ids), ("tune", ids[1], "--preset", "none")),
        *(("state", ids[0]), ("check", ids[0]), ("export", ids[0], "--to", "openai")),
        *(("stats", "--by", "tool"), ("stats", "--by", "week"), ("search", "refund", "lamp")),
    ):
        local, remote = inspect(*words, "--json"), inspect(*words, "--json", "--db", team)
        assert local.code == remote.code == 0, remote.err
        ours, theirs = without_places(remote.json), without_places(local.json)
        if words[0] == "search":  # equal ranks
            ours["hits"], theirs["hits"] = (sorted(each["hits"], key=repr) for each in (ours, theirs))
        assert ours == theirs, words
    for words in (
        ("stats", "--csv"),
        ("stats", "--by", "day", "--csv"),
        ("stats", "--fail-over", "0/week", "--since", "9y"),
    ):
        local, remote = inspect(*words), inspect(*words, "--db", team)
        assert (remote.code, remote.out) == (local.code, local.out), words
    listed = inspect("ls", "--json", "--db", team).json["sessions"]
    assert {row["target"] for row in listed} == {*ids} and {row["path"] for row in listed} == {""}


def without_places(value: Any) -> Any:
    """JSON without what differs: where a session came from, the snippets, and the order of equal hits."""
    if isinstance(value, dict):
        dropped = ("path", "target", "text", "summary", "missing", "source", "id", "session")
        return {key: without_places(inner) for key, inner in value.items() if key not in dropped}
    return [without_places(inner) for inner in value] if isinstance(value, list) else value


def test_a_plan_for_a_team_s_session_stays_on_this_machine(team: str) -> None:
    (name,) = stored(SAMPLE)
    push(team, name)
    with Store(default_path()) as store:
        store.remove(name)
    inspect("drop", name, 3, "--db", team)
    assert inspect("undo", name, "--db", team).code == 0
    assert execute(team, "SELECT count(*) FROM inspector.message") == [(51,)]


def test_a_session_is_pushed_again_when_a_preset_is_applied(team: str) -> None:
    (name,) = stored(SAMPLE)
    push(team, "--all")
    inspect("compress", name, "--preset", "early", "--force", "--apply")
    assert len(push(team, "--all")["pushed"]) == 1 and push(team, "--all")["pushed"] == []
    rows = [inspect("stats", "--by", "preset", "--json", *words).json["rows"] for words in ((), ("--db", team))]
    assert rows[0] == rows[1] and [row["name"] for row in rows[0]] == ["early"]


def test_a_command_that_writes_refuses_a_team_s_store(team: str) -> None:
    for words in (
        ("import", SAMPLE),
        ("store", "prune", "--older", "1d"),
        ("store", "check"),
        ("memory", "ls"),
        ("keep",),
        ("stats", "--backfill"),
    ):
        ended = inspect(*words, "--db", team)
        assert ended.code == 2 and team not in ended.err and ended.err.count("\n") == 1


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("postgresql://ana:hidden7K@127.0.0.1:1/x", "127.0.0.1/x cannot be reached"),
        ("postgresql://ana:hidden7K%zz@h/x", "the address of the team's store is invalid"),
        ("postgresql://ana:hidden7K@h/x?wrong=1", "the address of the team's store is invalid"),
        ("postgresql://ana:hid@hidden7K@h/x", "the address of the team's store is invalid"),
        ("postgresql://ana:hid/hidden7K@h/x", "the address of the team's store is invalid"),
        ("postgresql://ana:hid#hidden7K@h/x", "the address of the team's store is invalid"),
    ],
)
def test_an_address_that_cannot_be_used_is_one_sentence_without_its_password(address: str, reason: str) -> None:
    stored(SAMPLE)
    for words in (("ls", "--db"), ("show", "x", "--db"), ("team", "init"), ("push", "--all", "--to")):
        ended = inspect(*words, address)
        assert ended.code == 1 and reason in ended.err and len(ended.err.splitlines()) == 1
        assert "hidden7K" not in ended.out + ended.err
    ended = inspect("push", "--all", "--to", "mysql://ana:hidden7K@h/x")
    assert ended.code == 2 and "hidden7K" not in ended.err and "begins with postgresql://" in ended.err


def test_roles_limit_what_is_read(team: str, tmp_path: Path) -> None:
    paths = []
    for name in ("pier", "mole"):
        records = transcript(name, prompt=f"Mend the lamps of {name}.")
        for record in records:
            record["cwd"] = f"/work/{name}"
        paths.append(written(tmp_path / f"{name}.jsonl", records))
    stored(*paths)
    people = {name: login(team) for name in ("totals", "text", "push", "nobody")}
    names = {name: address.partition("//")[2].partition("@")[0] for name, address in people.items()}
    assert "INSERT INTO" in inspect("team", "add", team, names["text"], "--role", "text", "--dry-run").out
    inspect("team", "add", team, names["text"], "--role", "text", "--project", "pier", "--yes")
    inspect("team", "add", team, names["totals"], "--role", "totals", "--yes")
    inspect("team", "add", team, names["push"], "--role", "push", "--yes")
    assert inspect("team", "add", team, "noone", "--role", "push", "--yes").code == 1

    assert len(push(people["push"], "--all")["pushed"]) == 2
    assert inspect("ls", "--db", people["nobody"]).code == 1
    for person in ("totals", "nobody", "text"):
        assert "may not do this" in inspect("push", "--all", "--to", people[person]).err

    def projects(person: str) -> list[str]:
        return [
            row["name"] for row in inspect("stats", "--by", "project", "--json", "--db", people[person]).json["rows"]
        ]

    assert sorted(projects("totals")) == ["mole", "pier"] and projects("text") == ["pier"]
    assert [
        row["calls"] for row in inspect("stats", "--by", "tool", "--json", "--db", people["text"]).json["rows"]
    ] == [3]
    assert "may not do this" in inspect("ls", "--db", people["totals"]).err
    assert "may not do this" in inspect("search", "lamps", "--db", people["totals"]).err
    assert [row["target"] for row in inspect("ls", "--json", "--db", people["text"]).json["sessions"]] == ["pier"]
    assert {hit["session"] for hit in inspect("search", "mend", "--json", "--db", people["text"]).json["hits"]} == {
        "pier"
    }
    assert inspect("show", "mole", "--db", people["text"]).code == 1
    with pytest.raises(Exception, match=r"read-only|permission denied"):
        execute(people["text"], "DELETE FROM inspector.session")


SECRETS = ("ghp_" + "a7Kq" * 9, "hunter2-a7K-Zx", "ana.berg@harbour.example.org", "AKIA7QWERTYUIOP23456")


def test_no_secret_reaches_the_files_of_the_database(team: str, tmp_path: Path) -> None:
    token, password, address, key = SECRETS
    prompt = f"Use {token} and password={password}, mail {address}; then read /home/anaberg/{key}/x.txt"
    records = transcript("secrets", prompt=prompt)
    for record in records:
        record["cwd"] = "/home/anaberg/pier"
    stored(written(tmp_path / "secrets.jsonl", records))
    push(team, "--all", "--stats-only")
    execute(team, "CHECKPOINT")
    assert files_with(team, "pier") and not files_with(team, "anaberg", *SECRETS)
    push(team, "--all")
    execute(team, "CHECKPOINT")
    assert files_with(team, "Use ") and not files_with(team, "anaberg", *SECRETS)
    assert inspect("search", "mail", "--db", team).out.count("secrets #1") == 1
    assert execute(team, "SELECT has_text FROM inspector.session") == [(True,)]
    push(team, "--all", "--stats-only")
    assert execute(team, "SELECT count(*) FROM inspector.message") == [(0,)]
    assert push(team, "--all", "--no-redact")["errors"] == []
    execute(team, "CHECKPOINT")
    assert files_with(team, *SECRETS), "the search of the files finds them if they are there"


SEARCHED = 6
"""Characters of a secret that is looked for; shorter ones are in any file."""


def test_no_secret_that_redaction_finds_reaches_the_files_of_the_database(team: str, tmp_path: Path) -> None:
    """The secrets of the redaction tests. What redaction misses is counted there, and left out here."""
    random = Random(5)
    planted = [(row.text, row.secret) for row in Corpus(2).secrets()]
    planted += [(row.text, row.secret) for row in people(7)]
    planted += [filled(text, random) for text in lines("notations.txt")]
    with Store(default_path()) as store:
        store.add(chain(*(text for text, _ in planted), id="corpus"))
        clean = "\n".join(message.text for message in redact(store.load("corpus")).session.messages)
    missed = {secret for _, secret in planted if secret in clean}
    found = {secret for _, secret in planted if len(secret) >= SEARCHED} - missed
    assert len(found) > 600 and len(missed) <= 0.1 * len(found)
    assert push(team, "--all")["errors"] == []
    execute(team, "CHECKPOINT")
    with TeamStore(team) as remote:
        pushed = "\n".join(repr(message) for message in remote.load("corpus").messages)
    assert not [secret for secret in found if secret in pushed]
    for words in (found, missed):  # the search finds what is there
        listed = tmp_path / "secrets.txt"
        listed.write_text("\n".join(words), encoding="utf-8")
        searched = ["grep", "-rlasF", "-f", str(listed), str(Path(team.rpartition("host=")[2]) / "data")]
        assert bool(subprocess.run(searched, stdout=subprocess.PIPE, check=False).stdout) == (words is missed)


def test_a_store_of_version_1_is_brought_up_to_date(postgres_address: str) -> None:
    execute(postgres_address, "CREATE DATABASE first")
    first, second = postgres_address.replace("/postgres?", "/first?"), new_team(postgres_address)
    execute(first, first_sql())
    for address in (first, second):
        fill(address, 1, 30, 1)
    assert "has version 1 of the team's store" in inspect("ls", "--db", first).err
    assert inspect("team", "init", first, "--yes", "--json").json["applied"] is True
    for group in ROLLUP_GROUPS:
        words = ("stats", "--by", group, "--json", "--db")
        assert rounded(inspect(*words, first).json["rows"]) == rounded(inspect(*words, second).json["rows"]), group


def rounded(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows whose dollars, which the server adds up in any order, are rounded."""
    return [{key: round(value, 6) if isinstance(value, float) else value for key, value in row.items()} for row in rows]


def files_with(team: str, *words: str) -> list[Path]:
    """The files of the server that contain one of some words."""
    data = Path(team.rpartition("host=")[2]) / "data"
    found = []
    for path in data.rglob("*"):
        with suppress(FileNotFoundError, IsADirectoryError):  # the server removes files at any time
            text = path.read_bytes()
            if any(word.encode() in text for word in words):
                found.append(path)
    return found


def test_a_removed_session_is_in_no_table_and_in_no_file(team: str, tmp_path: Path) -> None:
    """The log before writing, which servers recycle, is not searched."""
    word, other = "harpsichord-4711", "clavichord-4712"
    gone, stays = (
        written(tmp_path / f"{name}.jsonl", transcript(name, prompt=f"Tune the {name}")) for name in (word, other)
    )
    stored(gone, stays)
    push(team, "--all", "--no-redact")
    execute(team, "ANALYZE", "CHECKPOINT")
    tables = Path(team.rpartition("host=")[2]) / "data" / "base"
    assert files_under(tables, word) and files_under(tables, other)
    listed = inspect("rm", word[:10], "--dry-run", "--json", "--db", team).json
    assert [(row["id"], row["plans"]) for row in listed["sessions"]] == [(word, 0)] and not listed["removed"]
    assert inspect("rm", word, "--db", team).code == 2, "it asks before"
    removed = inspect("rm", word, "--yes", "--json", "--db", team).json
    assert removed["removed"] is True and removed["pending"] == []
    execute(team, "CHECKPOINT")
    assert not files_under(tables, word) and files_under(tables, other)
    assert inspect("search", "harpsichord", "--json", "--db", team).json["hits"] == []
    for group in ROLLUP_GROUPS:
        rows = inspect("stats", "--by", group, "--json", "--db", team).json["rows"]
        assert all(row["sessions"] == 1 for row in rows), group
    assert inspect("rm", word, "--yes", "--db", team).code == 1

    assert push(team, "--all", "--no-redact")["pushed"] == [], "a push of everything leaves it out"
    assert [row["session"] for row in push(team, word, "--no-redact")["pushed"]] == [word]
    assert push(team, "--all", "--no-redact")["unchanged"] == 2


def test_a_role_removes_what_it_pushed(team: str) -> None:
    people = {name: login(team) for name in ("push", "other", "text")}
    for name, role in (("push", "push"), ("other", "push"), ("text", "text")):
        inspect("team", "add", team, people[name].partition("//")[2].partition("@")[0], "--role", role, "--yes")
    (name,) = stored(SAMPLE)
    push(people["push"], name)
    for person, reason in (("text", "may not do this"), ("other", "no stored session")):
        ended = inspect("rm", name, "--yes", "--db", people[person])
        assert ended.code == 1 and reason in ended.err
    left = inspect("rm", name, "--yes", "--db", people["push"])
    assert "VACUUM (FULL, ANALYZE) inspector.session, inspector.message" in left.out and "its owner runs" in left.out
    assert execute(team, "SELECT count(*) FROM inspector.message") == [(0,)]
    push(people["push"], name)
    assert inspect("rm", name, "--yes", "--no-vacuum", "--json", "--db", team).json["pending"]
    assert inspect("rm", name, "--yes", "--no-vacuum").code == 2


def files_under(folder: Path, word: str) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and word.encode() in path.read_bytes()]


def test_usage(team: str) -> None:
    stored(SAMPLE)
    for words in (
        ("--to", team),
        ("x", "--all", "--to", team),
        ("--all", "--watch", "--json", "--to", team),
        ("--all", "--no-redact", "--with-kind", "ip", "--to", team),
        ("--all", "--with-kind", "nothing", "--to", team),
        ("--all",),
    ):
        assert inspect("push", *words).code == 2
    assert inspect("push", "nothing", "--to", team).code == 1
    assert inspect("push", "--all", INSPECTOR_TEAM=team).code == 0
    assert "51" in inspect("ls", INSPECTOR_DB=team).out
