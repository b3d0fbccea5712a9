"""Third part of the schema of a team's store: totals by file and month, and tables that can be on other servers.

Messages have their project and who pushed them, so that no policy reads a second table. The table `pushed`, which is
always on the first server, has the sessions whose text and totals are complete.
"""

from __future__ import annotations

from collections.abc import Sequence

from inspector.store.team_schema import ALL_PROJECTS, MAX_RANKED, MESSAGE_TABLE, SESSION_TABLE, readable

_OWN = "pushed_by = (SELECT current_user)"
"""A condition that a foreign table sends to its server, with the name as a parameter."""
_TEXTS = {"session": ("title", "folder", "settings", "tools", "problems"), "message": ("id", "data", "words")}
"""Columns without statistics, which would keep texts after their rows are gone."""

MESSAGE_COLUMNS = """
ALTER TABLE inspector.message ADD COLUMN project text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE inspector.message ADD COLUMN pushed_by name NOT NULL DEFAULT current_user;
""" + "".join(
    f"ALTER TABLE inspector.{table} {', '.join(f'ALTER COLUMN {name} SET STATISTICS 0' for name in names)};\n"
    for table, names in _TEXTS.items()
)
"""Changes of the tables that another server can hold."""
_FILL_MESSAGES = """
DROP INDEX inspector.message_words;
UPDATE inspector.message SET project = s.project, pushed_by = s.pushed_by
FROM inspector.session AS s WHERE s.id = session_id;
CREATE INDEX message_words ON inspector.message USING gin (words);
"""


def _text_policies(table: str) -> str:
    return f"""
ALTER TABLE inspector.{table} ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS reading ON inspector.{table};
DROP POLICY IF EXISTS pushing ON inspector.{table};
DROP POLICY IF EXISTS replacing ON inspector.{table};
CREATE POLICY reading ON inspector.{table} FOR SELECT USING ({readable("text")} OR {_OWN});
CREATE POLICY replacing ON inspector.{table} FOR DELETE USING ({_OWN});
"""


