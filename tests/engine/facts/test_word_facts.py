"""What single words tell."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st

from inspector.engine.facts.vocabulary import VOCABULARY, _lines_with, entries, words_of
from inspector.engine.facts.word_facts import (
    MAX_WORD_LENGTH,
    NOWHERE,
    _any_of,
    _mixed,
    _without_digits,
    find_facts,
    read_word,
)


def told(word: str) -> list[tuple[str, str]]:
    return [found.key for found in read_word(word) if found.sure != NOWHERE]


@pytest.mark.parametrize(
    ("word", "path"),
    [
        ("src/load.py", "src/load.py"),
        ("./src/load.py:88:12", "src/load.py"),
        ("docs/board-feed.md.", "docs/board-feed.md"),
        ("/home/gate/tidegate", "/home/gate/tidegate"),
        ("~/notes.txt,", "~/notes.txt"),
        ("../board.csv", "../board.csv"),
        ("logs/", "logs"),
        (".github/workflows", ".github/workflows"),
        ("pyproject.toml", "pyproject.toml"),
        ("C:\\Users\\ann\\plan.docx", "C:/Users/ann/plan.docx"),
        ("b/tests/helpers.py", "tests/helpers.py"),
        ("file=data/a.csv", "data/a.csv"),
        ("tests/helpers.py:5:from", "tests/helpers.py"),
        ("tests/helpers.py-104-", "tests/helpers.py"),
    ],
)
def test_paths(word: str, path: str) -> None:
    assert ("path", path) in told(word)


@pytest.mark.parametrize(
    "word",
    ["and/or", "m/s", "/8", "text/plain", "Europe/Vienna", "1/2", "e.g.", "...", "/", "w/o", "km/h", "/clear"],
)
def test_what_is_no_path(word: str) -> None:
    assert told(word) == []


@pytest.mark.parametrize(
    ("word", "url"),
    [
        ("https://Example.org/a?b=1,", "https://example.org/a?b=1"),
        ("HTTP://example.org/", "http://example.org"),
        ("url=https://example.org/x", "https://example.org/x"),
        ("example.org/council/2026-01-20", "example.org/council/2026-01-20"),
    ],
)
def test_addresses(word: str, url: str) -> None:
    assert told(word) == [("url", url)]


def test_an_address_without_its_scheme_is_the_same_address() -> None:
    (short,), (long,) = read_word("example.org/council"), read_word("https://example.org/council")
    assert long.terms[0] in short.terms


@pytest.mark.parametrize(
    ("word", "id"),
    [
        ("a9e1418", "a9e1418"),
        ("91f3ba6f2feadc10afaee662bbf077962c944b00", "91f3ba6f2feadc10afaee662bbf077962c944b00"),
        ("67f9ce42-a4a2-4294-a310-4399ed4ce5c9", "67f9ce42-a4a2-4294-a310-4399ed4ce5c9"),
        ("HR-204417.", "HR-204417"),
        ("VES-2-BR/GHENT", "VES-2-BR/GHENT"),
        ("0055-1877-3104", "0055-1877-3104"),
        ("toolu_01HxH6CzvJ3pV5", "toolu_01HxH6CzvJ3pV5"),
        ("mia_kim_4397", "mia_kim_4397"),
        ("192.168.0.1", "192.168.0.1"),
        ("agent-a4e19c7", "agent-a4e19c7"),
    ],
)
def test_ids(word: str, id: str) -> None:
    assert told(word) == [("id", id)]


@pytest.mark.parametrize("word", ["deadbeef", "utf-8", "SHA-256", "bg-blue-500", "2019-20", "x86-64", "a1", "per_1000"])
def test_what_is_no_id(word: str) -> None:
    assert not [text for cls, text in told(word) if cls == "id"]


@pytest.mark.parametrize(
    ("word", "date"),
    [
        ("2026-03-29", "2026-03-29"),
        ("2026/3/9", "2026-03-09"),
        ("29.03.2026", "2026-03-29"),
        ("03/29/2026", "2026-03-29"),
        ("2026-03-29T00:59:08Z", "2026-03-29 00:59:08"),
        ("1805:2026-03-29T00:59:08+01:00", "2026-03-29 00:59:08"),
        ("02:42", "02:42"),
        ("9:05", "09:05"),
        ("00:59:08Z", "00:59:08"),
        ("2028-11", "2028-11"),
    ],
)
def test_days_and_times(word: str, date: str) -> None:
    assert told(word) == [("date", date)]


@pytest.mark.parametrize("word", ["2026-13-45", "25:00", "1:2", "99.99.2026", "16:9"])
def test_what_is_no_day_and_no_time(word: str) -> None:
    assert not [text for cls, text in told(word) if cls == "date"]


def test_a_moment_also_tells_its_day_and_its_time() -> None:
    (moment,) = read_word("2026-03-29T00:59:08Z")
    for part in ("2026-03-29", "00:59:08", "00:59"):
        assert read_word(part)[0].terms[0] in moment.terms


@pytest.mark.parametrize(
    ("word", "number"),
    [
        ("level=+179", "level = 179"),
        ("oil=20.8C", "oil = 20.8 C"),
        ("sill=-250,", "sill = -250"),
        ("failures=1", "failures = 1"),
        ("0.4.3", "0.4.3"),
        ("v1.2.3-rc1", "1.2.3-rc1"),
        ("132s", "132 s"),
        ("25%", "25 %"),
    ],
)
def test_numbers_in_one_word(word: str, number: str) -> None:
    assert told(word) == [("number", number)]


@pytest.mark.parametrize("word", ["3845", "1,489,780", "42.53", "-0.125", "+5.9"])
def test_a_bare_number_is_no_fact_by_itself(word: str) -> None:
    assert told(word) == []


def test_separators_do_not_make_another_number() -> None:
    (plain,), (parted,) = read_word("1489780"), read_word("1,489,780")
    assert plain.terms == parted.terms


def test_mail_addresses() -> None:
    assert told("Office@Westerhaven.example.org,") == [("email", "office@westerhaven.example.org")]
    assert told("user@host") == []


@pytest.mark.parametrize(
    "word", ["day_clock", "ZoneInfo", "__version__", "Window.minutes", "MAX_ROWS", "getStagedFiles"]
)
def test_names_as_only_code_has_them(word: str) -> None:
    assert told(word) == [("symbol", word)]


@pytest.mark.parametrize("word", ["window", "Window", "JavaScript", "GitHub", "HARBOUR", "U.S.A.", "_a", "it's"])
def test_ordinary_words_are_no_names(word: str) -> None:
    assert told(word) == []


def test_the_fields_of_a_row_are_told_one_by_one() -> None:
    assert told("2026-03-29T00:50:00Z,54,ok") == [("date", "2026-03-29 00:50:00")]


@pytest.mark.parametrize("piece", ["x1", "/", "1,", "a.", "=1", "-9", "A1-", "https://a"])
def test_a_word_without_end_is_passed_over_and_not_kept(piece: str) -> None:
    word = piece * 100_000
    assert not [
        each for each in read_word.__wrapped__(word) if len(each.key[1]) > 2 * MAX_WORD_LENGTH and "://" not in word
    ]
    entries(word)
    assert word not in VOCABULARY


@given(st.text(st.characters(codec="utf-8"), max_size=60))
def test_words_are_what_separators_leave(text: str) -> None:
    assert words_of(text) == re.findall(r"""[^\s"'`<>(){}\[\]|;*“”‘’«»→…]+""", text)


