"""Databases of `llm`: fragments, attachments, tools and failures in tables of their own, and the first versions."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from inspector.core.conversation import Image, Session, Text, Thinking
from inspector.formats import load
from tests.formats.written import only

TABLES = """
    CREATE TABLE conversations (id TEXT, name TEXT, model TEXT);
    CREATE TABLE responses (id TEXT, model TEXT, resolved_model TEXT, prompt TEXT, system TEXT, response TEXT,
                            conversation_id TEXT, datetime_utc TEXT, input_tokens, output_tokens, token_details);
    CREATE TABLE tools (id INTEGER PRIMARY KEY, name TEXT, description TEXT, input_schema TEXT);
    CREATE TABLE tool_responses (tool_id INTEGER, response_id TEXT);
    CREATE TABLE tool_calls (id INTEGER PRIMARY KEY, response_id TEXT, name TEXT, arguments TEXT, tool_call_id TEXT);
    CREATE TABLE tool_results (id INTEGER PRIMARY KEY, response_id TEXT, output TEXT, tool_call_id TEXT, exception);
    CREATE TABLE fragments (id INTEGER PRIMARY KEY, content TEXT);
    CREATE TABLE prompt_fragments (response_id TEXT, fragment_id INTEGER, "order" INTEGER);
    CREATE TABLE system_fragments (response_id TEXT, fragment_id INTEGER, "order" INTEGER);
    CREATE TABLE attachments (id TEXT, type TEXT, path TEXT, url TEXT, content BLOB);
    CREATE TABLE prompt_attachments (response_id TEXT, attachment_id TEXT, "order" INTEGER);
    CREATE TABLE tool_results_attachments (tool_result_id INTEGER, attachment_id TEXT, "order" INTEGER);
    CREATE TABLE parts (id INTEGER PRIMARY KEY, response_id TEXT, direction TEXT, part_type TEXT, "order" INTEGER,
                        content TEXT);
    INSERT INTO conversations VALUES ('s1', 'Lamps', 'gpt-4o');
    INSERT INTO responses VALUES
        ('r1', 'gpt-4o', 'gpt-4o-2024-08-06', 'Which lamp?', 'Be brief.', '', 's1', '2026-01-02T03:04:05', 30, 4, NULL),
        ('r2', 'gpt-4o', NULL, NULL, NULL, 'The third.', 's1', '2026-01-02T03:04:07', 50, 3, NULL);
    INSERT INTO tools VALUES (7, 'light', 'Lights a lamp.', '{"type": "object", "properties": {"lamp": {}}}');
    INSERT INTO tool_responses VALUES (7, 'r1');
    INSERT INTO tool_calls VALUES (1, 'r1', 'light', '{"lamp": 3}', 'c1'), (2, 'r1', 'light', '{"lamp": 4}', 'c2');
    INSERT INTO tool_results VALUES (1, 'r2', 'Error: no oil', 'c1', 'ValueError: no oil'),
        (2, 'r2', 'Lit.', 'c2', NULL);
    INSERT INTO fragments VALUES (1, 'The second of two.'), (2, 'The first of two.'), (3, 'You keep lamps.');
    INSERT INTO prompt_fragments VALUES ('r1', 1, 1), ('r1', 2, 0);
    INSERT INTO system_fragments VALUES ('r1', 3, 0);
    INSERT INTO attachments VALUES ('a1', 'image/gif', NULL, NULL, x'474946'),
        ('a2', 'application/pdf', '/lamps/oil.pdf', NULL, NULL),
        ('a3', 'image/png', NULL, 'https://example.org/lamp.png', NULL);
    INSERT INTO prompt_attachments VALUES ('r1', 'a1', 0), ('r1', 'a2', 1);
    INSERT INTO tool_results_attachments VALUES (2, 'a3', 0);
    INSERT INTO parts VALUES (1, 'r2', 'output', 'reasoning', 0, 'It must be the third.'),
        (2, 'r2', 'output', 'text', 1, 'The third.'),
        (3, 'r2', 'input', 'reasoning', 0, 'not its own');
"""


def database(tmp_path: Path, script: str) -> Path:
    path = tmp_path / "logs.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(script)
    return path


def session_of(tmp_path: Path) -> Session:
    return only(database(tmp_path, TABLES))


def test_fragments_stand_before_the_prompt_in_their_order(tmp_path: Path) -> None:
    system, ask, *_ = session_of(tmp_path).messages
    assert system.text == "You keep lamps.\nBe brief."
    assert isinstance(ask.parts[0], Text)
    assert ask.parts[0].text == "The first of two.\nThe second of two.\nWhich lamp?"


def test_attachments_are_pictures_and_documents_of_their_message(tmp_path: Path) -> None:
    _, ask, _, _, result, _ = session_of(tmp_path).messages
    picture, document = ask.parts[1:]
    assert isinstance(picture, Image) and picture.source == "data:image/gif;base64,R0lG"
    assert isinstance(document, Text) and "oil.pdf" in document.text, "of which only the place is known"
    assert "[image image/png" in result.text, "a form that has no pictures in results names them"


def test_tools_failures_thoughts_and_the_model_that_answered_are_kept(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    _, _, call, result, _, reply = session.messages
    assert [tool["function"]["name"] for tool in session.tools] == ["light"]
    assert session.tools[0]["function"]["parameters"]["properties"] == {"lamp": {}}
    assert call.model == "gpt-4o-2024-08-06"
    assert result.is_error and result.answers == "c1"
    assert [part.text for part in reply.parts if isinstance(part, Thinking)] == ["It must be the third."]


def test_the_chats_of_the_first_versions_are_sessions(tmp_path: Path) -> None:
    script = """
        CREATE TABLE logs (id INTEGER PRIMARY KEY, model, prompt, system, response, reply_to_id, chat_id, datetime_utc);
        INSERT INTO logs VALUES
            (1, 'gpt-3.5-turbo', 'Which lamp?', 'Be brief.', 'The third.', NULL, NULL, '2023-07-01T10:00:00'),
            (2, 'gpt-3.5-turbo', 'Alone?', NULL, 'Alone.', NULL, NULL, '2023-07-01T10:01:00'),
            (3, 'gpt-3.5-turbo', 'Why?', 'Be brief.', 'It has oil.', 1, 1, '2023-07-01T10:02:00');
    """
    first, second = load(database(tmp_path, script))
    assert [message.text for message in first] == ["Be brief.", "Which lamp?", "The third.", "Why?", "It has oil."]
    assert [message.text for message in second] == ["Alone?", "Alone."]
    assert first.messages[-1].time == "2023-07-01T10:02:00"
