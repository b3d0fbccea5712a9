"""Values that are known by what stands before them, keys of services, and copies that were encoded."""

from __future__ import annotations

import json
import string
from base64 import b64encode
from dataclasses import replace

import pytest

from inspector.analysis.redaction import RedactionError, Redactor
from inspector.analysis.redaction.patterns import CONTEXT_PATTERNS

HEX = "0123456789abcdef"
LONG = "q7Zx9Lm2Wp4Rt8Vb6Nc1Kd5Hs0Gf3Jy8Tu2Xe6Qi4Ow9Pa1Sz7Dc5Fv3Bn"
DIGITS = "4f1c2ab9e8d7c6b5a4938271605f4e3d2c1b0a99f8e7d6c5b4a3928170615243"
KEYS = [
    f"fw_{LONG[:24]}",
    f"ATBB{LONG[:32]}",
    f"ATCTT3xFfGN0{LONG}",
    f"MTk4NjIyNDgzNDcxOTI1MjQ4.{LONG[:6]}.{LONG[:38]}",
    f"dapi{DIGITS[:32]}",
    f"dapi{DIGITS[:32]}-2",
    f"pat{LONG[:14]}.{DIGITS}",
    f"vercel_blob_rw_{LONG[:16]}_{LONG[:30]}",
    f"pcsk_{LONG[:5]}_{LONG[:60]}",
    f"sk_{DIGITS[:48]}",
    f"pa-{LONG[:20]}_{LONG[:22]}",
    f"csk-{LONG[:48].lower()}",
    f"tskey-auth-{LONG[:12]}-{LONG[:32]}",
    f"dp.pt.{LONG[:43]}",
    f"dp.st.dev_main.{LONG[:43]}",
]
NAMED = {
    "password: correcthorse": "correcthorse",
    '{"password":"letmein"}': "letmein",
    "DB_PASSWORD=postgres": "postgres",
    "pass: Zx9kLmN4pV": "Zx9kLmN4pV",
    "pw = Zx9kLmN4pW": "Zx9kLmN4pW",
    "user/pass = admin/Zx9kLmN4pX": "Zx9kLmN4pX",
    "its password is Zx9kLmN4pZ, keep it": "Zx9kLmN4pZ",
    "| name | x |\n| password | Zx9kLmN4qA |": "Zx9kLmN4qA",
    "next?password%3DZx9kLmN4qB": "Zx9kLmN4qB",
    "ENV SECRET Zx9kLmN4qD12345678": "Zx9kLmN4qD12345678",
    f"wandb login --relogin {DIGITS[:40]}": DIGITS[:40],
    f"The DB secret: aws_secret_access_key = {LONG[:40]}": LONG[:40],
    f"token: api_key='{LONG[:30]}'": LONG[:30],
    f'{{"credentials": "use the token: {LONG[:30]}"}}': LONG[:30],
}
HARMLESS = [
    "a second-pass review. The first pass: tests.",
    '{"grader:test-pass": "Tests pass but the new code has a race that the tests do not cover"}',
    "`Authorization: Bearer $LAMP_API_KEY`. The list is at `GET …/v1/lamps`.",
    "Send it as the authorization: credential to POST /api/v1/lamps with a body",
    "password: hashed\npassword: incorrect\npassword: str\npassword = getpass\n",
    "| password | varchar(255) | required |\n| password | String | yes |",
    "The password is Base64-encoded. The password is required. pass: 12, fail: 3",
    "PASS: lampTest1 and pass: all",
    "spa-some-long-name-of-a-component-that-is-generated-2024 and sk_buff and fw_version_of_the_lamp_controller",
    "src/components/lighthouse/LampControllerPanelViewModel.generated.test.tsx",
]


def hidden(text: str, *others: str) -> str:
    redactor = Redactor()
    redactor.collect([text, *others])
    return json.dumps(redactor.value_of([text, *others]), ensure_ascii=False)


@pytest.mark.parametrize("key", KEYS)
def test_a_key_of_a_service_is_known_by_itself(key: str) -> None:
    written = hidden(f"Use {key}, please.\n{key}", f'{{"x": "{key}"}}')
    assert key[6:] not in written and written.count("-1]") == 3


@pytest.mark.parametrize("text", NAMED)
def test_a_value_is_known_by_its_name(text: str) -> None:
    assert NAMED[text] not in hidden(text)


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_sounds_like_a_secret_stays(text: str) -> None:
    assert json.loads(hidden(text)) == [text]


ADDRESS, PASSWORD, PERSON = "jane.roe77@lamps.example.org", "Zx9kLmN4qP!7", "annalenaroe"
PLAIN = f"{ADDRESS} /home/{PERSON}/src password={PASSWORD} ghp_{'a1B2' * 9}"


@pytest.mark.parametrize("before", ["", "x", "xx", "xxx", "{'a': 1} "])
@pytest.mark.parametrize("secret", [ADDRESS, PASSWORD, PERSON, f"ghp_{'a1B2' * 9}", PLAIN])
def test_a_copy_is_hidden_that_is_encoded(before: str, secret: str) -> None:
    data = (before + secret).encode()
    for code in (b64encode(data).decode(), b64encode(data).decode().rstrip("="), data.hex(), data.hex().upper()):
        for text in (code, f"/srv/{code}", f"it said\\n{code}."):
            written = hidden(text, PLAIN)
            assert code not in written and code[4:-4] not in written, text


def test_what_is_only_there_encoded_is_found_too() -> None:
    code = b64encode(b'{"user": "jo", "password": "Zx9kLmN4qP!7"}').decode()
    assert code not in hidden(f"config {code}", "hello")
    token = f"eyJhbGciOiJIUzI1NiJ9.{b64encode(ADDRESS.encode() + b'padding').decode().rstrip('=')}.{LONG[:43]}"
    assert json.loads(hidden(f"a {token} b")) == ["a [redacted:jwt-1] b"]


def test_an_encoded_address_or_name_that_would_be_written_stops_the_writing() -> None:
    for secret in (ADDRESS, PERSON):
        redactor = Redactor()
        redactor.collect(PLAIN)
        with pytest.raises(RedactionError, match="Nothing was written"):
            redactor.check(f'{{"x": "{b64encode(secret.encode()).decode()}"}}')
        redactor.check(f"{string.ascii_letters} {b64encode(bytes(range(256))).decode()}")


@pytest.mark.parametrize("word", ["secret:", 'token: "', "x_password=", "| password | "])
def test_names_within_names_take_linear_time(word: str) -> None:
    """Whatever a name stands before may hold the next name, to the end of the text."""
    text, seen = word * 3_000, 0

    def see(value: str) -> bool:
        nonlocal seen
        seen += len(value)
        return False

    for pattern in CONTEXT_PATTERNS:
        list(replace(pattern, is_likely=see).secrets_in(text))
    assert seen < 50 * len(text) * len(CONTEXT_PATTERNS)
