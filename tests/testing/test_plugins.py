"""A distribution of its own adds to Inspector: it is installed, used and removed, as a person would."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree, rmtree
from typing import NamedTuple
from zipfile import ZipFile

import pytest

from tests.benchmarks.big_log import write_log
from tests.cli.json_schema import assert_valid
from tests.places import ROOT, SESSIONS

PLUGIN = ROOT / "tests" / "plugin"
BROKEN = {
    "broken_import": ("inspector.commands", "stumble = broken_import:command", "import no_such_module\n"),
    "broken_kind": ("inspector.strategies", "nothing = broken_kind:ENTRY", "ENTRY = 7\n"),
    "broken_exit": ("inspector.exporters", "leave = broken_exit:Form", "raise SystemExit(5)\n"),
    "broken_format": ("inspector.formats", "bare = broken_format:Bare", "class Bare:\n    name = 'bare'\n"),
    "broken_guess": (
        "inspector.formats",
        "guess = broken_guess:Guess",
        "from inspector.formats import Format, FormatEntry\n"
        "class Guess(Format):\n"
        "    name, entry = 'guess', FormatEntry('guesses')\n"
        "    def recognize(self, sample):\n        return 1 / 0\n"
        "    def read(self, content, progress=None):\n        return []\n",
    ),
    "broken_memories": (
        "inspector.memories",
        "torn = broken_memories:Torn",
        "from inspector.formats import MemoryReader\n"
        "class Torn(MemoryReader):\n"
        "    name, title, files = 'torn', 'torn notes', ('*.torn',)\n"
        "    def recognize(self, sample):\n        return sample.head.startswith('torn')\n"
        "    def read(self, content):\n        return [1 / 0]\n",
    ),
    "broken_tables": ("inspector.memories", "mem0 = broken_tables:ENTRY", "ENTRY = None\n"),
    "broken_name": ("inspector.strategies", "fifo = broken_name:ENTRY", "ENTRY = None\n"),
}


LOG = """2026-01-02 03:04:05 ana: Count the orders of May.
  Only those that were paid.
