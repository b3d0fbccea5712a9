"""References to paths that git knows to be deleted or renamed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from inspector.analysis.memory_audit import AuditFinding, audit_memories
from inspector.analysis.memory_audit.path_history import gone_paths, has_history


def _git(folder: Path, *words: str) -> None:
    names = ("-c", "user.name=Kim", "-c", "user.email=kim@lamps.test", "-c", "commit.gpgsign=false")
    subprocess.run(("git", *names, *words), cwd=folder, check=True, capture_output=True)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A repository in which a file was deleted, another renamed, and a folder removed."""
    files = ("src/lamp.py", "src/shade.py", "src/yard/old.py", "docs/prices.md", "tools/glow.py")
    for number, name in enumerate(files):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f"line {line} of {number}\n" for line in range(20)))
    _git(tmp_path, "init", "-q")
    _git(tmp_path, "add", ".")
    _git(tmp_path, "commit", "-qm", "Open the shop")
    _git(tmp_path, "rm", "-q", "docs/prices.md")
    _git(tmp_path, "mv", "src/shade.py", "tools/screen.py")
    _git(tmp_path, "rm", "-qr", "src/yard")
    _git(tmp_path, "commit", "-qm", "Tidy the shop")
    return tmp_path


def _dead(folder: Path, text: str) -> dict[str, AuditFinding]:
    (folder / "CLAUDE.md").write_text(text)
    return {row.value: row for row in audit_memories(folder).findings if row.kind == "dead_reference"}


def test_a_deleted_path_is_certain_and_names_its_commit(shop: Path) -> None:
    finding = _dead(shop, "# Rules\n\n- Read `docs/prices.md` before a sale.\n")["docs/prices.md"]
    assert finding.confidence > 0.95
    assert "deleted it." in finding.evidence


def test_the_patch_of_a_renamed_path_has_its_newer_name(shop: Path) -> None:
    finding = _dead(shop, "# Rules\n\n- Change `src/shade.py` with care.\n")["src/shade.py"]
    assert "renamed it to tools/screen.py" in finding.evidence
    assert "+- Change `tools/screen.py` with care." in finding.patch


def test_a_path_that_git_never_had_is_not_listed_by_default(shop: Path) -> None:
    assert _dead(shop, "# Rules\n\n- Read `src/plans.py` before a sale.\n")["src/plans.py"].confidence < 0.5
    assert _dead(shop, "# Rules\n\n- Change `src/lamp.py` with care.\n") == {}


def test_git_is_asked_for_plain_names_only(shop: Path) -> None:
    names = ["src/yard", "--all", "../shop", "*.md", ":(top)docs", "src/shade.py"]
    assert sorted(gone_paths(shop, names)) == ["src/shade.py", "src/yard"]


def test_a_folder_without_commits_has_no_history(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert not has_history(tmp_path)
    assert gone_paths(tmp_path, ["src/lamp.py"]) == {}
