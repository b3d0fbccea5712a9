"""Each adapter works with its real framework, in an environment with that framework and a model on loopback.

FRAMEWORKS=required (`make test-frameworks`) makes the environments, and fails where the registry cannot be reached.
FRAMEWORKS=small (`.ci/run`) makes the two smallest, and skips a framework that cannot be installed in time. Otherwise
those that are there are used: they take more than a gigabyte in all, and minutes each without a cache of packages.
"""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
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
SMALL = ("openai_agents_agent", "pydantic_ai_agent")
SECONDS = 300
INSTALL_SECONDS = 900
"""A slow machine takes minutes for the packages of one framework."""
CI_SECONDS = 90


def environment_for(packages: list[str]) -> Path:
    """Return the Python of an environment with some packages and Inspector; skip if it is not there."""
    name = hashlib.sha256(" ".join([*packages, sys.version]).encode()).hexdigest()[:12]
    folder = ROOT / ".venv-frameworks" / name
    python, stamp = folder / "bin" / "python", folder / "installed"
    how = os.environ.get("FRAMEWORKS")
    if stamp.exists():
        return python
    is_small = how == "small" and packages in [CASES[case] for case in SMALL]
    if how != "required" and not is_small:
        pytest.skip("make test-frameworks installs the frameworks")
    problem = install(folder, packages, INSTALL_SECONDS if how == "required" else CI_SECONDS)
    if problem and is_small:
        pytest.skip(f"{packages[0]} cannot be installed: {problem}")
    assert not problem, problem
    stamp.touch()
    return python


def install(folder: Path, packages: list[str], seconds: float) -> str:
    """Make an environment with some packages and Inspector. Return why that is not possible, or ""."""
    options = ["-q", "--disable-pip-version-check", "--timeout", "10", "--retries", "1", "-e", str(ROOT)]
    log = folder.with_suffix(".log")
    try:
        venv.create(folder, with_pip=True, clear=True)
        command = [str(folder / "bin" / "python"), "-m", "pip", "install", *options, *packages]
        with log.open("wb") as out:  # a pipe would be held by the processes that pip starts
            process = subprocess.Popen(command, stdout=out, stderr=out, start_new_session=True)
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return f"pip takes more than {seconds:,} seconds"
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    return log.read_text(errors="replace").strip()[-1_000:] or "pip failed" if code else ""


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
