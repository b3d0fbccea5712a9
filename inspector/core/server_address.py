"""Addresses of database servers, which may contain a password."""

from __future__ import annotations

ADDRESS_FORM = "write postgresql://USER@HOST:PORT/NAME, and encode special characters, for example @ as %40"


def is_encoded(address: str) -> bool:
    """Return False if the user or the password in an address contains a sign that ends it too early.

    The rest of the password would be read as the host or the database, and shown in sentences about them.

    Args:
        address: Address such as postgresql://user:password@host/name, or settings such as "host=localhost".
    """
    authority, _, name = address.partition("://")[2].partition("?")[0].partition("/")
    return authority.count("@") <= 1 and "@" not in name and "#" not in authority


def public_name(address: str) -> str:
    """Return an encoded address without its password and its options."""
    scheme, _, rest = address.partition("://")
    account, at, place = rest.partition("?")[0].rpartition("@")
    return f"{scheme}://{account.partition(':')[0]}{at}{place}"
