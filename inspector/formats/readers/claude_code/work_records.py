"""State of the work in the records of a transcript: the folder, the branch, the mode, skills and processes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.core.conversation import WorkEvents, named_values

_WHERE = (("folder", "cwd"), ("branch", "gitBranch"))
_MODE = (("permission", "permissionMode"), ("permission", "mode"), ("agent", "agentSetting"))
_HEAD = "HEAD"
"""Recorded as the branch where no branch is checked out."""


def note_work(work: WorkEvents, record: Mapping[str, Any], thread: str) -> None:
    """Note the state of the work that a record states.

    Args:
        work: Receives the events.
        record: The JSON object of a line.
        thread: The thread of the record.
    """
    kind = record.get("type")
    if kind == "progress":
        return
    work.note("where", (pair for pair in named_values(record, _WHERE) if pair[1] != _HEAD), thread)
    if kind in ("user", "permission-mode", "mode", "agent-setting"):
        work.note("mode", named_values(record, _MODE), thread)
    elif kind == "worktree-state":
        work.note("where", named_values(record.get("worktree") or record, (("worktree", "worktreePath"),)), thread)
    elif kind == "attachment":
        _note_attachment(work, record.get("attachment"), thread)


def _note_attachment(work: WorkEvents, attachment: Any, thread: str) -> None:
    match attachment:
        case {"type": "plan_mode"}:
            work.note("mode", [("permission", "plan")], thread)
        case {"type": "plan_mode_exit"}:
            work.note("mode", [("permission", "default")], thread)
        case {"type": "output_style", "style": str(style)}:
            work.note("mode", [("output style", style)], thread)
        case {"type": "invoked_skills", "skills": list(skills)}:
            for skill in skills:
                for _, name in named_values(skill, (("name", "name"),)):
                    work.add("instruction", str(name), str(skill.get("path") or ""), thread)
        case {"type": "task_status", "taskId": str(task), "status": str(status)}:
            work.add("running", task, status, thread)
