"""Each adapter works with its real framework, in an environment with that framework and a model on loopback.

`make test-frameworks` makes the environments in the temporary folder, and fails where the registry cannot
be reached. They take more than a gigabyte, so the rest of the suite only uses those that are there.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import pytest

from inspector.engine.compression import Preset, save
from tests.places import ROOT

CASES = {
    "langchain_agent": ["langchain>=1", "langgraph>=1", "langchain-openai>=1"],
    "openai_agents_agent": ["openai-agents>=0.3"],
    "pydantic_ai_agent": ["pydantic-ai-slim[openai]>=1"],
    "strands_agent": ["strands-agents[openai]>=1"],
    "llama_index_agent": ["llama-index-core>=0.14", "llama-index-llms-openai-like"],
    "claude_agent_store": ["claude-agent-sdk>=0.2"],
}
SECONDS = 300
INSTALL_SECONDS = 900
"""A slow machine takes minutes for the packages of one framework."""


def environment_for(packages: list[str]) -> Path:
    """Return the Python of an environment with some packages and Inspector; skip if it is not there."""
    name = hashlib.sha256(" ".join([*packages, str(ROOT), sys.version]).encode()).hexdigest()[:12]
    folder = Path(tempfile.gettempdir()) / f"inspector-frameworks-{os.getuid()}" / name
    python, stamp = folder / "bin" / "python", folder / "installed"
    if stamp.exists():
        return python
    if os.environ.get("FRAMEWORKS") != "required":
        pytest.skip("make test-frameworks installs the frameworks")
    venv.create(folder, with_pip=True)
    command = [
        str(python),
        "-m",
        "pip",
        "install",
        "-q",
        "--timeout",
        "10",
        "--retries",
        "1",
        "-e",
        str(ROOT),
        *packages,
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False)
    assert not done.returncode, done.stderr
    stamp.touch()
    return python


@pytest.mark.timeout(INSTALL_SECONDS + SECONDS)
@pytest.mark.parametrize("case", CASES)
def test_an_adapter_works_with_its_framework(case: str, tmp_path: Path) -> None:
    python = environment_for(CASES[case])
    presets = tmp_path / "presets.toml"
    save(Preset("mine", threshold=2_500, strategy="deletion"), presets)
    home = {"HOME": str(tmp_path), "INSPECTOR_PRESETS": str(presets)}
    done = subprocess.run(
        [python, "-m", f"tests.memory.adapters.frameworks.{case}"],
        cwd=ROOT,
        env={**os.environ, **home},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
