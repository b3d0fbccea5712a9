"""What an audit finds in memories, what it leaves alone, and that its patches do what they say."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from inspector.analysis.memory_audit import AuditFinding, MemoryAudit, audit_memories
from tests.formats.memory_samples import STORES, graph, table

HISTORY = (
    "CREATE TABLE history (id TEXT, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT, created_at TEXT, "
    "updated_at TEXT, is_deleted INTEGER, actor_id TEXT, role TEXT)"
)


def project(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def audited(folder: Path, rules: str, **files: str) -> MemoryAudit:
    return audit_memories(project(folder, {"CLAUDE.md": rules, **{n.replace("__", "/"): t for n, t in files.items()}}))


def values(audit: MemoryAudit, kind: str) -> list[str]:
    return [finding.value for finding in audit.findings if finding.kind == kind]


def facts(folder: Path, *texts: str) -> list[AuditFinding]:
    rows = [(str(n), str(n), None, text, "ADD", f"2026-0{n + 1}-01", "", 0, "", "") for n, text in enumerate(texts)]
    return list(audit_memories(table(folder / "history.db", HISTORY, rows, "history")).findings)


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("Prices are in `src/gone.py`.", "src/gone.py"),
        ("See [the guide](docs/gone.md).", "docs/gone.md"),
        ("Style is described in docs/gone.md.", "docs/gone.md"),
        ("Run `make gone` first.", "make gone"),
        ("`npm run gone` starts it.", "npm run gone"),
        ("Call `pnpm run gone` and go.", "pnpm run gone"),
        ("`just gone` does it.", "just gone"),
        ("@docs/gone.md", "@docs/gone.md"),
        ("`price` in `src/tax.py` rounds.", "price"),
        ("Tests are in `src/gone/`.", "src/gone"),
        ("Lamps: `yarn lamp:gone`.", "yarn lamp:gone"),
        ("Sweep with `sbatch src/gone.sbatch`.", "src/gone.sbatch"),
        ("Sell with `src/gone.py --all`.", "src/gone.py"),
        ("The lamp is built. Read `src/gone.py`.", "src/gone.py"),
        ("- `src/Http/Gone` → validation", "src/Http/Gone"),
        ("```sh\npython src/gone.py --x\n```", "src/gone.py"),
        ("Test with `pytest src/gone_test.py -q`.", "src/gone_test.py"),
        ("Colors come from `packages/ui/gone.ts`.", "packages/ui/gone.ts"),
    ],
)
def test_a_reference_to_nothing_is_dead(line: str, value: str, tmp_path: Path) -> None:
    files = {
        "src/tax.py": "def tax(): ...\n",
        "Makefile": "test:\n\tpytest\n",
        "package.json": '{"scripts": {"lint": ""}}',
    }
    project(tmp_path, {**files, "justfile": "build:\n  echo\n", "packages/ui/tone.ts": ""})
    assert values(audited(tmp_path, f"# Rules\n\n{line}\n"), "dead_reference") == [value]


@pytest.mark.parametrize(
    "line",
    [
        "Taxes are in `src/tax.py`, `tax.py:12` and `./src/tax.py`.",
        "Run `make test`, `make lint` or `npm run lint`.",
        "Create `src/new_rule.py` for each rule.",
        "For example, `src/orders/total.py` would be a module.",
        "Put it into `src/<name>.py`, `src/*.py` or `path/to/file.py`.",
        "The build writes `dist/app.js` and `coverage/index.html`.",
        "Secrets live in `config/secrets.yml`.",
        "Branches are called `feature/login`; use `application/json`.",
        "Widgets live in `packages/my-widget/src/index.ts`, and users in `src/user.py`.",
        "See https://example.org/src/gone.py and [this](https://example.org/gone.md) or [that](#anchor).",
        "`tax` in `src/tax.py` rounds.",
        "Never recreate `src/removed.py`; it was deleted.",
        "```python\nopen('src/gone.py')\n```",
        "The module `./tax.js` is imported.",
        "Read the input/output contract in src/tax.py, and see and/or below.",
        "make sure that it works, and npm run by hand is fine.",
        "There are no `src/rules.md` files here.",
        "The contract is in Kestrel's `docs/api.md`.",
        "Releases call `kestrel/workflows/.github/workflows/release.yml`.",
        "A change of `mysite/celery.py` selects its tests.",
        "The bench lists `tools/`, `feat/` and `fix/`.",
        "Runs keep their history in `plan_history.json`.",
        "### `src/orders/` (future)",
        "If `src/notes.md` exists, read it.",
        "Examples:\n- `src/orders/total.py`\n- `src/orders/sum.py`",
        "Examples:\n\n- `src/orders/total.py`",
    ],
)
def test_examples_generated_files_and_what_exists_are_not_dead(line: str, tmp_path: Path) -> None:
    files = {"src/tax.py": "def tax(): ...\n", "Makefile": ".PHONY: test \\\n  lint\ntest lint:\n\tpytest\n"}
    project(
        tmp_path, {**files, "package.json": '{"scripts": {"lint": ""}}', ".gitignore": "config/\n", "src/tax.ts": ""}
    )
    assert values(audited(tmp_path, f"# Rules\n\n{line}\n"), "dead_reference") == []


def test_targets_that_cannot_be_known_are_not_dead(tmp_path: Path) -> None:
    rules = "Run `make gone`, and `make docker-web`.\n"
    assert values(audited(tmp_path, rules, Makefile="include other.mk\n"), "dead_reference") == []
    read = {"Makefile": "-include ./*.mk\ninclude other.mk\n", "other.mk": "docker-%:\n\techo\n"}
    assert values(audited(tmp_path, rules, **read), "dead_reference") == []
    read["Makefile"] = "include other.mk\n"
    assert values(audited(tmp_path, rules, **read), "dead_reference") == ["make gone"]


def test_a_path_that_moved_is_replaced_by_the_patch(tmp_path: Path) -> None:
    audit = audited(tmp_path, "# A\n\nTaxes are in `lib/tax.py`.\nMore.\n", src__tax="", **{"src__tax.py": ""})
    (finding,) = [finding for finding in audit.findings if finding.kind == "dead_reference"]
    assert "-Taxes are in `lib/tax.py`.\n+Taxes are in `src/tax.py`.\n" in finding.patch


def test_the_patch_of_all_findings_applies(tmp_path: Path) -> None:
    rules = "# A\n\n- Run `make gone`.\n- Be brief in all answers.\n- Be brief in all answers.\n- See `src/gone.py`.\n"
    audit = audited(tmp_path, rules, Makefile="a:\n")
    (tmp_path / "all.patch").write_text(audit.patch(), encoding="utf-8")
    subprocess.run(["git", "apply", "all.patch"], cwd=tmp_path, check=True)
    assert (tmp_path / "CLAUDE.md").read_text() == "# A\n\n- Be brief in all answers.\n"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Always use pnpm, never npm.", "Use npm for installing packages."),
        ("Use tabs.", "Indent with spaces, not tabs."),
        ("Never push to main.", "Push to main."),
        ("Use single quotes.", "Use double quotes."),
        ("The maximum line length is 100.", "Lines have at most 88 characters."),
        ("Write tests with jest.", "Write tests with vitest."),
        ("Do not commit generated files.", "Commit generated files."),
    ],
)
def test_rules_that_cannot_both_hold_contradict(one: str, other: str, tmp_path: Path) -> None:
    audit = audited(tmp_path, f"# Rules\n\n- {one}\n- Be brief.\n- {other}\n")
    assert [finding.items for finding in audit.findings if finding.kind == "contradiction"] == [
        ["CLAUDE.md:3", "CLAUDE.md:5"]
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use npm in the web folder.", "Use pnpm in the api folder."),
        ("Always use pnpm, never npm.", "`npm run format` formats the code."),
        ("Use pytest for Python.", "Use vitest for the frontend."),
        ("Never push to main.", "Push to your branch."),
        ("Never push to main without a review.", "Push to main after a review."),
        ("Use spaces, not tabs.", "Indent with spaces."),
        ("Do not use npm.", "Use pnpm instead of npm."),
        ("The shop moved from PostgreSQL to MySQL.", "The shop uses MySQL."),
        ("Paint staging on Mondays.", "Paint production on Thursdays."),
        ("Line length is 100 in Python.", "Line length is 80 in Markdown."),
        ("Ask before you delete lamps.", "Paint lamps without asking."),
        ("The limit for reads is 5 seconds.", "The limit for writes is 30 seconds."),
        ("Use SQLite in tests.", "The database is PostgreSQL."),
        ("Answer in English.", "Comments are written in German."),
    ],
)
def test_rules_that_go_together_do_not_contradict(one: str, other: str, tmp_path: Path) -> None:
    assert values(audited(tmp_path, f"# Rules\n\n- {one}\n- Be brief.\n- {other}\n"), "contradiction") == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The shop uses PostgreSQL 15 for orders.", "The shop moved from PostgreSQL to MySQL in March."),
        ("Deploys happen on Thursdays only.", "Deploys happen on Fridays since the release train."),
        ("Kim lives in Graz.", "Kim moved to Oslo."),
        ("Standup is at 9:30.", "Standup is at 10:00."),
        ("Kim works at Delta Foods.", "Kim works for Acme."),
        ("Ana prefers answers in Spanish.", "Ana prefers answers in English."),
        ("The timeout is 30 seconds.", "The timeout is 60 seconds."),
    ],
)
def test_the_newer_of_two_facts_supersedes_the_other(one: str, other: str, tmp_path: Path) -> None:
    (finding,) = facts(tmp_path, one, other)
    assert (finding.kind, list(finding.items), finding.patch) == ("contradiction", ["0", "1"], "memory.delete('0')")
    assert "supersedes" in finding.evidence


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The shop uses MySQL 8 for orders.", "The shop moved from PostgreSQL to MySQL in March."),
        ("Kim lives in Graz.", "Ana lives in Oslo."),
        ("The shop uses PostgreSQL.", "The billing service uses MySQL."),
        ("Kim has two cats.", "Kim has three dogs."),
        ("Ana speaks Spanish.", "Ana wrote the Spanish docs."),
    ],
)
def test_facts_about_different_things_do_not_contradict(one: str, other: str, tmp_path: Path) -> None:
    assert facts(tmp_path, one, other) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use uv, never pip.", "Run tools with `uv run --frozen ruff`."),
        ("Use uv, never pip.", "Forbidden: `uv pip install`."),
        ("Use uv, never pip.", "Forbidden: `pip install`."),
        ("`nox -s pylint` runs the slower lints.", "Ruff lints."),
        ("Use pnpm for every install.", "The pages in `site/` use npm install."),
        ("The database is SQLite.", "Supported: h2 (default), demo (`postgres` is an accepted alias)."),
        ("Wrap code at 100 columns.", "Wrap comments at 72 columns."),
    ],
)
def test_commands_parts_and_lists_choose_nothing_for_the_project(one: str, other: str, tmp_path: Path) -> None:
    assert values(audited(tmp_path, f"# Rules\n\n- {one}\n- {other}\n"), "contradiction") == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use uv for packages.", "Never run `uv add`."),
        ("The service targets Java 21.", "Code must compile on Java 17."),
        ("Timestamps are UTC in ISO 8601.", "Store timestamps as Unix seconds."),
        ("Lines have at most 120 characters.", "Wrap code at 88 columns."),
    ],
)
def test_one_thing_has_one_version_and_format(one: str, other: str, tmp_path: Path) -> None:
    assert len(values(audited(tmp_path, f"# Rules\n\n- {one}\n- {other}\n"), "contradiction")) == 1


def test_tags_and_addresses_are_no_duplicates(tmp_path: Path) -> None:
    rules = "# A\n\n<Example>\n\nBe brief.\n\n</Example>\n\n- https://a.example/api/new.md\n- https://a.example/api/old/new.md\n"
    assert values(audited(tmp_path, rules), "duplicate") == []


def test_texts_beside_pages_are_no_notes(tmp_path: Path) -> None:
    site = {"out/memory/index.html": "<p>", "out/memory/index.txt": "Be brief.", "out/memory/all.txt": "Be brief."}
    assert values(audited(tmp_path, "Be kind.\n", **site), "duplicate") == []


def test_duplicates_are_found_exact_and_near_in_one_program(tmp_path: Path) -> None:
    near = "Run the whole test suite of the shop before each commit you make"
    rules = f"- Never push to main.\n- Never push to main.\n- {near}.\n- {near} today.\n"
    rules += "- Wait 5 seconds for the shop to start.\n"
    files = {"CLAUDE.md": f"{rules}- Wait 9 seconds for the shop to start.\n", "AGENTS.md": "- Never push to main.\n"}
    audit = audit_memories(project(tmp_path, files))
    items = [list(finding.items) for finding in audit.findings if finding.kind == "duplicate"]
    assert items == [["CLAUDE.md:1", "CLAUDE.md:2"], ["CLAUDE.md:3", "CLAUDE.md:4"]]


def test_rules_for_no_file_and_the_end_of_a_long_index_are_never_loaded(tmp_path: Path) -> None:
    rule = "---\npaths: '{}'\n---\n- Run gofmt.\n"
    index = "".join(f"- point {number}\n" for number in range(205))
    files = {".claude/rules/go.md": rule.format("cmd/**/*.go"), ".claude/rules/py.md": rule.format("src/**/*.{py,pyi}")}
    audit = audit_memories(project(tmp_path, {**files, "src/a/b.py": "", "notes/memory/MEMORY.md": index}))
    assert sorted(values(audit, "not_loaded")) == ["cmd/**/*.go", "point 204"]


def test_links_of_an_index_to_missing_topics_are_dead(tmp_path: Path) -> None:
    place = project(
        tmp_path / "memory", {"MEMORY.md": "- [a](a.md)\n- [b](b.md)\n- [c](https://c.org)\n", "a.md": "A."}
    )
    assert values(audit_memories(place), "dead_reference") == ["b.md"]


def test_a_graph_has_duplicates_and_relations_to_nobody(tmp_path: Path) -> None:
    path = graph(tmp_path)
    lines = [json.loads(line) for line in path.read_text().split("\n")]
    lines[0]["observations"] += ["is green", "uses PostgreSQL", "moved to MySQL"]
    lines.append({"type": "relation", "from": "Ben", "to": "lamp", "relationType": "tests"})
    path.write_text("\n".join(map(json.dumps, lines)))
    audit = audit_memories(path)
    assert [finding.kind for finding in audit.findings] == ["dead_reference", "duplicate", "contradiction"]
    assert values(audit, "dead_reference") == ["Ben"] and '+{"type": "entity"' in audit.findings[1].patch


def test_secrets_and_texts_of_two_users_are_leaks_and_never_printed(tmp_path: Path) -> None:
    rows = [
        (
            "1",
            json.dumps("The key is sk-ant-api03-Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9v."),
            None,
            None,
            "kim",
            None,
            1,
            1,
        ),
        ("2", '"The door code is behind the plant."', None, None, "kim", None, 1, 1),
        ("3", '"The door code is behind the plant."', None, None, "ana", None, 1, 1),
    ]
    create = (
        "CREATE TABLE memories (memory_id TEXT, memory JSON, input TEXT, agent_id TEXT, user_id TEXT, topics JSON, "
        "created_at INT, updated_at INT)"
    )
    audit = audit_memories(table(tmp_path / "agno.db", create, rows, "memories"))
    leaks = [finding for finding in audit.findings if finding.kind == "leak"]
    assert [list(finding.items) for finding in leaks] == [["1"], ["2", "3"]] and "Zm9v" not in leaks[0].evidence


def test_the_cost_of_rules_is_a_finding_above_a_limit(tmp_path: Path) -> None:
    audit = audited(tmp_path, "Be brief in all of your answers to me. " * 40)
    assert values(audit, "cost") == [] and audit.tokens > 300
    (finding,) = [each for each in audit_memories(tmp_path, most=100).findings if each.kind == "cost"]
    assert finding.value == f"{audit.tokens} tokens" and "CLAUDE.md" in finding.evidence


@pytest.mark.parametrize("kind", STORES)
def test_a_store_of_every_kind_is_audited_without_a_finding(kind: str, tmp_path: Path) -> None:
    project(tmp_path, {"Makefile": "lamp:\n"})
    assert [
        finding for finding in audit_memories(STORES[kind](tmp_path)).findings if finding.kind != "not_loaded"
    ] == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Timestamps are in UTC.", "Write timestamps in local time."),
        ("API keys use camelCase.", "Keys of the API are in snake_case."),
        ("Ask before running migrations.", "Run migrations without asking."),
        ("Python 3.10 is the minimum version.", "The code requires Python 3.12."),
        ("Use double quotes.", "Texts take single quotes."),
    ],
)
def test_more_attributes_contradict_each_other(one: str, other: str, tmp_path: Path) -> None:
    assert len(values(audited(tmp_path, f"- {one}\n- {other}\n"), "contradiction")) == 1


@pytest.mark.parametrize(
    ("one", "other", "count"),
    [
        ("Write a test for every bug fix.", "Every bug fix needs a test.", 1),
        ("Configure it in the repo.", "Configure it in the repository.", 1),
        ("Use the logger instead of prints.", "Use the logger rather than prints.", 1),
        ("Use maps instead of loops.", "Use loops instead of maps.", 0),
        ("Always ask before you push the branch.", "Never ask before you push the branch.", 0),
        ("The lamp shop returns green receipts.", "Receipts of the lamp shop are green.", 1),
        ("Never force-push shared lamp branches.", "Do not force push shared lamp branches.", 1),
        ("Use lamps, not candles.", "Use candles, not lamps.", 0),
    ],
)
def test_weak_words_do_not_keep_duplicates_apart(one: str, other: str, count: int, tmp_path: Path) -> None:
    assert len(values(audited(tmp_path, f"- {one}\n- {other}\n"), "duplicate")) == count


@pytest.mark.parametrize(
    ("rules", "count"),
    [
        ("- Files: snake_case\n- Classes: PascalCase\n- **Routes**: kebab-case\n", 0),
        ("- Files: snake_case\n- Classes: PascalCase\n- Files: kebab-case\n", 1),
        ("- Naming of files: snake_case\n- File names: use kebab-case\n", 1),
        ("- Note: indent with tabs\n- Important: indent with spaces\n", 1),
    ],
)
def test_points_with_other_labels_are_about_other_things(tmp_path: Path, rules: str, count: int) -> None:
    assert len(values(audited(tmp_path, f"# Style\n\n{rules}"), "contradiction")) == count


@pytest.mark.parametrize(
    ("rules", "count"),
    [
        (
            "**On Linux:**\n- The daemon writes one line\n\n**On macOS:**\n- The daemon writes one line\n",
            0,
        ),
        (
            "**Git** (`git.py`)\n- Sessions stay on it\n\n**Files** (`files.py`)\n- Sessions stay on it\n",
            0,
        ),
        ("Git:\n- Never commit secrets.\n\nSecurity:\n- Never commit secrets.\n", 1),
        ("## Step 1\n- [ ] Verify with `npm run check`\n## Step 2\n- [ ] Verify with `npm run check`\n", 0),
        ("## Step 1\n- `src/core/agent-session.ts`\n## Step 2\n- `src/core/agent-session.ts`\n", 0),
        ("## HTML\n- Maintain 2-space indentation\n## TypeScript\n- Maintain 2-space indentation\n", 0),
        ("## Basics\n- Write all commit messages in English\n## Git\n- Write all commit messages in English\n", 1),
        ("## Style\n- Use glass for all lamps\n## Lamps\n1. Draw it\n2. Use glass for all lamps\n", 0),
        ("## Checks\n- `glow test --all` checks all lamps\n## Review\n- Does `glow test --all` check all lamps?\n", 0),
        ("=== lamp/core rules ===\n\n- Draw it.\n\n=== shade/core rules ===\n\n- Sell it.\n", 0),
    ],
)
def test_points_of_two_things_are_no_duplicates(rules: str, count: int, tmp_path: Path) -> None:
    assert len(values(audited(tmp_path, rules), "duplicate")) == count


@pytest.mark.parametrize(
    ("one", "other", "count"),
    [
        ("Keys on the wire are snake_case. Code uses camelCase.", "If a key goes to disk, it is snake_case.", 0),
        (
            "Don't smear snake_case through the internals of TS or JS.",
            "Fix them to the snake_case shape before release.",
            0,
        ),
        ("Name files in kebab-case.", "Classes are PascalCase.", 0),
        ("[Dark theme](themes/dark.json)", "[Light theme](themes/light.json)", 0),
        ("Name files in kebab-case.", "Use PascalCase for file names.", 1),
        ("Use snake_case.", "Always use camelCase.", 1),
    ],
)
def test_styles_of_names_contradict_for_the_same_names_only(one: str, other: str, count: int, tmp_path: Path) -> None:
    assert len(values(audited(tmp_path, f"- {one}\n- {other}\n"), "contradiction")) == count


def test_a_command_is_doubtful_where_no_file_could_name_it(tmp_path: Path) -> None:
    rules = "Run `make gone` and `npm run gone`.\n"
    found = list(audited(tmp_path, rules, Makefile="all:\n").findings)
    assert [(finding.value, finding.confidence > 0.9) for finding in found] == [
        ("make gone", True),
        ("npm run gone", False),
    ]
    assert "the folder has no package.json" in found[1].evidence
