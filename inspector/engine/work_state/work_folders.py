"""Writes and commits outside of the folder or branch that the work was in."""

from __future__ import annotations

from dataclasses import replace

from inspector.core.text import lazy_pattern
from inspector.engine.work_state.effect_values import CallEffects
from inspector.engine.work_state.result_news import ResultNews
from inspector.engine.work_state.shell_words import commands_in, joined
from inspector.engine.work_state.state_items import StateItem, WorkState
from inspector.engine.work_state.user_words import read_user_words

_ELSEWHERE = lazy_pattern(
    r"^(?:/tmp/|/private/tmp/|/var/|/dev/|~|\$)|/\.claude/(?!worktrees/)|/\.codex/|/\.(?:config|cache|local)/"
)
"""Places that agents write to from anywhere."""
_NAME = lazy_pattern(r"[\w-]+")
_COMMITTED = lazy_pattern(
    r"(?m)(?:^(?:Output: )?|\"output\": ?\")\[([\w./-]{1,200})(?: \(root-commit\))? [0-9a-f]{1,40}\]"
)
_WORKTREE = lazy_pattern(r"(.*?)/(?:\.claude/)?[\w.-]{0,80}worktrees?/[^/]+")


def outside_of(call: CallEffects, before: WorkState, now: WorkState) -> tuple[StateItem, str] | None:
    """Return the folder of the work and the path of a change outside of it, or None.

    The folder is a worktree, or a folder that the program left by itself at the compaction. Changes before the
    compaction must have been inside of it.

    Args:
        call: The call.
        before: The state before the compaction.
        now: The state before the call.
    """
    folder = _added_worktree(before) or before.get("where", "folder")
    current = now.text("where", "folder")
    if folder is None or not (before.get("where", "worktree") or current != folder.text):
        return None
    places = (_root_of(folder.text), current)
    if _is_new_worktree(before, now):
        return None
    if _asked_for(current, before):
        return None
    for path in _targets(call, current) if _was_inside(before, folder.text) else ():
        if _is_out(path, folder.text) and any(_is_in(path, place) for place in places):
            return folder, path
    return None


def _is_new_worktree(before: WorkState, now: WorkState) -> bool:
    """Return True if a command has added a worktree since the compaction, in which the work goes on."""
    added, old = now.get("where", "worktree"), before.get("where", "worktree")
    return added is not None and added.state == "added" and (old is None or old.detail != added.detail)


def _asked_for(current: str, before: WorkState) -> bool:
    """Return True if the latest request names the folder that the work is in now, by its last part: "api/"."""
    if len(current) > 1 and current in before.text("request", "latest"):
        return True
    name = current.rstrip("/").rsplit("/", 1)[-1]
    is_other = not before.get("where", "worktree") and bool(name)
    return is_other and name in _NAME.findall(before.text("request", "latest"))


def _added_worktree(before: WorkState) -> StateItem | None:
    """Return the worktree that a command added, as a folder, if the newest change was made in it."""
    added = before.get("where", "worktree")
    if added is None or added.state != "added":
        return None
    changed = [item.name for item in before.of("file") if not _ELSEWHERE.search(item.name)]
    return replace(added, text=added.detail) if changed and _is_in(changed[-1], added.detail) else None


def committed_on(result: str) -> str:
    """Return the branch that the result of `git commit` names: "[feat/tax 5f0c1d2] Add taxes"; "" for none."""
    match = _COMMITTED.search(result)
    return match[1] if match else ""


def landed_elsewhere(call: CallEffects, news: ResultNews, before: WorkState, now: WorkState) -> StateItem | None:
    """Return the branch of the work if a commit landed on another one to which no command switched; otherwise None.

    Args:
        call: The call that commits.
        news: Its result.
        before: State before the compaction.
        now: State before the result.
    """
    branch, current = before.get("where", "branch"), now.text("where", "branch")
    landed = committed_on(news.answer) if _commits(call) and not news.failed else ""
    is_left = current != branch.text or _switches(call) if branch else True
    if branch is None or not landed or landed == branch.text or (is_left and not _is_asked_for(branch.text, before)):
        return None
    return None if _changed_folder(call) else branch


def _is_asked_for(branch: str, before: WorkState) -> bool:
    """Return True if the latest request names the branch of the work, so that the agent may not leave it by itself."""
    return branch in before.text("request", "latest")


def _switches(call: CallEffects) -> bool:
    return any(words[:2] in (["git", "switch"], ["git", "checkout"]) for words, _ in commands_in(call.command))


def _targets(call: CallEffects, current: str) -> list[str]:
    """Return the paths that a call changes; for a commit, the folder that it is made in."""
    base = joined(call.folder or current, _changed_folder(call) or ".").rstrip("/")
    return [joined(base, change.path) for change in call.files] or ([base] if _commits(call) else [])


def _is_out(path: str, folder: str) -> bool:
    return path.startswith("/") and not _is_in(path, folder) and not _ELSEWHERE.search(path)


def _was_inside(before: WorkState, folder: str) -> bool:
    """Return True if one of the newest changes was in the folder, or none is known."""
    inside = [_is_in(item.name, folder) for item in before.of("file") if not _ELSEWHERE.search(item.name)]
    return not inside or any(inside[-3:])


def user_moved(before: WorkState) -> bool:
    """Return True if the latest request may have moved the work, and nothing was changed in its folder since."""
    request = before.get("request", "latest")
    if request is None or not read_user_words(request.text).moves:
        return False
    folder = before.text("where", "folder")
    return not any(item.turn > request.turn and _is_in(item.name, folder) for item in before.of("file"))


def wrong_branch(call: CallEffects, before: WorkState, now: WorkState) -> StateItem | None:
    """Return the branch of the work if a call commits on another one to which no command switched; otherwise None.

    Args:
        call: Effects of the call.
        before: State before the compaction.
        now: State before the call.
    """
    branch, current = before.get("where", "branch"), now.get("where", "branch")
    if branch is None or current is None or current.text == branch.text or not _commits(call):
        return None
    if current.state != "recorded" or _switches(call) or _is_new_worktree(before, now):
        return None
    folder, is_back = before.text("where", "folder"), _changed_folder(call)
    return None if is_back and _is_in(is_back, folder) else branch


def _commits(call: CallEffects) -> bool:
    return any("commit" in words[1:6] and words[0] == "git" for words, _ in commands_in(call.command))


def _changed_folder(call: CallEffects) -> str:
    """Return the folder that a command line changes to, or that it makes git work in."""
    for words, _ in commands_in(call.command):
        if words[0] == "cd" and len(words) > 1:
            return words[1]
        if words[:2] == ["git", "-C"] and len(words) > 2:
            return words[2]
    return ""


def _root_of(folder: str) -> str:
    """Return the repository that a worktree is in, or the folder above."""
    match = _WORKTREE.match(folder)
    return match[1] if match else folder.rsplit("/", 1)[0]


def _is_in(path: str, folder: str) -> bool:
    return bool(folder) and f"{path}/".startswith(f"{folder.rstrip('/')}/")
