"""What every format must do. Once one is registered and a file of it stands in `SAMPLES`, all of this runs on it."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.formats import FORMATS, UnreadableError, files_of, find, load, tail
from inspector.formats.format_entry import names_in
from inspector.formats.reading.content import Sample
from inspector.formats.reading.opening import open_content
from inspector.formats.recognition import format_of
from inspector.testing import check_format
from tests.drawn import JSON, RECORDS
from tests.formats.samples import ASK, OTHER_SAMPLES, REPLY, SAMPLES, write_sample

each_format = pytest.mark.parametrize("name", sorted(FORMATS))


each_format_of_lines = pytest.mark.parametrize("name", sorted(SAMPLES))


@pytest.fixture
def file(name: str, tmp_path: Path) -> Path:
    return write_sample(name, tmp_path)


def test_there_is_a_sample_of_every_format() -> None:
    assert set(SAMPLES) | set(OTHER_SAMPLES) == set(FORMATS)


@each_format
def test_a_format_passes_the_checks_that_are_shipped_for_plugins(name: str, file: Path) -> None:
    check_format(FORMATS[name], [file], rounds=10)
    assert format_of(open_content(file).sample) is FORMATS[name]


@each_format
def test_its_hints_let_it_be_as_confident_as_it_is(name: str, all_samples: list[Sample]) -> None:
    entry = FORMATS[name].entry
    for sample in all_samples:
        if sample.shape in entry.shapes:
            assert FORMATS[name].recognize(sample).confidence <= entry.ceiling(names_in(sample))


@pytest.fixture(scope="module")
def all_samples(tmp_path_factory: pytest.TempPathFactory) -> list[Sample]:
    return [open_content(write_sample(name, tmp_path_factory.mktemp("sample"))).sample for name in FORMATS]


@each_format
def test_its_files_are_read_whole_with_progress_to_the_end(name: str, file: Path) -> None:
    reports: list[tuple[int, int]] = []
    (session,) = load(file, lambda done, size: reports.append((done, size)))
    assert session.format == name
    assert {message.text for message in session if message.role == "user"} == {ASK["content"]}
    assert [message.text for message in session if message.role == "assistant"] == [REPLY]
    assert session.problems == () or name.startswith("unknown")
    if name in SAMPLES:
        assert reports[-1][0] == reports[-1][1] > 0


@each_format_of_lines
def test_a_broken_line_is_told_and_the_rest_is_read(name: str, file: Path) -> None:
    file.write_text(file.read_text() + '{"role": "user", "con\n')
    (session,) = load(file)
    assert {message.text for message in session if message.role == "user"} == {ASK["content"]}
    assert [problem.line for problem in session.problems] == [len(SAMPLES[name]) + 1]


@each_format
def test_a_file_is_found_and_read_with_what_belongs_to_it(name: str, file: Path) -> None:
    assert find(file.parent) == [file]
    assert files_of(file) == [file, *FORMATS[name].parts(file)]
    assert tail(file) is None, "a short file has no tail"


@each_format
@given(st.sampled_from(["value", "lines"]), st.lists(JSON | RECORDS, min_size=1, max_size=4))
def test_nothing_that_a_file_holds_makes_it_raise_anything_else(name: str, shape: str, records: list[Any]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "odd.json")
        lines = [json.dumps(record) for record in records]
        path.write_text("\n".join(lines) if shape == "lines" else f"[{','.join(lines)}]")
        try:
            content = open_content(path)
            confidence = FORMATS[name].recognize(content.sample).confidence
            assert confidence <= FORMATS[name].entry.ceiling(names_in(content.sample))
            sessions = FORMATS[name].read(content) if confidence else []
        except UnreadableError:
            return
        assert 0 <= confidence <= 1
        assert all(message.text is not None for session in sessions for message in session)
