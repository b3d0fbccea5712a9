"""Secrets that nobody has: made up, of every kind that is known."""

from __future__ import annotations

import string

from hypothesis import strategies as st

MIXED = string.ascii_letters + string.digits


def letters(least: int, alphabet: str = MIXED) -> st.SearchStrategy[str]:
    """Random characters, with a digit, a small letter and a capital among them."""
    return st.text(alphabet, min_size=least, max_size=least + 8).map(lambda text: f"a7K{text[3:]}")


def token(before: str, least: int, alphabet: str = MIXED) -> st.SearchStrategy[str]:
    return letters(least, alphabet).map(lambda rest: before + rest)


TOKENS = {
    "aws-key": st.text(string.ascii_uppercase + string.digits, min_size=15, max_size=15).map(
        lambda rest: f"AKIA7{rest}"
    ),
    "github-token": st.one_of(token("ghp_", 36), token("github_pat_", 60, MIXED + "_")),
    "gitlab-token": token("glpat-", 20, MIXED + "-_"),
    "slack-token": token("xoxb-", 20),
    "stripe-key": token("sk_live_", 24),
    "google-key": letters(35).map(lambda rest: f"AIza{rest[:35]}"),
    "api-key": st.one_of(
        token("sk-proj-", 40, MIXED + "-_"),
        token("sk-ant-api03-", 60, MIXED + "-_"),
        token("hf_", 34),
        token("npm_", 36),
    ),
    "jwt": st.tuples(letters(20), letters(30), letters(40)).map(
        lambda parts: f"eyJ{parts[0]}.eyJ{parts[1]}.{parts[2]}"
    ),
}
"""Secrets that are known by themselves, by their kind."""
VALUES = st.text(MIXED + "!#^~", min_size=9, max_size=30).map(lambda text: f"a7K{text[3:]}")
"""Secrets that are known by what stands before them."""
CALLED = ("password={}", 'PGPASSWORD="{}"', "db_password: {}", "postgres://app:{}@db:5432/x", '{{"passwd": "{}"}}')
KEYS = ("API_KEY={}", "client_secret: '{}'", "export GITHUB_TOKEN={}", "Authorization: Bearer {}")
ADDRESSES = st.tuples(letters(6), letters(5)).map(lambda parts: f"{parts[0]}@{parts[1]}.example.org")
NAMES = letters(7, string.ascii_lowercase).map(str.lower)
HOMES = ("/home/{}/work", "/Users/{}/x.py", "C:\\Users\\{}\\x", "ls /home/{}")
