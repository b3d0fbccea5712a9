"""An environment of the benchmark's own, with the peers and this checkout in it, and tokens that need no network."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha1
from importlib.metadata import distributions
from pathlib import Path
from tempfile import TemporaryFile

from inspector.llm.models.encodings import RECIPES, read_table
from tests.benchmarks.peers_others import PACKAGES
from tests.places import ROOT

FOLDER = ROOT / "build" / "peers-venv"
PUBLISHED = "https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"
"""Where tiktoken looks for a table; it takes one from its cache under the hash of that address."""


class Environment:
    """A virtual environment in a folder, made when it is not there or lacks something."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self.folder = folder
        self.python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
        self.ranks = folder / "ranks"
        self.counts = folder / "counts"

    def ready(self) -> None:
        """Make it, from the package registry. Leaves the program with what pip says when it cannot."""
        stamp = self.folder / "made-of.txt"
        wanted = "\n".join((sys.version, str(ROOT), *PACKAGES, (ROOT / "pyproject.toml").read_text(encoding="utf-8")))
        if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
            print(f"making {self.folder} (a minute)", file=sys.stderr)
            subprocess.run([sys.executable, "-m", "venv", str(self.folder)], check=True)
            pip = [str(self.python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            done = subprocess.run([*pip, *PACKAGES, "--editable", str(ROOT)], cwd=ROOT, capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"The peers could not be installed; pip says:\n{done.stderr.strip()}")
            self.write_ranks()
            self.counts.mkdir(exist_ok=True)
            stamp.write_text(wanted, encoding="utf-8")

    def write_ranks(self) -> None:
        """The tables that ship with Inspector, where tiktoken finds them without asking the network."""
        self.ranks.mkdir(exist_ok=True)
        for name in RECIPES:
            key = sha1(PUBLISHED.format(name=name).encode()).hexdigest()
            (self.ranks / key).write_bytes(read_table(name))

    def run(self, *arguments: str) -> Iterator[str]:
        """The lines that a module of this checkout prints in the environment, as they come.

        Raises CalledProcessError behind the last one where it fails.
        """
        quiet = {"TIKTOKEN_CACHE_DIR": str(self.ranks), "PYTHONWARNINGS": "ignore", "OTEL_SDK_DISABLED": "true"}
        command = [str(self.python), "-m", *arguments]
        with TemporaryFile("w+") as errors:
            with subprocess.Popen(
                command, cwd=ROOT, env=os.environ | quiet, stdout=subprocess.PIPE, stderr=errors, text=True
            ) as program:
                assert program.stdout is not None
                yield from program.stdout
            if program.returncode:
                errors.seek(0)
                raise subprocess.CalledProcessError(program.returncode, command, stderr=errors.read())

    def versions(self) -> dict[str, str]:
        """The versions of the peers that were measured."""
        found = json.loads("".join(self.run("tests.benchmarks.peers_environment")))
        names = [package.partition("[")[0] for package in PACKAGES]
        return {name: found[name] for name in names if name in found}


if __name__ == "__main__":
    print(json.dumps({each.name.lower().replace("_", "-"): each.version for each in distributions()}))
