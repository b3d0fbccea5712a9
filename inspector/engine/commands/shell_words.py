"""Split a shell line into its commands, far enough to see what each one does. Nothing is ever run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from inspector.core.text import lazy_pattern, one_line, word_set

_MAX_LINE = 6_000
"""Characters of a line that are read."""
_TOKEN = lazy_pattern(
    r"""'[^']*'|"(?:[^"\\]|\\.)*"|&&|\|\||[0-9]?>&[0-9-]|&>>?|[0-9]?>>?|[;|&\n()]|(?:[^\s;|&'"()<>\\]|\\.)+|<+""", re.S
)
"""Quoted text, an operator, a redirection, or a word."""
_HEREDOC = lazy_pattern(r"<<-?\s*['\"]?(\w+)['\"]?")
_BREAKS = frozenset(("&&", "||", ";", "|", "\n", "(", ")", "&"))
_PREFIXES = word_set("sudo time env command nohup exec then do else xargs")
_ASSIGNED = lazy_pattern(r"[A-Za-z_]\w*=")
_GLOBAL_OPTIONS = {
    program: word_set(options)
    for programs, options in (
        ("git", "-C -c --git-dir --work-tree --namespace"),
        (
            "docker podman nerdctl",
            "-f --file -p --project-name --env-file --profile --project-directory -H --host --context",
        ),
        ("docker-compose podman-compose", "-f --file -p --project-name --env-file --profile --project-directory"),
        ("kubectl oc helm", "-n --namespace --context --kube-context --kubeconfig --cluster --user -s --server"),
        ("npm pnpm yarn bun", "--prefix -C --dir --cwd -w --workspace --filter -F"),
        ("make gmake just", "-C -f --file --directory"),
        ("aws gcloud az", "--profile --region --project --output --subscription"),
        ("cargo", "--manifest-path"),
        ("psql", "-h -p -U"),
        ("terraform tofu terragrunt", "-chdir"),
    )
    for program in programs.split()
}
"""Options with a value that can be before the subcommand of a program."""


SCRIPTS_ONCE = word_set(
    "seed import backfill migrate deploy send notify upload release publish populate remind invite charge refund "
    "payout announce broadcast"
)
"""Verbs in the names of scripts whose effect is wanted once."""
_DEED = lazy_pattern(rf"(?i){'|'.join(sorted(SCRIPTS_ONCE))}|sync|purge|convert|reindex|rebuild|reset|cleanup")
_SUFFIXES = (".py", ".sh", ".js", ".ts", ".rb", ".php", ".pl")
_INTERPRETER = lazy_pattern(r"(?:python|ruby|perl|php)[\d.]*|node|deno|bun|tsx|ts-node|(?:ba|z)?sh")


@lru_cache(maxsize=256)
def commands_in(line: str) -> Sequence[tuple[Sequence[str], str]]:
    """Return the words of each command of a shell line, with the operator after it; "" at the end.

    Quotes are removed, and so are prefixes such as `sudo` and assignments before a command.
    """
    return tuple(_commands_in(line))


def _commands_in(line: str) -> Iterator[tuple[Sequence[str], str]]:
    words: list[str] = []
    for match in _TOKEN.finditer(_without_heredocs(line)[:_MAX_LINE]):
        token = match[0]
        if token in _BREAKS:
            if words:
                yield words, token
            words = []
        elif words or not (token in _PREFIXES or _ASSIGNED.match(token)):
            words.append(token[1:-1] if len(token) > 1 and token[0] == token[-1] and token[0] in "'\"" else token)
    if words:
        yield words, ""


def _without_heredocs(line: str) -> str:
    """Return a shell line without the bodies of its heredocs, which are text and no commands."""
    if "<<" not in line:
        return line
    kept: list[str] = []
    end = ""
    for row in line[: 20 * _MAX_LINE].split("\n"):
        if end:
            end = "" if row.strip() == end else end
            continue
        kept.append(row)
        if opening := _HEREDOC.search(row):
            end = opening[1]
    return "\n".join(kept)


