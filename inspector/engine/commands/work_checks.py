"""Commands that check the work (tests, builds, linters), and when a passing one settles a failing one."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from inspector.core.text import lazy_pattern
from inspector.engine.commands.shell_words import commands_in

CheckKind = Literal["tests", "lint", "types", "build", ""]
_KINDS: tuple[tuple[CheckKind, re.Pattern[str]], ...] = (
    (
        "tests",
        lazy_pattern(
            r"(?i)\b(?:pytest|py\.test|jest|vitest|mocha|ava|rspec|phpunit|unittest|tox|nox|ctest|playwright"
            r"|cypress|nextest|specs?|k6|locust|artillery|vegeta|bats|behave|hurl"
            r"|(?:test|tests|(?<!ruff )(?<!biome )(?<!prettier --)check)(?::[\w-]+)?)\b"
        ),
    ),
    ("types", lazy_pattern(r"(?i)\b(?:mypy|pyright|tsc|type-?check|pyre)\b")),
    ("lint", lazy_pattern(r"(?i)\b(?:lint\w*|eslint|ruff|flake8|clippy|rubocop|golangci-lint|biome|prettier)\b")),
    (
        "build",
        lazy_pattern(
            r"(?i)\b(?:build|compile|make(?! (?:\S+ )?(?:deploy|release|publish|seed|migrat|install|push))"
            r"|webpack|gradlew?|mvn|xcodebuild|msbuild)\b"
        ),
    ),
)
_PROGRAMS = lazy_pattern(
    r"(?i)^(?:(?:\S*/)?(?:python3?|uv|poetry|pipenv|npx|npm|pnpm|yarn|bun|bundle|rake|cargo|go|dotnet|mvn|gradle"
    r"|\./gradlew|make|just|tox|nox|cmake|ninja|meson|deno|mix|swift|ctest|php|composer|docker|xcodebuild|mise|nix"
    r"|task|turbo|nx|bazel|dbt|sbt|flutter|dart|stack|cabal|zig|forge|mage|helm|terraform)\b|(?:\S*/)?(?:py\.?test|jest|vitest|mocha|rspec|phpunit|k6|locust|artillery|vegeta|bats"
    r"|behave|hurl|mypy|pyright|tsc|ruff|eslint|flake8|golangci-lint|playwright|cypress|biome|rubocop|webpack)\b)"
)
_SCRIPT = lazy_pattern(r"(?:\S{0,200}/)?python3? [^\s-]\S{0,200}\.py(?: [^\s-]\S{0,80})?(?=\s|$)")
"""A Python script with its first word, which can name a check: "python manage.py test"."""
_TARGET = lazy_pattern(r"(?:^|\s)([\w./-]*(?:/|\.\w{1,4}|::)[\w./:\[\]-]*|-k \S+|-run \S+|-t \S+)")

_COMPILES = lazy_pattern(
    r"(?i)(?:go (?:build|vet)|cargo (?:build|check)|dotnet build|swift build|(?:\S*/)?(?:gradlew?|mvnw?) (?:\S+ )*?"
    r"(?:build|compile\w*|assemble))\b"
)
"""A command that builds what the tests of its language build too."""
_OLD_REVISION = lazy_pattern(r"[0-9a-f]{7,40}|\S{1,80}[~^]\d{0,4}")
"""A commit by its hash, or by its distance to another one: "HEAD~1"."""
_EVERYTHING = frozenset((".", "./", "./..."))


@lru_cache(maxsize=1_024)
def check_kind(command: str) -> CheckKind:
    """Return what a command checks; "" if it checks nothing."""
    last = command.rsplit("&&", 1)[-1].strip()
    if script := _SCRIPT.match(last):
        last = script[0]
    if not _PROGRAMS.match(last):
        return ""
    return next((kind for kind, pattern in _KINDS if pattern.search(last)), "")


def checks_old_code(line: str) -> bool:
    """Return True if a line runs a check without the latest changes: `git stash && pytest; git stash pop`."""
    is_old = False
    for words, _ in commands_in(line) if "git " in line else ():
        match words:
            case ["git", "stash", "pop" | "apply" | "drop" | "list" | "show" | "branch" | "clear", *_]:
                is_old = False
            case ["git", "stash", *_]:
                is_old = True
            case ["git", "checkout" | "switch", *rest] if rest:
                is_old = any(map(_OLD_REVISION.fullmatch, rest))
            case _ if is_old and check_kind(" ".join(words)):
                return True
    return False


def targets_of(command: str) -> frozenset[str]:
    """Return the files and selections that a checking command names; empty if it checks everything."""
    words = command.rsplit("&&", 1)[-1].strip().split(" ", 1)
    targets = (match[1] for match in _TARGET.finditer(words[1] if len(words) > 1 else ""))
    return frozenset(target.removesuffix("/...") for target in targets) - _EVERYTHING


def covers(command: str, other: str) -> bool:
    """Return True if a checking command checks at least what another one does, as far as their words tell."""
    kind = check_kind(command)
    if kind == "tests" and not targets_of(command) and _COMPILES.match(other):
        return True
    if not kind or kind != check_kind(other):
        return False
    own, wanted = targets_of(command), targets_of(other)
    return not own or (bool(wanted) and all(any(_holds(one, name) for one in own) for name in wanted))


def _holds(target: str, name: str) -> bool:
    return name == target or name.startswith((f"{target.rstrip('/')}/", f"{target}::"))