_RULES = f"""
{_text_policies("session")}
CREATE POLICY pushing ON inspector.session FOR INSERT WITH CHECK ({_OWN});
{_text_policies("message")}
GRANT SELECT ON inspector.session, inspector.message TO inspector_text;
GRANT SELECT, DELETE ON inspector.session, inspector.message TO inspector_push;
GRANT INSERT ON inspector.session TO inspector_push;
REVOKE INSERT ON inspector.message FROM inspector_push;
"""
_FUNCTIONS = f"""
CREATE FUNCTION inspector.add_messages(rows json, ids text[]) RETURNS void LANGUAGE sql SECURITY DEFINER
SET search_path = inspector, pg_catalog, pg_temp AS $$  -- one for all rows: a policy would send each by itself
    INSERT INTO message (session_id, position, digest, id, agent, role, data, words, project, pushed_by)
    SELECT r.session_id, r.position, r.digest, r.id, r.agent, r.role, r.data,
        to_tsvector('inspector.words', r.words), s.project, s.pushed_by
    FROM json_to_recordset(rows) AS r (session_id text, position bigint, digest bytea, id text, agent text, role text,
        data text, words text)
        JOIN session AS s ON s.id = r.session_id AND s.pushed_by = reader() AND s.id = ANY (ids)
$$;
CREATE OR REPLACE FUNCTION inspector.search(wanted text, most integer, only_session text)
RETURNS TABLE (session_id text, title text, "position" bigint, data text) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = inspector, pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $$
DECLARE  -- the index is not used below a policy, so this is its owner's
    query tsquery := to_tsquery('inspector.words', wanted);
    readable text[] := projects('text');
    best record;
BEGIN
    FOR best IN
        WITH matched AS MATERIALIZED (
            SELECT m.session_id, m.position, ts_rank_cd(m.words, query) AS rank FROM message AS m
            WHERE m.words @@ query AND ('{ALL_PROJECTS}' = ANY (readable) OR m.project = ANY (readable))
                AND (only_session IS NULL OR m.session_id = only_session)
            LIMIT {MAX_RANKED}
        ) SELECT * FROM matched ORDER BY matched.rank DESC, matched.session_id, matched.position LIMIT most
    LOOP
        session_id := best.session_id;
        position := best.position;
        SELECT s.title INTO title FROM session AS s WHERE s.id = best.session_id;
        SELECT m.data INTO data FROM message AS m WHERE m.session_id = best.session_id AND m.position = best.position;
        RETURN NEXT;
    END LOOP;
END $$;
REVOKE EXECUTE ON FUNCTION inspector.add_messages(json, text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION inspector.add_messages(json, text[]) TO inspector_push;
"""
_PUSHED = f"""
CREATE TABLE inspector.pushed (        -- sessions whose text and totals are complete
    session_id text COLLATE "C" PRIMARY KEY,
    pushed_by name NOT NULL DEFAULT current_user,
    origin bytea NOT NULL,
    source bytea NOT NULL,
    has_text boolean NOT NULL
);
INSERT INTO inspector.pushed SELECT id, pushed_by, origin, source, has_text FROM inspector.session;
CREATE INDEX pushed_by_origin ON inspector.pushed (origin);
ALTER TABLE inspector.pushed ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON inspector.pushed USING ({_OWN}) WITH CHECK ({_OWN});
GRANT SELECT, INSERT, DELETE ON inspector.pushed TO inspector_push;
"""
_SUMS = ("parts", "sessions", "count", "tokens", "cost", "priced")
_MONTHS = f"""
CREATE TABLE inspector.rollup_month (  -- reads of files, added up by the month in which their rollups ended
    project text COLLATE "C" NOT NULL,
    month text COLLATE "C" NOT NULL,   -- '' if no times are recorded
    name text COLLATE "C" NOT NULL,
    {", ".join(f"{name} {'double precision' if name == 'cost' else 'bigint'} NOT NULL" for name in _SUMS)},
    ended text COLLATE "C" NOT NULL,
    PRIMARY KEY (project, month, name)
);
CREATE INDEX rollup_part_by_file ON inspector.rollup_part (project, name, ended) WHERE kind = 'file';
CREATE INDEX rollup_part_by_end ON inspector.rollup_part (ended) WHERE kind = 'file';
CREATE INDEX rollup_month_by_time ON inspector.rollup_month (month);
ALTER TABLE inspector.rollup_month ENABLE ROW LEVEL SECURITY;
CREATE POLICY reading ON inspector.rollup_month FOR SELECT USING ({readable("totals")});
GRANT SELECT ON inspector.rollup_month TO inspector_totals, inspector_text, inspector_push;
"""


def _month_sums(sign: str, source: str) -> str:
    return f"""SELECT
        project, substr(ended, 1, 7) AS month, name, {sign}count(*), {sign}sum(is_first), {sign}sum(count),
        {sign}sum(tokens), {sign}sum(coalesce(cost, 0)), {sign}count(cost), max(ended)
    FROM {source} WHERE kind = 'file' GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"""


def _month_trigger(event: str, rows: str, sign: str, ended: str, more: str = "") -> str:
    """Return the trigger that adds inserted parts to the totals by month, or subtracts deleted ones."""
    changes = ", ".join(f"{name} = kept.{name} + excluded.{name}" for name in _SUMS)
    return f"""
CREATE FUNCTION inspector.parts_month_{event}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = inspector, pg_temp AS $$ BEGIN
    INSERT INTO rollup_month AS kept {_month_sums(sign, "changed")}
    ON CONFLICT (project, month, name) DO UPDATE SET {changes}, ended = {ended};{more}
    RETURN NULL;
END $$;
CREATE TRIGGER parts_month_{event} AFTER {event} ON inspector.rollup_part
    REFERENCING {rows} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION inspector.parts_month_{event}();
"""


