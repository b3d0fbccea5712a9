"""`--redact` of `show` and `export`: what goes to others holds no secret, and what was hidden is listed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.library import EXPORT_FORMS
from tests.cli.calling import inspect, written

TOKEN = "ghp_" + "a1B2" * 9
PASSWORD = 'Tr0ub4dor "&" 3'
CALL = {"id": "c1", "type": "function", "function": {"name": "Bash", "arguments": json.dumps({"password": PASSWORD})}}
MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": f"Push it with {TOKEN} from /home/annalena/src, and tell ann@corp.example.org."},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": f"annalena logged in with {PASSWORD}"},
    {"role": "assistant", "content": "Done."},
]
SECRETS = (TOKEN, PASSWORD, json.dumps(PASSWORD)[1:-1], "annalena", "ann@corp.example.org")


@pytest.fixture
def secretive(tmp_path: Path) -> Path:
    return written(tmp_path / "chat.json", {"model": "gpt-4o", "messages": MESSAGES})


def test_show_hides_secrets_and_keeps_its_numbers(secretive: Path) -> None:
    plain, safe = inspect("show", secretive, "--json").json, inspect("show", secretive, "--redact", "--json").json
    assert plain["redactions"] == [] and plain["window"] == safe["window"]
    assert [row["tokens"] for row in plain["messages"]] == [row["tokens"] for row in safe["messages"]]
    assert [(row["kind"], row["placeholder"], row["count"]) for row in safe["redactions"]] == [
        ("github-token", "[redacted:github-token-1]", 2),
        ("e-mail", "[redacted:e-mail-1]", 2),
        ("user", "redacted-user-1", 3),
        ("password", "[redacted:password-1]", 2),
    ]
    text = inspect("show", secretive, "--redact")
    assert "in messages 1, 3" in text.err
    for written_text in (json.dumps(safe), text.out, text.err):
        assert not [secret for secret in SECRETS if secret in written_text]


@pytest.mark.parametrize("to", EXPORT_FORMS)
def test_an_export_holds_no_secret_in_any_form(to: str, secretive: Path, tmp_path: Path) -> None:
    before = secretive.read_bytes()
    out = tmp_path / "out" / "x"
    out.parent.mkdir()
    result = inspect("export", secretive, "--to", to, "--redact", "--out", out)
    assert "secrets redacted" in result.err and secretive.read_bytes() == before
    for path in out.parent.iterdir():
        assert not [secret for secret in SECRETS if secret in path.read_text()]
    assert "redacted-user-1" in out.read_text()


def test_where_there_is_nothing_to_hide_it_is_said(log: Path) -> None:
    result = inspect("export", log, "--redact")
    assert result.json == inspect("export", log).json
    assert result.err.startswith("Nothing to redact")


@pytest.mark.parametrize("as_json", [(), ("--json",)])
@pytest.mark.parametrize("command", ["report", "lost", "uncompact", "why", "top", "state", "agents", "check"])
def test_all_commands_that_print_a_session_redact_it(command: str, as_json: tuple[str, ...], secretive: Path) -> None:
    result = inspect(command, secretive, "--redact", *as_json)
    assert not [secret for secret in SECRETS if secret in result.out]
    assert "4 secrets redacted" in result.err and "Not searched: card, iban, ip, mac, phone, ssn." in result.err


def test_a_found_message_is_redacted(secretive: Path) -> None:
    result = inspect("find", secretive, "Push", "--redact")
    assert "redacted" in result.out and not [secret for secret in SECRETS if secret in result.out]


def test_a_kind_is_redacted_or_kept_by_name(tmp_path: Path) -> None:
    text = "Pay with 4111 1111 1111 1111 (not 4111 1111 1111 1112) from 203.0.113.77, and tell ann@corp.example.org."
    chat = written(tmp_path / "chat.json", {"model": "gpt-4o", "messages": [{"role": "user", "content": text}]})
    kinds = ("--with-kind", "card", "--with-kind", "ip", "--without-kind", "e-mail")
    output = inspect("show", chat, "--redact", *kinds, "--json").json
    assert [row["kind"] for row in output["redactions"]] == ["card", "ip"]
    assert "e-mail" in output["redaction_kinds"]["unsearched"] and "ip" in output["redaction_kinds"]["searched"]
    assert "require --redact" in inspect("show", chat, *kinds).err
    assert "There is no kind 'colour'" in inspect("show", chat, "--redact", "--with-kind", "colour").err


OTHERS = (
    *("compress FILE -s fifo", "compare FILE --preset balanced", "follow FILE --until-idle 0", "ls FILE"),
    *("search annalena FILE", "search annalena", "memory ls FILE", "bookmarks ls", "memory search push"),
    *(
        "tune FILE --preset balanced --jobs 1",
        "probe FILE -s fifo",
        "import FILE",
        "pin FILE 1",
        "drop FILE 2",
        "undo FILE",
    ),
)


@pytest.mark.parametrize("as_json", [(), ("--json",)])
@pytest.mark.parametrize("command", OTHERS)
def test_commands_that_list_parts_of_sessions_redact_them(
    command: str, as_json: tuple[str, ...], secretive: Path, tmp_path: Path
) -> None:
    db = ("--db", tmp_path / "own.db")
    inspect("import", secretive, *db)
    inspect("bookmarks", "add", secretive, 1, "of annalena:", "/home/annalena/src", *db)
    inspect("memory", "promote", secretive, 1, *db)
    words = [secretive if word == "FILE" else word for word in command.split()]
    plain = inspect(*words, *as_json, *db).out
    safe = inspect(*words, "--redact", *as_json, *db)
    assert "redacted" in safe.out or not any(secret in plain for secret in SECRETS)
    for text in (safe.out, safe.err):
        assert not [secret for secret in SECRETS if secret in text]


def test_a_secret_that_only_the_second_session_reveals_is_redacted_in_both(tmp_path: Path) -> None:
    value = "plain" + "wordsonly"
    texts = (f"It said {value} again.", f"login --password {value}9x")
    sides = [
        written(tmp_path / f"{n}.json", [{"role": "user", "content": text}, {"role": "assistant", "content": "Done."}])
        for n, text in enumerate((texts[0].replace(value, f"{value}9x"), texts[1]))
    ]
    result = inspect("compare", *sides, "--redact", "--json")
    assert result.code == 0 and value not in result.out and "[redacted:password-1]" in result.out


def test_a_pinned_message_is_stored_unchanged(secretive: Path, tmp_path: Path) -> None:
    db = ("--db", tmp_path / "own.db")
    inspect("import", secretive, *db)
    assert inspect("pin", secretive, 1, "--redact", *db).code == 0
    assert TOKEN in inspect("show", secretive, *db).out


def test_a_plan_of_redacted_messages_is_not_applied(secretive: Path) -> None:
    result = inspect("compress", secretive, "-s", "fifo", "--redact", "--apply")
    assert result.code == 2 and "leave out --redact" in result.err


def test_a_compressed_context_is_written_without_secrets(secretive: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    inspect("compress", secretive, "-s", "fifo", "--redact", "--out", out)
    assert not [secret for secret in SECRETS if secret in out.read_text()]
