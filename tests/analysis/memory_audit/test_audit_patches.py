"""Patches of edits that are near, far, at the ends and without a line end, applied by git, and what an audit loads."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from inspector.analysis.memory_audit.audit_findings import Edit, Places


def drawn(chance: random.Random, path: str, lines: Sequence[str]) -> list[Edit]:
    edits, place = [], 1
    while (place := place + chance.randrange(7)) <= len(lines):
        last = min(place + chance.choice((0, 0, 0, 2)), len(lines))
        old = tuple(line.partition("\n")[0] for line in lines[place - 1 : last])
        new = chance.choice(((), ("new",), (*old[:1], "new"), ("new", "newer"), old))
        edits.append(Edit(path, place, last, new))
        place = last + 1
    return edits


def test_git_applies_the_edits_of_any_lines(tmp_path: Path) -> None:
    chance = random.Random(4)
    patches, wanted = [], {}
    for number in range(40):
        path = tmp_path / f"{number}.md"
        lines = [chance.choice(("", "- a", "- b", f"- {n}")) for n in range(chance.randrange(1, 30))] + ["- last"]
        path.write_text("\n".join(lines) + "\n" * (number % 3 > 0), encoding="utf-8")
        places = Places(tmp_path)
        edits = drawn(chance, str(path), places.lines(str(path)))
        patches.append(places.patch(edits))
        for edit in reversed(edits):
            lines[edit.first - 1 : edit.last] = edit.lines
        wanted[path] = lines
    (tmp_path / "all.patch").write_text("".join(patches), encoding="utf-8")
    subprocess.run(["git", "apply", "all.patch"], cwd=tmp_path, check=True)
    assert any(patches)
    for path, lines in wanted.items():
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        assert text.rstrip("\n") == "\n".join(lines).rstrip("\n"), path


def test_an_audit_without_sessions_loads_nothing_for_sessions(tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("- Always use pnpm.\n- Always use npm.\n", encoding="utf-8")
    code = "import sys; from inspector.cli import main\ntry: main()\nfinally: print(*sys.modules, file=sys.stderr)"
    words = [sys.executable, "-c", code, "memory", "audit", str(tmp_path)]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    assert "contradicts" in done.stdout
    loaded = set(done.stderr.split()) - {"inspector.store.schema"}  # constants, and what an address looks like
    assert "inspector.analysis.memory_audit.auditing" in loaded
    assert not {name for name in loaded if name.startswith(("inspector.engine.work_state.", "inspector.store."))}


def test_a_file_of_which_nothing_is_left_is_deleted(tmp_path: Path) -> None:
    texts = {"all.md": "- a\n- b\n", "unended.md": "- a\n- b", "blank.md": "- a\n- b\n\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    places = Places(tmp_path)
    (tmp_path / "all.patch").write_text(places.patch(Edit(str(tmp_path / name), 1, 2) for name in texts), "utf-8")
    subprocess.run(["git", "apply", "all.patch"], cwd=tmp_path, check=True)
    assert [path.name for path in tmp_path.glob("*.md")] == ["blank.md"]
