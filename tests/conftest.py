"""What holds for every test: properties draw the same examples on every run, and no setting from outside is met."""

from __future__ import annotations

import os
import tempfile

from hypothesis import settings

settings.register_profile(
    "inspector",
    max_examples=int(os.environ.get("EXAMPLES", "40")),
    deadline=None,
    derandomize="SEARCH" not in os.environ,
)
settings.load_profile("inspector")

OUTSIDE = (
    "INSPECTOR_",
    "MEMORY_",
    "OPENAI_",
    "TEXTUAL_THEME",
    "TEXTUAL_ANIMATIONS",
    "NO_COLOR",
    "FORCE_COLOR",
    "COLUMNS",
    "LINES",
)
for name in [name for name in os.environ if name.startswith(OUTSIDE) and name != "INSPECTOR_TEST_MODEL"]:
    del os.environ[name]

if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    # The hundreds of programs that tests start would compile all modules again; the workers of a run share this folder.
    bytecode = tempfile.TemporaryDirectory(prefix="inspector-bytecode-")
    os.environ["PYTHONPYCACHEPREFIX"] = bytecode.name
