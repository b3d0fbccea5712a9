"""Schema of a team's store on PostgreSQL 14 or newer: sessions, their words and totals, and who may read what.

Plain SQL without extensions. The id of the session is in every table, so that it can distribute them over servers.
Rows are only inserted and deleted. Readers see the projects that `access` names for them or for a role of theirs, and
those who push see their own rows.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Literal, get_args

from inspector.store.rollup_rows import Rollup
from inspector.store.rollup_schema import DAILY_KINDS

TEAM_VERSION = 4
TeamRole = Literal["totals", "text", "push"]
TEAM_ROLES: tuple[TeamRole, ...] = get_args(TeamRole)
ALL_PROJECTS = "*"
MAX_RANKED = 2_000
"""Messages with the words that are ranked. To rank all that have a frequent word takes seconds."""

_TYPES = {"int": "bigint", "str": 'text COLLATE "C"', "float | None": "double precision"}
_ROLLUP = ",\n    ".join(
    f"{field.name} {_TYPES[str(field.type)]}{'' if 'None' in str(field.type) else ' NOT NULL'}"
    for field in fields(Rollup)
    if field.name != "parts"
)
SESSION_TABLE = """
CREATE TABLE inspector.session (
    id text COLLATE "C" PRIMARY KEY,
    project text COLLATE "C" NOT NULL,
    pushed_by name NOT NULL DEFAULT current_user,
    pushed_at timestamptz NOT NULL DEFAULT now(),
    origin bytea NOT NULL,             -- of the store that pushed it, and its id there
    source bytea NOT NULL,             -- of what was pushed; made with a key that stays on the machine
    has_text boolean NOT NULL,         -- false if only totals were pushed
    changed text COLLATE "C" NOT NULL,
    title text NOT NULL,
    format text NOT NULL,
    dialect text NOT NULL,
    model text NOT NULL,
    folder text NOT NULL,
    line bigint NOT NULL,
    records_system boolean NOT NULL,
    agents bigint NOT NULL,
    messages bigint NOT NULL,
    turns bigint NOT NULL,
    tokens bigint,
    peak bigint,
    compactions bigint NOT NULL,
    settings text NOT NULL,            -- JSON
    tools text NOT NULL,               -- JSON
    problems text NOT NULL             -- JSON
);
CREATE INDEX session_by_time ON inspector.session (changed DESC, id DESC) WHERE has_text;
"""
MESSAGE_TABLE = """
CREATE TABLE inspector.message (
    session_id text COLLATE "C" NOT NULL,
    position bigint NOT NULL,
    digest bytea NOT NULL,             -- of data
    id text NOT NULL,
    agent text NOT NULL,
    role text NOT NULL,
    data text NOT NULL,                -- JSON: the whole message
    words tsvector NOT NULL,
    PRIMARY KEY (session_id, position)
);
CREATE INDEX message_words ON inspector.message USING gin (words);
"""
_TABLES = f"""
CREATE SCHEMA inspector;
CREATE TABLE inspector.team (version integer NOT NULL);
INSERT INTO inspector.team VALUES (1);
CREATE TABLE inspector.access (
    member text NOT NULL,              -- a role of PostgreSQL: a person or a group
    reads text NOT NULL CHECK (reads IN ('totals', 'text')),
    project text NOT NULL,             -- '{ALL_PROJECTS}' for all
    PRIMARY KEY (member, reads, project)
);{SESSION_TABLE}{MESSAGE_TABLE}
CREATE TABLE inspector.rollup (
    session_id text COLLATE "C" NOT NULL,
    pushed_by name NOT NULL DEFAULT current_user,
    {_ROLLUP},
    PRIMARY KEY (session_id, agent)
);
CREATE INDEX rollup_by_time ON inspector.rollup (ended);
CREATE INDEX rollup_by_project ON inspector.rollup (project);
CREATE TABLE inspector.rollup_part (
    kind text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    session_id text COLLATE "C" NOT NULL,
    agent text COLLATE "C" NOT NULL,
    pushed_by name NOT NULL DEFAULT current_user,
    project text COLLATE "C" NOT NULL,
    is_first integer NOT NULL,
    ended text COLLATE "C" NOT NULL,
    count bigint NOT NULL,
    tokens bigint NOT NULL,
    defined bigint NOT NULL,
    cost double precision,
    PRIMARY KEY (session_id, agent, kind, name)
);
CREATE INDEX rollup_part_by_name ON inspector.rollup_part (kind, name);
CREATE TABLE inspector.rollup_day (    -- parts added up by day and project, by triggers
    kind text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    day text COLLATE "C" NOT NULL,
    project text COLLATE "C" NOT NULL,
    parts bigint NOT NULL,
    sessions bigint NOT NULL,
    count bigint NOT NULL,
    tokens bigint NOT NULL,
    cost double precision NOT NULL,
    priced bigint NOT NULL,
    defined bigint NOT NULL,
    definers bigint NOT NULL,
    unused bigint NOT NULL,
    PRIMARY KEY (kind, name, day, project)
);
"""

_WORDS = """
CREATE TEXT SEARCH DICTIONARY inspector.stem (TEMPLATE = pg_catalog.snowball, Language = english);
CREATE TEXT SEARCH CONFIGURATION inspector.words (COPY = pg_catalog.simple);
ALTER TEXT SEARCH CONFIGURATION inspector.words ALTER MAPPING FOR asciiword, word, numword WITH inspector.stem;
"""
"""How words are indexed: stemmed, as in the store on one machine, and without a list of words that are left out."""

_SUMS = ("parts", "sessions", "count", "tokens", "cost", "priced", "defined", "definers", "unused")


def _day_trigger(event: str, rows: str, sign: str) -> str:
    """Return the trigger that adds inserted parts to the totals by day, or subtracts deleted ones."""
    changes = ", ".join(f"{name} = kept.{name} + excluded.{name}" for name in _SUMS)
    return f"""
