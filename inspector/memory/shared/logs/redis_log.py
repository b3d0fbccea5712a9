"""A shared conversation in Redis. Needs the extra `redis`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Any

from inspector.memory.databases.redis_database import RedisDatabase, milliseconds
from inspector.memory.shared.logs.base import (
    MessageLog,
    SharedMemoryError,
    SharedMessage,
    check_places,
    from_json,
    name_of,
    to_json,
)

_APPEND = """
local count = 0
for i = 2, #ARGV, 2 do
  if ARGV[1] == '0' or redis.call('HEXISTS', KEYS[2], ARGV[i]) == 0 then
    redis.call('RPUSH', KEYS[1], ARGV[i + 1])
    redis.call('HINCRBY', KEYS[2], ARGV[i], 1)
    count = count + 1
  end
end
if count > 0 then redis.call('INCR', KEYS[3]) end
return count
"""
"""Adds messages whose id is not there. Arguments: "1" for that, "0" to add all; then each id and message."""


class RedisLog(MessageLog):
    """Keeps messages in a list, `shared:<name>`, with their ids and a revision. With `ttl` they expire after the
    last change."""

    def __init__(self, address: str, name: str = "shared", ttl: timedelta | None = None) -> None:
        """Create a log.

        Args:
            address: Address such as redis://localhost:6379/0.
            name: Name of the conversation.
            ttl: Time after the last change until the messages expire, or None for never.
        """
        self._redis = RedisDatabase(address, SharedMemoryError)
        key = name.encode("utf-8", "surrogatepass")
        self._messages, self._ids, self._revision = (
            prefix + key for prefix in (b"shared:", b"shared-ids:", b"shared-revision:")
        )
        self._life = None if ttl is None else milliseconds(ttl)

    def append(self, messages: Sequence[SharedMessage], once: bool) -> int:
        pairs = [value for message in messages for value in (name_of(message), to_json(message))]
        keys = (self._messages, self._ids, self._revision)

        def add(client: Any) -> int:
            count = int(client.eval(_APPEND, 3, *keys, int(once), *pairs))
            self._extend_life(client)
            return count

        return self._redis.run(add)

    def read(self, limit: int | None = None) -> list[SharedMessage]:
        if limit is not None and limit <= 0:
            return []
        start = 0 if limit is None else -limit
        rows = self._redis.run(lambda client: client.lrange(self._messages, start, -1))
        return [from_json(row) for row in rows]

    def size(self) -> int:
        return self._redis.run(lambda client: int(client.llen(self._messages)))

    def remove(self, indices: Collection[int]) -> None:
        def without(rows: list[bytes]) -> list[bytes]:
            check_places(indices, len(rows))
            places = set(indices)
            return [row for place, row in enumerate(rows) if place not in places]

        self._rewrite(without)

    def truncate(self, size: int) -> None:
        self._rewrite(lambda rows: rows[max(0, len(rows) - size) :])

    def replace(self, messages: Sequence[SharedMessage]) -> None:
        news = list(map(to_json, messages))
        self._rewrite(lambda _: news)

    def revision(self) -> int:
        return self._redis.run(lambda client: int(client.get(self._revision) or 0))

    def close(self) -> None:
        self._redis.close()

    def _rewrite(self, change: Any) -> None:
        """Rewrite the list with a function of its rows, again if another program has written in between."""

        def step(pipeline: Any) -> None:
            rows = pipeline.lrange(self._messages, 0, -1)
            news = change(rows)
            pipeline.multi()
            if news == rows:
                return
            pipeline.delete(self._messages, self._ids)
            for row in news:
                pipeline.rpush(self._messages, row)
                pipeline.hincrby(self._ids, name_of(from_json(row)), 1)
            pipeline.incr(self._revision)
            self._extend_life(pipeline)

        self._redis.run(lambda client: client.transaction(step, self._messages, self._revision))

    def _extend_life(self, client: Any) -> None:
        if self._life is not None:
            for key in (self._messages, self._ids, self._revision):
                client.pexpire(key, self._life)
