"""`setup` and `doctor`: install Inspector in coding agents, and check the installations."""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from difflib import unified_diff
from pathlib import Path
from typing import Annotated

import click

from inspector import __version__, library
from inspector.cli.command_errors import GATE, CommandError, UsageError
from inspector.cli.confirmation import confirm_change
from inspector.cli.options import json_option
from inspector.cli.output import Ink, echo, echo_json, paint
from inspector.cli.schema.values import json_output
from inspector.core.text import one_line, plural, visible
from inspector.engine.compression import PresetError, find

_TOOLS = ("claude-code", "codex", "opencode")
_INKS: Mapping[str, Ink] = {"+": "good", "-": "bad", "@": "dim"}
_STATES: Mapping[str, Ink] = {"installed": "good", "outdated": "warn", "missing": "dim", "unreadable": "bad"}


@json_output(keys="path action diff")
class SetupFileOutput:
    """A file of a coding agent."""

    path: str
    action: Annotated[library.FileAction, "of this run, or of one without --dry-run"]
    diff: Annotated[str, "unified diff; empty if the file is kept"]


@json_output()
class SetupOutput:
    """The installation of Inspector in a coding agent, or its removal."""

    tool: str
    project: Annotated[str, "folder of the project; empty for the user's own settings"]
    removed: Annotated[bool, "true with --remove"]
    applied: Annotated[bool, "false with --dry-run, and if nothing changes"]
    files: Sequence[SetupFileOutput]
    backups: Annotated[Sequence[str], "copies of the files before the change"]
    notes: Annotated[Sequence[str], "each a sentence"]


@json_output()
class DoctorOutput:
    """The installations of Inspector in coding agents."""

    inspector: Annotated[str, "version"]
    python: Annotated[str, "version"]
    program: Annotated[str, "the running program"]
    log: Annotated[str, "file with a line for each hook that failed"]
    failures: Annotated[int, "lines in it"]
    installations: Sequence[library.Installation]
    problems: Annotated[Sequence[str], "of all installations, each a sentence with a remedy"]


