"""`memory audit`: list problems of memories, and print the edits that correct them as a patch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from pathlib import Path
from typing import Annotated, Literal

import click

from inspector import library, store
from inspector.analysis.memory_audit import (
    AUDIT_KINDS,
    LEAST_CONFIDENCE,
    MAX_TOKENS,
    AuditFinding,
    AuditKind,
    MemoryAudit,
    audit_memories,
)
from inspector.cli import model_audit
from inspector.cli.command_errors import UsageError, gate
from inspector.cli.model_audit import AskedRulesOutput, ModelOptions, model_options
from inspector.cli.options import StorePlace, json_option
from inspector.cli.output import echo, echo_json, paint, warn, width
from inspector.cli.schema.values import Errors, Missed, json_output
from inspector.core.conversation import Session
from inspector.core.text import clip, dollars, lines_of, one_line, plural
from inspector.formats import MemoryStore, open_memories, parent_rule_files, project_root, user_memories

_TITLES: dict[AuditKind, str] = {
    "cost": "Cost",
    "not_loaded": "Never loaded",
    "dead_reference": "Dead references",
    "duplicate": "Duplicates",
    "contradiction": "Contradictions",
    "unused": "Unused",
    "broken": "Broken rules",
    "missing": "Missing rules",
    "leak": "Leaks",
}
_Form = Literal["text", "all", "patch", "json"]
_MAX_LISTED = 10
"""Maximum findings of a kind that are printed without --all."""
_MAX_LINES = 8
"""Maximum lines of a finding, after the first one, that are printed without --all."""
_SHORT = {"dead": "dead_reference", "dead-reference": "dead_reference", "not-loaded": "not_loaded"}


@json_output("audit=audit_result asked missed errors", inline="audit", optional="asked")
class MemoryAuditOutput:
    """The findings of an audit."""

    audit_result: MemoryAudit
    asked: Annotated[AskedRulesOutput | None, "only with `--model`"] = None
    missed: Missed
    errors: Errors


def _kinds_of(_context: click.Context, _option: click.Parameter, values: Sequence[str]) -> frozenset[str]:
    """Return the kinds in the values of an option, each with commas or alone."""
    names = [part.strip() for value in values for part in value.split(",") if part.strip()]
    kinds = frozenset(_SHORT.get(name, name) for name in names)
    if unknown := sorted(kinds - {*AUDIT_KINDS, "any"}):
        raise UsageError(f"{unknown[0]!r} is not a kind of finding. Kinds: {', '.join(AUDIT_KINDS)}, any.")
    return frozenset(AUDIT_KINDS) if "any" in kinds else kinds


@click.command()
@click.argument("path", required=False, default=".", type=StorePlace(path_type=Path), metavar="[PATH]")
@click.option(
    "--fail-on",
    multiple=True,
    callback=_kinds_of,
    metavar="KIND",
    help="Exit with 3 if there is a finding of this kind, or any; several with commas.",
)
@click.option("--kind", "kinds", multiple=True, callback=_kinds_of, metavar="KIND", help="Only findings of this kind.")
@click.option(
    "--least",
    type=click.FloatRange(0, 1),
    default=LEAST_CONFIDENCE,
    metavar="SHARE",
    show_default=True,
    help="Minimum confidence.",
)
@click.option(
    "--max-tokens",
    type=click.IntRange(0),
    default=MAX_TOKENS,
    metavar="N",
    help="Tokens in every window above which they are a finding. Default: 10,000.",
)
@click.option(
    "--sessions",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    metavar="PATH",
    help="A file or folder of sessions that load these memories; can be repeated.",
)
@click.option(
    "--days",
    type=click.IntRange(1),
    default=None,
    metavar="N",
    help="With --sessions: an item is unused if no session of the last N days used it. Default: all sessions.",
)
@model_options
@click.option("--user", is_flag=True, help="Also audit the rules and notes in your home folder.")
@click.option("--patch", "as_patch", is_flag=True, help="Print only the edits, as one unified diff. It is not applied.")
@click.option("--all", "lists_all", is_flag=True, help="List all findings.")
@json_option
def audit(
    path: Path | str,
    fail_on: frozenset[str],
    kinds: frozenset[str],
    least: float,
    max_tokens: int,
    sessions: Sequence[Path],
    days: int | None,
    user: bool,
    as_patch: bool,
    lists_all: bool,
    asked: ModelOptions | None,
    as_json: bool,
) -> int:
    """Find what is wrong with the memories in a folder or file.

    Finds rules that are never loaded, paths and commands that do not exist, duplicates, contradictions and secrets.
    With --sessions also the cost of each file, unused items, broken rules, and corrections that no rule states.
    PATH is a project, a rule file, or a database; without it, the current folder. Rule files between PATH and the root
    of its repository are included. Each finding has its evidence, a confidence, and the edit as a patch. Nothing is
    written.

    With --model, the rules are also sent to the model at OPENAI_BASE_URL, which compares them. Before that the command
    shows the host, the tokens and the price, and asks for consent. Secrets are replaced. Answers are kept, and not paid
    twice for the same rules.
    """
    if asked and kinds and kinds.isdisjoint(("contradiction", "duplicate")):
        raise UsageError("--model looks for contradictions and duplicates, and --kind leaves both out.")
    recorded = chain.from_iterable(_sessions_in(folder, path) for folder in sessions)
    audited = audit_memories(
        path, _others(path, user), most=max_tokens, sessions=recorded, days=days or 0, open_cache=_kept_findings
    )
    form: _Form = "json" if as_json else "patch" if as_patch else "all" if lists_all else "text"
    if asked is None:
        return _print_audit(audited.narrowed(kinds, least), fail_on, form)
    answers = store.ExtractFile(store.default_path())
    with model_audit.asked_audit(audited, audited.narrowed((), least), asked, answers) as answered:
        return _print_audit(answered.audit.narrowed(kinds, least), fail_on, form, answered.output, answered.errors)


def _print_audit(
    result: MemoryAudit,
    fail_on: frozenset[str],
    form: _Form,
    asked: AskedRulesOutput | None = None,
    errors: Sequence[str] = (),
) -> int:
    """Print an audit, and return the exit code."""
    kinds_there = {finding.kind for finding in result.findings}
    failed = [kind for kind in AUDIT_KINDS if kind in fail_on and kind in kinds_there]
    missed = [f"There are findings of the kind {kind}." for kind in failed]
    if form == "json":
        echo_json(MemoryAuditOutput(audit_result=result, asked=asked, missed=missed, errors=errors))
        return gate(missed)
    for problem in errors:
        warn(problem)
    if form == "patch":
        _print_patch(result)
        return gate(missed)
    for problem in result.problems:
        warn(problem)
    echo("\n".join(_audit_lines(result, lists_all=form == "all")))
    if asked and (asked.calls or asked.kept):
        echo("")
        echo(paint(clip(_asked_line(asked), width()), "dim"))
    return gate(missed)


def _print_patch(result: MemoryAudit) -> None:
    """Print the edits of an audit, and warn of files that they leave out."""
    if patch := result.patch():
        echo(patch.rstrip("\n"))
    else:
        warn("There is no edit to print.")
    paths = {finding.edit.path for finding in result.findings if finding.edit}
    if left_out := sorted(path for path in paths if not result.places.is_in_project(path)):
        warn(f"Edits of files outside of the project are left out: {', '.join(left_out)}.")


def _asked_line(asked: AskedRulesOutput) -> str:
    """Return what a model was asked and what it found, in a sentence."""
    again = f", {asked.kept:,} kept and not paid again" if asked.kept else ""
    requests = f"{plural(asked.requests, 'request')}{again}, {dollars(asked.cost)}"
    return f"{one_line(asked.model)}: {plural(asked.findings, 'finding')} in {plural(asked.rules, 'rule')} ({requests})"


def _sessions_in(path: Path, audited: Path | str) -> Iterator[tuple[str, Session]]:
    """Yield the sessions in a file or folder with their names. Files without a conversation are left out."""
    for file in _of_project(library.files_in(path)[0], audited) if path.is_dir() else [path]:
        try:
            sessions = library.read_file(file)
        except library.OpenError as error:
            if file == path:
                raise
            warn(str(error))
            continue
        name = file.relative_to(path).as_posix() if file != path else file.name
        yield from ((f"{name}#{number}" if number > 1 else name, one) for number, one in enumerate(sessions, 1))


def _of_project(files: Sequence[Path], audited: Path | str) -> Sequence[Path]:
    """Return the recordings of the audited project, and those without a folder; all if none is known to be of it."""
    folders = {file: library.read_headline(file, file.stat().st_size)[1] for file in files}
    place = Path(audited).resolve()
    root = project_root(place if place.is_dir() else place.parent)
    of_others = {file for file, folder in folders.items() if folder and not _is_inside(folder, root)}
    if not of_others or not any(folder for file, folder in folders.items() if file not in of_others):
        return files
    warn(f"{plural(len(of_others), 'recording')} of other projects left out.")
    return [file for file in files if file not in of_others]


def _is_inside(folder: str, root: Path) -> bool:
    """Return True if a recorded folder is a project or in it, on this machine or, by the name, on another."""
    return root.name in folder.replace("\\", "/").split("/") or Path(folder) in root.parents


def _kept_findings() -> store.ExtractFile | None:
    """Return the cache next to the store; None without a store."""
    path = store.default_path()
    return store.ExtractFile(path) if path.is_file() else None


def _others(path: Path | str, user: bool) -> list[MemoryStore]:
    """Return the user's stores if they are audited, and the rule files between a folder and its repository's root."""
    if isinstance(path, str) or not path.is_dir():
        return []
    folder = path.resolve()
    top = project_root(folder)
    files = [file for file in parent_rule_files(folder) if user or top in (file.parent, *file.parents)]
    return [*(user_memories() if user else ()), *(store for file in files for store in open_memories(file))]


def _audit_lines(result: MemoryAudit, *, lists_all: bool) -> Iterator[str]:
    count = len(result.findings)
    head = f"{plural(count, 'finding')} in {plural(len(result.stores), 'store')}"
    head += f" and {plural(result.sessions, 'session')}" if result.sessions else ""
    head += f", ~{plural(result.tokens, 'token')} always loaded"
    yield paint(clip(head, width()), "strong")
    for kind, group in groupby(result.findings, key=lambda finding: finding.kind):
        findings = [*group]
        yield ""
        yield paint(f"{_TITLES[kind]}: {len(findings):,}", "accent")
        for finding in findings if lists_all else findings[:_MAX_LISTED]:
            yield from _finding_lines(finding, None if lists_all else _MAX_LINES)
        if len(findings) > _MAX_LISTED and not lists_all:
            yield paint(f"  {len(findings) - _MAX_LISTED:,} more; --all lists them", "dim")
    if result.hidden:
        yield ""
        yield paint(
            clip(f"{plural(result.hidden, 'less certain finding')} not listed: --least 0 lists all.", width()), "dim"
        )
    if any(finding.patch for finding in result.findings):
        yield ""
        yield paint(clip("To see the edits as a patch: --patch. Nothing was changed.", width()), "dim")


def _finding_lines(finding: AuditFinding, most: int | None) -> Iterator[str]:
    share = paint(f"{finding.confidence:4.0%}", "dim")
    first, *rest = lines_of(one_line(finding.evidence), max(width() - 7, 20))
    yield f"  {share} {first}"
    yield from (f"       {line}" for line in rest[:most])
    if most is not None and len(rest) > most:
        yield paint(f"       {len(rest) - most:,} more lines; --all lists them", "dim")
