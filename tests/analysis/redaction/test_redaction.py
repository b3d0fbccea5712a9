"""What is hidden is in nothing that is written, and a session is otherwise the same."""

from __future__ import annotations

import json
import tempfile
from base64 import b64encode, urlsafe_b64encode
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, strategies as st

from inspector.analysis.redaction import Redactor, redact
from inspector.analysis.redaction.redactor import RedactionError
from inspector.core.conversation import InMemoryBody, Session
from inspector.library import EXPORT_FORMS, Export, Workbench, exact_sizes
from inspector.llm.providers import message_from_raw
from tests.analysis.redaction.planted_secrets import ADDRESSES, CALLED, HOMES, KEYS, NAMES, TOKENS, VALUES
from tests.generated import conversations

HARMLESS = [
    "commit 4f1c2ab9e8d7c6b5a4938271605f4e3d2c1b0a99 in 123e4567-e89b-12d3-a456-426614174000",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "max_tokens=4096, token_count: 123456, tokens: 99, next_page_token: null",
    'password: string, "password": "string", password = getpass(), secret_key=os.environ["KEY"], token = self.token',
    "task-management-system-implementation-2024 and risk-assessment-of-2024-projects",
    "git@github.com:owner/repository.git, pip install thing@1.2.3, @app.route, lodash@4.17.21",
    "https://example.org:8080/path, http://host/a:b@c",
    "API_KEY=your_api_key_here, TOKEN=$GITHUB_TOKEN, PASSWORD=${PASSWORD}, api_key: <your key>, key=********",
    "/usr/local/home/bin and src/components/home/users/AccountSettingsPanelContainerViewModel.generated.test.tsx",
    "apiKey: process.env.OPENAI_API_KEY, token: config.oracle.apiKey, secret = import.meta.env.VITE_TOKEN",
    "/homework/maths, the author of basic authentication, a bearer of news",
]


WORD, LONG = "Tr0ub4dor7x", "q7Zx9Lm2Wp4Rt8Vb6Nc1"
PLACES = [
    *(f"{before}/annalena/x" for before in ("/mnt/c/Users", "/c/Users", "/var/home", "/export/home", "gcc -I/home")),
    *(
        "cd C:\\Users\\annalena",
        "file:///c%3A/Users/annalena",
        "C--Users-annalena-x",
        "USER=annalena",
        "uid=1000(annalena)",
    ),
]
VALUES_IN_CONTEXT = [
    *(f"tool --password {WORD}", f"tool --token {LONG}", f"curl -u bob:{WORD} https://x", f"mysql -uroot -p{WORD}"),
    *(
        f"sshpass -p {WORD} ssh x",
        f"setenv API_TOKEN {LONG}",
        f"DB_PASS={WORD}",
        f"MY_AUTH={LONG}",
        f"WEATHER_KEY={LONG}",
    ),
    *(f"password:\n  {WORD}", f"DB_PASSWORD: |\n  {WORD}", f"password: !str {WORD}", f"<password>{WORD}</password>"),
    *(
        f"os.environ['DB_PASSWORD'] = '{WORD}'",
        f"password := '{WORD}'",
        f"getenv('API_KEY', '{LONG}')",
        f"IDENTIFIED BY '{WORD}'",
    ),
    *(json.dumps(["--password", WORD]), f"machine h login bob password {WORD}", f"localhost:5432:db:bob:{WORD}"),
    *(
        f"Authorization: ApiKey {LONG}",
        f"x-api-key: {LONG}",
        f"https://{LONG}@github.com/x",
        f"//r.org/:_authToken={LONG}",
    ),
    *(f'document.cookie = "sid={LONG}"', f"password='${WORD}'", f"https://x/?a=1&sig={LONG}", f"password=test-{WORD}"),
]


@pytest.mark.parametrize("text", PLACES)
def test_a_home_folder_is_known_in_every_way_of_writing_it(text: str) -> None:
    redactor = Redactor()
    redactor.collect(text)
    assert "annalena" not in redactor.value_of(text)


@pytest.mark.parametrize("text", VALUES_IN_CONTEXT)
def test_a_value_is_known_by_what_stands_before_it(text: str) -> None:
    redactor = Redactor()
    redactor.collect(text)
    hidden = redactor.value_of(text)
    assert WORD not in hidden and LONG not in hidden


