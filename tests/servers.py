"""Servers that a test needs, started on a socket of their own where they are installed."""

from __future__ import annotations

import atexit
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from tests.places import ROOT

PATIENCE = 120.0
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


@cache
def _empty_data(user: str | None) -> Path:
    """A folder with the files of a new server, made once by this process."""
    folder = Path(tempfile.mkdtemp(prefix="i-initdb-", dir="/tmp"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    if user:
        shutil.chown(folder, user)
    options = ["-D", str(folder), "-A", "trust", "-U", POSTGRES_USER, "--no-sync", "-E", "UTF8"]
    subprocess.run([program("initdb"), *options], user=user, check=True, stdout=subprocess.DEVNULL)
    return folder


class PostgresServer:
    """A PostgreSQL in a folder of its own, that can be stopped and started. Its programs refuse to be run by root."""

    def __init__(self, folder: Path, options: Sequence[str] = ("-c", "fsync=off")) -> None:
        self.folder, self.data, self.options = folder, folder / "data", options
        self.address = f"postgresql://{POSTGRES_USER}@/postgres?host={folder}"
        self._user = POSTGRES_USER if os.geteuid() == 0 else None
        self._server: subprocess.Popen[bytes] | None = None
        self.data.mkdir(mode=0o700)
        if self._user:
            shutil.chown(folder, self._user)
            shutil.chown(self.data, self._user)
        subprocess.run(["cp", "-a", f"{_empty_data(self._user)}/.", str(self.data)], check=True)

    def start(self) -> None:
        """Start it, and wait until it takes connections."""
        options = ["-D", str(self.data), "-k", str(self.folder), "-c", "listen_addresses=", *self.options]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._server = subprocess.Popen([program("postgres"), *options], user=self._user, **quiet)  # type: ignore[call-overload]
        wait_for(lambda: (self.folder / ".s.PGSQL.5432").exists() and (self.data / "postmaster.pid").exists())
        wait_for(lambda: "ready" in (self.data / "postmaster.pid").read_text())

    def stop(self, number: signal.Signals = signal.SIGINT) -> None:
        """Stop it by a signal: SIGINT ends the connections, SIGQUIT crashes it."""
        if self._server is not None:
            self._server.send_signal(number)
            self._server.wait(PATIENCE)
            self._server = None


@contextmanager
def postgres_server() -> Iterator[str]:
    """The address of a PostgreSQL that holds nothing."""
    with short_folder() as folder:
        server = PostgresServer(folder)
        server.start()
        try:
            yield server.address
        finally:
            server.stop()


def require_distributed() -> None:
    """Skip the test without the library of clusters, or fail where REQUIRED says so."""
    if not importlib.util.find_spec("distributed"):
        if os.environ.get(REQUIRED):
            pytest.fail(f"distributed is not installed, and {REQUIRED} is set")
        pytest.skip("distributed is not installed")


class DaskCluster:
    """A scheduler of `distributed` on loopback, and workers with one thread each, which import this package."""

    def __init__(self, folder: Path) -> None:
        require_distributed()
        self._folder, self._file = folder, folder / "scheduler.json"
        self._programs: list[subprocess.Popen[bytes]] = []

    @property
    def address(self) -> str:
        return str(json.loads(self._file.read_text())["address"])

    def start(self, workers: int = 2) -> None:
        """Start the scheduler and workers. They connect while the test goes on, see `await_workers`."""
        self._start("dask_scheduler", "--port", "0", "--scheduler-file", str(self._file))
        for _ in range(workers):
            self.add_worker()

    def add_worker(self, *options: str) -> int:
        """Start a worker, and return its process id."""
        words = ("--scheduler-file", str(self._file), "--no-nanny", "--nthreads", "1")
        return self._start("dask_worker", *words, "--local-directory", str(self._folder), *options)

    def _start(self, module: str, *words: str) -> int:
        command = [sys.executable, "-m", f"distributed.cli.{module}", "--host", "127.0.0.1", "--no-dashboard", *words]
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        log = (self._folder / f"{module}.log").open("ab")
        with log:
            self._programs.append(subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log))
        return self._programs[-1].pid

    def await_workers(self, count: int) -> None:
        """Wait until the scheduler has this number of workers."""
        from distributed import Client

        wait_for(lambda: self._file.exists() and self._file.stat().st_size > 0)
        with Client(self.address, set_as_default=False, timeout=PATIENCE) as client:
            wait_for(lambda: len(client.nthreads()) == count)

    def kill(self, pid: int) -> None:
        """Kill a worker, or the scheduler, which is the first program."""
        [program] = [program for program in self._programs if program.pid == pid]
        program.kill()
        program.wait(PATIENCE)

    @property
    def scheduler(self) -> int:
        """Process id of the scheduler."""
        return self._programs[0].pid

    def stop(self) -> None:
        """End all programs."""
        for program in reversed(self._programs):
            program.kill()
            program.wait(PATIENCE)
