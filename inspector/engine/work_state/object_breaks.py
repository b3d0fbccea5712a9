"""Compare the things that a call touches and changes with those of a rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from inspector.core.text import lazy_pattern, word_set
from inspector.engine.facts import stem
from inspector.engine.work_state.done_actions import DoneAction, done_by
from inspector.engine.work_state.effect_values import CallEffects, FileChange
from inspector.engine.work_state.object_rules import NamedObject, ObjectRule

_HARMLESS = word_set("run use insert test stage format call open label")
"""Actions that change nothing to a thing whose name is in a command."""
_COPIES = word_set("cp scp rsync install ln")
"""Programs that change only their last argument."""
_COPIES_TO = lazy_pattern(
    r"^(?:aws s3|gsutil|rclone|gcloud storage|az storage|mc|hdfs dfs -?)(?: -\S+)* -?(?:cp|copy|sync|put)\b"
)
_SPLIT = lazy_pattern(r"[\s'\"`;,=:()<>{}\[\]|&]+")
_PARTS = lazy_pattern(r"[/.@]")
_SCRATCH = lazy_pattern(r"/(?:private/)?(?:tmp|var|dev)/")
_OF_BRANCH = word_set("commit push merge rebase force reset delete revert cherry-pick amend")
_PROSE = lazy_pattern(r"(?i)\.(?:md|mdx|rst|txt|adoc)$")
_REF = lazy_pattern(r"[\s:]")
_LEAST_REFS = 4


def breaks_object_rule(rule: ObjectRule, call: CallEffects, branch: str) -> str:
    """Return the path or command of a call that does to a thing what a rule forbids; "" for any other call.

    Args:
        rule: The rule. One with a condition that cannot be checked forbids nothing.
        call: The call.
        branch: The branch that is checked out.
    """
    if rule.ending == "condition":
        return ""
    for done in done_by(call):
        if _is_forbidden(done, rule) and any(_touches(done, one, branch, rule) for one in rule.objects):
            return done.target
    return next((one.path for one in call.files if _sets_otherwise(one, rule) or _loses(one, rule)), "")


def _is_forbidden(done: DoneAction, rule: ObjectRule) -> bool:
    if done.actions == {"use"} or "insert" in done.actions:
        return False
    if rule.closes and "run" in done.actions:
        return True
    real = done.actions - _HARMLESS
    if not rule.actions or "any" in rule.actions:
        return bool(real)
    return bool(real & rule.actions)


def _touches(done: DoneAction, thing: NamedObject, branch: str, rule: ObjectRule) -> bool:
    """Return True if an action is done to a thing."""
    if thing.kind == "branch":
        return _is_to_branch(done, thing.name, branch)
    if done.path:
        return _is_at(done, thing)
    words = _changed_words(done.target) if not rule.closes else done.target
    return any(_is_word(word, thing) for word in _SPLIT.split(words.lower()) if word)


def _is_at(done: DoneAction, thing: NamedObject) -> bool:
    """Return True if the file of an action is a thing, or is in it."""
    if _SCRATCH.match(done.path) and not thing.name.startswith("/"):
        return False
    if thing.kind == "path":
        return _has_part(thing.name, done.path.lower())
    if thing.kind == "name":
        return "rename" in done.actions and thing.name in done.target.lower().split()
    return thing.kind == "place" and stem(thing.name) in {stem(part) for part in _PARTS.split(done.path.lower())}


def _is_word(word: str, thing: NamedObject) -> bool:
    """Return True if a word of a command names a thing."""
    word = word.strip("./") if thing.kind != "path" else word
    if thing.kind == "path":
        return _has_part(thing.name, word)
    if word == thing.name:
        return True
    if thing.kind == "port":
        return False
    parts = [part for part in _PARTS.split(word) if part]
    return thing.name in parts or stem(thing.name) in map(stem, parts)


def _has_part(name: str, path: str) -> bool:
    """Return True if a path is the one of a name, which may be a pattern, or is in it."""
    path = f"/{path.strip('/')}/"
    name = name.strip("/").removesuffix("/**").removesuffix("/*").removeprefix("**/").removeprefix("~/")
    if "*" in name:
        names = path.strip("/").split("/")
        tails = ("/".join(names[start : start + name.count("/") + 1]) for start in range(len(names)))
        return any(fnmatchcase(tail, name) for tail in tails)
    return bool(name) and f"/{name}/" in path


def _changed_words(line: str) -> str:
    """Return the words of a command that name what it changes. A copy changes only the last one."""
    words = line.split()
    if words and (words[0].rsplit("/", 1)[-1] in _COPIES or _COPIES_TO.match(line)):
        names = [word for word in words[1:] if not word.startswith("-")]
        return names[-1] if names else ""
    return line


def _is_to_branch(done: DoneAction, name: str, branch: str) -> bool:
    """Return True if a git command is done to a branch: the one that it names, or the one that is checked out."""
    if done.path or done.actions.isdisjoint(_OF_BRANCH):
        return False
    names = [ref.lower() for ref in _REF.split(done.target)]
    if "push" in done.actions and len(names) >= _LEAST_REFS:
        return names[-1] == name or ("delete" in done.actions and name in names)
    if "delete" in done.actions:
        return name in names
    return (done.branch or branch).lower() == name


def _sets_otherwise(change: FileChange, rule: ObjectRule) -> bool:
    """Return True if a change sets a setting of a rule to another value than the one that it has to keep."""
    names = [one.name for one in rule.objects if one.kind in ("name", "setting")]
    if not names or rule.closes or (rule.actions and "change" not in rule.actions and "any" not in rule.actions):
        return False
    rows = change.inserted.split("\n")
    return any(name in row.lower() and _differs(row, name, rule.value) for row in rows for name in names)


def _loses(change: FileChange, rule: ObjectRule) -> bool:
    """Return True if a change of code removes a name that has to stay."""
    if rule.closes or not {"delete"}.issuperset(rule.actions) or not change.removed or _PROSE.search(change.path):
        return False
    names = [one.name for one in rule.objects if one.kind in ("name", "data", "setting") and len(one.name) > 2]
    return any(name in change.removed.lower() and name not in change.text.lower() for name in names)


def _differs(row: str, name: str, value: str) -> bool:
    low = row.lower()
    rest = low[low.index(name) + len(name) :].lstrip(" \"'")
    is_set = rest[:1] in ("=", ":", "(") or rest[:1].isdigit()
    return bool(value) and is_set and value not in list(_values_in(rest))


def _values_in(rest: str) -> Iterator[str]:
    parts: Sequence[str] = _SPLIT.split(rest)
    yield from filter(None, parts)
