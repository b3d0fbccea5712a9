"""Files as they come out of a crash, a bad disk, another program or a joke: bytes, lines and JSON values changed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

Node = tuple[Any, Any]
"""A container of a JSON value, and the key or the place of one of its members."""

MOST = 20_000
"""Members of a value among which one is chosen."""
LARGEST = 1_000_000
"""Bytes of a file of which there may be more."""
RAW = {
    f"<raw {number}>": text for number, text in enumerate(("NaN", "-Infinity", "1e999", "-0", "0.1e-400", "9" * 400))
}
"""Numbers that a writer of JSON would refuse to write; they are put in place of these strings."""
WORDS = (
    "",
    " ",
    "\n",
    "\x00",
    "\ud800",
    "a\udfffb",
    "\x1b]0;x\x07\x1b[2J",
    "\u202e\u2066evil",
    "<local-command-stdout>x</local-command-stdout>",
    "<system-reminder>",
    "<command-name>/compact</command-name>",
    "<|endoftext|>",
    "[Summary of earlier conversation]\n\nGoal:\n- x",
    "./" * 300,
    'a\\"' * 300,
    "x" * 20_000,
    "漢" * 3_000,
    "👩‍👩‍👧‍👦" * 200,
    "0" * 5_000,
    "https://example.org/" + "a/" * 400,
    "data:image/png;base64,iVBORw0KGgo=",
    "user",
    "assistant",
    "tool",
    "system",
    "developer",
    "2026-13-45T99:99:99Z",
    "claude-sonnet-4-20250514",
    "gpt-4o",
)


def nested(rng: Random) -> Any:
    """A value within many others, sometimes within so many that it cannot be read."""
    depth = rng.choice((3, 40, 120, 300, 990, 5_000))
    value: Any = "deep"
    for _ in range(min(depth, 900)):
        value = [value] if rng.random() < 0.5 else {"type": "text", "text": value}
    return f"<nest {depth}>" if depth > 900 else value


def odd(rng: Random) -> Any:
    """A value of any type that JSON has."""
    return rng.choice(
        (
            lambda: rng.choice(WORDS),
            lambda: rng.choice(WORDS),
            lambda: rng.choice((None, True, False, 0, -1, 1, 0.5, 2**31, 2**63, -(2**63), 2**70, 1e308, 1e-300)),
            lambda: rng.choice(tuple(RAW)),
            list,
            dict,
            lambda: [odd(rng) for _ in range(rng.randrange(1, 4))],
            lambda: {rng.choice(("type", "text", "id", "role", "content", "")): odd(rng) for _ in range(3)},
            lambda: nested(rng),
        )
    )()


def nodes(value: Any) -> Iterator[Node]:
    """Every member of every container, from the top; of a large value, some."""
    stack, count = [value], 0
    while stack and count < MOST:
        each = stack.pop()
        for key, inner in each.items() if isinstance(each, dict) else enumerate(each):
            count += 1
            yield each, key
            if isinstance(inner, dict | list):
                stack.append(inner)


Twist = Callable[[Random, list[Node], Node], None]


def replace(rng: Random, _: list[Node], node: Node) -> None:
    node[0][node[1]] = odd(rng)


def drop(_: Random, __: list[Node], node: Node) -> None:
    del node[0][node[1]]


def rename(rng: Random, _: list[Node], node: Node) -> None:
    if isinstance(node[0], dict):
        node[0][rng.choice(("type", "id", "uuid", "content", "x", ""))] = node[0].pop(node[1])


def copy(rng: Random, known: list[Node], node: Node) -> None:
    """What stands somewhere else under the same name: an id twice, a parent that is a child."""
    same = [other for other in known if other[1] == node[1] and other[0] is not node[0]]
    found = rng.choice(same or known)
    if not isinstance(found[0][found[1]], dict | list):
        node[0][node[1]] = found[0][found[1]]


def point(rng: Random, known: list[Node], node: Node) -> None:
    """A record hangs from another one, an answer belongs to another call."""
    names = {"uuid", "id", "tool_use_id", "tool_call_id", "parentUuid", "logicalParentUuid", "leafUuid", "message_id"}
    ids = [other for other in known if other[1] in names]
    if ids:
        source, target = rng.choice(ids), rng.choice(ids)
        if not isinstance(source[0][source[1]], dict | list):
            target[0][target[1]] = source[0][source[1]]
    else:
        replace(rng, known, node)


def repeat(rng: Random, _: list[Node], node: Node) -> None:
    if isinstance(node[0], list):
        member = node[0][node[1]]
        node[0][node[1] : node[1]] = [member] * (1 if isinstance(member, dict | list) else rng.choice((2, 60)))


def as_text(_: Random, __: list[Node], node: Node) -> None:
    node[0][node[1]] = json.dumps(node[0][node[1]])


def shuffle(rng: Random, _: list[Node], node: Node) -> None:
    if isinstance(node[0], list):
        rng.shuffle(node[0])


TWISTS: tuple[Twist, ...] = (
    replace,
    replace,
    replace,
    drop,
    drop,
    rename,
    copy,
    copy,
    point,
    point,
    repeat,
    as_text,
    shuffle,
)


def twisted(rng: Random, value: Any) -> Any:
    """A JSON value with a few of its members changed."""
    whole = [value]
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        known = list(nodes(whole))
        node = rng.choice(known[1:] or known)
        rng.choice(TWISTS)(rng, known, node)
        if not whole:
            whole = [odd(rng)]
    return whole[0]


def dumped(rng: Random, value: Any, spaced: bool = False) -> bytes:
    text = json.dumps(value, ensure_ascii=rng.random() < 0.7, indent=rng.choice((None, 2)) if spaced else None)
    for name, number in RAW.items():
        text = text.replace(f'"{name}"', number)
    for depth in (990, 5_000):
        text = text.replace(f'"<nest {depth}>"', "[" * depth + "]" * depth)
    if rng.random() < 0.05:
        text = text.replace("{", '{"type": "user", "id": 1, ', 1)  # a key that may be there twice
    return text.encode("utf-8", "surrogatepass" if rng.random() < 0.5 else "replace")


def value_changed(rng: Random, data: bytes) -> bytes:
    """Values within the JSON changed; of JSON lines, within some of them."""
    try:
        return dumped(rng, twisted(rng, json.loads(data)), spaced=True)
    except (ValueError, RecursionError):
        pass
    lines = data.split(b"\n")
    for _ in range(rng.choice((1, 1, 2, 5))):
        place = rng.randrange(len(lines))
        try:
            lines[place] = dumped(rng, twisted(rng, json.loads(lines[place])))
        except (ValueError, RecursionError):
            continue
    return b"\n".join(lines)


def records_changed(rng: Random, data: bytes) -> bytes:
    """Ids, parents and types mixed up between the records of JSON lines."""
    records = []
    for line in data.split(b"\n"):
        try:
            records.append(json.loads(line))
        except (ValueError, RecursionError):
            continue
    for _ in range(rng.choice((1, 3, 10))):
        if known := list(nodes(records)):
            rng.choice((copy, point, point, drop, replace))(rng, known, rng.choice(known))
    return b"\n".join(dumped(rng, record) for record in records)


def bytes_flipped(rng: Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 3, 20, 200))):
        if changed:
            changed[rng.randrange(len(changed))] = rng.choice((rng.randrange(256), 0, 34, 92, 123, 10, 0xFF))
    return bytes(changed)


def cut(rng: Random, data: bytes) -> bytes:
    first, last = sorted((rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)))
    return rng.choice((data[:first], data[last:], data[:first] + data[last:]))


def put_in(rng: Random, data: bytes) -> bytes:
    place = rng.randrange(len(data) + 1)
    what = rng.choice(
        (
            b"\0",
            b"\0" * 5_000,
            b"\xef\xbb\xbf",
            b"\xff\xfe",
            b"\r",
            b"\n\n",
            b"[" * 3_000,
            b'{"a":' * 3_000,
            b'\\"' * 3_000,
        )
    )
    return data[:place] + what + data[place:]


def lines_mixed(rng: Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    for _ in range(rng.choice((1, 3, 10))):
        one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        match rng.randrange(5):
            case 0:
                lines[one], lines[other] = lines[other], lines[one]
            case 1:
                lines.insert(one, lines[other])
            case 2 if len(lines) > 1:
                del lines[one]
            case 3:
                lines[one] = lines[one][: rng.randrange(len(lines[one]) + 1)]
            case _:
                lines[one] += lines[other]
    return b"\n".join(lines)


def recoded(rng: Random, data: bytes) -> bytes:
    text = data.decode("utf-8", "replace")
    match rng.randrange(7):
        case 0:
            return data.replace(b"\n", b"\r\n")
        case 1:
            return b"\xef\xbb\xbf" + data
        case 2:
            return data.replace(b"\n", b"\r")
        case 3:
            return text.encode("latin-1", "replace")
    encoded = text.encode(rng.choice(("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-7")), "replace")
    return encoded[: rng.choice((len(encoded), max(0, len(encoded) - 1)))]


def joined(rng: Random, data: bytes) -> bytes:
    """Lines as one list, a list as lines, one request within another."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        lines = [line for line in data.split(b"\n") if line.strip()]
        return b"[" + b",".join(lines) + b"]"
    if isinstance(value, list):
        return b"\n".join(dumped(rng, each) for each in value)
    return dumped(rng, rng.choice(([value], [value] * 3, {"request": value}, {"body": json.dumps(value)})))


MUTATIONS: tuple[Callable[[Random, bytes], bytes], ...] = (
    value_changed,
    value_changed,
    value_changed,
    value_changed,
    records_changed,
    records_changed,
    bytes_flipped,
    cut,
    put_in,
    lines_mixed,
    lines_mixed,
    recoded,
    joined,
)


def mutated(rng: Random, data: bytes) -> bytes:
    """A file with one to three things done to it; now and then as it was."""
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
        data = rng.choice(MUTATIONS)(rng, data[:LARGEST])
    return data
