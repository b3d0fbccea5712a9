"""What is made of the project without anybody looking: its targets, the scripts that they start, and the wheel."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from tests import mutation
from tests.places import ROOT, SESSIONS

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
TARGETS = re.findall(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)[0].split()
ROOT_FILES = {
    *("CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md"),
    *("Makefile", "pyproject.toml", ".gitattributes", ".gitignore"),
}
MODULE = re.compile(r"-m ((?:tests|inspector)[\w.]*)|python (\S+\.py)")


def recipe(target: str) -> str:
    """What a target would run, in a folder where everything is installed."""
    made = subprocess.run(
        ["make", "-n", "-o", ".venv/.dev", "-o", ".venv/.app", target],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    return made.stdout


@pytest.mark.skipif(which("make") is None, reason="there is no make")
@pytest.mark.parametrize("target", TARGETS)
def test_what_a_target_runs_is_there(target: str) -> None:
    text = recipe(target)
    assert text
    for module, script in MODULE.findall(text):
        place = ROOT.joinpath(*module.split(".")) if module else ROOT / script
        assert place.is_dir() or place.with_suffix(".py").is_file(), text


@pytest.mark.skipif(which("make") is None, reason="there is no make")
def test_every_target_is_named_for_contributors() -> None:
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert [name for name in TARGETS if f"make {name} " not in guide.replace("\n", " ")] == []


@pytest.mark.skipif(which("git") is None or not (ROOT / ".git").exists(), reason="this is not a clone")
def test_nothing_stray_is_committed_at_the_root() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    assert {name for name in listed if name and "/" not in name} == ROOT_FILES


def test_every_program_of_the_tests_is_named_somewhere() -> None:
    """A script that no page, target or other file names is one that nobody can find."""
    files = [ROOT / "Makefile", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/*.md"), *ROOT.glob("tests/**/*.py")]
    texts = {path: path.read_text(encoding="utf-8") for path in files}
    programs = [
        path for path, text in texts.items() if not path.name.startswith("test_") and '__name__ == "__main__"' in text
    ]
    for program in programs:
        name = ".".join(program.relative_to(ROOT).with_suffix("").parts).removesuffix(".__main__")
        assert any(name in text or f'"{program.stem}"' in text for path, text in texts.items() if path != program), name


def test_the_wheel_has_what_an_installation_needs(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (entry_points,) = [name for name in names if name.endswith("entry_points.txt")]
        assert archive.read(entry_points).decode().split() == [
            "[console_scripts]",
            "inspector",
            "=",
            "inspector.cli:main",
        ]
        for name in PROJECT["project"]["license-files"]:
            (held,) = [each for each in names if each.endswith(f".dist-info/licenses/{name}")]
            assert archive.read(held) == (ROOT / name).read_bytes()
        for sample in SESSIONS.glob("*.json*"):
            assert archive.read(f"inspector/samples/{sample.name}") == sample.read_bytes()
    package = {path.relative_to(ROOT).as_posix() for path in (ROOT / "inspector").rglob("*") if path.is_file()}
    assert {name for name in package if "__pycache__" not in name} <= names
    assert not any(name.startswith(("tests/", "sessions/")) for name in names)


def test_the_wheel_alone_shows_a_sample(tmp_path: Path) -> None:
    test_the_wheel_has_what_an_installation_needs(tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "installed"), "INSPECTOR_DB": str(tmp_path / "store.db")}
    code = "from inspector.cli import main; main()"
    sample = tmp_path / "installed" / "inspector" / "samples" / "support-ticket.json"
    command = [sys.executable, "-c", code, "show", str(sample)]
    shown = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8", check=False)
    assert shown.returncode == 0 and "of 200,000 tokens" in shown.stdout, shown.stderr


def test_mutants_are_the_same_for_a_seed_and_change_no_file() -> None:
    place = "inspector/llm/tokens/certainty.py"
    mutants = mutation.chosen([place], 4, 1)
    assert mutants == mutation.chosen([place], 4, 1) and len({mutant.number for mutant in mutants}) == 4
    source = (ROOT / place).read_text(encoding="utf-8")
    whole = compile(source, str(ROOT / place), "exec")
    assert all(mutant.code() != whole for mutant in mutants)
    assert all(mutation.nearby(mutant) for mutant in mutants)
    assert (ROOT / place).read_text(encoding="utf-8") == source


def test_mutants_are_judged() -> None:
    words = ["inspector/llm/tokens/certainty.py", "--mutants", "1", "--jobs", "1", "--seconds", "2"]
    command = [sys.executable, "-m", "tests.mutation", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^all: \d of 1 caught", done.stdout, re.MULTILINE)


async def test_a_picture_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("resvg_py")
    spec = importlib.util.spec_from_file_location("pictures", ROOT / "screenshots" / "make.py")
    assert spec and spec.loader
    pictures = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pictures)
    if not any(Path(folder).is_dir() for folder in pictures.FONTS):
        pytest.skip("there are no fonts")
    monkeypatch.setattr(pictures, "HERE", tmp_path)
    monkeypatch.setattr(pictures, "SIZES", ((80, 24),))
    monkeypatch.setattr(sys, "argv", ["make.py", "agents"])
    await pictures.main()
    assert (tmp_path / "agents-80x24.png").read_bytes().startswith(b"\x89PNG")
