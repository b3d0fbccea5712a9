"""Damage to a store's file, drawn at random: to its bytes, to its schema, and to the values in its tables."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Any

PAGE = 4096
TEXT, BLOB = "CAST(? AS TEXT)", "?"
ODD: tuple[Any, ...] = (
    *(None, -1, 0, 1, 2, 255, 2**31, 2**53, 2**62, 2**63 - 1, -(2**63), 1.5, -0.0, 1e308),
    *("", "x", "main", "\0", "\x1b[2J\u202e", "ü" * 300, "x" * 200_000, "9" * 5_000, "user", "tool", "chat", "openai"),
    *(b"", b"\xff\xfe", b"\xed\xa0\x80", b"user", b"\0" * 16, b"x" * 100_000),
    *(
        "[]",
        "{}",
        "null",
        "0",
        "true",
        '"a"',
        "[[]]",
        "[{}]",
        '[["a"]]',
        '[["a","b","c"]]',
        "[[1,2]]",
        "{",
        '{"a":',
        "NaN",
    ),
    *(
        "[[0,1000000000000]]",
        "[[-5,-1]]",
        "[[3,1]]",
        "[[0,0],[0,0]]",
        '[[0,"a"]]',
        "[null]",
        "[1e999]",
        "[[0,1],[0,1]]",
    ),
    *(
        "[" * 50_000,
        '{"a":' * 50_000,
        "[" * 900 + "]" * 900,
        '{"role":"user","content":5}',
        '{"role":5}',
        '{"content":{}}',
    ),
    *('[{"text":1}]', '[{"text":"a","line":"b"}]', '{"raw":{},"record":{},"calls":[],"usage":null}', "1" * 5_000),
)
"""Values that stand in no column, or in none like it."""
ODD_NODES: tuple[Any, ...] = (
    *(None, True, -1, 0, 2**70, 1.5, float("nan"), float("inf"), "", "x", "\ud800", "\x1b[31m", [], {}, [[]], [{}]),
    *(
        {"type": "text"},
        {"type": "tool_use"},
        {"type": "image", "source": 5},
        [{"type": "tool_result"}],
        {"a": {"b": 1}},
    ),
)
"""The same inside of JSON."""
BROKEN_TEXT = (b"\xff\xfe\xfd", b"a\x80b", b"\xc3\x28", b'{"a":"\xff"}')

Damage = Callable[[Random, Path], str]


def damaged(random: Random, path: Path) -> str:
    """Damage a closed store's file in one to three ways. Says what was done."""
    told = []
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        change = random.choice(BYTES if random.random() < 0.35 else SQL)
        with suppress(sqlite3.Error, OSError, ValueError, IndexError, TypeError, StopIteration):
            told.append(f"{change.__name__}: {change(random, path)}")
    return "; ".join(told)


# bytes


def flip(random: Random, path: Path) -> str:
    content = bytearray(path.read_bytes())
    places = [random.randrange(len(content)) for _ in range(random.choice((1, 3, 20, 200)))]
    for place in places:
        content[place] ^= 1 << random.randrange(8)
    path.write_bytes(content)
    return f"{len(places)} bits"


def flip_in_header(random: Random, path: Path) -> str:
    content = bytearray(path.read_bytes())
    place = random.randrange(100)
    content[place] = random.randrange(256)
    path.write_bytes(content)
    return f"byte {place}"


def overwrite(random: Random, path: Path) -> str:
    content = bytearray(path.read_bytes())
    start, length = random.randrange(len(content)), random.choice((1, 16, 100, PAGE, 5 * PAGE))
    length = min(length, len(content) - start)
    kind = random.choice(("zeros", "noise", "ones"))
    new = {"zeros": bytes(length), "noise": random.randbytes(length), "ones": b"\xff" * length}[kind]
    content[start : start + length] = new
    path.write_bytes(content)
    return f"{length} bytes of {kind} at {start}"


