"""What holds for every test: properties draw the same examples on every run, and no setting from outside is met."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator

import pytest
from hypothesis import Phase, settings

from tests import warm
from tests.places import ROOT
from tests.servers import DaskCluster, postgres_server, short_folder

examples = int(os.environ.get("EXAMPLES", 0))
PHASES = [phase for phase in Phase if phase is not Phase.explain]  # it runs a failure again under a slow tracer
settings.register_profile("inspector", max_examples=examples or 30, deadline=None, derandomize=True, phases=PHASES)
settings.register_profile("deep", max_examples=examples or 500, deadline=None, phases=PHASES)
settings.load_profile("deep" if "SEARCH" in os.environ else "inspector")

OUTSIDE = (
    "INSPECTOR_",
    "MEMORY_",
    "OPENAI_",
    "OPENROUTER_",
    "TEXTUAL_THEME",
    "TEXTUAL_ANIMATIONS",
    "NO_COLOR",
    "FORCE_COLOR",
    "COLUMNS",
    "LINES",
    "CLAUDE_CONFIG_DIR",
    "AIDER_",
    "CODEX_HOME",
    "INSPECT_",
    "OPENCODE_",
    "COPILOT_HOME",
    "GEMINI_CLI_HOME",
    "PI_CODING_AGENT",
    "CLINE_DIR",
    "KIMI_",
    "LLM_USER_PATH",
    "VSCODE_PORTABLE",
    "XDG_",
    "LC_",
    "LANG",
    "COLORTERM",
    "SSL_CERT_",
)
MEANT_FOR_TESTS = ("INSPECTOR_TEST_MODEL", "INSPECTOR_REQUIRE_SERVERS")
FIXED = {
    "LC_ALL": "C.UTF-8",
    "PYTHONUTF8": "1",  # of the processes that run the tests, and of all programs that they start
    "TZ": "UTC",
    "TERM": "xterm-256color",
}


def start_anew() -> None:
    """Take nothing over from the program that started this one: no signals, settings, home or rights of files."""
    for name in [name for name in os.environ if name.startswith(OUTSIDE) and name not in MEANT_FOR_TESTS]:
        del os.environ[name]
    home = tempfile.mkdtemp(prefix="inspector-home-")
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    no_certificates = home  # loading those of the system takes most of the time of a request to a server of a test
    os.environ.update(FIXED, HOME=home, SSL_CERT_DIR=no_certificates)
    os.umask(0o022)
    if sys.platform != "win32":
        time.tzset()
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        for number, handler in (
            (signal.SIGINT, signal.default_int_handler),
            (signal.SIGHUP, lambda *_: None),  # not to be ended after nohup, and not to hand that on
            (signal.SIGTERM, signal.SIG_DFL),
            (signal.SIGCHLD, signal.SIG_DFL),
        ):
            if signal.getsignal(number) is signal.SIG_IGN:
                signal.signal(number, handler)


start_anew()
if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    # Asserts are rewritten and programs started by the hundred: what is compiled is kept, here and by all of them.
    os.environ["PYTHONPYCACHEPREFIX"] = str(ROOT / "build" / "bytecode")
    sys.pycache_prefix, sys.dont_write_bytecode = os.environ["PYTHONPYCACHEPREFIX"], False

programs: list[Callable[[], None]] = []
"""What ends the process that programs are forked from."""

gc.disable()  # while tests are collected: modules and their syntax trees stay


def pytest_collection_finish() -> None:
    """What was imported is no garbage: apps and examples are looked through alone, and not at every few objects."""
    from inspector.core.gc_tuning import freeze_gc

    gc.collect()
    freeze_gc()
    programs.append(warm.start_server())
    gc.set_threshold(10_000, 20, 100)
    gc.enable()


def pytest_sessionfinish() -> None:
    for end in programs:
        end()


@pytest.fixture(scope="session")
def postgres_address() -> Iterator[str]:
    """The address of a PostgreSQL that all tests of a worker share."""
    with postgres_server() as address:
        yield address


@pytest.fixture(scope="session")
def cluster() -> Iterator[DaskCluster]:
    """A cluster with two workers that all tests of a worker share."""
    with short_folder() as folder:
        cluster = DaskCluster(folder)
        try:
            cluster.start()
            cluster.await_workers(2)
            yield cluster
        finally:
            cluster.stop()