CREATE FUNCTION inspector.parts_{event}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = inspector, pg_temp AS $$ BEGIN
    INSERT INTO rollup_day AS kept SELECT
        kind, name, substr(ended, 1, 10), project, {sign}count(*), {sign}sum(is_first), {sign}sum(count),
        {sign}sum(tokens), {sign}sum(coalesce(cost, 0)), {sign}count(cost), {sign}sum(defined),
        {sign}count(*) FILTER (WHERE defined > 0),
        {sign}count(*) FILTER (WHERE is_first = 1 AND defined > 0 AND count = 0)
    FROM changed WHERE kind IN {DAILY_KINDS} GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
    ON CONFLICT (kind, name, day, project) DO UPDATE SET {changes};
    RETURN NULL;
END $$;
CREATE TRIGGER parts_{event} AFTER {event} ON inspector.rollup_part
    REFERENCING {rows} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION inspector.parts_{event}();
"""


def readable(reads: TeamRole) -> str:
    """Return the condition of the rows that a person may read, whose subqueries run once for each query."""
    projects = f"(SELECT inspector.projects('{reads}'))"
    return f"('{ALL_PROJECTS}' = ANY ({projects}::text[]) OR project = ANY ({projects}::text[]))"


def _policies(table: str, readable: str, own: str) -> str:
    return f"""
ALTER TABLE inspector.{table} ENABLE ROW LEVEL SECURITY;
CREATE POLICY reading ON inspector.{table} FOR SELECT USING ({readable} OR {own});
CREATE POLICY pushing ON inspector.{table} FOR INSERT WITH CHECK ({own});
CREATE POLICY replacing ON inspector.{table} FOR DELETE USING ({own});
"""


_OWN = "pushed_by = current_user"
_OF_SESSION = "EXISTS (SELECT 1 FROM inspector.session AS s WHERE s.id = session_id{more})"
_RULES = f"""
CREATE FUNCTION inspector.reader() RETURNS name LANGUAGE sql STABLE AS
    $$ SELECT coalesce(nullif(current_setting('role', true), 'none'), session_user)::name $$;
CREATE FUNCTION inspector.projects(kind text) RETURNS text[] LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = inspector, pg_catalog, pg_temp AS $$
    SELECT coalesce(array_agg(DISTINCT project), '{{}}') FROM (
        SELECT project FROM access JOIN pg_roles ON rolname = member
        WHERE (reads = kind OR reads = 'text') AND pg_has_role(reader(), pg_roles.oid, 'MEMBER')
        UNION ALL SELECT '{ALL_PROJECTS}' FROM pg_namespace  -- for the owner
        WHERE nspname = 'inspector' AND pg_has_role(reader(), nspowner, 'MEMBER')
    ) AS readable
$$;
CREATE FUNCTION inspector.search(wanted text, most integer, only_session text)
RETURNS TABLE (session_id text, title text, "position" bigint, data text) LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = inspector, pg_catalog, pg_temp AS $$  -- the index is not used below a policy, so this is its owner's
    WITH matched AS MATERIALIZED (
        SELECT m.session_id, m.position, s.title, ts_rank_cd(m.words, to_tsquery('inspector.words', wanted)) AS rank
        FROM message AS m JOIN session AS s ON s.id = m.session_id
        WHERE m.words @@ to_tsquery('inspector.words', wanted) AND {readable("text")}
            AND (only_session IS NULL OR m.session_id = only_session)
        LIMIT {MAX_RANKED}
    ), best AS (SELECT * FROM matched ORDER BY rank DESC, session_id, position LIMIT most)
    SELECT best.session_id, best.title, best.position, message.data FROM best JOIN message USING (session_id, position)
    ORDER BY rank DESC, session_id, position
$$;
REVOKE EXECUTE ON FUNCTION inspector.search(text, integer, text) FROM PUBLIC;
{_day_trigger("insert", "NEW", "")}
{_day_trigger("delete", "OLD", "-")}
{_policies("session", readable("text"), _OWN)}
{_policies("message", _OF_SESSION.format(more=""), _OF_SESSION.format(more=f" AND s.{_OWN}"))}
{_policies("rollup", readable("totals"), _OWN)}
{_policies("rollup_part", readable("totals"), _OWN)}
ALTER TABLE inspector.rollup_day ENABLE ROW LEVEL SECURITY;
CREATE POLICY reading ON inspector.rollup_day FOR SELECT USING ({readable("totals")});
"""

_ROLES = (
    "".join(
        f"""
DO $$ BEGIN CREATE ROLE inspector_{role} NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
GRANT USAGE ON SCHEMA inspector TO inspector_{role};
GRANT SELECT ON inspector.team TO inspector_{role};
GRANT SELECT ON inspector.rollup, inspector.rollup_part, inspector.rollup_day TO inspector_{role};
"""
        for role in TEAM_ROLES
    )
    + """
GRANT SELECT ON inspector.session, inspector.message TO inspector_text;
GRANT EXECUTE ON FUNCTION inspector.search(text, integer, text) TO inspector_text;
GRANT SELECT, INSERT, DELETE ON inspector.session, inspector.message, inspector.rollup, inspector.rollup_part
    TO inspector_push;
"""
)


def first_sql() -> str:
    """Return the SQL that creates version 1 of a team's store in an empty database, with its roles."""
    return f"{_TABLES}{_WORDS}{_RULES}{_ROLES}".strip()
