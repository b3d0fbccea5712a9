"""Secrets in answers to a question, an order or a command are redacted; other answers stay."""

from __future__ import annotations

import json

import pytest

from inspector.analysis.redaction import Redactor, redact_recording

PASSWORD, TOKEN = "Quarry-8821!", "x7Gm2pQ9vLk4Tz8RbN3cW6yH1sD5fJ0a"


def call(command: str) -> dict[str, object]:
    function = {"name": "bash", "arguments": json.dumps({"command": command})}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": function}],
    }


def spoken(role: str, content: str) -> dict[str, object]:
    return {"role": role, "content": content}


def redacted(*messages: dict[str, object]) -> str:
    lines = "".join(json.dumps(message) + "\n" for message in messages)
    return redact_recording(lines.encode(), Redactor()).decode()


@pytest.mark.parametrize(
    ("question", "answer", "secret"),
    [
        ("What is the password of the relay?", PASSWORD, PASSWORD),
        ("I need the password to go on. Could you send it?", f"sure, {PASSWORD}", PASSWORD),
        ("Which password should the account have?", "lantern.meadow", "lantern.meadow"),
        ("[sudo] password for kim:", "lantern", "lantern"),
        ("Please paste the API key.", TOKEN, TOKEN),
        ("Do you have a token for the registry?", f"yes: {TOKEN}", TOKEN),
        ("Give me user and password of the router.", f"kim\n{PASSWORD}", PASSWORD),
        ("Give me the login for the router.", f"kim / {PASSWORD}", PASSWORD),
        ("Enter the 2FA code:", "492817", "492817"),
        ("Wie lautet das Passwort?", PASSWORD, PASSWORD),
        ("¿Cuál es la contraseña?", PASSWORD, PASSWORD),
        ("What's the passphrase of the backup?", "amber kettle sings beneath harbor", "amber kettle sings"),
        ("Generate a strong password for the relay", f"Here it is:\n\n```\n{PASSWORD}\n```", PASSWORD),
    ],
)
def test_an_answer_is_redacted(question: str, answer: str, secret: str) -> None:
    assert secret not in redacted(spoken("assistant", question), spoken("user", answer))


@pytest.mark.parametrize(
    "command",
    ["openssl rand -hex 32", "echo $DB_PASSWORD", "cat /run/secrets/api_token", "terraform output -raw db_password"],
)
@pytest.mark.parametrize("output", [PASSWORD, TOKEN])
def test_what_a_command_prints_is_redacted(command: str, output: str) -> None:
    assert output not in redacted(call(command), {"role": "tool", "tool_call_id": "c1", "content": output})


def test_a_short_answer_is_redacted_only_where_it_answers() -> None:
    clean = redacted(
        spoken("assistant", "What is the password?"), spoken("user", "lantern"), spoken("user", "Light the lantern.")
    )
    assert clean.count("lantern") == 1


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the password?", "it is in the vault"),
        ("What is the password?", "skip"),
        ("Do you want me to rotate the password?", "yes please"),
        ("Should passwords be hashed with bcrypt or argon2?", "argon2id"),
        ("What name should the password column have?", "password_hash"),
        ("Which key do I press?", "Ctrl+Shift+P"),
        ("Where is the token read?", "In `src/auth/token_store.py`, line 42."),
        ("Could you give me the password policy?", "12characters, see docs/security.md"),
        ("What is the commit that added the token?", "9f2c41d07be65a8340cd19ef7a2b6d581c2a4f00"),
    ],
)
def test_another_answer_stays(question: str, answer: str) -> None:
    messages = [spoken("assistant", question), spoken("user", answer)]
    assert redacted(*messages) == "".join(json.dumps(message) + "\n" for message in messages)


@pytest.mark.parametrize(
    "command", ["git rev-parse HEAD", "sha256sum token.txt", "docker run -e PASSWORD=$P redis", "ls"]
)
def test_the_output_of_another_command_stays(command: str) -> None:
    output: dict[str, object] = {"role": "tool", "content": "9f2c41d07be65a8340cd19ef7a2b6d58" * 2}
    assert json.dumps(output) in redacted(call(command), output)
