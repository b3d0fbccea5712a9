"""Actions that carry out a plan or a task, recognized by the names and words that they share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from inspector.core.text import lazy_pattern
from inspector.engine.commands import commands_in, core_words
from inspector.engine.facts import content_words, stem
from inspector.engine.work_state.call_effects import changes_state
from inspector.engine.work_state.done_actions import done_by
from inspector.engine.work_state.effect_values import CallEffects, FileChange
from inspector.engine.work_state.foreign_rules import verbs_of
from inspector.engine.work_state.rule_verbs import meant_by
from inspector.engine.work_state.ruled_things import target_words
from inspector.engine.work_state.state_items import StateItem
from inspector.engine.work_state.work_plans import COMMON_VERBS, steps_of_plan

_WORD = lazy_pattern(r"[\w./-]{3,300}")
_SPOKEN = lazy_pattern(r"[\w-]+|[.,;:!?()]")
_EXTENSION = lazy_pattern(r"[A-Za-z]\w{0,5}")
_COMPOUND = lazy_pattern(r"(?<=\w)[-_](?=\w)")
_FOLDER = lazy_pattern(r"(?<![\w/.])((?:[\w-]{2,40}/){1,6}[\w-]{2,40})(?![\w/.])")
"""A folder that a step names: "Create services/orders"."""
_TELLS = lazy_pattern(r"(?i)^\S+\.(?:md|rst|adoc|txt)$")
"""Path of a document, which may describe finished work without doing it again."""
_DOCUMENTS = content_words("document documentation docs doc guide page chapter section describe note notes text")
_MIN_SHARE = 0.75
_SHORT = 3
"""Letters of a word that is no short form of a longer one."""


def belongs_to_plan(call: CallEffects, plan: StateItem, said: Sequence[str], others: Sequence[str]) -> str:
    """Return the path or command of a call that carries out a step of a plan; "" for any other call.

    Args:
        call: The call.
        plan: The plan, with its text in `detail`.
        said: What the user has said since the plan was refused. Anything named there is a new request.
        others: Texts of approved plans. Files that they name belong to them.
    """
    own = _names_in("\n".join((*said, *others)))
    named = _names_in(plan.detail) - own
    subject = content_words(plan.text) - COMMON_VERBS
    steps = steps_of_plan(plan.detail)
    for change in call.files:
        if _carries_out(change, subject, named, own, steps):
            return change.path
    line = call.deed or (call.command if changes_state(call.command) else "")
    verbs = _verbs_of(call)
    added = frozenset[str]().union(*(one.added for one in done_by(call)))
    return line if line and _is_step(f"{line} {verbs}", plan.detail, subject, added) else ""


def _is_in_folder(path: str, steps: Sequence[str]) -> bool:
    """Return True if a path is in a folder that a step names."""
    return any(f"/{folder}/" in f"/{path}" for step in steps for folder in _FOLDER.findall(step))


def _shares(step: str, change: FileChange) -> bool:
    """Return True if the text of a change shares a telling word with a step, besides the name of the file."""
    telling = content_words(step) - COMMON_VERBS - target_words(change.path)
    return bool(telling & target_words(change.inserted))


def _carries_out(
    change: FileChange, subject: frozenset[str], named: Set[str], own: Set[str], steps: Sequence[str]
) -> bool:
    """Return True if a change is one of a file that a plan names, or of a new file about its subject."""
    name = change.path.rsplit("/", 1)[-1]
    about = subject - target_words(name)
    if name in named and (change.kind in ("created", "deleted") or _is_about(about, change, 1)):
        return True
    is_new = change.kind == "created" and name not in own
    if name in named and any(name in step and _shares(step, change) for step in steps):
        return True
    return is_new and (_is_in_folder(change.path, steps) or _is_of_subject(change, subject))


def _is_of_subject(change: FileChange, subject: frozenset[str]) -> bool:
    return _is_about(subject, change._replace(text=""), min(2, len(subject)))


def _names_in(text: str) -> set[str]:
    """Return the names of the files in a text."""
    names = (word.rstrip(".").rsplit("/", 1)[-1] for word in _WORD.findall(text))
    return {name for name in names if name.rpartition(".")[0] and _EXTENSION.fullmatch(name.rpartition(".")[2])}


def _is_about(subject: frozenset[str], change: FileChange, least: int) -> bool:
    return len(subject & target_words(f"{change.path} {change.text}")) >= least > 0


def _is_step(command: str, plan: str, subject: frozenset[str], added: frozenset[str]) -> bool:
    """Return True if a command shares enough words with a step, or installs the subject of the plan or a part of it.

    Args:
        command: The command.
        plan: Text of the plan.
        subject: Words of its title.
        added: Packages that the command adds.
    """
    words = target_words(command)
    for step in map(content_words, steps_of_plan(plan)):
        is_installed = "install" in words and bool(step & words & subject)
        if is_installed or step & added or len(step & words) >= max(2, _MIN_SHARE * len(step)):
            return True
    return False


def does_task(call: CallEffects, task: str, others: Sequence[str]) -> str:
    """Return the path or command of a call that does a task; "" if it does not, or another task fits as well.

    Args:
        call: The call.
        task: Text of the task.
        others: Texts of the open tasks.
    """
    verbs, rest = verbs_of(task)
    done = frozenset[str]().union(*(one.actions for one in done_by(call)))
    meant = frozenset(stem(word) for word in _WORD.findall(task) if meant_by(word) & done)
    wanted = content_words(f"{verbs} {_COMPOUND.sub(' ', rest)}") - _WEAK
    for target, words in _targets_of(call):
        words -= _of_other_files(task, target) if any(change.path == target for change in call.files) else frozenset()
        if _TELLS.search(target) and not (wanted & (target_words(target) | _DOCUMENTS)):
            continue
        words = _with_forms(words | meant, wanted, target)
        words -= only_modifiers(wanted & words, wanted - words, task)
        share = len(wanted & words) / max(1, len(wanted))
        best = max((_share_of(other, words) for other in others), default=(0.0, 0))
        if len(wanted & words) >= 2 and share >= _MIN_SHARE - 0.1 and (share, len(wanted & words)) > best:
            return target
    return ""


def _of_other_files(task: str, path: str) -> frozenset[str]:
    """Return the words in the names of the files of a task, unless a path is one of them: "sepa" of "SepaForm.tsx"."""
    names = _names_in(task)
    is_named = any(_stem_of(name) == _stem_of(path) for name in names)
    return frozenset() if is_named else frozenset[str]().union(*map(target_words, names))


def _stem_of(path: str) -> str:
    """Return the name of a file without its endings, in lower case and without separators: "sepaform"."""
    return path.rsplit("/", 1)[-1].split(".", 1)[0].replace("-", "").replace("_", "").lower()


def only_modifiers(hits: Set[str], missing: Set[str], text: str) -> Set[str]:
    """Return the words that in a text only describe the word that is missing: "level" in "level editor"."""
    words = _SPOKEN.findall(text)
    pairs = zip(map(stem, words), words, map(stem, words[1:]), strict=False)
    return {own for own, word, following in pairs if own in hits and following in missing and word.islower()}


def _with_forms(words: frozenset[str], wanted: frozenset[str], target: str) -> frozenset[str]:
    """Return the words of a target with the words of a task that it contains in another form: "bench", "benchmark"."""
    named = {word for word in wanted if not word.isalpha() and word in target.lower()}
    nouns = [word for word in words - _OF_CHANGES if len(word) > _SHORT]
    return words | named | {word for word in wanted if any(map(word.startswith, nouns))}


def does_same(line: str, earlier: Sequence[str], task: str) -> bool:
    """Return True if a command has the words of an earlier one, besides options, and some of a task's words."""
    before = {key for command in earlier for key in _run_words(command)}
    wanted = content_words(_COMPOUND.sub(" ", task)) - COMMON_VERBS
    return any(key in before and wanted & target_words(" ".join(key)) for key in _run_words(line))


