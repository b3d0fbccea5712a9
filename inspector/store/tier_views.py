"""The three tiers as views for people: the sixth step of the schema. Never edited."""

from __future__ import annotations


def _tokens_of(digest: str) -> str:
    """Return SQL for the token count of a content: by the counter of the session `s`, or by any other."""
    return (
        f"coalesce((SELECT t.tokens FROM token_count t WHERE t.digest = {digest} AND t.counter = s.counter), "
        f"(SELECT t.tokens FROM token_count t WHERE t.digest = {digest} ORDER BY t.counter LIMIT 1))"
    )


SESSION_TIER = f"""
    SELECT s.id AS session_id, s.title AS session, m.position, m.agent, m.role, m.kind,
        coalesce(nullif(m.name, ''), nullif(m.agent, 'main'), m.role) AS who,
        m.preview, {_tokens_of("m.digest")} AS tokens, m.time, m.model,
        EXISTS (
            SELECT 1 FROM context c WHERE c.session_id = m.session_id AND c.agent = m.agent AND c.position = m.position
        ) AS in_context,
        m.id AS message_id
    FROM session s JOIN message m ON m.session_id = s.id"""

PERSISTENT_TIER = """
    SELECT memory.id, memory.kind, s.title AS session, memory.text, memory.tokens, memory.created_at,
        p.strategy AS archived_by, memory.session_id, memory.message_id
    FROM memory LEFT JOIN session s ON s.id = memory.session_id LEFT JOIN plan p ON p.id = memory.plan_id"""

WORKING_TIER = f"""
    -- what is in each agent's window now: its context in the log, or what its plans have made of that
    WITH item AS (
        SELECT x.session_id, x.agent,
            row_number() OVER (PARTITION BY x.session_id, x.agent ORDER BY x.position) AS place,
            m.key, NULL AS version, NULL AS fate_of
        FROM context x JOIN message m ON m.session_id = x.session_id AND m.position = x.position
        WHERE NOT EXISTS (SELECT 1 FROM plan p WHERE p.session_id = x.session_id AND p.agent = x.agent)
        UNION ALL
        SELECT session_id, agent, place, key, version, fate_of FROM working_message
    )
    SELECT i.session_id, s.title AS session, i.agent, i.place, coalesce(n.role, m.role) AS role,
        coalesce(m.kind, 'summary') AS kind,
        coalesce(nullif(m.name, ''), nullif(i.agent, 'main'), n.role, m.role) AS who,
        coalesce(n.preview, m.preview) AS preview,
        {_tokens_of("coalesce(n.digest, m.digest)")} AS tokens,
        coalesce(f.kind, 'kept') AS fate, coalesce(f.reason, 'nothing to do') AS reason,
        m.time, m.position, coalesce(m.id, n.message_id) AS message_id,
        coalesce(json_extract(n.message, '$.raw'), (SELECT b.raw FROM body b WHERE b.key = i.key)) AS raw
    FROM item i
    JOIN session s ON s.id = i.session_id
    LEFT JOIN message m ON m.key = i.key
    LEFT JOIN plan_message n ON n.id = i.version
    LEFT JOIN plan_fate f ON f.plan_id = i.fate_of AND f.message_id = coalesce(m.id, n.message_id)"""