def test_nothing_of_a_long_or_an_escaped_value_is_left() -> None:
    texts = [
        '{"password":"ab12\\"cdEF99"} ;',
        f"api_key='{'a1' * 900}'",
        f"aws_session_token={'IQoJb3JpZ2lu9' * 90}",
        "     1→-----BEGIN PRIVATE KEY-----\n     2→MIIabc123def\n     3→MIIdef456ghi\n-----END PRIVATE KEY-----",
        f"\x1b[01;31mghp_\x1b[m\x1b[K{'a1B2' * 9}",
        "gh\u200bp_" + "a1B2" * 9,
    ]
    redactor = Redactor()
    redactor.collect(texts)
    hidden = json.dumps(redactor.value_of(texts))
    assert not [piece for piece in ("cdEF99", "a1a1", "IQoJ", "MIIdef", "a1B2") if piece in hidden]


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_stays(text: str) -> None:
    redactor = Redactor()
    redactor.collect(text)
    assert redactor.value_of(text) == text
    assert redactor.review == []


@pytest.mark.parametrize("kind", list(TOKENS))
@given(data=st.data())
def test_a_token_is_known_by_itself_wherever_it_stands(kind: str, data: st.DataObject) -> None:
    secret = data.draw(TOKENS[kind])
    texts = [
        secret,
        f"a {secret}, b",
        f"x\\n{secret}\\n",
        f"\x1b[31m{secret}",
        f"k%3D{secret}",
        json.dumps({"a": f'"{secret}"'}),
    ]
    redactor = Redactor()
    redactor.collect(texts)
    hidden = redactor.value_of(texts)
    assert secret not in json.dumps(hidden)
    assert {row.kind for row in redactor.review} == {kind}
    assert hidden[0] == f"[redacted:{kind}-1]"


@given(VALUES, st.sampled_from(CALLED), VALUES, st.sampled_from(KEYS))
def test_a_value_is_known_by_its_name_and_then_hidden_everywhere(one: str, named: str, other: str, keyed: str) -> None:
    value = {
        "text": f"{named.format(one)}\n{keyed.format(other + 'b2Cd')}",
        "later": f"-{one}- {other}b2Cd",
        "password": one,
    }
    redactor = Redactor()
    redactor.collect(value)
    written = json.dumps(redactor.value_of(value))
    assert one not in written and other + "b2Cd" not in written
    redactor.check(written)


@given(ADDRESSES, NAMES, st.sampled_from(HOMES))
def test_people_are_hidden_by_address_and_by_home_folder(address: str, name: str, home: str) -> None:
    redactor = Redactor()
    value = [f"mail {address}.", home.format(name), f"{name} wrote it", f".claude/projects/-home-{name}-x"]
    redactor.collect(value)
    hidden = redactor.value_of(value)
    assert address not in json.dumps(hidden) and name not in json.dumps(hidden)
    assert hidden[1] == home.format("redacted-user-1") and hidden[3].endswith("-home-redacted-user-1-x")


def test_a_private_key_and_what_cannot_be_searched_leave() -> None:
    body = "MIIEpAIBAAKCAQEA7bq\nabc/def+123==\n"
    picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB" + "aB3/d5F+gH7j" * 30
    wrapped = "\n".join("aB3/d5F+gH7jK9mNpQ2R" * 3 for _ in range(4))
    value = {
        "key": f"-----BEGIN RSA PRIVATE KEY-----\n{body}-----END RSA PRIVATE KEY-----\nafter",
        "cut": "-----BEGIN PRIVATE KEY-----\nMIIabc\nMIIdef",
        "image": f"data:image/png;base64,{picture}",
        "wrapped": f"base64: {wrapped}",
    }
    redactor = Redactor()
    redactor.collect(value)
    hidden = redactor.value_of(value)
    assert hidden["key"].endswith("[redacted:private-key-1]-----END RSA PRIVATE KEY-----\nafter")
    assert "MII" not in json.dumps(hidden) and hidden["image"] == "data:image/png;base64,[redacted:blob-1]"
    assert hidden["wrapped"] == "base64: [redacted:blob-2]"


def test_a_value_that_is_nested_too_deeply_is_left_out() -> None:
    value: Any = "password=s3cr3tPw!"
    for _ in range(5_000):
        value = [value]
    redactor = Redactor()
    redactor.collect(value)
    assert "s3cr3tPw!" not in str(redactor.value_of(value))


