"""Compare actions with the prohibitions of a rule."""

from __future__ import annotations

from inspector.core.text import lazy_pattern
from inspector.engine.facts import stem_set
from inspector.engine.work_state.ban_terms import Ban
from inspector.engine.work_state.call_effects import changes_state
from inspector.engine.work_state.done_actions import DoneAction
from inspector.engine.work_state.rule_verbs import CHANGE
from inspector.engine.work_state.ruled_things import RuledThing, shows, target_words
from inspector.engine.work_state.text_rules import pattern_of_name, text_rule_of, writes_forbidden

_SCRATCH = lazy_pattern(r"/(?:private/)?(?:tmp|var|dev)/")
_BRANCHES = frozenset(("main", "master", "develop", "trunk"))
_FLAG = lazy_pattern(r"(?<!\S)-{1,2}[A-Za-z][\w-]{0,40}")
_CODE = lazy_pattern(r"`([^`\n]{2,100})`")
_DATA = stem_set("table tables column columns row rows record records database db")
"""Nouns for data that is not in the files of a project."""
_OUTWARD = lazy_pattern(
    r"(?i)\b(?:public|external|exported|published)\s(?:\w+\s)?(?:api|interface|method|function)s?\b"
)
"""A thing of which a changed file says nothing unless names in it change."""
_SAMPLE = lazy_pattern(r"(?i)\w\.(?:example|sample|template|dist)(?:\.\w{1,8})?$")
"""A file that shows the form of another one, such as `.env.example`."""
_SAMPLES = stem_set("example sample template dist")
_REF = lazy_pattern(r"[\s:]")
_OPERANDS = lazy_pattern(r"[\s=:,'\"]+")
_NAME_PARTS = lazy_pattern(r"[\W_]")
_LEAST_REFS = 4
"""Words of a push that names a remote and a branch."""
_OTHER = frozenset(("run", "use", "insert", "test", "commit", "push", "merge", "stage", "format"))
"""Actions that do nothing to a thing whose name a command contains."""
_OF_BRANCH = frozenset(("commit", "push", "merge", "rebase", "force"))
"""Actions on a branch."""
_NO_CHANGE = (_OTHER | _OF_BRANCH | {"stash", "tag", "checkout"}) - {"run"}
_REGION = lazy_pattern(r"[a-z]{2}-(?:gov-)?[a-z]{4,12}-?\d")
"""A region of a cloud."""


def is_banned(done: DoneAction, ban: Ban, branch: str = "") -> bool:
    """Return True if a rule forbids an action.

    Args:
        done: The action.
        ban: A prohibition of the rule. One with a condition that cannot be checked forbids nothing.
        branch: The branch that is checked out, which commits and pushes are done to.
    """
    if ban.ending == "condition" or any(_is_about(done, one, branch) for one in ban.spared):
        return False
    if ban.is_only:
        return _is_elsewhere(done, ban)
    if "insert" in done.actions:
        if ban.text is not None and writes_forbidden(ban.text, done.path, done.text):
            return True
        return "insert" in ban.actions and any(_is_written(done, thing) for thing in ban.things)
    return _is_done(done, ban) and _is_to_one(done, ban, branch)


def _is_to_one(done: DoneAction, ban: Ban, branch: str) -> bool:
    """Return True if an action is done to one of the things that a rule names, or the rule is about anything."""
    if ban.spares_new and "create" in done.actions:
        return False
    return not ban.things or any(_is_about(done, thing, branch) for thing in ban.things)


def _is_done(done: DoneAction, ban: Ban) -> bool:
    """Return True if an action is of a kind that a rule forbids."""
    if "named" in ban.actions:
        return not done.path and not ban.verbs.isdisjoint(_NAME_PARTS.split(" ".join(done.target.lower().split()[:3])))
    if done.actions == {"use"}:
        return "use" in ban.actions and bool(ban.things)
    if done.added:
        is_used = "use" in ban.actions and any(thing.head in done.added for thing in ban.things)
        return is_used or "install" in ban.actions
    return _is_any_or_of_kind(done, ban)


def _is_any_or_of_kind(done: DoneAction, ban: Ban) -> bool:
    if "any" in ban.actions:
        return bool(done.actions - _OTHER) or ("run" in done.actions and _is_run(done, ban))
    return _is_of_kind(done, ban)


def _is_of_kind(done: DoneAction, ban: Ban) -> bool:
    if ban.verbs == {"rewrite"} and done.path and "create" not in done.actions:
        return False  # an edit is not a new text
    wanted = _wanted(ban)
    own = done.actions - {"insert", "use"}
    if not wanted or wanted == {"run"}:
        return bool(wanted) and "run" in own and bool(ban.things)
    return bool(wanted & (own - {"run"})) or (bool(ban.things) and _means_change(done, ban, own, wanted))


def _means_change(done: DoneAction, ban: Ban, own: frozenset[str], wanted: frozenset[str]) -> bool:
    """Return True if a command has a verb of a ban, or changes something where a ban forbids changes."""
    changes = "change" in wanted and own.isdisjoint(_NO_CHANGE) and changes_state(done.target)
    return ("run" in own and changes) or bool(ban.verbs & done.verbs)


def _is_run(done: DoneAction, ban: Ban) -> bool:
    """Return True if the program or script of a command is one of the things of a ban."""
    words = target_words(" ".join(done.target.split()[:2]))
    return any(thing.words - thing.soft <= words for thing in ban.things)