@given(st.lists(st.text("mustneverfail.,_/0123 errorE", max_size=12)))
def test_a_word_tells_the_same_whenever_it_is_met(words: list[str]) -> None:
    def told() -> list[object]:
        found, stems = entries(" ".join(words))
        return [[(each.terms, each.needs, each.said) for each in found if each.terms], sorted(stems)]

    VOCABULARY.clear()
    first = told()
    assert told() == first


@given(st.text(st.characters(codec="utf-8"), max_size=40))
def test_any_word_can_be_read(text: str) -> None:
    for word in words_of(text):
        for found in read_word(word):
            assert found.key[1] and found.terms and all(found.terms)


@given(st.text("0123456789.,:-/=+aAzZ_@%€$", max_size=24))
def test_signs_in_any_order_can_be_read(word: str) -> None:
    assert read_word(word) == read_word.__wrapped__(word)


@given(st.from_regex(r"[A-Za-z_][A-Za-z_0-9]{0,24}", fullmatch=True))
def test_an_identifier_tells_what_it_would_tell_if_every_pattern_were_tried(word: str) -> None:
    assert _mixed(word) == (_any_of(word) if any(map(str.isdecimal, word)) else _without_digits(word))


@given(st.lists(st.text("mustMUSTİé", max_size=6)), st.sampled_from(["must", "us", "t"]))
def test_lines_that_hold_a_stem_are_those_whose_small_letters_do(lines: list[str], stem: str) -> None:
    low = "\n".join(lines).lower()
    assert list(_lines_with(stem, low, lines)) == [line for line in lines if stem in line.lower()]


@pytest.mark.parametrize(
    "word",
    [
        *("#A855F7", "#c15f3c;", "#646cffaa", "#333", "#fff"),
        *("GPT-5", "gpt-4o-mini", "claude-sonnet-4-5", "gemini-2.5-pro"),
        *("0.0.0.0", "127.0.0.1", "offset=907", "i=1"),
    ],
)
def test_a_colour_a_model_and_a_position_are_no_facts(word: str) -> None:
    assert not told(word)


def test_a_constant_is_a_name_even_with_digits() -> None:
    [fact] = find_facts("TIDE_GAUGE_20B_MODEL_ID")
    assert fact.key == ("symbol", "TIDE_GAUGE_20B_MODEL_ID")
    assert [fact.key[0] for fact in find_facts("ORDER_20417")] == ["id"]
    assert [fact.key for fact in find_facts("#3417")] == [("id", "3417")]
