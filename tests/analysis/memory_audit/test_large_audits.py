"""Audits of many memories: similar ones, equal ones, and links to nothing, are grouped and bounded."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from inspector.analysis.memory_audit import AuditFinding, MemoryAudit, audit_memories, contradicting_items, leaks
from tests.formats.memory_samples import table

HISTORY = (
    "CREATE TABLE history (id TEXT, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT, created_at TEXT, "
    "updated_at TEXT, is_deleted INTEGER, actor_id TEXT, role TEXT)"
)


def memories(folder: Path, texts: Sequence[str]) -> Path:
    rows = [(str(n), str(n), None, text, "ADD", "2026-01-01", "", 0, "", "") for n, text in enumerate(texts)]
    return table(folder / "history.db", HISTORY, rows, "history")


def rules(folder: Path, lines: Sequence[str]) -> Path:
    (folder / "CLAUDE.md").write_text("".join(f"- {line}\n" for line in lines), encoding="utf-8")
    return folder


def of_kind(findings: Sequence[AuditFinding], kind: str) -> list[AuditFinding]:
    return [finding for finding in findings if finding.kind == kind]


def test_items_that_say_the_same_are_one_finding_whose_patch_leaves_one(tmp_path: Path) -> None:
    audit = audit_memories(rules(tmp_path, ["Use the cache for payments.", "Ask the owner of the shop first."] * 50))
    one, other = of_kind(audit.findings, "duplicate")
    assert len(one.items) == len(other.items) == 50
    assert one.evidence == "CLAUDE.md:1, CLAUDE.md:3 and 48 more say the same: “Use the cache for payments.”."
    subprocess.run(["git", "apply", "-p1"], cwd=tmp_path, input=audit.patch(), text=True, check=True)
    assert (tmp_path / "CLAUDE.md").read_text().count("\n") == 2
    assert not of_kind(audit_memories(tmp_path).findings, "duplicate")


def test_equal_memories_of_a_database_are_deleted_by_one_call_each(tmp_path: Path) -> None:
    (finding,) = of_kind(audit_memories(memories(tmp_path, ["Ana likes lamps."] * 4)).findings, "duplicate")
    assert finding.patch.split("\n") == [f"memory.delete('{number}')" for number in (1, 2, 3)]


def test_memories_that_are_all_alike_are_compared_with_a_few_and_the_audit_says_so(tmp_path: Path) -> None:
    audit = audit_memories(
        rules(tmp_path, [f"Keep the lamp of shelf {n} clean and bright at night." for n in range(300)])
    )
    assert not of_kind(audit.findings, "duplicate")
    assert "More than 40 memories are similar: not all were compared with each other." in audit.problems


def test_a_ban_is_compared_with_the_rules_that_have_all_its_words_however_many_have_one(tmp_path: Path) -> None:
    others = [f"Commit the lamp of room {n} with a picture." for n in range(60)]
    pair = ["Always commit lock files with the code.", "Never commit lock files."]
    (finding,) = of_kind(audit_memories(rules(tmp_path, [*others, *pair])).findings, "contradiction")
    assert finding.items == ["CLAUDE.md:61", "CLAUDE.md:62"]


def test_contradictions_are_looked_for_in_the_first_memories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contradicting_items, "_MAX_ITEMS", 3)
    folder = rules(
        tmp_path, ["Use npm to install.", "Lamps are green.", "Use pnpm to install.", "Use yarn to install."]
    )
    audit = audit_memories(folder)
    assert [finding.items for finding in of_kind(audit.findings, "contradiction")] == [["CLAUDE.md:1", "CLAUDE.md:3"]]
    assert "Only the first 3 of 4 memories were searched for contradictions." in audit.problems


def test_secrets_are_listed_up_to_a_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaks, "_MAX_SECRETS", 2)
    texts = [f"The password of lamp {n} is hunter{n}Xk29!q" for n in range(5)]
    audit = audit_memories(memories(tmp_path, texts))
    assert {item for finding in of_kind(audit.findings, "leak") for item in finding.items} == {"0", "1"}
    assert "Secrets were searched up to item 2 of 5 that may have some." in audit.problems


def test_many_dead_links_of_an_index_are_one_finding(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    folder.mkdir()
    lines = ["# Index", *(f"- [Topic {n}](topic_{n}.md): about lamps" for n in range(12))]
    (folder / "MEMORY.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "topic_3.md").write_text("Lamps are green.\n", encoding="utf-8")
    audit = audit_memories(tmp_path)
    (finding,) = of_kind(audit.findings, "dead_reference")
    assert len(finding.items) == 11
    assert finding.evidence.startswith("11 links of memory/MEMORY.md lead to files that do not exist: topic_0.md, ")
    subprocess.run(["git", "apply", "-p1"], cwd=tmp_path, input=finding.patch, text=True, check=True)
    assert (folder / "MEMORY.md").read_text().count("topic_") == 1


class _Kept(dict[bytes, str]):
    """A cache in memory."""

    def load(self, keys: Sequence[bytes]) -> Mapping[bytes, str]:
        return {key: self[key] for key in keys if key in self}

    def save(self, texts: Mapping[bytes, str]) -> None:
        self.update(texts)


def test_memories_that_did_not_change_are_compared_once(tmp_path: Path) -> None:
    cache = _Kept()
    many = [f"`lamp{number}` glows." for number in range(200)]

    def audit(*lines: str) -> MemoryAudit:
        return audit_memories(rules(tmp_path, [*lines, *many]), open_cache=lambda: cache)

    first = audit("Use tabs.", "Be kind to lamps.", "Be kind to lamps.", "Indent with spaces.")
    assert [row.kind for row in first.findings] == ["duplicate", "contradiction"] and len(cache) == 1
    (key,) = cache
    cache[key] = cache[key].replace("contradicts", "disagrees with")
    kept = audit("Use tabs.", "Be kind to lamps.", "Be kind to lamps.", "Indent with spaces.")
    assert "disagrees with" in kept.findings[-1].evidence and kept.patch() == first.patch()
    cache[key] = "{"
    again = audit("Use tabs.", "Be kind to lamps.", "Be kind to lamps.", "Indent with spaces.")
    assert list(again.findings) == list(first.findings) and again.patch() == first.patch()
    assert not audit("Use tabs.", "Be kind to lamps.").findings and len(cache) == 2
