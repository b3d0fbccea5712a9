"""Servers for all tests of memories, started once for each worker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.servers import redis_server


@pytest.fixture(scope="session")
def redis_address() -> Iterator[str]:
    with redis_server() as address:
        yield address
