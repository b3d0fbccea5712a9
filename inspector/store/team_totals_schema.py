"""Second part of the schema of a team's store: totals by project and day, which triggers add up again.

A change of rollups replaces the rows of the projects and days in it, so that a maximum can be a total as well.
"""

from __future__ import annotations

from inspector.store.team_schema import readable

_TABLES = """
DROP INDEX inspector.rollup_by_project;
CREATE INDEX rollup_by_project_day ON inspector.rollup (project, substr(ended, 1, 10));
CREATE INDEX rollup_part_by_project_day ON inspector.rollup_part (project, name) WHERE kind = 'day';
CREATE TABLE inspector.rollup_total (  -- rollups of agents by the day on which they ended
    project text COLLATE "C" NOT NULL,
    day text COLLATE "C" NOT NULL,     -- '' if no times are recorded
    agent text COLLATE "C" NOT NULL,
    format text COLLATE "C" NOT NULL,
    sessions bigint NOT NULL,          -- whose first agent this is
    agents bigint NOT NULL,
    calls bigint NOT NULL,
    sent bigint NOT NULL,
    cost double precision,
    unreported bigint NOT NULL,
    cached bigint NOT NULL,
    output bigint NOT NULL,
    compacted bigint NOT NULL,         -- sessions whose first agent was compacted
    compactions bigint NOT NULL,
    rereads bigint NOT NULL,
    reread_tokens bigint NOT NULL,
    reread_cost double precision,
    cache_lost bigint NOT NULL,
    cache_cost double precision,
    ended text COLLATE "C" NOT NULL,
    PRIMARY KEY (project, day, agent, format)
);
CREATE TABLE inspector.rollup_time (   -- parts of kind 'day' by day and by week
    project text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,    -- day, week
    name text COLLATE "C" NOT NULL,    -- the day, or the Monday; '' if no times are recorded
    sessions bigint NOT NULL,
    count bigint NOT NULL,
    tokens bigint NOT NULL,
    cost double precision,
    unreported bigint NOT NULL,
    ended text COLLATE "C" NOT NULL,
    PRIMARY KEY (project, kind, name)
);
CREATE FUNCTION inspector.week(day text, weekday integer) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN day ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'
        THEN to_char(date_trunc('week', day::date) + weekday * interval '1 day', 'YYYY-MM-DD') ELSE '' END
$$;
"""
_TOTALS = """
        r.project, substr(r.ended, 1, 10) AS day, r.agent, r.format, count(*) FILTER (WHERE place = 0), count(*),
        sum(calls), sum(sent), sum(cost), sum(unreported), sum(cached), sum(output),
        count(*) FILTER (WHERE place = 0 AND compactions > 0), sum(compactions), sum(rereads), sum(reread_tokens),
        sum(reread_cost), sum(cache_lost), sum(cache_cost), max(r.ended)"""
_SPANS = """
        SELECT DISTINCT project, 'day' AS kind, name AS first, name AS last FROM {source} WHERE kind = 'day'
        UNION ALL SELECT DISTINCT project, 'week', inspector.week(name, 0), inspector.week(name, 6) FROM {source}
        WHERE kind = 'day'"""
_ADD_TIMES = """
    WITH spans AS ({spans})
    INSERT INTO inspector.rollup_time SELECT
        s.project, s.kind, s.first, count(DISTINCT session_id), sum(count), sum(tokens), sum(cost), sum(defined),
        max(ended)
    FROM spans AS s JOIN inspector.rollup_part AS p
        ON p.kind = 'day' AND p.project = s.project AND p.name BETWEEN s.first AND s.last
    GROUP BY 1, 2, 3;"""
_REPLACE_TOTALS = f"""
    DELETE FROM rollup_total AS t USING changed AS c
    WHERE t.project = c.project AND t.day = substr(c.ended, 1, 10);
    INSERT INTO rollup_total SELECT {_TOTALS}
    FROM (SELECT DISTINCT project, substr(ended, 1, 10) AS day FROM changed) AS c
        JOIN rollup AS r ON r.project = c.project AND substr(r.ended, 1, 10) = c.day
    GROUP BY 1, 2, 3, 4;"""
_REPLACE_TIMES = f"""
    WITH spans AS ({_SPANS.format(source="changed")})
    DELETE FROM rollup_time AS t USING spans AS s
    WHERE t.project = s.project AND t.kind = s.kind AND t.name = s.first;
{_ADD_TIMES.format(spans=_SPANS.format(source="changed"))}"""


def _triggers(table: str, name: str, statements: str) -> str:
    """Return triggers that run statements after rows of a table, `changed` in them, were inserted or deleted."""
    created = "".join(
        f"""
CREATE TRIGGER {name}_{event} AFTER {event} ON inspector.{table}
    REFERENCING {rows} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION inspector.{name}();"""
        for event, rows in (("insert", "NEW"), ("delete", "OLD"))
    )
    return f"""
CREATE FUNCTION inspector.{name}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = inspector, pg_temp AS $$ BEGIN{statements}
    RETURN NULL;
END $$;{created}
"""


def _protected(table: str) -> str:
    return f"""
ALTER TABLE inspector.{table} ENABLE ROW LEVEL SECURITY;
CREATE POLICY reading ON inspector.{table} FOR SELECT USING ({readable("totals")});
GRANT SELECT ON inspector.{table} TO inspector_totals, inspector_text, inspector_push;
"""


def totals_sql() -> str:
    """Return the SQL that makes version 2 of a team's store from version 1: totals by day, also of what it has."""
    filled = f"""
INSERT INTO inspector.rollup_total SELECT {_TOTALS}
FROM inspector.rollup AS r GROUP BY 1, 2, 3, 4;
{_ADD_TIMES.format(spans=_SPANS.format(source="inspector.rollup_part"))}
UPDATE inspector.team SET version = 2;"""
    triggers = _triggers("rollup", "total_up", _REPLACE_TOTALS) + _triggers("rollup_part", "time_up", _REPLACE_TIMES)
    return f"{_TABLES}{triggers}{_protected('rollup_total')}{_protected('rollup_time')}{filled}"