def exchange_pages(random: Random, path: Path) -> str:
    content = bytearray(path.read_bytes())
    one, other = (random.randrange(len(content) // PAGE) for _ in range(2))
    first, second = slice(one * PAGE, one * PAGE + PAGE), slice(other * PAGE, other * PAGE + PAGE)
    keep = random.random() < 0.5
    content[first], content[second] = content[second], content[second] if keep else content[first]
    path.write_bytes(content)
    return f"pages {one} and {other}"


def truncate(random: Random, path: Path) -> str:
    size = path.stat().st_size
    left = random.choice((0, 1, 50, 100, 512, PAGE, random.randrange(size), random.randrange(size) // PAGE * PAGE))
    with path.open("rb+") as file:
        file.truncate(left)
    return f"to {left} of {size}"


def extend(random: Random, path: Path) -> str:
    length = random.choice((1, PAGE, 10 * PAGE))
    with path.open("ab") as file:
        file.write(random.randbytes(length))
    return f"by {length}"


def leave_log(random: Random, path: Path) -> str:
    log = path.with_name(f"{path.name}-wal")
    log.write_bytes(random.choice((random.randbytes(5_000), bytes(32), b"\x37\x7f\x06\x82" + random.randbytes(9_000))))
    return "a log of noise beside it"


# rows and schema


def opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("PRAGMA ignore_check_constraints = ON")
    return connection


def tables(connection: sqlite3.Connection) -> list[str]:
    return [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]


def columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]


def a_cell(random: Random, connection: sqlite3.Connection) -> tuple[str, str, str]:
    """A table, a column of it, and SQL that holds for some of its rows."""
    table = random.choice([name for name in tables(connection) if not name.endswith(("_config", "_migrations"))])
    names = columns(connection, table)
    rows = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] or 1
    key = random.choice(names)
    some = f"{key} IS (SELECT {key} FROM {table} LIMIT 1 OFFSET {random.randrange(rows)})"
    return table, random.choice(names), random.choice((some, some, some, "1"))


def without_rules(connection: sqlite3.Connection, table: str) -> None:
    """Take from a table's declaration what keeps values out of it, until the file is opened anew."""
    connection.execute("UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '') WHERE name = ?", (table,))


def put_odd_value(random: Random, path: Path) -> str:
    with closing(opened(path)) as connection:
        table, name, where = a_cell(random, connection)
        declared = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()[0]
        without_rules(connection, table)
    with closing(opened(path)) as connection:
        odd = random.choice(ODD)
        connection.execute(f"UPDATE OR IGNORE {table} SET {name} = ? WHERE {where}", (odd,))
        connection.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", (declared, table))
    return f"{table}.{name} = {odd!r:.60} where {where}"


def put_broken_text(random: Random, path: Path) -> str:
    with closing(opened(path)) as connection:
        table, name, where = a_cell(random, connection)
        broken = random.choice(BROKEN_TEXT)
        connection.execute(f"UPDATE OR IGNORE {table} SET {name} = CAST(? AS TEXT) WHERE {where}", (broken,))
    return f"{table}.{name} = {broken!r} where {where}"


def copy_value(random: Random, path: Path) -> str:
    with closing(opened(path)) as connection:
        table, name, where = a_cell(random, connection)
        other, source, _ = a_cell(random, connection)
        value = f"(SELECT {source} FROM {other} LIMIT 1 OFFSET {random.randrange(20)})"
        connection.execute(f"UPDATE OR IGNORE {table} SET {name} = {value} WHERE {where}")
    return f"{table}.{name} = {value} where {where}"


JSON_COLUMNS = (
    *(("body", "raw"), ("body", "raw"), ("body", "record"), ("message", "calls"), ("session", "settings")),
    *(
        ("session", "tools"),
        ("session", "problems"),
        ("plan", "settings"),
        ("plan", "covers"),
        ("plan_message", "message"),
    ),
)


def change_json(random: Random, path: Path) -> str:
    with closing(opened(path)) as connection:
        table, name = random.choice(JSON_COLUMNS)
        rows = connection.execute(f"SELECT rowid, {name} FROM {table} WHERE {name} <> '' ORDER BY rowid").fetchall()
        rowid, text = random.choice(rows)
        new = json.dumps(with_odd_node(random, json.loads(text)))
        connection.execute(f"UPDATE {table} SET {name} = ? WHERE rowid = ?", (new, rowid))
    return f"{table}.{name} of row {rowid} = {new[:80]}"


def with_odd_node(random: Random, value: Any) -> Any:
    """A JSON value with one of its nodes replaced, left out or said twice."""
    if not isinstance(value, dict | list) or not value or random.random() < 0.2:
        return random.choice(ODD_NODES)
    place = random.choice(list(value) if isinstance(value, dict) else range(len(value)))
    new = type(value)(value)
    if random.random() < 0.15:
        del new[place]
    elif random.random() < 0.1 and isinstance(new, list):
        new.append(new[place])
    else:
        new[place] = with_odd_node(random, value[place])
    return new


def link_in_circle(random: Random, path: Path) -> str:
    with closing(opened(path)) as connection:
        session = "(SELECT id FROM session LIMIT 1 OFFSET ?)"
        first = random.randrange(10)
        last = first + random.choice((0, 1, 5))
        connection.execute(
            f"UPDATE message SET parent = ? WHERE position = ? AND session_id = {session}",
            (last, first, random.randrange(4)),
        )
    return f"{first} behind {last}"


def delete_rows(random: Random, path: Path) -> str:
    with closing(opened(path)) as connection:
        table, _, where = a_cell(random, connection)
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(f"DELETE FROM {table} WHERE {where}")
    return f"{table} where {where}"


def double_row(random: Random, path: Path) -> str:
    with closing(opened(path)) as connection:
        table, name, where = a_cell(random, connection)
        names = columns(connection, table)
        values = ", ".join(
            f"{each} + 100000" if each in ("key", "id") and table != "session" else each for each in names
        )
        changed = values.replace(name, f"{name} || 'x'", 1) if random.random() < 0.5 else values
        connection.execute(
            f"INSERT OR IGNORE INTO {table} ({', '.join(names)}) SELECT {changed} FROM {table} WHERE {where}"
        )
    return f"{table} where {where}"


def drop(random: Random, path: Path) -> str:
    with closing(opened(path)) as connection:
        rows = connection.execute("SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY name")
        kind, name = random.choice(rows.fetchall())
        connection.execute(f"DROP {kind} {name}")
    return f"{kind} {name}"


def forget_object(random: Random, path: Path) -> str:
    with closing(opened(path)) as connection:
        name = random.choice([name for (name,) in connection.execute("SELECT name FROM sqlite_master ORDER BY name")])
        connection.execute("DELETE FROM sqlite_master WHERE name = ?", (name,))
    return str(name)


def rename(random: Random, path: Path) -> str:
    with closing(opened(path)) as connection:
        table, name, _ = a_cell(random, connection)
        change = random.choice((f"RENAME TO {table}_2", f"RENAME COLUMN {name} TO {name}_2", f"DROP COLUMN {name}"))
        connection.execute("PRAGMA legacy_alter_table = ON")
        connection.execute(f"ALTER TABLE {table} {change}")
    return f"{table} {change}"


def change_schema(random: Random, path: Path) -> str:
    with closing(opened(path)) as connection:
        rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name").fetchall()
        name, sql = random.choice(rows)
        place = random.randrange(len(sql))
        new = random.choice(
            (sql[:place], sql[:place] + "\0" + sql[place:], sql[:place] + "ü" + sql[place + 1 :], "", "x")
        )
        root = random.choice(("rootpage", "rootpage", "rootpage", "rootpage + 1", "0", "-1", "99999"))
        connection.execute(f"UPDATE sqlite_master SET sql = ?, rootpage = {root} WHERE name = ?", (new, name))
    return f"{name}, at {place}, {root}"


def change_header(random: Random, path: Path) -> str:
    with closing(opened(path)) as connection:
        name = random.choice(("application_id", "user_version"))
        number = random.choice((0, 1, 3, 5, 6, 7, 8, 99, -1, 2**31 - 1, -(2**31), 0x496E7370, 0x496E7371))
        connection.execute(f"PRAGMA {name} = {number}")
    return f"{name} = {number}"


BYTES: tuple[Damage, ...] = (
    flip,
    flip,
    flip_in_header,
    overwrite,
    overwrite,
    exchange_pages,
    truncate,
    extend,
    leave_log,
)
SQL: tuple[Damage, ...] = (
    *(put_odd_value,) * 8,
    *(change_json,) * 4,
    *(put_broken_text, copy_value, copy_value, delete_rows, delete_rows),
    *(link_in_circle, double_row, drop, forget_object, rename, change_schema, change_header),
)
