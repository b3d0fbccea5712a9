"""Rules that contradict each other by the tools, commands, numbers and duties that they name, however they say it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.analysis.memory_audit.test_memory_audit import audited, values


def _contradictions(text: str, folder: Path) -> list[str]:
    return values(audited(folder, text), "contradiction")


def _rules(*rules: str) -> str:
    return "# Shop\n\n" + "\n- Be kind.\n".join(f"- {rule}" for rule in rules) + "\n"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Lombok is banned.", "Put `@Builder` on each order."),
        ("pandas was dropped; tables are Polars.", "Return the lamps as `pd.DataFrame`."),
        ("Lamp state lives in Zustand, a store for each shop.", "The cart is a slice of Redux Toolkit."),
        ("Coroutines are legacy.", "Fade lamps with `StartCoroutine(Fade())`."),
        ("Never run `lamp sell` from a laptop.", "From your workstation: `lamp sell --all`."),
        ("No `glow()` outside of shops.", 'In the yard `.glow("red")` is nicer than a label.'),
        ("`!!` is off-limits.", "Take the price with `lamp.price!!` in the checkout."),
        ("Lines go up to 100 characters.", "The printer wraps at 80 columns, so break lines there."),
        ("A function that grows past 30 lines is split.", "Up to sixty lines in a function are normal."),
        ("PRs stay under 400 changed lines.", "One pull request for each lamp, whatever its size."),
        ("A pull request needs one approval.", "Two people have to approve before anything is merged."),
        ("Labels are mandatory.", "Labelling is optional for everything that we sell."),
    ],
)
def test_rules_about_one_thing_contradict_in_other_words(one: str, other: str, tmp_path: Path) -> None:
    assert len(_contradictions(_rules(one, other), tmp_path)) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Coroutines are not used in new code.", "The old lamp fades with `StartCoroutine(Fade())` until it is sold."),
        ("Use Zustand in the shop.", "Use Redux Toolkit in the yard."),
        ("Use pnpm to install.", "Lamps go out through `npm publish`."),
        ("No `glow()` outside of shops.", "In shops `glow()` is fine."),
        ("Code that isn't sorted with `lamp sort` must not be sold.", "Run `lamp sort` before each sale."),
        ("Use `lamp.sell()` instead of `lamp.give()`.", "`lamp.sell()`, not `lamp.give()`."),
        ("A function that grows past forty lines is split.", "Up to 40 lines in a function are normal."),
        ("The lamp timeout is 5 s.", "The deadline of a sale is 30 s."),
        ("Branch coverage is at least 60%.", "Line coverage is at least 80%."),
        ("Paint lamps without asking.", "Ask before you delete lamps."),
    ],
)
def test_rules_about_two_cases_do_not_contradict(one: str, other: str, tmp_path: Path) -> None:
    assert _contradictions(_rules(one, other), tmp_path) == []


def test_lines_of_code_and_tables_are_compared_with_rules(tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "table").mkdir()
    code = "# Shop\n\n- Never run `lamp sell`.\n\n```sh\nlamp paint\nlamp sell --all  # each evening\n```\n"
    table = "# Shop\n\n| rule |\n|---|\n| Lombok is banned |\n\nPut `@Data` on orders.\n"
    assert _contradictions(code, tmp_path / "code") == ["lamp sell / not lamp sell"]
    assert _contradictions(table, tmp_path / "table") == ["lombok / not lombok"]
