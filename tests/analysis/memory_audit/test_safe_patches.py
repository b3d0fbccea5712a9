"""Patches of an audit lose nothing but what is dead or said twice, apply where git reads them, and show no secret."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from inspector.analysis.memory_audit import MemoryAudit, audit_memories
from inspector.core.text import dumps

TOKEN = "ghp_" + "9aZ3kQ7xW2mB5vN8cD1fG4hJ6lP0sR" + "tYuIo2"
SECRETS = (
    TOKEN,
    "sk_live_" + "83HdnWqPzL02mKsoXvBtRcYe",
    "AKIA" + "2JQWERTY7UIOPASD",
    "xoxb-" + "283746152-918273645-KsjdHqwPzmXnCbv",
)


def audited(folder: Path, rules: str, **files: str) -> MemoryAudit:
    for name, text in {"CLAUDE.md": rules, **files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return audit_memories(folder).narrowed((), 0)


@pytest.mark.parametrize(
    "line",
    [
        "- See `docs/tides.md` for the table of tides.",
        "- `docs/tides.md`: the table of tides",
        "- Also read [the tides](docs/tides.md).",
        "Follow `docs/tides.md` when you name a gate.",
        "- Run `pytest docs/tides.py -q`.",
        "`docs/tides.md` lists the tides of a year.",
    ],
)
def test_a_line_that_says_nothing_without_a_dead_path_is_removed(line: str, tmp_path: Path) -> None:
    audit = audited(tmp_path, f"# Gate\n\n- Be brief.\n\n{line}\n")
    assert audit.patch().count("\n-") == 1 and f"\n-{line}\n" in audit.patch()


@pytest.mark.parametrize(
    "lines",
    [
        "- Tides are in `docs/tides.md`; a gate closes at 40 cm.",
        "- See `docs/tides.md`. A gate closes at 40 cm.",
        "- Never edit `docs/tides.md` by hand.",
        "- Before a release, compare `docs/tides.md` with `README.md`.",
        "- See `docs/tides.md` for the tides\n  and for the height at which a gate closes.",
        "- See `docs/tides.md`:\n  - a gate closes at 40 cm",
        "| `docs/tides.md` | a gate closes at 40 cm |",
    ],
)
def test_a_line_that_says_more_is_left_to_the_user(lines: str, tmp_path: Path) -> None:
    audit = audited(tmp_path, f"# Gate\n\n- Be brief.\n\n{lines}\n", **{"README.md": ""})
    (finding,) = [row for row in audit.findings if row.kind == "dead_reference"]
    assert audit.patch() == finding.patch == "" and finding.evidence.endswith("edit it yourself.")


def test_a_path_that_is_named_in_many_lines_is_one_finding_with_all_edits(tmp_path: Path) -> None:
    rules = "- See `docs/tides.md`.\n- Be brief.\n- Read `docs/tides.md` too.\n- Never edit `docs/tides.md`.\n"
    (finding,) = audited(tmp_path, rules).findings
    assert finding.items == ["CLAUDE.md:1", "CLAUDE.md:3", "CLAUDE.md:4"]
    assert "in 2 more lines" in finding.evidence and finding.patch.count("\n-") == 2


def test_either_of_two_undated_rules_may_be_right(tmp_path: Path) -> None:
    (finding,) = audited(tmp_path, "- Indent with tabs.\n- Indent with spaces.\n").findings
    assert (finding.kind, finding.patch) == ("contradiction", "") and finding.evidence.endswith("choose one.")


def test_only_a_duplicate_that_says_nothing_more_is_removed(tmp_path: Path) -> None:
    short = "- Run the tests of the gate before each release of the firmware."
    more = "- Please run all the tests of the gate before each release of the firmware."
    audit = audited(tmp_path, f"{short}\n{more}\n")
    assert [row.kind for row in audit.findings] == ["duplicate"] and f"\n-{short}\n" in audit.patch()


def test_what_is_never_loaded_is_not_deleted(tmp_path: Path) -> None:
    rule = '---\npaths: ["cmd/**/*.go"]\n---\n- Use tabs.\n'
    audit = audited(tmp_path, "- Be brief.\n", **{".claude/rules/go.md": rule})
    assert [row.kind for row in audit.findings] == ["not_loaded"] and audit.patch() == ""


def test_git_applies_the_patch_of_a_folder_in_the_folder_and_at_the_root(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    files = {"web/CLAUDE.md": "- See `web/tides.ts`.\n- Be brief.", "CLAUDE.md": "- Be kind.\n- See `lib/gate.ts`.\n"}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    patch = audit_memories(tmp_path / "web").narrowed((), 0).patch()
    for folder in (tmp_path / "web", tmp_path):
        command = ["git", "apply", "--check", "-"]
        subprocess.run(command, cwd=folder, input=patch, text=True, check=True)
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=patch, text=True, check=True)
    assert (tmp_path / "web/CLAUDE.md").read_text() == "- Be brief."


@pytest.mark.parametrize("secret", SECRETS)
def test_no_finding_shows_a_secret(secret: str, tmp_path: Path) -> None:
    rule = f"- Use the token {secret} for the archive of tides, and tabs for indentation."
    rules = (
        f"# Gate\n\n{rule}\n- See `docs/tides.md`.\n{rule}\n- Indent with spaces.\n"
        f"- The token {secret} is described in `docs/{secret}/tides.md`.\n\n"
        f"```sh\nexport TOKEN={secret}\nmake gone\n```\n"
    )
    audit = audited(tmp_path, rules, Makefile="all:\n")
    assert {"dead_reference", "duplicate", "leak"} <= {row.kind for row in audit.findings}
    assert "CLAUDE.md:10" in [place for row in audit.findings if row.kind == "leak" for place in row.items]
    shown = json.dumps([*map(dumps, (audit.findings, audit.patch()))])
    for length in range(9, len(secret) + 1):
        assert secret[:length] not in shown, shown


def test_a_secret_is_hidden_where_a_text_is_cut_in_it(tmp_path: Path) -> None:
    for width in range(40, 110, 3):
        rule = f"- {'Tides come twice a day. ' * 5}"[:width] + f" {TOKEN} is of the archive.\n"
        audit = audited(tmp_path, rule * 2)
        assert TOKEN[:7] not in dumps(audit.findings)
