"""The paths and commands that a text names: in code, in links and in fenced shell code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from inspector.core.text import lazy_pattern, word_set
from inspector.formats import Block

NameKind = Literal["path", "folder", "make", "script", "just", "symbol"]

_SPAN = lazy_pattern(r"`([^`\n]{1,300})`")
_LINK = lazy_pattern(r"\[[^\]\n]{0,300}\]\(<?([^()\s<>]{1,300})>?\)")
_SIGNS = ("`", "](", "/")
"""Signs one of which each line has that names a path or a symbol."""
_PATH = lazy_pattern(r"^(?:\./)?[\w.@+-]+(?:/[\w.@+-]+)*/?$")
_END = lazy_pattern(r"(?::\d[\d,:-]{0,20}|#[\w-]{0,80}|\(\))$")
_SUFFIX = lazy_pattern(r"\.([A-Za-z][A-Za-z0-9]{0,9})$")
SUFFIXES = word_set(
    "py pyi ts tsx js jsx mjs cjs vue svelte go rs java kt kts swift c h cc cpp hpp cs rb php ex exs erl scala clj "
    "lua sh "
    "bash zsh fish ps1 sql md mdx mdc rst txt adoc json jsonc json5 yaml yml toml ini cfg conf xml html css scss less "
    "graphql gql proto tf hcl nix ipynb r jl dart zig sol cmake gradle mk lock service plist astro prisma csv feature"
)
_PATTERN = lazy_pattern(r"[<>{}*…]|\$\(|/path/")
"""Part of a command that is a pattern of commands."""
_IS_FILE = lazy_pattern(r"/|^-|\.[A-Za-z]{1,5}$")
_NO_PATHS = ("@", "~", "-", "..", "www.")
_SHORTEST_FOLDER = 3
_SEPARATOR = lazy_pattern(r"&&|\|\||;|\||\$ |\)")
_VARIABLES = r"\s*(?:[A-Z_]{1,40}=\S{1,80} ){0,3}"
_MAKE = lazy_pattern(_VARIABLES + r"make((?: +[\w./:%-]+)+)\s*(?:#|$)")
_RUN = lazy_pattern(_VARIABLES + r"((?:npm|pnpm|yarn|bun) run|(?:pnpm|yarn)(?= [a-z][\w-]*:)) ([\w:./-]+)")
_TEST = lazy_pattern(r"\s*npm (test|start)\b")
_JUST = lazy_pattern(r"\s*just ([a-z][\w-]*)")
_OUTDATED = lazy_pattern(r"(?i)\b(?:outdated|obsolete|no longer (?:works?|exists?)|(?:was|were|been) removed)\b")
_SENTENCE_ENDS = lazy_pattern(r"[.;!]\s+(?=[A-Z`*])")
_RUN_FILE = lazy_pattern(
    r"(?:cp |source |(?:uv run |poetry run |sudo )?(?:python3?|node|bash|sh|tsx|ruby|sbatch"
    r"|(?:python3? -m )?pytest|(?:npx )?(?:vitest(?: run)?|jest)|(?:bundle exec )?rspec) |(?=\S+ ))"
    r"((?:\./)?[\w@+-][\w.@+-]{0,80}(?:/[\w.@+-]{1,80}){1,12}\.[A-Za-z]{1,8})(?:\s|$)"
)
"""A command in code that runs or copies a file."""
_PROGRAM = lazy_pattern(
    r"\s*(?:(?:uv run |poetry run |sudo )?(?:python3?|node|bash|sh|tsx|ts-node|ruby|deno run|go run) |\./)(?:-u )?"
    r"([\w@+-][\w.@+-]*(?:/[\w.@+-]+)+)"
)
_SYMBOL = lazy_pattern(r"`([A-Za-z_]\w{2,60})(?:\(\))?` (?:in|from|of) `([\w./-]{1,200}\.\w{1,6})`")
_IN_FILE = lazy_pattern(r"^([\w./-]{1,200}\.(?:py|ts|tsx|js|go|rs|rb|java))::?([A-Za-z_]\w{2,60})(?:\(\))?$")
_SHELLS = word_set("sh bash shell console zsh text terminal") | {""}
_PLACEHOLDER = lazy_pattern(
    r"(?i)(?:^|[/._-])(?:foo|bar|baz|qux|example|examples?|your|my|some|xxx|yyy|path|name|feature|module|component"
    r"|package"
    r"|sample|placeholder|template|todo|new|old|file|filename|dir|x|y|n|a|b|mymodule|service_?name|thing|widget|user"
    r"|product|dashboard)s?(?=[/._-]|$)"
)
"""A word of made-up names. Folders have some of them too: "packages", "components"."""
_PATTERN_PART = lazy_pattern(r"\.\.\.|YYYY|MMDD|[A-Z]_?NAME|NNN|XX|Xxx")
_HYPOTHETICAL = lazy_pattern(
    r"(?i)\b(?:examples?|e\.g|for instance|such as|like|create[sd]?|creating|add(?:s|ed|ing)?|new|generat\w*"
    r"|outputs?|will be|persist(?:s|ed)?"
    r"|would|writes?|written|saved?|produces?|emits?|does(?:n['’]t| not) exist|non-?existent|remov\w*|delet\w*"
    r"|deprecated"
    r"|renam\w*|replac\w*|legacy|former(?:ly)?|previously|moved|no longer|instead of|if (?:it |they "
    r"|one )?(?:exists?|present)|optional\w*|ignored?"
    r"|gitignored|not tracked|untracked|never commit|download\w*|install\w*|cop(?:y|ied|ies)|artifacts?|compiled?"
    r"|builds?|built"
    r"|temporary|temp|cached?|migrat\w*|hypothetical\w*|placeholders?|pattern|convention|naming|named|called|format"
    r"|templates?"
    r"|may|might|could|should (?:be|have|contain|live|go)|e\.g\.|local(?:ly)?|secrets?|private|your own|upstream"
    r"|runtime|external|another repo\w*|future|planned|upcoming|not yet|tbd|roadmap|coming soon)\b"
    r"|(?:→|->|=>)\s*(?=it\b|`|$)|\b(?:github|gitlab)\.com/"
    r"|\bthere (?:is|are) no\b|\bno existing\b|\b(?:has|have|ha[ds]) no\b"
)
GENERATED = lazy_pattern(
    r"(?i)(?:^|/)(?:dist|build|out|target|coverage|node_modules|\.venv|venv|\.next|tmp|temp|logs?|generated"
    r"|__generated__|gen"
    r"|bin|obj|\.cache|htmlcov|\.git|\.env[\w.]*|site|_build|artifacts|output|results|reports|storybook-static|\.output"
    r"|playwright-report|test-results)(?:/|$)|\.(?:log|pid|lock|db|sqlite3?|pyc|so|dll|exe|wasm|map|env|tmp|bak"
    r"|local\.\w+)$"
    r"|_pb2(?:_grpc)?\.pyi?$|\.pb\.go$|\.generated\.|\.gen\.|\.min\.|\.local\."
)
_COMMON = word_set(
    "package.json pyproject.toml readme.md skill.md claude.md agents.md gemini.md .gitignore .env docker-compose.yml "
    "makefile "
    "dockerfile tsconfig.json index.ts index.js index.tsx index.html main.py main.go main.rs mod.rs lib.rs __init__.py "
    "setup.py requirements.txt cargo.toml go.mod settings.json settings.local.json config.json config.toml config.yaml "
    "config.yml changelog.md contributing.md license.md memory.md package-lock.json pnpm-lock.yaml yarn.lock bun.lockb "
    "page.tsx layout.tsx route.ts styles.css types.ts utils.ts test.ts vite.config.ts next.config.js mcp.json app.py "
    "claude.local.md plan.md todo.md notes.md design.md spec.md tasks.md requirements.md .mcp.json conftest.py"
)
_EXAMPLE = lazy_pattern(r"(?i)\b(?:examples?|templates?|output|usage|naming)\b")
"""Words of a heading below which paths and commands are examples."""
_POINTS = lazy_pattern(
    r"(?i)(?:see|read|follow|consult|refer to|defined in|lives? in|located (?:in|at)|documented in|described in"
    r"|in)\W{1,3}$"
)
_PLAIN = lazy_pattern(
    r"(?i)\b(?:see|read|follow|consult|refer to|(?:documented|described|defined|listed) in|lives? in|located (?:in|at))"
    r" (?:also )?(?:the )?([\w@+-][\w.@+-]{0,80}(?:/[\w.@+-]{1,80}){1,12})"
)
"""A path without code marks, after words that point to it."""
_OF_OTHERS = lazy_pattern(r"\b[A-Z][\w-]{1,40}['’]s $")
"""The owner of what follows, another project: "Kestrel's `docs/api.md`"."""
_OTHER_REPOSITORY = lazy_pattern(r"[\w-]+/[\w.-]+/\.github/")
_DATA = word_set("json jsonl csv txt")
"""Suffixes of files that a program often writes when it runs."""
_IN_STRUCTURE = lazy_pattern(r"\s*(?:[-*+]|\d{1,2}[.)])\s+(?:\*\*)?`[^`]*`(?:\*\*)?\s*(?::|[-–—]\s)")
"""A line of a list that describes a folder: "- `assets/`: pictures"."""
_NOT_NAMES = word_set("and or client server input output read write request response true false yes no http https n/a")


@dataclass(frozen=True, slots=True)
class NamedThing:
    """A path, command or symbol that a text names."""

    kind: NameKind
    name: str
    line: int
    written: str
    """Its spelling in the text."""
    confidence: float = 0.9
    file: str = ""
    """File that should define a symbol."""
    may_be_made_up: bool = False
    """True for a path with a word that made-up names have: "src/feature.ts"."""


def things_in(block: Block) -> Iterator[NamedThing]:
    """Yield the things that a block names and that should exist. Examples and generated files are none."""
    if block.kind == "code":
        yield from _in_fence(block)
        return
    is_listed = False
    for number, line in enumerate(block.text.split("\n"), block.line):
        commands = [] if _OUTDATED.search(line) else list(_in_spans(line, number))
        yield from commands
        is_listed = (is_listed and bool(line.strip())) or introduces_examples(line)
        if is_listed or not _may_name(line, block.heading):
            continue
        if _HYPOTHETICAL.search(_SPAN.sub("it", line)) is None:
            yield from _outside_spans(line, number)
        yield from _paths_in_spans(line, number)


def _outside_spans(line: str, number: int) -> Iterator[NamedThing]:
    """Yield the targets of links, the symbols, and the paths without code marks of a line."""
    for match in _LINK.finditer(line):
        yield from _path(match[1], number, 0.95, is_link=True)
    for match in _SYMBOL.finditer(line):
        yield NamedThing("symbol", match[1], number, match[0], 0.85, match[2])
    for match in _PLAIN.finditer(_LINK.sub(" ", _SPAN.sub(" ", line))):
        if _SUFFIX.search(path := match[1].rstrip(".")):
            yield from _path(path, number, 0.85)


def _may_name(line: str, heading: str) -> bool:
    """Return False for a line without the signs of a path, and for an example."""
    return any(sign in line for sign in _SIGNS) and not _is_example(heading)


def _paths_in_spans(line: str, number: int) -> Iterator[NamedThing]:
    """Yield the paths in the code spans of a line. Those of other projects are left out."""
    for match in _SPAN.finditer(line):
        before = line[: match.start()]
        if _is_unreal(line, match.start()):
            continue
        if program := _RUN_FILE.match(match[1]):
            yield from _path(program[1], number, 0.9)
            continue
        if _OF_OTHERS.search(before) or _OTHER_REPOSITORY.match(match[1]):
            continue
        pointed = bool(_POINTS.search(before))
        described = match.start() == line.find("`") and _IN_STRUCTURE.match(line) is not None
        yield from _path(match[1], number, 0.9, pointed=pointed, described=described)


def _is_unreal(line: str, place: int) -> bool:
    """Return True if the sentence around a place of a line is about what may not exist."""
    plain = _SPAN.sub(lambda match: f"`{'x' * len(match[1])}`", line)
    start = max((end.end() for end in _SENTENCE_ENDS.finditer(plain, 0, place)), default=0)
    end = _SENTENCE_ENDS.search(plain, place)
    return _HYPOTHETICAL.search(_SPAN.sub("it", line[start : end.start() if end else None])) is not None


def _is_example(heading: str) -> bool:
    return bool(_EXAMPLE.search(heading))


def introduces_examples(text: str) -> bool:
    """Return True if the last line of a block says that examples follow: "Examples:"."""
    last = text.rstrip().rpartition("\n")[2]
    return last.endswith(":") and _is_example(last)


def _in_spans(line: str, number: int) -> Iterator[NamedThing]:
    for match in _SPAN.finditer(line):
        yield from _commands(match[1].strip(), number)


def _in_fence(block: Block) -> Iterator[NamedThing]:
    first, *rest = block.text.split("\n")
    if first.strip("`~ \t-*").lower() not in _SHELLS or _is_example(block.heading):
        return
    for number, line in enumerate(rest, block.line + 1):
        plain = line.strip().removeprefix("$ ")
        if plain and not plain.startswith("#"):
            yield from _commands(plain.split(" #")[0].rstrip(), number)
            for part in _SEPARATOR.split(plain):
                if (match := _PROGRAM.match(part)) and _SUFFIX.search(match[1]):
                    yield from _path(match[1], number, 0.9)


def _commands(text: str, line: int) -> Iterator[NamedThing]:
    if _PATTERN.search(text):
        return
    confidence = 0.7 if text.startswith("cd ") or " cd " in text else 0.93
    for part in _SEPARATOR.split(text):
        if match := _MAKE.match(part):
            yield from (NamedThing("make", target, line, f"make {target}", confidence) for target in _targets(match[1]))
        elif (match := _RUN.match(part)) and not _IS_FILE.search(match[2]):
            yield NamedThing("script", match[2], line, f"{match[1]} {match[2]}", confidence)
        elif match := _TEST.match(part):
            yield NamedThing("script", match[1], line, f"npm {match[1]}", 0.85)
        elif match := _JUST.match(part):
            yield NamedThing("just", match[1], line, f"just {match[1]}", 0.9)


def _targets(words: str) -> Iterator[str]:
    for word in words.split():
        if word.startswith("-"):
            return
        if "%" not in word and "." not in word:
            yield word


def _path(
    written: str,
    line: int,
    confidence: float,
    *,
    is_link: bool = False,
    pointed: bool = False,
    described: bool = False,
) -> Iterator[NamedThing]:
    if match := _IN_FILE.match(written):
        yield NamedThing("symbol", match[2], line, written, 0.85, match[1])
        written = match[1]
    name = _END.sub("", written.split("#")[0] if is_link else written).removeprefix("./")
    is_plain = not is_link and "/" not in name.rstrip("/")
    if not _is_name_of_path(name, is_link) or (is_plain and is_made_up(name)):
        return
    if not is_plain:
        yield NamedThing(
            _path_kind(name, is_link), name.rstrip("/"), line, written, confidence, may_be_made_up=is_made_up(name)
        )
    elif name.endswith("/") and described:
        yield NamedThing("folder", name.rstrip("/"), line, written, confidence - 0.15)
    elif pointed and _is_name_of_file(name):
        yield NamedThing("path", name, line, written, confidence - 0.1)


def _path_kind(name: str, is_link: bool) -> NameKind:
    return "path" if is_link or _suffix_of(name) in SUFFIXES else "folder"


def _is_name_of_file(name: str) -> bool:
    """Return True if a name without a folder is that of one file, and not of one that a program writes."""
    is_known = name.lower() in _COMMON or name.startswith(".") or name.endswith("/")
    return not is_known and _suffix_of(name) not in _DATA


def _suffix_of(name: str) -> str:
    match = _SUFFIX.search(name)
    return match[1].lower() if match else ""


def is_made_up(name: str) -> bool:
    """Return True if a part of a path is a word that made-up names have."""
    return _PLACEHOLDER.search(name) is not None


def _is_name_of_path(name: str, is_link: bool) -> bool:
    if not _PATH.match(name) or name.startswith(_NO_PATHS) or name.replace(".", "").isdigit():
        return False
    if _PATTERN_PART.search(name) or GENERATED.search(name):
        return False
    suffix = _suffix_of(name)
    if suffix and ("/" not in name or suffix in SUFFIXES):
        return suffix in SUFFIXES
    return is_link or _is_name_of_folder(name)


def _is_name_of_folder(name: str) -> bool:
    are_words = {part.lower() for part in name.split("/")} <= _NOT_NAMES  # "read/write"
    return "/" in name and len(name) > _SHORTEST_FOLDER and not are_words
