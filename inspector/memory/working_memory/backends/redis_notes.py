"""Working memory in Redis, for several machines. Needs the extra `redis`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from inspector.memory.databases.redis_database import RedisDatabase, milliseconds
from inspector.memory.working_memory.backends.base import HISTORY, MemoryManagerBase, now, to_bytes, to_text
from inspector.memory.working_memory.working_records import ConflictError, MemoryRecord, WorkingMemoryError

DAY = timedelta(hours=24)
_MEMORY, _HISTORY = b"memory:", b"memory-history:"
"""Prefixes of the keys of a conversation. Neither is a prefix of the other, whatever the id."""
_WRITE = """
local current = redis.call('GET', KEYS[1])
if ARGV[4] ~= '' and (current or '') ~= ARGV[5] then return 0 end
if ARGV[4] == 'new' and current then return 0 end
if ARGV[4] == 'same' and not current then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
redis.call('RPUSH', KEYS[2], ARGV[2])
redis.call('LTRIM', KEYS[2], -tonumber(ARGV[6]), -1)
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return 1
"""
"""Writes a memory and its version in one step; gives 0, and writes nothing, where the memory is not what it should be.

Arguments: the text, the version, milliseconds to live; "" to write anyhow, "new" where there must be none, "same" where
it must be the next argument; and how many versions are kept.
"""


class RedisMemoryManager(MemoryManagerBase):
    """Keeps each memory under `memory:<conversation_id>` as plain text; it goes when it was not written for `ttl`."""

    def __init__(self, redis_url: str, ttl: timedelta = DAY, clock: Callable[[], datetime] = now) -> None:
        """Create a manager.

        Args:
            redis_url: Address such as redis://localhost:6379/0.
            ttl: Time after the last write until a memory expires.
            clock: Returns the current time.
        """
        super().__init__(clock)
        self._redis = RedisDatabase(redis_url, WorkingMemoryError)
        self._ttl = ttl

    async def _get(self, conversation_id: str) -> MemoryRecord | None:
        name = to_bytes(conversation_id)

        def read(client: Any) -> list[Any]:
            with client.pipeline(transaction=True) as pipeline:
                pipeline.get(_MEMORY + name)
                pipeline.lindex(_HISTORY + name, -1)
                pipeline.pttl(_MEMORY + name)
                rows: list[Any] = pipeline.execute()
                return rows

        memory, version, left = await self._redis.run_in_task(read)
        return None if memory is None else self._record(conversation_id, memory, version, left)

    async def _put(self, record: MemoryRecord) -> None:
        await self._write(record, "", "")

    async def _replace(self, record: MemoryRecord, previous: str | None) -> None:
        if not await self._write(record, "new" if previous is None else "same", previous or ""):
            raise ConflictError(record.conversation_id)

    async def _write(self, record: MemoryRecord, mode: str, previous: str) -> bool:
        name = to_bytes(record.conversation_id)
        version = orjson.dumps([record.updated_at.isoformat(), to_bytes(record.working_memory).hex()])
        arguments = (
            to_bytes(record.working_memory),
            version,
            milliseconds(self._ttl),
            mode,
            to_bytes(previous),
            HISTORY,
        )
        keys = (_MEMORY + name, _HISTORY + name)
        return await self._redis.run_in_task(lambda client: bool(client.eval(_WRITE, 2, *keys, *arguments)))

    async def _remove(self, conversation_id: str) -> bool:
        name = to_bytes(conversation_id)
        keys = (_MEMORY + name, _HISTORY + name)

        def remove(client: Any) -> bool:
            with client.pipeline(transaction=True) as pipeline:
                for key in keys:
                    pipeline.delete(key)
                return bool(pipeline.execute()[0])

        return await self._redis.run_in_task(remove)

    async def _versions(self, conversation_id: str) -> Sequence[MemoryRecord]:
        key = _HISTORY + to_bytes(conversation_id)
        versions = await self._redis.run_in_task(lambda client: client.lrange(key, 0, -1))
        return [_version(conversation_id, version) for version in versions]

    async def _all(self) -> Sequence[MemoryRecord]:
        def names(client: Any) -> list[bytes]:
            return [key[len(_MEMORY) :] for key in client.scan_iter(_MEMORY + b"*", count=1_000)]

        records = [await self._get(to_text(name)) for name in await self._redis.run_in_task(names)]
        return [record for record in records if record]

    def _record(self, conversation_id: str, memory: bytes, version: bytes | None, left: int) -> MemoryRecord:
        """Return the current memory. One of another program has no version, and a time derived from its TTL."""
        text = to_text(memory)
        if version is not None and (record := _version(conversation_id, version)).working_memory == text:
            return record
        age = self._ttl - timedelta(milliseconds=left) if left >= 0 else timedelta(0)
        return MemoryRecord(conversation_id, text, self._clock() - max(age, timedelta(0)))

    async def close(self) -> None:
        self._redis.close()


def _version(conversation_id: str, version: bytes) -> MemoryRecord:
    time, memory = orjson.loads(version)
    return MemoryRecord(conversation_id, to_text(bytes.fromhex(memory)), datetime.fromisoformat(time).astimezone(UTC))