def _run_words(line: str) -> Iterator[tuple[str, ...]]:
    """Yield the words of each command of a line that may change something, without options."""
    for words, _ in commands_in(line):
        core = core_words(words)
        alone = CallEffects("", "", command=" ".join(words))
        if len(core) > 1 and any("run" in done.actions for done in done_by(alone)):
            yield tuple(word for word in core if not word.startswith("-"))


def _share_of(task: str, words: frozenset[str]) -> tuple[float, int]:
    """Return the share and the number of the words of a task that a change contains."""
    wanted = content_words(task)
    return len(wanted & words) / max(1, len(wanted)), len(wanted & words)


def _targets_of(call: CallEffects) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the paths and lines of a call, each with the words that say what is done to it."""
    for change in call.files:
        yield change.path, target_words(f"{change.path} {change.text} {_VERBS[change.kind]}")
    if changes_state(call.command):
        yield call.command, target_words(f"{call.command} {_verbs_of(call)}")
    if call.deed:
        yield call.deed, target_words(call.deed)


def _verbs_of(call: CallEffects) -> str:
    """Return verbs for the actions of a call, as tasks and plans call them."""
    return " ".join(dict.fromkeys(_VERBS.get(f"{name}d", "") for one in done_by(call) for name in sorted(one.actions)))


_WEAK = content_words("old new existing current remaining whole entire")
_VERBS = {
    "created": "add create write",
    "changed": "edit change update fix touch",
    "deleted": "delete remove drop",
    "moved": "move rename",
    "installd": "add install introduce upgrade bump update",
}
_OF_CHANGES = content_words(" ".join(_VERBS.values()))
"""Verbs for changes, of which "editor" is no other form."""
