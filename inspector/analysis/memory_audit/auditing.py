"""The audit of a folder, a rule file or a memory store."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Annotated

from inspector.analysis.memory_audit.audit_findings import AUDIT_KINDS, AuditFinding, Places
from inspector.analysis.memory_audit.contradicting_items import contradictions
from inspector.analysis.memory_audit.dead_references import Surroundings, dead_references
from inspector.analysis.memory_audit.duplicate_items import duplicates
from inspector.analysis.memory_audit.hidden_secrets import HiddenSecrets
from inspector.analysis.memory_audit.kept_findings import FindingCache, kept_findings
from inspector.analysis.memory_audit.leaks import leaks
from inspector.analysis.memory_audit.loaded_items import AuditedItem, ItemFinder, entries_of, shown_lines
from inspector.analysis.memory_audit.loaded_memories import costs, loaded_tokens, not_loaded
from inspector.analysis.memory_audit.session_findings import Trails
from inspector.analysis.memory_audit.session_trails import trail_of
from inspector.core.conversation import Session
from inspector.core.json_objects import json_object
from inspector.formats import FolderTree, MemoryStore, folder_tree, memories_in, open_memories, project_root

LEAST_CONFIDENCE = 0.5
"""Default of the confidence of the findings that are listed."""
MAX_TOKENS = 10_000
"""Default of the tokens in every window above which they are a finding."""
_DOT_FOLDERS = frozenset({".claude", ".github", ".cursor", "rules", ".windsurf", "instructions"})


@json_object("Audit", "path stores sessions tokens findings hidden problems")
@dataclass(frozen=True, slots=True)
class MemoryAudit:
    """The stores that were audited, and the findings, most certain first within a kind."""

    path: str
    store_list: Sequence[MemoryStore]
    findings: Sequence[AuditFinding]
    problems: Annotated[Sequence[str], "parts that were not read, each a sentence"]
    places: Places
    secrets: HiddenSecrets
    sessions: Annotated[int, "number of sessions that the audit looked at"] = 0
    hidden: Annotated[int, "findings that are left out because their confidence is below `--least`"] = 0

    @property
    def stores(self) -> Annotated[Sequence[str], "paths of the audited stores"]:
        """Paths of the stores."""
        return [self.places.name(store.path) for store in self.store_list]

    @property
    def tokens(self) -> Annotated[int, "estimated tokens of the rules and notes that every window gets"]:
        """Estimated tokens of the rule files that are in every window."""
        return sum(map(loaded_tokens, self.store_list))

    def narrowed(self, kinds: Collection[str] = (), least: float = LEAST_CONFIDENCE) -> MemoryAudit:
        """Return the audit with findings of these kinds, or all without any, and at least this confidence."""
        wanted = [row for row in self.findings if not kinds or row.kind in kinds]
        kept = [row for row in wanted if row.confidence >= least]
        return replace(self, findings=kept, hidden=len(wanted) - len(kept))

    def extended(self, findings: Iterable[AuditFinding], problems: Iterable[str]) -> MemoryAudit:
        """Return the audit with more findings, without the secrets in them, and with more problems."""
        clean = map(self.secrets.finding, findings)
        return replace(self, findings=_in_order([*self.findings, *clean]), problems=[*self.problems, *problems])

    def patch(self) -> str:
        """Return the edits of all findings as one unified diff. Files outside of the project are left out."""
        edits = (edit for row in self.findings for edit in (row.edit, *row.more_edits) if edit)
        return self.places.patch(edit for edit in edits if self.places.is_in_project(edit.path))


def audit_memories(
    path: Path | str,
    others: Sequence[MemoryStore] = (),
    *,
    most: int = MAX_TOKENS,
    sessions: Iterable[tuple[str, Session]] = (),
    days: int = 0,
    open_cache: Callable[[], FindingCache | None] = lambda: None,
) -> MemoryAudit:
    """Audit the memories in a folder or file.

    Args:
        path: The folder or file, or the address of a database as a string.
        others: Stores elsewhere that are loaded together with these, such as the user's rules.
        most: Tokens in every window above which they are a finding.
        sessions: Sessions that could load the memories, each with its name. Each is looked at once.
        days: Only sessions of these last days count as uses of an item; 0 for all.
        open_cache: Returns a storage for the duplicates and contradictions of memories that do not change.

    Raises:
        UnreadableError: It is not a memory store.
        OSError: A recording can no longer be read.
    """
    name = str(path)
    problems: Sequence[str] = ()
    if isinstance(path, str):
        stores = open_memories(path)
        name, path = "".join(store.path for store in stores[:1]), Path()
        tree = FolderTree(path, frozenset(), frozenset(), is_cut=True)
    elif path.is_dir():
        stores, problems, tree = memories_in(path)
    else:
        stores = open_memories(path)
        is_text = any(store.text for store in stores)
        tree = (
            folder_tree(_root_of(path)) if is_text else FolderTree(path.parent, frozenset(), frozenset(), is_cut=True)
        )
    problems = [*problems, *(sentence for store in stores for sentence in store.problems)]
    audit = replace(_audit_stores([*others, *stores], tree, path, problems, most, open_cache), path=name)
    first = next(iter(rows := iter(sessions)), None)
    return _with_sessions(audit, chain([first], rows), days) if first else audit


def _with_sessions(audit: MemoryAudit, sessions: Iterable[tuple[str, Session]], days: int) -> MemoryAudit:
    finder = ItemFinder(audit.store_list)
    trails = [trail_of(session, name, finder) for name, session in sessions]
    added = Trails(trails, audit.store_list, finder, audit.places, days).findings()
    return replace(audit.extended(added, ()), sessions=len(trails))


def _root_of(path: Path) -> Path:
    """Return the folder whose paths a rule file names."""
    folder = path.resolve().parent
    while folder.name in _DOT_FOLDERS:
        folder = folder.parent
    return project_root(folder)


def _audit_stores(
    stores: Sequence[MemoryStore],
    tree: FolderTree,
    path: Path,
    problems: Sequence[str],
    most: int,
    open_cache: Callable[[], FindingCache | None],
) -> MemoryAudit:
    """Audit stores that are opened, with the names of the files around them."""
    places = Places(path if path.is_dir() else path.parent)
    around = Surroundings(_wider_tree(tree, path, stores))
    entries = entries_of(stores)
    everything = [AuditedItem(store, item) for store in stores for item in store.items]
    parts: Sequence[Callable[[], Iterable[AuditFinding]]] = (
        lambda: costs(stores, places, most),
        lambda: not_loaded(stores, tree, places),
        lambda: dead_references(stores, around, places),
        lambda: kept_findings(
            open_cache,
            stores,
            places,
            lambda: chain(duplicates(entries, places), contradictions(entries, places, shown_lines(stores))),
        ),
        lambda: leaks(everything, places),
    )
    secrets = HiddenSecrets(stores)
    findings = [secrets.finding(finding) for part in parts for finding in part()]
    return MemoryAudit(str(path), stores, _in_order(findings), [*problems, *sorted(places.bounds)], places, secrets)


def _wider_tree(tree: FolderTree, folder: Path, stores: Sequence[MemoryStore]) -> FolderTree:
    """Return the names that rule files can mean: those of the whole repository if one above a folder is audited."""
    here = folder.resolve()
    top = project_root(here)
    paths = [Path(store.path).resolve() for store in stores if store.kind == "rule-file" and folder.is_dir()]
    is_above = any(path.is_relative_to(top) and not path.is_relative_to(here) for path in paths)
    return folder_tree(top) if is_above else tree


def _in_order(findings: Iterable[AuditFinding]) -> list[AuditFinding]:
    return sorted(findings, key=lambda finding: (AUDIT_KINDS.index(finding.kind), -finding.confidence))
