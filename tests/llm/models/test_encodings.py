"""The encodings are OpenAI's own, come from the package, and say clearly when their tables are damaged."""

from __future__ import annotations

import gzip
import hashlib
import importlib
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from inspector.llm.models import encodings
from inspector.llm.models.encodings import RANKS, RECIPES, EncodingName, TableError, load_encoding, read_table

NAMES: tuple[EncodingName, ...] = ("o200k_base", "cl100k_base")

PUBLISHED = [
    ("cl100k_base", "tiktoken is great!", [83, 1609, 5963, 374, 2294, 0]),
    ("cl100k_base", "antidisestablishmentarianism", [519, 85342, 34500, 479, 8997, 2191]),
    ("o200k_base", "antidisestablishmentarianism", [493, 129901, 376, 160388, 21203, 2367]),
    ("cl100k_base", "2 + 2 = 4", [17, 489, 220, 17, 284, 220, 19]),
    ("o200k_base", "2 + 2 = 4", [17, 659, 220, 17, 314, 220, 19]),
    ("cl100k_base", "お誕生日おめでとう", [33334, 45918, 243, 21990, 9080, 33334, 62004, 16556, 78699]),
    ("o200k_base", "お誕生日おめでとう", [8930, 9697, 243, 128225, 8930, 17693, 4344, 48669]),
]
"""Tokens as OpenAI published them."""


@pytest.mark.parametrize(("name", "text", "tokens"), PUBLISHED)
def test_texts_encode_as_published(name: EncodingName, text: str, tokens: list[int]) -> None:
    assert load_encoding(name).encode_ordinary(text) == tokens


@pytest.mark.parametrize("name", NAMES)
def test_the_recipe_is_the_one_that_tiktoken_carries(name: EncodingName, monkeypatch: pytest.MonkeyPatch) -> None:
    requests: dict[str, str] = {}

    def no_download(_: str, expected_hash: str) -> dict[bytes, int]:
        requests["sha256"] = expected_hash
        return {}

    openai_public = importlib.import_module("tiktoken_ext.openai_public")
    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", no_download)
    theirs = getattr(openai_public, name)()
    assert RECIPES[name].pattern == theirs["pat_str"]
    assert RECIPES[name].sha256 == requests["sha256"]


@pytest.mark.parametrize("name", NAMES)
def test_ranks_count_up_from_zero(name: EncodingName) -> None:
    ranks = [int(line.split()[1]) for line in read_table(name).splitlines()]
    assert ranks == list(range(len(ranks)))


@pytest.mark.parametrize("name", NAMES)
def test_the_note_on_the_source_tells_the_sums_of_the_files(name: EncodingName) -> None:
    packed = (RANKS / f"{name}.tiktoken.gz").read_bytes()
    note = (RANKS / "SOURCE.md").read_text()
    assert hashlib.sha256(packed).hexdigest() in note
    assert hashlib.sha256(gzip.decompress(packed)).hexdigest() in note


def test_an_encoding_is_built_once_for_all_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encodings, "_ENCODINGS", {})
    result: list[object] = []
    threads = [threading.Thread(target=lambda: result.append(load_encoding("cl100k_base"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(result) == 4
    assert len(set(map(id, result))) == 1


def test_a_table_with_other_tokens_is_refused(tmp_path: Path) -> None:
    (tmp_path / "cl100k_base.tiktoken.gz").write_bytes(gzip.compress(b"IQ== 0\n"))
    with pytest.raises(TableError, match=r"cl100k_base\.tiktoken\.gz is damaged .* Reinstall Inspector"):
        read_table("cl100k_base", tmp_path)


def test_a_table_that_was_cut_off_is_refused(tmp_path: Path) -> None:
    whole = (RANKS / "cl100k_base.tiktoken.gz").read_bytes()
    (tmp_path / "cl100k_base.tiktoken.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(TableError, match="Cannot read"):
        read_table("cl100k_base", tmp_path)


def test_a_table_with_a_flipped_byte_is_refused(tmp_path: Path) -> None:
    copy = tmp_path / "cl100k_base.tiktoken.gz"
    shutil.copy(RANKS / copy.name, copy)
    content = bytearray(copy.read_bytes())
    content[len(content) // 2] ^= 0xFF
    copy.write_bytes(content)
    with pytest.raises(TableError):
        read_table("cl100k_base", tmp_path)


def test_a_missing_table_is_told(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="Cannot read"):
        read_table("o200k_base", tmp_path)


def test_importing_the_package_loads_no_tokenizer() -> None:
    code = """
import sys
from inspector.llm.models import encodings, profiles
from inspector.llm.tokens import calibration, counting, session_counting, sizes
heavy = {"tiktoken", "regex", "requests", "numpy", "textual", "click", "sqlite_utils"} & set(sys.modules)
assert not heavy, heavy
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
