"""References to paths that git knows to be deleted or renamed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from inspector.analysis.memory_audit import AuditFinding, audit_memories
from inspector.analysis.memory_audit.path_history import gone_paths, has_history
from inspector.formats import open_memories


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
    assert _dead(shop, "# Rules\n\n- Read `plans/sale.py` before a sale.\n")["plans/sale.py"].confidence < 0.5
    assert _dead(shop, "# Rules\n\n- Change `src/lamp.py` with care.\n") == {}


def test_a_file_that_git_never_had_is_listed_if_its_folder_exists(shop: Path) -> None:
    assert 0.5 < _dead(shop, "# Rules\n\n- Prices come from `src/plans.py`.\n")["src/plans.py"].confidence < 0.7


def test_the_history_of_a_clone_of_the_last_commit_proves_nothing(
    shop: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    clone = tmp_path_factory.mktemp("clones") / "shop"
    _git(shop, "clone", "-q", "--depth", "1", f"file://{shop}", str(clone))
    assert _dead(clone, "# Rules\n\n- Change `plans/shade.py` with care.\n")["plans/shade.py"].confidence > 0.5


def test_a_name_that_sounds_made_up_is_dead_if_git_had_it(shop: Path) -> None:
    for name in ("src/old_name.py", "src/feature.py"):
        (shop / name).write_text("line 1\n" * 9)
    _git(shop, "add", "src")
    _git(shop, "commit", "-qm", "Add names")
    _git(shop, "rm", "-q", "src/old_name.py")
    _git(shop, "commit", "-qm", "Remove a name")
    rules = "# Rules\n\n- Start with `src/old_name.py`.\n- Start with `src/module.py`.\n"
    assert list(_dead(shop, rules)) == ["src/old_name.py"]


def test_files_of_different_kinds_are_no_renames(shop: Path) -> None:
    (shop / "ci.yml").write_text("x\n")
    _git(shop, "add", "ci.yml")
    _git(shop, "commit", "-qm", "Add checks")
    _git(shop, "rm", "-q", "ci.yml")
    (shop / "src/x.py").write_text("x\n")
    _git(shop, "add", "src")
    _git(shop, "commit", "-qm", "Replace them")
    assert gone_paths(shop, ["ci.yml"])["ci.yml"].moved == ""


def test_rules_above_a_folder_name_the_paths_of_the_repository(shop: Path) -> None:
    (shop / "CLAUDE.md").write_text("# Rules\n\n- Read `docs/prices.md` and `src/lamp.py`.\n")
    (shop / "tools" / "AGENTS.md").write_text("# Tools\n\n- Glow with `tools/glow.py`.\n")
    audit = audit_memories(shop / "tools", open_memories(shop / "CLAUDE.md"))
    assert [(row.value, row.confidence > 0.95) for row in audit.findings] == [("docs/prices.md", True)]


def test_git_is_asked_for_plain_names_only(shop: Path) -> None:
    names = ["src/yard", "--all", "../shop", "*.md", ":(top)docs", "src/shade.py"]
    assert sorted(gone_paths(shop, names)) == ["src/shade.py", "src/yard"]


def test_a_folder_without_commits_has_no_history(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert not has_history(tmp_path)
    assert gone_paths(tmp_path, ["src/lamp.py"]) == {}
