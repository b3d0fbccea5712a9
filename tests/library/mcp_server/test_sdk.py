"""The official SDK's client gets on with the MCP server, in an environment with that SDK."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.test_cli_restore import compacted
from tests.memory.adapters.test_frameworks import INSTALL_SECONDS, SECONDS, environment_for
from tests.places import ROOT


@pytest.mark.timeout(INSTALL_SECONDS + SECONDS)
def test_the_official_client_calls_every_tool(tmp_path: Path) -> None:
    done = subprocess.run(
        [environment_for(["mcp>=2"]), "-m", "tests.library.mcp_server.sdk_client", str(compacted(tmp_path))],
        cwd=ROOT,
        env={**os.environ, "HOME": str(tmp_path), "INSPECTOR_DB": str(tmp_path / "store.db")},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
