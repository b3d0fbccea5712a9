"""What holds for every test: properties draw the same examples on every run, and no setting from outside is met."""

from __future__ import annotations

import gc
import os
import sys

from hypothesis import settings

from tests.places import ROOT

examples = int(os.environ.get("EXAMPLES", 0))
settings.register_profile("inspector", max_examples=examples or 30, deadline=None, derandomize=True)
settings.register_profile("deep", max_examples=examples or 500, deadline=None)
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
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
)
MEANT_FOR_TESTS = ("INSPECTOR_TEST_MODEL", "INSPECTOR_REQUIRE_SERVERS")
for name in [name for name in os.environ if name.startswith(OUTSIDE) and name not in MEANT_FOR_TESTS]:
    del os.environ[name]

if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    # Asserts are rewritten and programs started by the hundred: what is compiled is kept, here and by all of them.
    os.environ["PYTHONPYCACHEPREFIX"] = str(ROOT / "build" / "bytecode")
    sys.pycache_prefix, sys.dont_write_bytecode = os.environ["PYTHONPYCACHEPREFIX"], False

gc.disable()  # while tests are collected: modules and their syntax trees stay


def pytest_collection_finish() -> None:
    """What was imported is no garbage: apps and examples are looked through alone, and not at every few objects."""
    from inspector.core.gc_tuning import freeze_gc

    gc.collect()
    freeze_gc()
    gc.set_threshold(10_000, 20, 100)
    gc.enable()
