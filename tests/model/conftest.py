"""Tests against a real small model: only `make test-model` runs them, which installs it and says where."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

PYTHON = os.environ.get("INSPECTOR_TEST_MODEL", "")
"""The Python of the environment that the model is installed in."""
collect_ignore_glob = [] if PYTHON else ["test_*.py"]


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """The base URL of a server with a model."""
    script = Path(__file__).parent / "serve.py"
    with subprocess.Popen(
        [PYTHON, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        listening = next((line for line in process.stdout if line.startswith("listening: ")), "")
        assert listening, "the model's server did not start"
        yield listening.removeprefix("listening: ").strip() + "/v1"
        process.terminate()
