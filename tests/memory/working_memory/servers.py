"""Servers that a test needs, started on a socket of their own where they are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PATIENCE = 30.0
POSTGRES_USER = "postgres"
REQUIRED = "INSPECTOR_REQUIRE_SERVERS"
"""The variable by which .ci/run asks for the servers that it has installed."""


def program(name: str) -> str:
    """Where a server's program is. Without it the test is skipped, or fails where REQUIRED says so."""
    versions = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    if path := shutil.which(name) or (str(versions[-1]) if versions else ""):
        return path
    if os.environ.get(REQUIRED):
        pytest.fail(f"{name} is not installed, and {REQUIRED} is set")
    pytest.skip(f"{name} is not installed")


def wait_for(is_ready: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_ready():
        assert time.monotonic() < deadline, "the server did not start"
        time.sleep(0.02)


@contextmanager
def started(command: list[str], user: str | None = None) -> Iterator[None]:
    server = subprocess.Popen(command, user=user, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        server.terminate()
        server.wait(PATIENCE)


@contextmanager
def short_folder() -> Iterator[Path]:
    """A folder whose name is short enough for a socket in it."""
    with tempfile.TemporaryDirectory(prefix="i-", dir="/tmp") as name:
        yield Path(name)


@contextmanager
def redis_server() -> Iterator[str]:
    """The address of a Redis that holds nothing."""
    path = program("redis-server")
    with short_folder() as folder:
        socket = folder / "redis.sock"
        options = ["--port", "0", "--unixsocket", str(socket), "--save", "", "--dir", str(folder)]
        with started([path, *options]):
            wait_for(socket.exists)
            yield f"unix://{socket}"


@contextmanager
def postgres_server() -> Iterator[str]:
    """The address of a PostgreSQL that holds nothing. Its programs refuse to be run by root."""
    initdb, postgres = program("initdb"), program("postgres")
    user = POSTGRES_USER if os.geteuid() == 0 else None
    with short_folder() as folder:
        data = folder / "data"
        data.mkdir(mode=0o700)
        if user:
            shutil.chown(folder, user)
            shutil.chown(data, user)
        command = [initdb, "-D", str(data), "-A", "trust", "-U", POSTGRES_USER, "--no-sync", "-E", "UTF8"]
        subprocess.run(command, user=user, check=True, stdout=subprocess.DEVNULL)
        options = ["-D", str(data), "-k", str(folder), "-c", "listen_addresses=", "-c", "fsync=off"]
        with started([postgres, *options], user):
            wait_for(lambda: (folder / ".s.PGSQL.5432").exists() and (data / "postmaster.pid").exists())
            wait_for(lambda: "ready" in (data / "postmaster.pid").read_text())
            yield f"postgresql://{POSTGRES_USER}@/postgres?host={folder}"
