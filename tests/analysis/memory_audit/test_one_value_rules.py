"""Rules that differ in one value, and rules of several things."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.analysis.memory_audit.test_memory_audit import audited, values


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Publish the site with Hugo.", "Publish the site with Zola."),
        ("Lamps live in `shop/lamps`.", "Lamps live in `store/items`."),
        ("Lamps go into `shop/lamps`, one folder per lamp.", "Put new lamps under `store/items`."),
        ("Alarms go to Beacon.", "Send alarms to Siren."),
        ("Lamp jobs run on Beacon.", "Use Solid Siren for lamp jobs."),
        ("Put lamp prices into shop objects in `app/shops`.", "Lamp prices belong in the models."),
        ("Functional components only.", "Lamp screens are class components."),
        ("Use pandas for data frames.", "New code uses polars instead of pandas."),
        ("The minimum Go version is 1.22.", "The code must compile with Go 1.20."),
        ("Install packages with `pnpm install`.", "Run `npm ci` before you start."),
        ("Labels have at most 40 words.", "Labels must not be longer than 60 words."),
        ("Use `async def` for all lamp makers.", "Lamp makers are synchronous functions."),
        ("Tokens are signed with rsa.", "Tokens are signed with ed25519."),
        ("Use protobuf for messages.", "Use msgpack for messages."),
        ("Carts expire after 20 minutes.", "Carts expire after 2 days."),
        ("Merging needs one approval.", "Merging needs three approvals."),
        ("Column names are singular.", "Column names are plural."),
        ("Use records instead of classes.", "Prefer classes over records."),
        ("Snapshots are committed.", "Snapshots are not committed."),
        ("Kim's mentor is Ruth.", "Kim's mentor is Emil."),
        ("Name tables `lamp_x`.", "Name tables `x_lamp`."),
        ("Never push to main.", "Push to main after each task."),
        ("Use `lampfmt` for formatting.", "Do not use `lampfmt`."),
        ("Use `paint` — not `dye`.", "Use `dye` instead of `paint`."),
        ("**Icons**: Lamp Set.", "**Icons**: Shop Set."),
        ("Indexing: always use `a/` for lamps.", "Indexing: always use `b/` for lamps."),
        ("Use `a::Lamp` for lamps.", "Use `b::Lamp` for lamps."),
        ("**Never delete old lamps**", "Delete old lamps after each sale."),
        ("2-space indentation — no tabs", "Indent with tabs."),
    ],
)
def test_rules_that_differ_in_one_value_contradict(one: str, other: str, tmp_path: Path) -> None:
    assert len(values(audited(tmp_path, f"# Rules\n\n- {one}\n- Be brief.\n- {other}\n"), "contradiction")) == 1


@pytest.mark.parametrize(
    "rules",
    [
        "- Test with Firefox.\n- Test with Chrome.",
        "- The lamp runs on Linux.\n- The lamp runs on port 8000.",
        "- Publish with care.\n- Publish with `make site`.",
        "- Use `Card` for panels.\n- Use `Badge` for states.",
        "- Install with brew on macOS.\n- Install with apt on Linux.",
        "- [ ] Move the lamp to Graz\n- [ ] Move the lamp to Oslo",
        "1. Wait for 5 seconds.\n2. Wait for 9 seconds.",
        "- `depth`: a number. Default: 2\n- `width`: a number. Default: 80",
        "- If `a` is not set, the lamp is on.\n- If `a` is set, the lamp is on.",
        "- **merging lamps** → Read `a.md`. Use squash.\n- **moving lamps** → Read `b.md`. Use rebase.",
        "- Limits are 30 per minute for lamps.\n- Limits are 20 per minute for shades.",
        "- **File:** `a.md`\n- **File:** `b.md`",
        "- Send reports to Beacon.\n- Save reports in `out/`.",
        "- Send alarms to Beacon.\n- Read alarms from Siren.",
        "\n## Shop\n\n- Listens on port 80.\n\n## Store\n\n- Listens on port 90.",
    ],
)
def test_rules_of_several_things_do_not_contradict_in_one_value(rules: str, tmp_path: Path) -> None:
    assert values(audited(tmp_path, f"# Rules\n\n{rules}\n"), "contradiction") == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Always use `is lamp` instead of `== lamp`.", "Use `== lamp` instead of `is lamp`."),
        ("adding a new lamp to Git rooms needs a test", "adding a new lamp to GitHub rooms needs a test"),
    ],
)
def test_rules_with_another_choice_or_name_are_no_duplicates(one: str, other: str, tmp_path: Path) -> None:
    assert values(audited(tmp_path, f"# Rules\n\n- {one}\n- {other}\n"), "duplicate") == []


def test_a_number_that_names_a_thing_is_no_value(tmp_path: Path) -> None:
    rules = "# Rules\n\n- Paint the lamp of room 3 green.\n- Be brief.\n- Paint the lamp of room 4 green.\n"
    assert not values(audited(tmp_path, rules), "contradiction")
