"""Rules of two files that say the same in other words, and rules under headings that narrow nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.analysis.memory_audit import AuditFinding, audit_memories
from tests.analysis.memory_audit.test_memory_audit import project


def findings(folder: Path, kind: str, one: str, other: str) -> list[AuditFinding]:
    audit = audit_memories(project(folder, {"CLAUDE.md": one, "AGENTS.md": other}))
    return [finding for finding in audit.findings if finding.kind == kind]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Every painted lamp has a paper label.", "Write a paper label for each lamp that is painted."),
        ("New lamps need my approval.", "Do not add lamps without asking."),
        ("Never edit lamps in `yard/` by hand.", "Lamps in `yard/`: do not change them manually."),
        (
            "Use the `Lamp` of `shop/` instead of a plain `<lamp>`.",
            "Never write a raw `<lamp>`: take `Lamp` from `shop/`.",
        ),
        ("Stop and ask when a sale would break lamps.", "If a sale breaks lamps, stop and ask."),
        ("Keep lamp rooms free of paper bags.", "Lamp rooms must not have paper bags."),
        ("Keep lamp labels short: at most 40 words.", "Lamp labels should not be longer than 40 words."),
    ],
)
def test_rules_of_two_programs_that_say_the_same_are_one_finding_without_a_patch(
    one: str, other: str, tmp_path: Path
) -> None:
    (finding,) = findings(tmp_path, "duplicate", f"- {one}\n- Be kind.\n", f"- Sell lamps.\n- {other}\n")
    assert sorted(finding.items) == ["AGENTS.md:2", "CLAUDE.md:1"] and "in other words" in finding.evidence
    assert not finding.patch


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Keys in lamp responses are camelCase.", "Lamp responses use snake_case keys."),
        ("Paint lamps twice before each sale.", "Paint lamps three times before each sale."),
        ("Never skip paper labels with `glow`.", "Use `glow` for lamps to skip paper labels."),
        ("Never edit painted lamps in `yard/`.", "Edit painted lamps in `yard/`."),
        ("Delete old lamps after the sale.", "Sell old lamps after the party."),
        ("Labels are optional for small lamps.", "Every lamp needs a label, small lamps included."),
    ],
)
def test_rules_that_differ_in_a_value_or_in_what_they_want_are_no_duplicates(
    one: str, other: str, tmp_path: Path
) -> None:
    assert not findings(tmp_path, "duplicate", f"- {one}\n", f"- {other}\n")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Run `npm test` before you push.", "Before pushing, run `pnpm test`."),
        ("Install packages with `yarn add`.", "We use pnpm to add packages."),
        ("Set up the environment with `pip install lamp`.", "Install with `uv sync`; never call pip."),
        ("Add a label to every lamp.", "Write no labels: lamps speak for themselves."),
        ("Never use `glow()`.", "Feel free to call `glow()` where it is safe."),
        ("Labels are optional.", "Every lamp has a label."),
        ("Log in JSON.", "Logs are plain text."),
        ("Never push to `main` directly.", "Small lamps go straight to `main`."),
        ("Keep lamps out of the repository.", "Commit lamps with each sale."),
        ("Delete lamps that are no longer used.", "Do not remove unused lamps."),
        ("Log with `print()`.", "All output goes through `structlog`."),
    ],
)
def test_a_contradiction_is_found_below_the_heading_of_the_only_language(one: str, other: str, tmp_path: Path) -> None:
    assert len(findings(tmp_path, "contradiction", f"# Shop\n\n## Rust\n\n- {one}\n", f"# Guide\n\n- {other}\n")) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Link, don't name a file.", "Name lamps for what they mean."),
        ('Sign labels: no "Made with".', "Send labels with the made lamps."),
        ("Install uv: `pip install uv`", "Install packages: `uv pip install lamp`"),
        ("Format: `uv run ruff format lamps`", "Formatting: Ruff with Black conventions"),
        ("Make changes and add tests.", "Run the full test suite after updates."),
        ("Never run lamps manually: use `make lamp`.", "Run lamps with `make lamp`, not by hand."),
        ("Do not touch made lamps in `yard/`.", "The lamps in `yard/` are made and must not be modified."),
        ("Avoid `glow()` in hot lamps.", "Use `glow()` in tests."),
    ],
)
def test_rules_that_only_look_alike_are_no_contradiction(one: str, other: str, tmp_path: Path) -> None:
    assert not findings(tmp_path, "contradiction", f"- {one}\n", f"- {other}\n")


def test_a_heading_of_one_of_two_languages_narrows_a_rule(tmp_path: Path) -> None:
    one = "# Shop\n\n## Rust\n\n- Use tabs for indentation.\n\n## Python\n\n- Lamps are green.\n"
    assert not findings(tmp_path, "contradiction", one, "# Guide\n\n- Indent with two spaces.\n")


def test_rules_of_one_file_under_two_headings_that_say_the_same_are_duplicates(tmp_path: Path) -> None:
    rules = "# Shop\n\n## Yard\n\n1. Every painted lamp has a paper label.\n2. Warnings count as errors.\n\n"
    more = "## Sales\n\n- Write a paper label for each lamp that is painted.\n- Warnings count as errors.\n"
    audit = audit_memories(project(tmp_path, {"CLAUDE.md": rules + more}))
    places = [finding.items for finding in audit.findings if finding.kind == "duplicate"]
    assert sorted(places, key=str) == [["CLAUDE.md:5", "CLAUDE.md:10"], ["CLAUDE.md:6", "CLAUDE.md:11"]]