def test_nothing_is_written_that_holds_what_was_hidden() -> None:
    redactor = Redactor()
    redactor.collect('password="aB3\\"x9!kk"')
    redactor.collect({"password": 'aB3"x9!kk'})
    for text in ('aB3"x9!kk', json.dumps('aB3"x9!kk'), json.dumps(json.dumps('aB3"x9!kk'))):
        with pytest.raises(RedactionError, match="Nothing was written"):
            redactor.check(text)
        redactor.check(redactor.value_of(text))


def planted(session: Session, data: st.DataObject, words: str) -> Session:
    """A session with words in some texts of its messages, in an id and in its title."""
    messages = []
    for number, message in enumerate(session.messages):
        raw = dict(message.raw)
        if isinstance(raw.get("content"), str) and data.draw(st.booleans()):
            raw["content"] += f"\n{words}\n"
        facts = {name: getattr(message, name) for name in ("kind", "agent", "parent", "time", "model", "usage")}
        body = InMemoryBody(raw, {"cwd": words, "deep": [{words: number}]})
        messages.append(message_from_raw(message.id, raw, message.dialect, body=body, **facts))
    tools = ({"type": "function", "function": {"name": "f", "description": words, "parameters": {}}},)
    changed = session.with_messages(tuple(messages))
    changed = Session(
        **{name: getattr(changed, name) for name in ("id", "format", "messages", "dialect", "records_system")},
        title=words,
        tools=tools if session.dialect == "openai" else (),
        path=f"/x/{words}",
    )
    return changed


@given(session=conversations(), data=st.data())
def test_no_planted_secret_is_in_anything_that_is_written(session: Session, data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(sorted(TOKENS)))
    secrets = [data.draw(TOKENS[kind]), data.draw(VALUES), data.draw(ADDRESSES), data.draw(NAMES)]
    words = f"{secrets[0]} password={secrets[1]} {secrets[2]} /home/{secrets[3]}/x"
    before = planted(session, data, words)
    safe = redact(before)
    assert len(safe.session.messages) == len(before.messages)
    for one, other in zip(before.messages, safe.session.messages, strict=True):
        assert (one.role, one.kind, one.parent, len(one.calls)) == (
            other.role,
            other.kind,
            other.parent,
            len(other.calls),
        )
        assert (one.answers is None) == (other.answers is None)
    again = redact(safe.session)
    assert again.review == [] and [m.raw for m in again.session.messages] == [m.raw for m in safe.session.messages]
    preview = Workbench(safe.session, exact_sizes(before)).preview(
        strategy=data.draw(st.sampled_from([None, "sliding_window"]))
    )
    for to in EXPORT_FORMS if preview.after.messages else ():
        export = Export(preview, to)
        with tempfile.TemporaryDirectory() as folder:
            texts = [*export.files(Path(folder, "x")).values(), *export.notes(), export.suggestion]
        for secret in secrets:
            for form in (secret, json.dumps(secret)[1:-1]):
                assert not any(form in text for text in texts), (to, secret)


@pytest.mark.parametrize("before", ["", "a", "ab", "abc:"])
def test_copies_that_are_encoded_or_reversed_are_hidden_wherever_they_begin(before: str) -> None:
    secret = "hunter2-Ghijklm-90210-pqrst"
    encoded = b64encode(f"{before}{secret}".encode())
    copies = [
        encoded.decode(),
        encoded.decode().rstrip("="),
        secret[::-1],
        secret.encode().hex(),
        quote(secret, safe=""),
    ]
    copies += [urlsafe_b64encode(f"{before}{secret}".encode()).decode(), secret.encode().hex().upper()]
    nested = secret + '"'
    for _ in range(4):
        nested = json.dumps(nested)
    redactor = Redactor()
    value = {"password": secret, "log": [f"sent {copy} to it" for copy in copies], "nested": nested}
    redactor.collect(value)
    hidden = redactor.value_of(value)
    for copy, line in zip(copies, hidden["log"], strict=True):
        assert copy not in line and copy[8:-8] not in line, line
    assert secret not in json.dumps(hidden)
    redactor.check(json.dumps(hidden))


def test_an_encoded_copy_that_would_be_written_stops_the_writing() -> None:
    redactor = Redactor()
    redactor.collect({"password": "hunter2-Ghijklm-90210-pqrst"})
    with pytest.raises(RedactionError):
        redactor.check(b64encode(b"user:hunter2-Ghijklm-90210-pqrst").decode())