2026-01-02 03:04:09 bot: There are three.
"""


class Place(NamedTuple):
    """A virtual environment with Inspector and everything that it needs, but without a plugin."""

    folder: Path

    def python(self, *words: object) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder / "data")}
        command = [str(self.folder / "bin" / "python"), *map(str, words)]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    def inspector(self, *words: object) -> subprocess.CompletedProcess[str]:
        return self.python("-m", "inspector", *words)

    def pip(self, *words: object) -> None:
        command = [sys.executable, "-m", "pip", "--python", str(self.folder), "--quiet", *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    def install(self, folder: Path) -> None:
        self.pip("install", "--no-deps", "--no-index", "--no-build-isolation", folder)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    folder = tmp_path_factory.mktemp("place")
    venv.create(folder, with_pip=False, symlinks=True)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = folder / "lib" / version / "site-packages"
    known = "\n".join([str(ROOT), sysconfig.get_path("purelib")])
    (packages / "inspector_under_test.pth").write_text(f"{known}\n", encoding="utf-8")
    return Place(folder)


@pytest.fixture
def plugin(place: Place, tmp_path: Path) -> Iterator[Place]:
    place.install(copytree(PLUGIN, tmp_path / "plugin"))
    yield place
    place.pip("uninstall", "--yes", "inspector-plainlog")


def test_a_strategy_of_a_plugin_is_offered_and_used(plugin: Place) -> None:
    listed = plugin.inspector("strategies", "every_other", "--json")
    assert json.loads(listed.stdout)["strategies"][0]["settings"][0]["name"] == "keep_recent"
    used = plugin.inspector("compress", SESSIONS / "support-ticket.json", "-s", "every_other", "--json")
    assert used.returncode == 0 and json.loads(used.stdout)["strategy"] == "every_other"
    code = "from inspector.memory import CompressionStrategy; print(CompressionStrategy('every_other').name)"
    assert plugin.python("-c", code).stdout == "EVERY_OTHER\n"


def test_a_changed_plugin_changes_a_kept_replay(plugin: Place, tmp_path: Path) -> None:
    log = tmp_path / "session.jsonl"
    write_log(log, 60)

    def replayed() -> str:
        result = plugin.inspector("replay", log, "-s", "every_other", "--threshold", 20_000, "--json")
        assert result.returncode == 0, result.stderr
        return result.stdout

    first = replayed()
    (source,) = plugin.folder.glob("lib/*/site-packages/plainlog/every_other.py")
    text = source.read_text(encoding="utf-8")
    assert text.count("groups[::2]") == 1
    source.write_text(text.replace("groups[::2]", "groups[1::3]"), encoding="utf-8")
    second = replayed()
    rmtree(plugin.folder / "data")
    assert first != second == replayed()


def test_a_command_of_a_plugin_is_listed_and_run(plugin: Place) -> None:
    assert "Count the messages of each role in a file." in plugin.inspector("--help").stdout
    counted = plugin.inspector("speakers", SESSIONS / "support-ticket.json", "--json")
    assert json.loads(counted.stdout)["roles"]["user"] > 3


def test_installed_plugins_are_listed(plugin: Place) -> None:
    listed = plugin.inspector("plugins", "--json")
    names = {entry["name"]: entry["problem"] for entry in json.loads(listed.stdout)["plugins"]}
    assert listed.returncode == 0 and names == {"speakers": "", "every_other": "", "jotter": "", "plainlog": ""}
    text = plugin.inspector("plugins").stdout.splitlines()
    assert text[0] == "inspector.commands"
    assert text[1].split() == ["speakers", "inspector-plainlog", "1.0", "plainlog.speakers:speakers"]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "chats" / "may.log"
    path.parent.mkdir()
    path.write_text(LOG, encoding="utf-8")
    return path


def test_a_format_of_a_plugin_is_listed_and_read(plugin: Place, log: Path) -> None:
    listed = json.loads(plugin.inspector("formats", "--json").stdout)["formats"]
    assert listed[-1]["name"] == "plainlog" and listed[-1]["holds"] == ["times"]
    for place in (log, log.parent):
        shown = json.loads(plugin.inspector("show", place, "--json").stdout)["session"]
        assert (shown["format"], shown["messages"], shown["title"][:5]) == ("plainlog", 2, "Count")


def test_a_memory_store_of_a_plugin_is_found_read_and_audited(plugin: Place, tmp_path: Path) -> None:
    notes = tmp_path / "project" / "notes" / "may.jot"
    notes.parent.mkdir(parents=True)
    lines = ["2026-01-02 shop: Always use tabs in scripts.", "odd", "2026-01-03 shop: Always use tabs in scripts."]
    notes.write_text("\n".join(lines), encoding="utf-8")
    for place in (notes, notes.parent.parent):
        (store,) = json.loads(plugin.inspector("memory", "open", place, "--json").stdout)["stores"]
        assert (store["kind"], store["title"], store["size"]) == ("jotter", "the notes of Jotter", 2)
        assert store["problems"] == ["Line 2: this line was skipped: it has no date and no subject"]
    audited = plugin.inspector("memory", "audit", notes.parent.parent, "--kind", "duplicate", "--json")
    (finding,) = json.loads(audited.stdout)["findings"]
    assert "-2026-01-02 shop" in finding["patch"] or "-2026-01-03 shop" in finding["patch"]
    home = plugin.folder / ".jotter"
    home.mkdir()
    (home / "own.jot").write_text(lines[0], encoding="utf-8")
    listed = json.loads(plugin.inspector("memory", "stores", "--json").stdout)["stores"]
    assert [store["path"] for store in listed if store["kind"] == "jotter"] == [str(home / "own.jot")]


def test_what_was_removed_is_gone(place: Place, log: Path, tmp_path: Path) -> None:
    place.install(copytree(PLUGIN, tmp_path / "plugin"))
    assert place.inspector("show", log).returncode == 0
    place.pip("uninstall", "--yes", "inspector-plainlog")
    unknown = place.inspector("strategies", "every_other")
    assert unknown.returncode == 2 and unknown.stderr.startswith("There is no strategy 'every_other'")
    unread = place.inspector("show", log)
    assert unread.returncode == 1 and "is a log without a conversation" in unread.stderr


def test_a_plugin_passes_the_checks_that_are_shipped_for_it(plugin: Place, log: Path) -> None:
    code = (
        "import sys\n"
        "from inspector.testing import check_command, check_format, check_memory_store, check_strategy\n"
        "from plainlog.every_other import EVERY_OTHER\n"
        "from plainlog.jotter import Jotter\n"
        "from plainlog.log_format import PlainLog\n"
        "from plainlog.speakers import speakers\n"
        "check_strategy(EVERY_OTHER)\n"
        "check_command(speakers)\n"
        "check_format(PlainLog(), [sys.argv[1]])\n"
        "check_memory_store(Jotter(), [sys.argv[2]])\n"
    )
    notes = log.with_suffix(".jot")
    notes.write_text("2026-01-02 shop: Invoices are sent on Mondays.\n", encoding="utf-8")
    done = plugin.python("-c", code, log, notes)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture
def broken(place: Place) -> Iterator[Place]:
    (packages,) = place.folder.glob("lib/*/site-packages")
    written: list[Path] = []
    folders: list[Path] = []
    for name, (group, entry, source) in BROKEN.items():
        metadata = packages / f"{name}-0.3.dist-info"
        metadata.mkdir()
        folders.append(metadata)
        written += [packages / f"{name}.py", metadata / "METADATA", metadata / "entry_points.txt"]
        texts = (source, f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.3\n", f"[{group}]\n{entry}\n")
        for path, text in zip(written[-3:], texts, strict=True):
            path.write_text(text, encoding="utf-8")
    yield place
    for path in written:
        path.unlink()
    for folder in folders:
        folder.rmdir()


def test_a_broken_plugin_costs_one_sentence_that_names_it(broken: Place) -> None:
    drafted = broken.inspector("strategies", "--json")
    assert drafted.returncode == 0 and len(json.loads(drafted.stdout)["strategies"]) == 17
    assert "The plugin nothing of broken_kind 0.3 is not used: it is not a Strategy" in drafted.stderr
    assert "The plugin fifo of broken_name 0.3 is not used: there is already a fifo." in drafted.stderr
    exported = broken.inspector("export", SESSIONS / "support-ticket.json", "--to", "markdown", "--json")
    assert exported.returncode == 0
    assert exported.stderr.count("\n") == exported.stderr.count("The plugin ") > 0
    assert "The plugin leave of broken_exit 0.3 is not used: SystemExit: 5." in exported.stderr
    stumbled = broken.inspector("stumble")
    assert stumbled.returncode == 1
    assert stumbled.stderr == (
        "The plugin stumble of broken_import 0.3 is not used: ModuleNotFoundError: No module named 'no_such_module'.\n"
    )
    assert "stumble" not in broken.inspector("--help").stdout
    assert "Traceback" not in drafted.stderr + exported.stderr


@pytest.mark.parametrize("kind", ["folder", "egg-info", "archive"])
def test_plugins_are_found_wherever_python_finds_distributions(kind: str, tmp_path: Path) -> None:
    metadata = "far-0.3.egg-info" if kind == "egg-info" else "far-0.3.dist-info"
    about = "PKG-INFO" if kind == "egg-info" else "METADATA"
    files = {
        f"{metadata}/{about}": "Metadata-Version: 2.1\nName: far\nVersion: 0.3\n",
        f"{metadata}/entry_points.txt": "[inspector.exporters]\nfar = no_such_module:Form\n",
    }
    place = tmp_path / "place"
    if kind == "archive":
        with ZipFile(place, "w") as archive:
            for name, text in files.items():
                archive.writestr(name, text)
    else:
        (place / metadata).mkdir(parents=True)
        for name, text in files.items():
            (place / name).write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "inspector", "plugins", "--json"]
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": str(place)}, capture_output=True, check=False)
    assert [plugin["name"] for plugin in json.loads(done.stdout)["plugins"]] == ["far"]


def test_the_list_of_plugins_says_why_one_is_not_used(broken: Place) -> None:
    listed = broken.inspector("plugins", "--json")
    problems = {entry["name"]: entry["problem"] for entry in json.loads(listed.stdout)["plugins"]}
    assert (listed.returncode, listed.stderr) == (3, "")
    assert_valid(["plugins", "--json"], listed.returncode, listed.stdout)
    assert problems["fifo"] == "there is already a fifo" and "no_such_module" in problems["stumble"]
    text = broken.inspector("plugins")
    assert text.returncode == 3 and "not used: there is already a fifo" in text.stdout


def test_a_broken_format_costs_one_sentence_and_no_file(broken: Place) -> None:
    shown = broken.inspector("show", SESSIONS / "support-ticket.json", "--json")
    assert shown.returncode == 0 and json.loads(shown.stdout)["session"]["format"] == "anthropic"
    assert "The plugin bare of broken_format 0.3 is not used: it is no Format of inspector.formats" in shown.stderr
    assert "The plugin guess of broken_guess 0.3 is not used: ZeroDivisionError: division by zero." in shown.stderr
    assert shown.stderr.count("\n") == 2


def test_a_broken_memory_store_costs_one_sentence_and_no_other_store(broken: Place, tmp_path: Path) -> None:
    torn = tmp_path / "a.torn"
    torn.write_text("torn", encoding="utf-8")
    (tmp_path / "CLAUDE.md").write_text("- Use tabs.\n", encoding="utf-8")
    refused = broken.inspector("memory", "open", torn)
    assert refused.returncode == 1
    assert f"{torn} cannot be read by the plugin torn: ZeroDivisionError: division by zero." in refused.stderr
    opened = broken.inspector("memory", "open", tmp_path, "--json")
    assert [store["kind"] for store in json.loads(opened.stdout)["stores"]] == ["rule-file"]
    assert "The plugin mem0 of broken_tables 0.3 is not used: there is already a mem0." in opened.stderr
    assert "Traceback" not in refused.stderr + opened.stderr