def _wanted(ban: Ban) -> frozenset[str]:
    """Return the actions of a ban that are no insertions. To touch a branch is to commit, push or merge to it."""
    is_of_branch = (
        not ban.actions.isdisjoint(("change", "commit"))
        and bool(ban.things)
        and all(thing.words <= _BRANCHES for thing in ban.things)
    )
    stages = frozenset(("stage",)) if "commit" in ban.actions and ban.things else frozenset[str]()
    return (ban.actions - {"insert", "use", "install"}) | stages | (_OF_BRANCH if is_of_branch else frozenset())


def _is_about(done: DoneAction, thing: RuledThing, branch: str) -> bool:
    if done.path and _is_no_file(done, thing):
        return False
    if thing.words & _BRANCHES and thing.words <= _BRANCHES:
        return not done.actions.isdisjoint(_OF_BRANCH) and _is_to_branch(done, thing, branch)
    words = done.words
    flags = set(_FLAG.findall(thing.phrase))
    if not flags <= set(done.target.split()):
        return False
    if done.actions == {"use"}:
        return thing.head in words or _is_command(done, thing, bool(flags))
    return shows(words, thing, done.path)


def _is_no_file(done: DoneAction, thing: RuledThing) -> bool:
    """Return True if a change of a file says nothing about a thing: data, a public API, or a copy elsewhere."""
    is_outward = "rename" not in done.actions and _OUTWARD.search(thing.phrase) is not None
    is_scratch = _SCRATCH.match(done.path) is not None and not thing.phrase.startswith("/")
    is_sample = _SAMPLE.search(done.path) is not None and thing.words.isdisjoint(_SAMPLES)
    return is_outward or is_scratch or is_sample or thing.head in _DATA


def _is_to_branch(done: DoneAction, thing: RuledThing, branch: str) -> bool:
    """Return True if a git command is done to a branch: the one that it names, or the one that is checked out."""
    names = _REF.split(done.target)
    is_named = "commit" not in done.actions and bool(thing.words & set(names))
    is_current = "push" not in done.actions or len(names) < _LEAST_REFS
    return is_named or (is_current and (done.branch or branch) in thing.words)


def _is_command(done: DoneAction, thing: RuledThing, has_flags: bool) -> bool:
    """Return True if a command is the one that a rule quotes or names, with its options."""
    quoted = _CODE.search(thing.phrase)
    named = (quoted[1] if quoted else thing.phrase).split()
    said = done.target.split()
    is_first = named[0] == said[0].rsplit("/", 1)[-1] or (has_flags and named[0].startswith("-"))
    return (len(named) > 1 or has_flags) and is_first and set(named) <= set(said)


def _is_elsewhere(done: DoneAction, ban: Ban) -> bool:
    """Return True if an action is done outside of what alone a rule allows."""
    if regions := [thing.name for thing in ban.things if _REGION.fullmatch(thing.name)]:
        named = {word for word in _OPERANDS.split(done.text or done.target) if _REGION.fullmatch(word)}
        return bool(named) and named.isdisjoint(regions)
    return _is_at_other_place(done, ban)


def _is_at_other_place(done: DoneAction, ban: Ban) -> bool:
    if "test" in ban.actions:
        return "test" in done.actions and not any(_is_one(done, done.target, thing) for thing in ban.things)
    if not done.path:
        return changes_state(done.target) and any(_is_beside(done.target, thing.name) for thing in ban.things)
    if done.actions.isdisjoint(CHANGE) or _SCRATCH.match(done.path):
        return False
    return not any(_is_one(done, done.path, thing) for thing in ban.things)


def _is_beside(command: str, place: str) -> bool:
    """Return True if a command names a path in the folder above a place, and not the place: "envs/prod"."""
    above, _, name = place.strip("`./").rpartition("/")
    tails = [word.partition(f"{above}/")[2] for word in _OPERANDS.split(command) if above and f"{above}/" in word]
    return bool(tails) and not any(f"{tail}/".startswith(f"{name}/") for tail in tails)


def is_outside(path: str, ban: Ban) -> bool:
    """Return True if a path that a user names is in none of the places that alone a rule allows."""
    return not any(_is_named(path, thing) or _is_part(path.strip("/"), thing.name) for thing in ban.things)


def _is_one(done: DoneAction, target: str, thing: RuledThing) -> bool:
    return _is_named(target, thing) or (not thing.inside and shows(done.words, thing))


def _is_named(target: str, thing: RuledThing) -> bool:
    names = [thing.inside] if thing.inside else [thing.name] if thing.name else sorted(thing.words)
    return any(_is_part(name.strip("`./"), target) for name in names)


def _is_part(name: str, target: str) -> bool:
    return bool(name) and (f"/{name}/" in f"/{target}/" or f"/{target}".endswith(f"/{name}") or f" {name}" in target)


def _is_written(done: DoneAction, thing: RuledThing) -> bool:
    """Return True if a text that is written contains what a rule forbids to write or to use."""
    name = thing.name
    rule = text_rule_of(f"never use {name or thing.phrase}")
    if rule is not None and writes_forbidden(rule, done.path, done.text):
        return True
    if not name or thing.inside:
        return False
    if not done.path or (not name.isalpha() and "-" in name):
        return name.lower() in done.text.lower() and not name.islower()
    low = name.lower().removesuffix("()")
    return pattern_of_name(low).search(done.text.lower()) is not None or f'"{low}":' in done.text
