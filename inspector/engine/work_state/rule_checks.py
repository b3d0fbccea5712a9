"""Rules of a user that a tool call can break, and whether it does. A rule that is not certain is never broken."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from inspector.core.text import word_set
from inspector.engine.facts import content_words, is_negated, stem
from inspector.engine.work_state.call_effects import CallEffects
from inspector.engine.work_state.forbidding_words import forbidden_in, guarded_in
from inspector.engine.work_state.shell_words import commands_in

ActionKind = Literal[
    "edit", "create", "delete", "move", "commit", "push", "merge", "deploy", "install", "run", "use", "agent"
]
Ending = Literal["", "answer", "approval", "condition"]
_CHANGES: frozenset[ActionKind] = frozenset(("edit", "create", "delete", "move"))
_VERBS: Mapping[str, frozenset[ActionKind]] = {
    verb: frozenset(kinds)  # type: ignore[arg-type]
    for verbs, kinds in (
        ("touch change modify alter overwrite mess", ["edit", "delete", "move", "create"]),
        ("edit rewrite refactor update reformat fix write", ["edit", "create"]),
        ("delete remove drop truncate wipe erase purge destroy", ["delete"]),
        ("create add introduce generate", ["create", "install"]),
        ("open submit", ["create"]),
        ("rename move", ["move"]),
        ("commit amend", ["commit"]),
        ("push force-push", ["push"]),
        ("merge rebase", ["merge"]),
        ("deploy release publish ship", ["deploy"]),
        ("install upgrade", ["install"]),
        ("run execute invoke start launch call restart", ["run"]),
        ("use", ["use"]),
    )
    for verb in verbs.split()
}
_VERB = "|".join(sorted(_VERBS, key=len, reverse=True))
_FORBIDS = re.compile(
    r"(?i)\b(?:do not|don[’']?t|never|must not|may not|should not|shouldn[’']?t|mustn[’']?t|avoid|without"
    r"|not to|no more)"
    r"(?: (?:ever|please|you|just|yet|directly|even|to))*"
    rf" ({_VERB})(?:e?s|ing|ting|ning)?\b((?:(?:,| or| and|, or|/) ?(?:{_VERB})(?:ing)?\b)*)((?:[^.;!?\n]|\.(?=\w))*)"
)
"""A prohibition: its verbs, and what they must not be done to: "Do not touch or delete the coupon table"."""
_NOTHING = re.compile(
    r"(?i)\b(?:(?:change|touch|edit|modify|write|do|implement) nothing|(?:do not|don[’']?t) (?:change|touch"
    r"|edit|modify|do|implement"
    r"|write) (?:any ?thing|any (?:code|files?))|no (?:edits|changes|code changes)|hands off|read[- ]only"
    r"|ändere nichts|nichts (?:ver)?(?:ändern|anfassen|bearbeiten)|ne (?:change|modifie|touche)[rsz]? (?:à )?rien"
    r"|no (?:cambies|toques|modifiques|edites) nada)\b"
)
_LEAVE = re.compile(
    r"(?i)^(?:the |our |my |all )?([^.,;!?\n]{2,80}?) (?:must|has to|have to|should|shall) (?:stay|remain|be left)"
    r" (?:exactly |just )?(?:as (?:it|they) (?:is|are)|as is|alone|untouched|unchanged)\b"
)
_NOT_THAT = re.compile(
    r"(?i)\b(?:use|run|prefer|with) `?([\w@./-]+)`?[^.;!?\n]{0,40}?,? (?:not|never|instead of"
    r"|rather than) `?([\w@./-]+)`?"
)
_CONFINED = re.compile(
    r"(?i)\bonly (?:edit|change|touch|modify|write(?: to)?|work (?:in|on|inside|under))"
    r"(?: (?:files|code))?(?: (?:in|under|inside|within))? ?`?((?:[\w.-]+/)+[\w.-]*|[\w-]+\.\w{1,5})`?"
)
_ONE_AGENT = re.compile(
    r"(?i)\b(?:one|a single|1|same)\b[^.;\n]{0,40}\b(?:sub-?agent|agent)s?\b|\b(?:sub-?agent"
    r"|agent)s?\b[^.;\n]{0,20}\b(?:one|single|reuse)\b"
)
_EACH = re.compile(r"(?i)\bone of\b|\bper\b|\beach\b")
_VERBS_IN = re.compile(rf"(?i)\b({_VERB})")
_EDGES = re.compile(r"[\s'\"`;,()=]+")
_WORDS = re.compile(r"[\w-]+")
_UNTIL = re.compile(
    r"(?i)\b(?:until|till|before|unless|without|except|bis|bevor|ohne|avant|sans|sauf|hasta|sin|salvo)\b(.{0,80})"
)
_IF = re.compile(r"(?i)(?<!even )\b(?:if|when|whenever|wenn|falls|sobald|quand|cuando)\b(.{0,80})")
_ANSWERS = re.compile(
    r"(?i)\b(?:i|my|me|ich)\b.{0,20}\b(?:answer|repl\w+|decide|choose|tell|respond|say|said|speak|antwort\w*)"
)
_APPROVALS = re.compile(r"(?i)\b(?:i|my|me|asking|approv\w*|permission|confirm\w*|ok|review\w*|consent)\b")
_CUT = re.compile(
    r"(?i)[,(]| (?:until|till|unless|before|because|since|without|except|if|when|while|but|for now|as|so|,? ?i|that)\b"
)
_GENERIC = frozenset(
    map(
        stem,
        [
            "file",
            "files",
            "folder",
            "directory",
            "code",
            "module",
            "table",
            "tables",
            "schema",
            "database",
            "anything",
            "everything",
            "thing",
            "things",
            "any",
            "new",
            "existing",
            "old",
            "more",
            "yet",
            "change",
            "changes",
            "it",
            "them",
            "that",
            "this",
            "those",
            "other",
            "others",
            "work",
            "project",
            "repo",
            "repository",
            "branch",
            "remote",
            "myself",
            "yourself",
            "now",
            "today",
            "directly",
            "again",
            "stuff",
            "source",
            "real",
            "extra",
            "additional",
            "further",
            "one",
        ],
    )
)
_PRONOUNS = word_set("it them that this those these there here such which what")
_SUBJECT_FREE: frozenset[ActionKind] = frozenset(("commit", "push", "merge", "deploy", "install", "agent"))
_SPLIT = re.compile(r"[^\W_]+|[A-Z][a-z]+")
_SQL_DELETES = re.compile(r"(?i)\b(?:drop (?:table|database|schema|index|column)|truncate|delete from)\b")
_SQL_EDITS = re.compile(r"(?i)\b(?:alter table|update \w+ set|insert into)\b")
_MANAGERS = word_set("npm pnpm yarn bun pip pip3 uv poetry cargo gem brew apt apt-get go")
_INSTALLS = word_set("install add get i")
_PACKAGES = content_words("dependency dependencies deps package packages library libraries libs")
_READERS = word_set("grep rg cat ls echo find git gh head tail")
_SETS = re.compile(
    r"(?i)(?:(?:please|now|then|ok(?:ay)?|and|also)[, ]+){0,3}(?:set|put|bump|replace|raise|lower|turn|enable|disable"
    r"|increase|decrease|adjust|correct)\b[^?]*$"
)
"""Start of a request for an edit that names no verb of a rule."""
_REPORTS = frozenset(("--help", "--dry-run"))
_FLAG = re.compile(r"(?<!\S)`?(--[\w-]{2,40})")
_GIT: Mapping[str, ActionKind] = {"commit": "commit", "push": "push", "merge": "merge", "rebase": "merge"}
_DEPLOYS = re.compile(r"(?i)\b(?:deploy|publish|release|rollout|kubectl apply|terraform apply)\b")

_CODE = re.compile(r"`([^`\n]{2,100})`")
_FORCE = re.compile(r"(?i)\bforce[- ]push")
_REFSPEC = re.compile(r"\bpush(?: -\S+)* [^\s-]\S* (?:-\S+ )*[^\s-]")
"""A push that names a remote and a branch."""
_FORCED = stem("force")
_FORCES = re.compile(r" (?:-f|--force\S*|\+\S+)(?: |$)")
"""An option that forces a push, or a refspec that does."""
_LINES: tuple[tuple[re.Pattern[str], ActionKind], ...] = (
    (_SQL_DELETES, "delete"),
    (_SQL_EDITS, "edit"),
    (_DEPLOYS, "deploy"),
)


class RuledAction(NamedTuple):
    """Something that a call does, of a kind that rules are about."""

    kind: ActionKind
    target: str
    """The path, or the command."""
    text: str = ""


class Prohibition(NamedTuple):
    """Actions that a rule forbids."""

    kinds: frozenset[ActionKind]
    objects: frozenset[str]
    """Stems that the target must contain; empty for any target."""
    ending: Ending = ""
    """What ends the rule: an answer or an approval of the user, or a condition that cannot be checked."""
    folder: str = ""
    """The only place where changes are allowed."""
    most: int = 0
    """Maximum number of sub-agents, if the rule is about them."""
    adds: bool = False
    """True if it forbids to add packages, but not to install those that are already required."""


@lru_cache(maxsize=4_096)
def prohibition_of(rule: str) -> Prohibition | None:
    """Return what a rule forbids, or None if no tool call can be checked against it."""
    if _ONE_AGENT.search(rule) and not _EACH.search(rule):
        return Prohibition(frozenset(("agent",)), frozenset(), most=1)
    ending = _ending_of(rule)
    if (forced := _FORCE.sub("force-push", rule)) != rule or "force-push" in rule.lower():
        return _of_forced_push(forced, ending)
    if guarded := guarded_in(rule):
        return _about(_CHANGES, guarded, ending)
    if confined := _CONFINED.search(rule):
        return Prohibition(_CHANGES, frozenset(), ending, folder=confined[1].rstrip("/."))
    if _NOTHING.search(rule):
        return Prohibition(_CHANGES | {"commit", "install"}, frozenset(), ending)
    if (left := _LEAVE.search(rule)) and not _FORBIDS.search(rule):
        return _about(_CHANGES, left[1], ending)
    if instead := _NOT_THAT.search(rule):
        return Prohibition(frozenset(("use",)), frozenset((stem(instead[2]),)), ending)
    return _verbs_forbidden(rule, ending)


def _of_forced_push(rule: str, ending: Ending) -> Prohibition | None:
    """Return the prohibition of forced pushes if a rule states it."""
    is_forbidden = _FORBIDS.search(rule) or forbidden_in(rule)
    return Prohibition(_VERBS["push"], frozenset((_FORCED,)), ending) if is_forbidden else None


def is_met(rule: str, sentence: str) -> bool:
    """Return True if a sentence of the user states what a rule waits for: "before I have reviewed it"."""
    forbidden = prohibition_of(rule)
    until = _UNTIL.search(rule) if forbidden and forbidden.ending == "approval" else None
    met = content_words(until[1]) & content_words(sentence) if until else frozenset[str]()
    return bool(met) and not (is_negated(sentence) or sentence.endswith("?"))


def _verbs_forbidden(rule: str, ending: Ending) -> Prohibition | None:
    """Return what a rule forbids by a verb, by a noun or in another language than English."""
    if match := _FORBIDS.search(rule):
        words = [match[1], *_VERBS_IN.findall(match[2])]
        kinds = frozenset(kind for word in words for kind in _VERBS[word.lower()])
        return _about(kinds, _CUT.split(match[3], maxsplit=1)[0], ending)
    forbidden = forbidden_in(rule)
    about = _about(_VERBS[forbidden.verb], forbidden.phrase, ending) if forbidden else None
    return about._replace(adds=forbidden.adds) if about and forbidden else None


def _ending_of(rule: str) -> Ending:
    if not (until := _UNTIL.search(rule) or _IF.search(rule)):
        return ""
    words = until[1]
    return "answer" if _ANSWERS.search(words) else "approval" if _APPROVALS.search(words) else "condition"


def _about(kinds: frozenset[ActionKind], phrase: str, ending: Ending) -> Prohibition | None:
    """Return the prohibition of some kinds of actions on what a phrase names, or None if it names nothing certain."""
    if not kinds.isdisjoint(("run", "use")) and " " in (command := _only_code_in(phrase)):
        return Prohibition(kinds, frozenset((command,)), ending)
    words = content_words(phrase)
    objects = words - _GENERIC
    if "install" in kinds and words & _PACKAGES:
        return Prohibition(frozenset(("install",)), objects - _PACKAGES, ending, adds=True)
    has_pronoun = any(word in _PRONOUNS for word in phrase.lower().split())
    if not objects and not kinds <= _SUBJECT_FREE and (has_pronoun or not words):
        return None
    return Prohibition(kinds, objects, ending)


def _only_code_in(phrase: str) -> str:
    """Return the code in a phrase that quotes one piece of it: "`git stash` on shared checkouts"; "" for any other."""
    if flag := _FLAG.search(phrase):
        return f" {flag[1]} "
    codes = _CODE.findall(phrase)
    return " ".join(codes[0].split()) if len(codes) == 1 else ""


def actions_of(effects: CallEffects) -> Iterator[RuledAction]:
    """Yield what a call does, in the terms of rules."""
    kinds: Mapping[str, ActionKind] = {"created": "create", "changed": "edit", "deleted": "delete", "moved": "move"}
    for change in effects.files:
        yield RuledAction(kinds[change.kind], change.path, change.text)
    if effects.agent:
        yield RuledAction("agent", effects.agent)
    for words, _ in commands_in(effects.command):
        if _only_reports(words):
            continue
        line = " ".join(words)
        yield RuledAction("run", line)
        yield RuledAction("use", words[0].rsplit("/", 1)[-1], line)
        if len(words) > 2 and words[0].startswith("python") and words[1] == "-m":
            yield RuledAction("use", words[2], " ".join(words[2:]))
        yield from _of_line(words, line)


def _only_reports(words: Sequence[str]) -> bool:
    """Return True if a command only shows something: help, a dry run, or a list of what git has put aside."""
    is_list = list(words[:2]) in (["git", "stash"], ["git", "worktree"]) and words[2:3] in (["list"], ["show"])
    return is_list or words[1:2] == ["help"] or not _REPORTS.isdisjoint(words[1:])


def _of_line(words: Sequence[str], line: str) -> Iterator[RuledAction]:
    if kind := _kind_of_git(words):
        yield RuledAction(kind, line, "force" if kind == "push" and _FORCES.search(line) else "")
    if list(words[:3]) in (["gh", "pr", "create"], ["glab", "mr", "create"]):
        yield RuledAction("create", f"{line} pull request merge request prs")
    if words[0] in _MANAGERS and not _INSTALLS.isdisjoint(words[1:4]):
        yield RuledAction("install", line, " ".join(_added_packages(words)))
    for pattern, other in _LINES:
        if pattern.search(line) and words[0] not in _READERS:
            yield RuledAction(other, line)


def _added_packages(words: Sequence[str]) -> Iterator[str]:
    """Yield the packages that an install command names. A file or folder after an option is none."""
    for before, word in pairwise(words):
        is_name = not word.startswith(("-", ".", "/")) and before not in ("-r", "-e", "-c", "--prefix", "--filter")
        if is_name and word not in _INSTALLS | _MANAGERS and not word.endswith((".txt", ".toml", ".whl")):
            yield word


def _kind_of_git(words: Sequence[str]) -> ActionKind | None:
    if words[0] not in ("git", "gh"):
        return None
    verb = next((word for word in words[1:] if word in _GIT), "")
    return _GIT.get(verb if words[0] == "git" or verb == "merge" else "")


def breaks(action: RuledAction, rule: Prohibition, branch: str = "") -> bool:
    """Return True if an action breaks a rule.

    Args:
        action: The action.
        rule: The rule. One with a condition that cannot be checked is never broken.
        branch: The branch that is checked out, which stands for the target of a commit or push.
    """
    if action.kind not in rule.kinds or rule.ending == "condition" or rule.most:
        return False
    if rule.folder:
        return _is_outside(action.target, rule.folder)
    if rule.adds and not action.text:
        return False
    return not rule.objects or _is_done_to(action, rule, branch)


def _is_done_to(action: RuledAction, rule: Prohibition, branch: str) -> bool:
    """Return True if an action is done to the objects of a rule, or is the command that it quotes."""
    if command := next((one for one in rule.objects if " " in one), ""):
        line = f"{action.text if action.kind == 'use' else action.target} "
        return command in line if command[0] == " " else line.startswith(f"{command} ")
    if action.kind == "use":
        return _uses(action, rule.objects)
    words = _words_done_to(action, branch)
    need = len(rule.objects) if len(rule.objects) <= 2 else -(-2 * len(rule.objects) // 3)
    return len(rule.objects & words) >= need


def _words_done_to(action: RuledAction, branch: str) -> frozenset[str]:
    """Return the words that name what an action is done to."""
    text = f"{action.target} {action.text if action.kind in ('delete', 'move', 'push') else ''} "
    is_of_branch = action.kind in ("commit", "merge") or (action.kind == "push" and not _REFSPEC.search(action.target))
    return target_words(text + branch if is_of_branch else text)


def _uses(action: RuledAction, objects: frozenset[str]) -> bool:
    return stem(action.target) in objects


def _is_outside(path: str, folder: str) -> bool:
    """Return True if a path is not in a folder that a rule names by any part of its path."""
    return f"/{folder.strip('/')}/" not in f"/{path.strip('/')}/" and not path.endswith(f"/{folder}")


def target_words(text: str) -> frozenset[str]:
    """Return the stems of the words in a path or command: of whole names and of their parts."""
    whole = {stem(word) for word in _EDGES.split(text) if word}
    return frozenset(whole | {stem(part) for part in _SPLIT.findall(text)} | set(text.lower().split("/")))


@lru_cache(maxsize=512)
def _kinds_in(sentence: str) -> frozenset[ActionKind]:
    """Return the kinds of actions that a sentence asks for; none for a negated sentence or a question."""
    if sentence.endswith("?"):
        return frozenset()
    words = [word for word in _WORDS.findall(sentence.lower()) if word in _VERBS or word.removesuffix("ing") in _VERBS]
    kinds = (_VERBS.get(word) or _VERBS.get(word.removesuffix("ing"), frozenset()) for word in words)
    return frozenset[ActionKind]().union(*kinds) if words and not is_negated(sentence) else frozenset()


def overrides(sentence: str, rule: str) -> bool:
    """Return True if a later sentence of the user asks for what a rule forbids."""
    kinds = _kinds_in(sentence)
    if _SETS.match(sentence) and not is_negated(sentence):
        kinds = kinds | {"edit"}
    forbidden = prohibition_of(rule) if kinds else None
    if forbidden is None or kinds.isdisjoint(forbidden.kinds):
        return False
    objects = forbidden.objects
    return not objects or 2 * len(objects & (content_words(sentence) | target_words(sentence))) >= len(objects)
