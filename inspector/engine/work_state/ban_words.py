"""Nouns and verbs of prohibitions, as plain words."""

from __future__ import annotations

from inspector.core.text import word_set

CREATED = word_set(
    "doc docs documentation readme readmes markdown test tests file files script scripts spec specs changelog"
    " comment comments "
    "document documents report reports summary migration migrations fixture fixtures helper helpers wrapper wrappers"
)
DONE_NOUNS = {
    "commit": "commit",
    "push": "push",
    "force-push": "push",
    "stash": "stash",
    "stashe": "stash",
    "reset": "reset",
    "merge": "merge",
    "rebase": "rebase",
    "amend": "amend",
    "tag": "tag",
    "release": "publish",
    "deploy": "deploy",
    "deployment": "deploy",
    "restart": "restart",
    "deletion": "delete",
    "removal": "delete",
    "rename": "rename",
    "renaming": "rename",
    "dependencie": "install",
    "dependency": "install",
    "package": "install",
    "librarie": "install",
    "library": "install",
    "install": "install",
    "lib": "install",
    "dep": "install",
    "crate": "install",
    "gem": "install",
    "pod": "install",
    "jar": "install",
    "installation": "install",
    "upgrade": "upgrade",
    "publishing": "publish",
    "reformatting": "reformat",
    "formatting": "reformat",
    "squash": "squash",
    "checkout": "checkout",
    "revert": "revert",
    "cherry-pick": "cherry-pick",
}
NO_DEED = word_set(
    "forget worry hesitate think know see understand mind care need want have has had be let make get go give take"
    " keep put say explain ask show mention list include repeat assume guess expect rely trust consider spend waste"
    " try bother miss lose ignore break cause look read check test review compare analyze analyse summarize describe"
    " translate wait sleep rush hurry overthink complicate duplicate hardcode hard-code mix mock exceed allow return"
    " show support accept throw raise fail match exist work appear happen seem feel believe agree like love hate help"
    " count contain hold wants needs apologize apologise refer talk speak respond reply answer guess invent claim"
    " begin end imply pretend assert start finish continue proceed default depend require assume copy reuse"
    " rename-free over-engineer overengineer"
)
"""Verbs of prohibitions that no action on a thing shows."""