@click.command(epilog="inspector doctor checks the installations.")
@click.argument("tool", type=click.Choice(_TOOLS))
@click.option("--project", is_flag=True, help="Change the settings of the current folder, not your own.")
@click.option("--remove", is_flag=True, help="Remove Inspector, and restore the files.")
@click.option(
    "--guard", default="", metavar="PRESET", help="Claude Code: refuse automatic compactions below its threshold."
)
@click.option("--trim", type=click.IntRange(min=1), metavar="TOKENS", help="Claude Code: cut longer tool results.")
@click.option("--preset", default="", metavar="NAME", help="opencode: let a preset write the summary of a compaction.")
@click.option("--dry-run", is_flag=True, help="Print the changes without making them.")
@click.option("--yes", is_flag=True, help="Do not ask before files are changed.")
@json_option
def setup(
    tool: str,
    project: bool,
    remove: bool,
    guard: str,
    trim: int | None,
    preset: str,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Install Inspector in a coding agent: hooks, status line, MCP server and a skill.

    Prints the exact changes and asks before it makes them. Existing settings keep their order and comments. Each
    changed file is backed up, and --remove restores it byte for byte; if you have edited it since, only Inspector's
    part is removed. A file in a form that Inspector does not understand is left as it is.

    --guard and --trim are options of inspector hook. Without them, hooks refuse no compaction and cut no result.
    With --preset, the summary of a compaction in opencode is the extractive one of the preset. If the preset fails,
    opencode compacts as usual.
    """
    limits = _checked_limits(tool, guard, trim, preset)
    folder = Path.cwd() if project else None
    plan, changes, output = _planned(tool, folder, remove, limits)
    count = sum(change.action != "keep" for change in changes)
    if not as_json:
        _print_changes(output, count, plan.title)
    if count and not dry_run:
        if not yes:
            confirm_change(f"change {plural(count, 'file')}")
        try:
            output.backups = library.apply_changes(tool, folder, changes, remove)
        except OSError as error:
            raise CommandError(f"Cannot write {error.filename}: {error.strerror or error}.") from error
        output.applied = True
    if as_json:
        echo_json(output)
    elif output.applied:
        _print_applied(output, plan.title)


def _checked_limits(tool: str, guard: str, trim: int | None, preset: str) -> library.HookLimits:
    """Return the options of hooks. Raises UsageError for other agents, and CommandError for an unknown preset."""
    if (guard or trim) and tool != "claude-code":
        raise UsageError("--guard and --trim are for claude-code only.")
    if preset and tool != "opencode":
        raise UsageError("--preset is for opencode only. inspector record --preset compresses the requests of others.")
    try:
        for name in filter(None, (guard, preset)):
            find(name)
    except PresetError as error:
        raise CommandError(str(error)) from error
    return library.HookLimits(guard, trim or 0, preset)


def _planned(
    tool: str, folder: Path | None, remove: bool, limits: library.HookLimits
) -> tuple[library.ToolPlan, list[library.SettingsChange], SetupOutput]:
    """Return the plan of a tool, the changes that it makes, and the output before they are made."""
    try:
        plan = library.tool_plan(tool, folder, limits)
        changes = library.planned_changes(plan, library.read_record(tool, folder), remove)
        notes = [] if remove else [*library.kept_members(plan, changes), *plan.notes]
    except OSError as error:
        raise CommandError(f"Cannot read {error.filename}: {error.strerror or error}.") from error
    files = [_file_output(change) for change in changes]
    project = str(folder or "")
    output = SetupOutput(
        tool=tool, project=project, removed=remove, applied=False, files=files, backups=[], notes=notes
    )
    return plan, changes, output


def _file_output(change: library.SettingsChange) -> SetupFileOutput:
    before, after = ((text or "").splitlines() for text in (change.before, change.after))
    diff = unified_diff(before, after, str(change.path), str(change.path), n=2, lineterm="")
    return SetupFileOutput(path=str(change.path), action=change.action, diff="\n".join(diff))


def _print_changes(output: SetupOutput, count: int, title: str) -> None:
    for file in output.files:
        if file.action != "keep":
            echo(paint(f"{file.action.capitalize()} {one_line(file.path)}", "strong"))
            for line in file.diff.splitlines()[2:]:
                text = visible(line).replace("\n", " ")
                echo(paint(text, _INKS[line[:1]]) if line[:1] in _INKS else text)
            echo()
    if not count:
        echo(f"{title}: nothing to change.")


def _print_applied(output: SetupOutput, title: str) -> None:
    echo(f"{title}: Inspector is {'removed' if output.removed else 'installed'}.")
    for backup in output.backups:
        echo(f"Backup: {one_line(backup)}")
    for note in output.notes:
        echo(one_line(note))


@click.command()
@json_option
def doctor(as_json: bool) -> int:
    """Check the installations of Inspector in coding agents.

    Lists the files with their state, the version that wrote them, and when each hook last ran and how long it took.
    Exits with 3 if there is a problem, after a sentence that says how to solve it.
    """
    rows = library.installations(Path.cwd())
    log, failures = library.hook_failures()
    output = DoctorOutput(
        inspector=__version__,
        python=platform.python_version(),
        program=sys.argv[0],
        log=str(log),
        failures=failures,
        installations=rows,
        problems=list(dict.fromkeys(problem for row in rows for problem in row.problems)),
    )
    if as_json:
        echo_json(output)
    else:
        _print_doctor(output)
    return GATE if output.problems else 0


def _print_doctor(output: DoctorOutput) -> None:
    echo(f"Inspector {output.inspector}, Python {output.python}, {one_line(output.program)}")
    for row in output.installations:
        _print_installation(row)
    echo()
    for problem in output.problems:
        echo(paint(one_line(problem), "warn"))
    if output.failures:
        echo(f"{one_line(output.log)} lists {plural(output.failures, 'failure')} of hooks.")
    if not output.problems:
        echo("No problems.")


def _print_installation(row: library.Installation) -> None:
    where = f", project {one_line(row.project)}" if row.project else ""
    version = f", version {row.version}" if row.version else ""
    echo()
    echo(paint(f"{row.tool}{where}: {'installed' if row.installed else 'not installed'}{version}", "strong"))
    if not row.installed:
        echo(paint(f"  inspector setup {row.tool} installs it.", "dim"))
        return
    for file in row.files:
        echo(f"  {paint(f'{file.state:<10}', _STATES[file.state])} {one_line(file.path)}")
    for run in row.hooks:
        when = f"{datetime.fromtimestamp(run.time):%Y-%m-%d %H:%M:%S}"
        echo(f"  {run.event:<14} {when}  {run.seconds:.2f} s  {run.outcome}")
    if not row.hooks:
        echo("  No hook has run yet.")