_LAST = """coalesce((
        SELECT max(p.ended) FROM rollup_part AS p
        WHERE p.kind = 'file' AND p.project = kept.project AND p.name = kept.name
            AND p.ended >= kept.month AND p.ended <= CASE kept.month WHEN '' THEN '' ELSE kept.month || '~' END
    ), '')"""
_REMOVE_EMPTY = """
    DELETE FROM rollup_month AS m USING changed AS c WHERE m.parts <= 0 AND c.kind = 'file'
        AND m.project = c.project AND m.month = substr(c.ended, 1, 7) AND m.name = c.name;
    DELETE FROM rollup_day AS d USING changed AS c WHERE d.parts <= 0
        AND d.kind = c.kind AND d.name = c.name AND d.day = substr(c.ended, 1, 10) AND d.project = c.project;"""
"""Runs after the trigger of the days, because triggers run in the order of their names."""


def layout_sql() -> str:
    """Return the SQL that makes version 3 of a team's store from version 2."""
    filled = f"INSERT INTO inspector.rollup_month {_month_sums('', 'inspector.rollup_part')};"
    triggers = _month_trigger("insert", "NEW", "", "greatest(kept.ended, excluded.ended)")
    triggers += _month_trigger("delete", "OLD", "-", _LAST, _REMOVE_EMPTY)
    tables = f"{MESSAGE_COLUMNS}{_FILL_MESSAGES}{_RULES}{_FUNCTIONS}{_PUSHED}{_MONTHS}"
    return f"{tables}{filled}{triggers}UPDATE inspector.team SET version = 3;"


def access_sql() -> str:
    """Return the SQL that makes version 4 of a team's store from version 3: the projects of a reader are found by a
    function whose plans are kept, as those of PL/pgSQL are. To plan them took most of the time of a short query."""
    return f"""
CREATE OR REPLACE FUNCTION inspector.projects(kind text) RETURNS text[] LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = inspector, pg_catalog, pg_temp AS $$ BEGIN
    RETURN (
        SELECT coalesce(array_agg(DISTINCT project), '{{}}') FROM (
            SELECT project FROM access JOIN pg_roles ON rolname = member
            WHERE (reads = kind OR reads = 'text') AND pg_has_role(reader(), pg_roles.oid, 'MEMBER')
            UNION ALL SELECT '{ALL_PROJECTS}' FROM pg_namespace  -- for the owner
            WHERE nspname = 'inspector' AND pg_has_role(reader(), nspowner, 'MEMBER')
        ) AS readable
    );
END $$;
UPDATE inspector.team SET version = 4;"""


def data_server_sql() -> str:
    """Return the SQL that makes the tables of sessions and messages on a server that holds a part of them."""
    return f"CREATE SCHEMA inspector;{SESSION_TABLE}{MESSAGE_TABLE}{MESSAGE_COLUMNS}".strip()


def distribution_sql(servers: Sequence[str]) -> str:
    """Return the SQL that replaces the empty tables of sessions and messages by parts on other servers.

    Args:
        servers: Options of each foreign server and of its user, as SQL: a pair of lists for `CREATE SERVER`.
    """
    sql = "".join(servers)
    for table, key in (("session", "id"), ("message", "session_id")):
        sql += f"""
CREATE TABLE inspector.whole (LIKE inspector.{table} INCLUDING DEFAULTS) PARTITION BY HASH ({key});
DROP TABLE inspector.{table};
ALTER TABLE inspector.whole RENAME TO {table};"""
        for number in range(len(servers)):
            sql += f"""
CREATE FOREIGN TABLE inspector.{table}_{number + 1} PARTITION OF inspector.{table}
    FOR VALUES WITH (MODULUS {len(servers)}, REMAINDER {number}) SERVER {server_name(number)}
    OPTIONS (schema_name 'inspector', table_name '{table}');"""
    return f"CREATE EXTENSION IF NOT EXISTS postgres_fdw;{sql}{_RULES}"


def server_name(number: int) -> str:
    """Return the name of a foreign server by its number, from 0."""
    return f"inspector_shard_{number + 1}"
