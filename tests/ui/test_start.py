"""What the app has loaded when its first frame stands: the rest comes when it is first needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from inspector.store import Store
from tests.driving import SAMPLES

PROGRAM = """
import sys
from pathlib import Path
from inspector.library import Library
from inspector.ui.app import InspectorApp

def tell(*_):
    print(*sys.modules)
    app.exit()

with Library(Path(sys.argv[1])) as library:
    app = InspectorApp([sys.argv[2]], library)
    app.open = app.sessions.list_sessions = tell  # what comes right after the first frame
    app.run(headless=True)
"""
LATER = (
    *("inspector.engine.compression.", "inspector.engine.facts.", "inspector.engine.retrieval"),
    *("inspector.engine.strategies.", "inspector.engine.summaries.", "inspector.formats."),
    *("inspector.analysis.experiments.", "inspector.analysis.export", "inspector.analysis.replay."),
    *("inspector.library.", "inspector.memory", "inspector.llm.models.", "inspector.llm.tokens."),
    *("inspector.ui.dialogs.", "inspector.ui.screens.compare.", "inspector.ui.screens.replay."),
    *("inspector.ui.screens.tune", "inspector.store.migrations", "inspector.cli"),
    *("tiktoken", "numpy", "sqlite_utils", "openai", "genai_prices", "multiprocessing"),
)
"""How the modules begin that the first frame needs nothing of; the face of a package loads nothing."""
EARLY = {
    *("inspector.library.bench", "inspector.library.diagnosis", "inspector.library.opening"),
    *("inspector.library.opening.session_library", "inspector.library.bench.write_policy"),
    *("inspector.engine.retrieval", "inspector.engine.retrieval.query_words"),
    *("inspector.llm.tokens.certainty", "inspector.ui.dialogs.overlay"),
}
"""Small ones that it does need."""


@pytest.mark.parametrize(("target", "behind"), [("support-ticket.json", "sessions"), (".", "inspect.")])
def test_the_first_frame_waits_for_no_engine_and_for_no_other_screen(tmp_path: Path, target: str, behind: str) -> None:
    store = tmp_path / "store.db"
    Store(store).close()
    command = [sys.executable, "-c", PROGRAM, str(store), str(SAMPLES / target)]
    ended = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    loaded = ended.stdout.split()
    assert "inspector.ui.app" in loaded
    later = (*LATER, f"inspector.ui.screens.{behind}")
    assert [name for name in loaded if name.startswith(later) and name not in EARLY] == []
