"""Writes and commits outside of the folder or branch that the work was in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from inspector.core.text import lazy_pattern
from inspector.engine.commands import commands_in, joined
from inspector.engine.facts import is_imperative, sentences_of
from inspector.engine.work_state.effect_values import CallEffects
from inspector.engine.work_state.result_news import ResultNews
from inspector.engine.work_state.state_items import StateItem, WorkState
from inspector.engine.work_state.user_words import read_user_words

COPY = "separate folder"
"""Name of the item with the folder that the user calls a copy for this work."""
_MAX_TEXT = 4_000
_ELSEWHERE = lazy_pattern(
    r"^(?:/tmp/|/private/tmp/|/var/|/dev/|~|\$)|/\.claude/(?!worktrees/)|/\.codex/|/\.(?:config|cache|local)/"
)
"""Places that agents write to from anywhere."""
_NAME = lazy_pattern(r"[\w-]+")
_PATH = lazy_pattern(r"/[\w./~-]{1,300}")
_COPIES = lazy_pattern(
    r"(?i)\b(?:cloned?|clones|cop(?:y|ies|ied)|(?:second|separate|fresh|extra|own|spare) (?:checkout|folder|directory)"
    r"|(?:the|our|my|a|this)(?: \w+)? checkout|(?:we|you|i)(?:[’']re| are|[’']ll| will)? work(?:ing)? (?:only )?in"
    r"|worktree|sandbox|playground|fork(?:ed)?|scratch|duplicated?|throwaway|kopie|kopiert|klon|geklont|copia|copie)\b"
)
_DISTINCT = lazy_pattern(r"\w[-_.\d]")
"""Part of the name of a folder that is no usual word."""
_COMMITTED = lazy_pattern(
    r"(?m)(?:^(?:Output: )?|\"output\": ?\")\[([\w./-]{1,200})(?: \(root-commit\))? [0-9a-f]{1,40}\]"
)
_SEPARATE = lazy_pattern(
    r"(?i)\b(?:separate|own|another|different|new|extra|dedicated|feature|side|eigene[nrm]?|neue[nrm]?|otra|nueva"
    r"|autre|nouvelle) (?:git )?(?:branch|zweig|rama|branche)\b|\b(?:rama|branche|ramo) (?:aparte|à part|separad[ao]"
    r"|séparée|nueva)\b|\b(?:on|in|into|use|make|create|start|open) an? (?:[\w-]+ )?branch\b"
)
"""Words that ask for another branch than the current one."""
_LOCAL = lazy_pattern(
    r"(?i)\b(?:throw-?away|separate|fresh|scratch|temp(?:orary)?|own|second|isolated|disposable|private|spare|extra"
    r"|in an?|into an?) (?:local |git )?(?:clone|checkout|copy|sandbox)\b"
)
"""Words that ask for the work to be done in a copy of its folder."""
_NEW_BRANCH = lazy_pattern(r"(?i)\b(?:an?|its own|your own|another|new|separate|feature) (?:[\w-]+ )?branch\b")
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
    folder, current = _place_of(before, now), now.text("where", "folder")
    if folder is None:
        return None
    places = (_surroundings_of(folder), current)
    targets = _targets(call, current) if _was_inside(before, folder.text) else []
    out = (path for path in targets if _is_out(path, folder.text) and any(is_in(path, place) for place in places))
    return next(((folder, path) for path in out), None)


def _place_of(before: WorkState, now: WorkState) -> StateItem | None:
    """Return the folder that the work is to stay in: a copy or worktree, or the one that the program has left."""
    copy = before.get("where", COPY)
    folder = copy or _added_worktree(before) or before.get("where", "folder")
    if folder is None or _is_new_worktree(before, now):
        return None
    return folder if copy or _may_be_left(folder.text, before, now.text("where", "folder")) else None


def _may_be_left(folder: str, before: WorkState, current: str) -> bool:
    """Return True if the work has a worktree or is in another folder now, and the user did not ask for that one."""
    return bool(before.get("where", "worktree") or current != folder) and not _asked_for(current, before)


def names_copy(text: str, folder: str) -> bool:
    """Return True if a user says that the folder of the work is a copy: "I cloned it into clones/app-exp"."""
    name = folder.rstrip("/").rsplit("/", 1)[-1]
    is_told = len(name) > 1 and (_DISTINCT.search(name) or _is_in_text("/".join(folder.rsplit("/", 2)[-2:]), text))
    return bool(is_told) and any(
        _is_in_text(name, one) and _COPIES.search(one) for one in sentences_of(text[:_MAX_TEXT])
    )


def _is_in_text(name: str, text: str) -> bool:
    """Return True if a text contains a name that is not the beginning of a longer one."""
    return any(not rest[:1].isalnum() and not rest.startswith(("-", "_")) for rest in text.split(name)[1:])


def wants_copy(text: str, source: str, folder: str) -> bool:
    """Return True if a user wants the work to be done in a copy of its folder, which is made of `source`."""
    return source.rstrip("/") == folder.rstrip("/") and _LOCAL.search(text[:_MAX_TEXT]) is not None


def copied_to(words: Sequence[str]) -> tuple[str, str]:
    """Return what a command copies and the folder that it copies it to, as written; empty for any other command."""
    match words:
        case ["git", "clone", *rest] | ["cp" | "rsync", *rest]:
            named = [word for word in rest if not word.startswith("-")]
            is_whole = words[0] == "git" or any(word[0] == "-" and set(word) & set("arR") for word in rest)
            return (named[0], named[-1]) if is_whole and len(named) > 1 else ("", "")
    return "", ""


def _is_new_worktree(before: WorkState, now: WorkState) -> bool:
    """Return True if a command has added a worktree since the compaction, in which the work goes on."""
    added, old = now.get("where", "worktree"), before.get("where", "worktree")
    return added is not None and added.state == "added" and (old is None or old.detail != added.detail)


def _asked_for(current: str, before: WorkState) -> bool:
    """Return True if the latest request names the folder that the work is in now, by its last part: "api/"."""
    request, is_other = before.text("request", "latest"), not before.get("where", "worktree")
    named = [one for one in sentences_of(request[:_MAX_TEXT]) if _names(one, current, is_other)]
    has_both = _names(request, before.text("where", "folder"), True)
    return any(map(is_imperative, named)) if has_both else bool(named)


def _names(text: str, folder: str, by_name: bool) -> bool:
    """Return True if a text contains the path of a folder, or optionally its last part."""
    place, _, name = folder.rstrip("/").rpartition("/")
    words = _NAME.findall(text.replace(folder.rstrip("/"), "\0") if place else "") if by_name else []
    return bool(name) and (name in words or folder.rstrip("/") in (one.rstrip("./") for one in _PATH.findall(text)))


def _added_worktree(before: WorkState) -> StateItem | None:
    """Return the worktree that a command added, as a folder, if the newest change was made in it."""
    added = before.get("where", "worktree")
    if added is None or added.state != "added":
        return None
    changed = [item.name for item in before.of("file") if not _ELSEWHERE.search(item.name)]
    return replace(added, text=added.detail) if changed and is_in(changed[-1], added.detail) else None


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
    if branch is None or not landed or landed == branch.text or (is_left and not _is_asked_for(branch, before)):
        return None
    is_moved = is_in_added(now.get("where", "worktree"), now.text("where", "folder"))
    return None if is_moved or _changed_folder(call) else branch


def is_in_added(worktree: StateItem | None, folder: str) -> bool:
    """Return True if a folder is in a worktree that a command added."""
    return worktree is not None and worktree.state == "added" and is_in(folder, worktree.detail)


def _is_asked_for(branch: StateItem, before: WorkState) -> bool:
    """Return True if the latest request wants the branch of the work, so that the agent may not leave it by itself."""
    request = before.get("request", "latest")
    if request is None:
        return False
    if branch.text in request.text:
        return not _NEW_BRANCH.search(request.text)
    is_new = branch.turn > request.turn and _SEPARATE.search(request.text) is not None
    return is_new and not read_user_words(request.text).moves


def _switches(call: CallEffects) -> bool:
    return any(words[:2] in (["git", "switch"], ["git", "checkout"]) for words, _ in commands_in(call.command))


def _targets(call: CallEffects, current: str) -> list[str]:
    """Return the paths that a call changes; for a commit, the folder that it is made in."""
    base = joined(call.folder or current, _changed_folder(call) or ".").rstrip("/")
    return [joined(base, change.path) for change in call.files] or ([base] if _commits(call) else [])


def _is_out(path: str, folder: str) -> bool:
    return path.startswith("/") and not is_in(path, folder) and not _ELSEWHERE.search(path)


def _was_inside(before: WorkState, folder: str) -> bool:
    """Return True if one of the newest changes was in the folder, or none is known."""
    inside = [is_in(item.name, folder) for item in before.of("file") if not _ELSEWHERE.search(item.name)]
    return not inside or any(inside[-3:])


def user_moved(before: WorkState) -> bool:
    """Return True if the latest request may have moved the work, and nothing was changed in its folder since."""
    request = before.get("request", "latest")
    copy = before.get("where", COPY)
    if request is None or (copy and copy.message == request.message) or not read_user_words(request.text).moves:
        return False
    places = [place.text for place in (before.get("where", "folder"), _added_worktree(before)) if place]
    changed = [item.name for item in before.of("file") if item.turn > request.turn]
    return not any(is_in(name, place) for name in changed for place in places)


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
    return None if is_back and is_in(is_back, folder) else branch


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


def _surroundings_of(folder: StateItem) -> str:
    """Return the folder in which the repository of a worktree or copy is: the repository itself if that is known."""
    match = None if folder.name == COPY else _WORKTREE.match(folder.text)
    if match or folder.name == COPY:
        return match[1] if match else "/"
    return folder.text.rsplit("/", 2 if folder.name == "worktree" else 1)[0] or "/"


def is_in(path: str, folder: str) -> bool:
    """Return True if a path is a folder or in it."""
    return bool(folder) and f"{path}/".startswith(f"{folder.rstrip('/')}/")


def branch_of(arguments: list[str]) -> str:
    """Return the branch that `git switch` or `git checkout` is asked for; "" if it restores files."""
    names = [word for word in arguments if not word.startswith("-")]
    is_restore = "--" in arguments or (len(names) > 1 and not {"-b", "-c", "-B", "-C"} & set(arguments))
    return "" if is_restore or not names or "." in names[0].rsplit("/", 1)[-1] else names[0]


def new_worktree(arguments: list[str]) -> str:
    """Return the path in the arguments of `git worktree add`, or ""."""
    names = (word for before, word in pairwise(("", *arguments)) if word[0] != "-" and before not in ("-b", "-B"))
    return next(names, "")


def is_at(place: str, state: WorkState) -> bool:
    """Return True if a folder is that of the work, in it, or around it. Another one can be another repository."""
    folder = state.text("where", "folder").rstrip("/")
    place = f"{place.rstrip('/')}/"
    return not folder or place.startswith(f"{folder}/") or f"{folder}/".startswith(place)