@lru_cache(maxsize=256)
def plain_command(line: str) -> str:
    """Return a command for comparison: without `cd DIR &&` before it, and pipes and redirections after it."""
    parts: list[str] = []
    is_piped = False
    for words, operator in commands_in(line):
        if not is_piped and words[0] not in ("cd", "pushd"):
            parts.append(" ".join(_without_redirections(words)))
        is_piped = operator == "|"
    return " && ".join(filter(None, parts))


def core_words(words: Sequence[str]) -> list[str]:
    """Return the words of a command without its options before the subcommand: `git -C DIR commit` is `git commit`.

    The name of the program has no folder, and launchers such as `npx` and `python -m` are left out.
    """
    words = list(words)
    program = words[0].rsplit("/", 1)[-1]
    while len(words) > 1 and (skipped := _launcher_in(program, words)):
        words = [*words[skipped].split(), *words[skipped + 1 :]] if words[skipped].strip() else words[skipped:]
        program = words[0].rsplit("/", 1)[-1]
    valued = _GLOBAL_OPTIONS.get(program, frozenset())
    rest = words[1:]
    head = [program]
    while rest:
        if rest[0] in valued:
            rest = rest[2:]
        elif rest[0].startswith("-") and valued:
            rest = rest[1:]
        elif rest[0] == "compose" and len(head) == 1:
            head.append(rest[0])
            rest = rest[1:]
        else:
            break
    return [*head, *rest]


def script_deed(core: Sequence[str]) -> str:
    """Return the verb of a lasting effect in the name of the script that a command runs, such as "seed"; "" for none.

    Args:
        core: Words of the command, as `core_words` returns them.
    """
    script = core[1] if len(core) > 1 and _INTERPRETER.fullmatch(core[0]) else core[0]
    match = _DEED.search(script.rpartition("/")[2]) if script.endswith(_SUFFIXES) else None
    return match[0].lower() if match else ""


def _launcher_in(program: str, words: Sequence[str]) -> int:
    """Return the number of words at the start of a command that only launch the program after them."""
    match [program.rstrip("0123456789."), *words[1:3]]:
        case ["npx" | "bunx" | "pnpx" | "uvx", "-y" | "--yes", _]:
            return 2
        case ["npx" | "bunx" | "pnpx" | "uvx", *_]:
            return 1
        case ["python", "-m", name] if name not in ("venv", "http.server"):
            return 2
        case ["uv" | "poetry" | "pipenv" | "pdm" | "hatch" | "rye", "run", _] | ["bundle", "exec", _]:
            return 2
        case ["sudo" | "nice" | "time" | "env", name] if not name.startswith("-"):
            return 1
        case ["ssh", *_] | ["docker" | "podman" | "kubectl", "exec", *_]:
            return _remote_start(words)
    return 0


def _remote_start(words: Sequence[str]) -> int:
    """Return the position of the command that `ssh HOST` or `docker exec NAME` runs; 0 for none."""
    if "--" in words:
        return words.index("--") + 1
    names = [place for place, word in enumerate(words) if place and not word.startswith("-")]
    place = 1 if words[0].endswith("ssh") else 2
    return names[place] if len(names) > place else 0


def _without_redirections(words: Sequence[str]) -> Iterator[str]:
    is_target = False
    for word, following in zip(words, [*words[1:], ""], strict=False):
        is_stream = not word.strip("12>&") and (not word.isdigit() or following.startswith(">"))
        if is_target or is_stream or word in ("<", "<<"):
            is_target = not is_target and word[-1:] in (">", "<")
            continue
        yield word


def joined(folder: str, path: str) -> str:
    """Return a path in a folder, without `.` and `..` parts; an absolute path or one in the home folder as it is."""
    path = one_line(path)
    if not path.startswith(("/", "~", "$")) and folder:
        path = f"{folder.rstrip('/')}/{path}"
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts and parts[-1] not in ("", "..", "~"):
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)
