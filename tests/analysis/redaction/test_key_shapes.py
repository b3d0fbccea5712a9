"""Shapes of keys that vendors publish: generated examples are redacted, and the data names its sources."""

from __future__ import annotations

import datetime
import string
import tomllib
from importlib.resources import files
from random import Random

import pytest

from inspector.analysis.redaction import Redactor
from inspector.analysis.redaction.likelihood import has_digit

HEX = "0123456789abcdef"
MIXED = string.ascii_letters + string.digits
CAPITALS = string.ascii_uppercase + string.digits
Part = str | tuple[str, int]
"""Literal text, or an alphabet and a length."""
SHAPES: tuple[tuple[Part, ...], ...] = (
    ("A3TX", (CAPITALS, 16)),
    ("glffct-", (MIXED, 20)),
    ("sk_prod_", (MIXED, 24)),
    ("pscale_oauth_", (MIXED, 40)),
    ("phs_", (MIXED, 46)),
    ("CCIPAT_", (MIXED, 22), "_", (HEX, 40)),
    ("CCIPRJ_", (MIXED, 22), "_", (HEX, 40)),
    ("apify_api_", (MIXED, 36)),
    ("sb_secret_", (MIXED, 31)),
    ("cfut_", (MIXED, 44)),
    ("LTAI", (MIXED, 20)),
    ("p8e-", (MIXED, 32)),
    ("4b1d", (MIXED, 38)),
    ("CLOJARS_", (HEX, 60)),
    ("EZAK", (MIXED, 54)),
    ("ico-", (MIXED, 32)),
    ("pnu_", (MIXED, 36)),
    ("sm_aat_", (MIXED, 16)),
    ("rdme_", (HEX, 70)),
    ("duffel_live_", (MIXED, 43)),
    ("fio-u-", (MIXED, 64)),
    ("fo1_", (MIXED, 43)),
    ("tk-us-", (MIXED, 48)),
    ("tfp_", (MIXED, 59)),
    ("FLWSECK_TEST-", (HEX[:10], 32), "-X"),
    ("GR1348941", (MIXED, 20)),
    ("sha256~", (MIXED, 43)),
    ("xkeysib-", (HEX, 64), "-", (MIXED, 16)),
    ("pul-", (HEX, 40)),
    ("shippo_live_", (HEX, 40)),
    ("sgp_", (HEX, 16), "_", (HEX, 40)),
    ("dt0c01.", (CAPITALS, 24), ".", (CAPITALS, 64)),
    ("pat.", (MIXED, 22), ".", (HEX, 24), ".", (MIXED, 20)),
    ("dnkey-", (MIXED, 26), "-", (MIXED, 52)),
    ("s-s4t2ud-", (HEX, 64)),
    ("v1.0-", (HEX, 24), "-", (HEX, 146)),
    ("pk.", (MIXED, 60), ".", (MIXED, 22)),
    ("access-sandbox-", (HEX, 8), "-", (HEX, 4), "-", (HEX, 4), "-", (HEX, 4), "-", (HEX, 12)),
    ("NRII-", (MIXED, 32)),
    ("A3-", (CAPITALS, 6), "-", (CAPITALS, 11), "-", (CAPITALS, 5), "-", (CAPITALS, 5), "-", (CAPITALS, 5)),
    ("API-", (CAPITALS, 26)),
    ((MIXED, 6), "_", (MIXED, 29), "_mmk"),
    ("EAAC", (MIXED, 150)),
    ("eyJrIjoi", (MIXED, 92)),
    ("AQVN", (MIXED, 36)),
    ("t1.", (MIXED, 120), ".", (MIXED, 86)),
)
HARMLESS = (
    "The tk-us-east-cluster and the pul-request-builder-for-the-release are documented in API-REFERENCE.md.",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 is the digest of the image.",
    "Open v1.0-rc1, then access-production-logs-of-the-gateway and pat.example.org/pk.html.",
    "class sm_pat_matcher_implementation: ...  # ico-generator-for-the-application-icon",
    "Commit 4b1d9f3c0a5e7d2b6c8f1a3e5d7b9c0f2a4e6d8b changed icons and rdme_generator_for_readme_files.",
)


def example(shape: tuple[Part, ...], random: Random) -> str:
    """Return random text in a shape, with a digit in each of its parts."""
    parts = [part if isinstance(part, str) else "7" + "".join(random.choices(part[0], k=part[1] - 1)) for part in shape]
    return "".join(parts)


def redacted(text: str) -> str:
    redactor = Redactor()
    redactor.collect(text)
    return str(redactor.value_of(text))


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: str(shape[0]))
def test_generated_keys_are_redacted_without_a_name_in_front(shape: tuple[Part, ...]) -> None:
    key = example(shape, Random(str(shape)))
    assert has_digit(key)
    for text in (f"It printed {key} and went on.", f'["{key}"]', f"{key}\nnext line"):
        assert key not in redacted(text)


@pytest.mark.parametrize("text", HARMLESS)
def test_names_that_begin_like_keys_are_unchanged(text: str) -> None:
    assert redacted(text) == text


def test_every_shape_names_its_source_and_a_date() -> None:
    text = files("inspector.analysis.redaction").joinpath("key_shapes.toml").read_text(encoding="utf-8")
    shapes = tomllib.loads(text)["shape"]
    assert len(shapes) > 50
    for shape in shapes:
        sources = [shape["source"]] if isinstance(shape["source"], str) else shape["source"]
        assert sources and all(source.startswith("https://") for source in sources)
        assert type(shape["date"]) is datetime.date
        assert shape["hints"] and all(hint == hint.lower() for hint in shape["hints"])
