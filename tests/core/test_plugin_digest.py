"""Kept results depend on the plugins that are installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from inspector.core.extraction_cache import digest_of_rules
from inspector.core.plugin_digest import digest_of_plugins
from inspector.engine.strategies import STRATEGIES

CODE = "from inspector.core.plugin_digest import digest_of_plugins; print(digest_of_plugins().hex())"


class Site:
    """A folder of distributions, of which one has a strategy."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.write("near-0.1.dist-info/METADATA", "Metadata-Version: 2.1\nName: near\nVersion: 0.1\n")
        self.write("near-0.1.dist-info/entry_points.txt", "[inspector.strategies]\nnear = space.near.plans:NEAR\n")
        self.write("space/near/__init__.py", "raise SystemExit('imported')\n")
        self.write("space/near/plans.py", "NEAR = 1\n")

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def digest(self) -> str:
        done = subprocess.run(
            [sys.executable, "-c", f"import sys; sys.path.append(sys.argv[1]); {CODE}", str(self.folder)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.strip()


def test_everything_that_a_plugin_can_use_changes_the_digest(tmp_path: Path) -> None:
    site = Site(tmp_path)
    digests = [site.digest()]
    assert digests == [site.digest()] and digests[0]
    for name, text in (
        ("space/near/plans.py", "NEAR = 2\n"),
        ("space/near/words.txt", "keep"),
        ("helper-2.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: helper\nVersion: 2.0\n"),
        ("space/near/deep/part.py", "A = 1\n"),
        ("near-0.1.dist-info/entry_points.txt", "[inspector.strategies]\nnear = no_such_module:NEAR\n"),
    ):
        site.write(name, text)
        digests.append(site.digest())
    assert len(set(digests)) == len(digests)


def test_a_compiled_file_and_a_plugin_for_commands_do_not_change_the_digest(tmp_path: Path) -> None:
    site = Site(tmp_path)
    first = site.digest()
    site.write("space/near/__pycache__/plans.cpython-311.pyc", "compiled")
    assert site.digest() == first
    site.write("near-0.1.dist-info/entry_points.txt", "[inspector.commands]\nnear = space.near.plans:NEAR\n")
    assert site.digest() == ""


def test_an_entry_of_this_process_changes_the_digest_until_it_is_removed() -> None:
    before, rules = digest_of_plugins(), digest_of_rules()
    seen = {before}
    for _ in range(2):
        STRATEGIES.add("own", STRATEGIES["fifo"])
        try:
            seen.add(digest_of_plugins())
            assert digest_of_rules() != rules
        finally:
            STRATEGIES.remove("own")
    assert len(seen) == 3
    assert (digest_of_plugins(), digest_of_rules()) == (before, rules)
