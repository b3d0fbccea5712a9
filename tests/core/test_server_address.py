"""Whether the password in an address may end the address too early."""

from __future__ import annotations

import pytest

from inspector.core.server_address import is_encoded, public_name


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://host/name",
        "postgresql://mia:pass%40word@host:5432/name?sslmode=require&application_name=a@b",
        "postgresql://mia@/name?host=/var/run",
        "postgresql://",
        "host=localhost dbname=name password=a@b",
    ],
)
def test_an_address_is_encoded(address: str) -> None:
    assert is_encoded(address)


@pytest.mark.parametrize("password", ["pass@word", "pass/word", "pass#word", "@", "/@"])
def test_a_password_that_ends_its_part_of_the_address_is_not(password: str) -> None:
    assert not is_encoded(f"postgresql://mia:{password}@host/name")


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("postgresql://mia:s3cret@host:5432/name?sslmode=require", "postgresql://mia@host:5432/name"),
        ("postgresql://host/name", "postgresql://host/name"),
        ("postgresql://[bad/name", "postgresql://[bad/name"),
    ],
)
def test_a_public_name_has_no_password(address: str, name: str) -> None:
    assert public_name(address) == name
