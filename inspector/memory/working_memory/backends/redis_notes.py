"""Working memory in Redis, for several machines. Needs the extra `redis`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from inspector.memory.working_memory.backends.base import HISTORY, MemoryManagerBase, now, to_bytes, to_text
from inspector.memory.working_memory.working_records import ConflictError, MemoryRecord, WorkingMemoryError

DAY = timedelta(hours=24)
_MEMORY, _HISTORY = b"memory:", b"memory-history:"
"""What the keys of a conversation begin with; neither begins the other, whatever the id."""
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
        """`redis_url` is an address such as redis://localhost:6379/0."""
        super().__init__(clock)
        from redis.asyncio import Redis

        self.redis: Redis = Redis.from_url(redis_url)
        self._ttl = ttl

    async def _get(self, conversation_id: str) -> MemoryRecord | None:
        name = to_bytes(conversation_id)
        async with self._pipeline() as pipeline:
            pipeline.get(_MEMORY + name)
            pipeline.lindex(_HISTORY + name, -1)
            pipeline.pttl(_MEMORY + name)
            memory, version, left = await pipeline.execute()
        return None if memory is None else self._record(conversation_id, memory, version, left)

    async def _put(self, record: MemoryRecord) -> None:
        await self._write(record, "", "")

    async def _replace(self, record: MemoryRecord, previous: str | None) -> None:
        if not await self._write(record, "new" if previous is None else "same", previous or ""):
            raise ConflictError(record.conversation_id)

    async def _write(self, record: MemoryRecord, mode: str, previous: str) -> bool:
        name = to_bytes(record.conversation_id)
        version = orjson.dumps([record.updated_at.isoformat(), to_bytes(record.working_memory).hex()])
        life = max(1, round(self._ttl / timedelta(milliseconds=1)))
        arguments = (to_bytes(record.working_memory), version, life, mode, to_bytes(previous), HISTORY)
        async with self._errors():
            script: Any = self.redis.eval(_WRITE, 2, _MEMORY + name, _HISTORY + name, *arguments)
            return bool(await script)

    async def _remove(self, conversation_id: str) -> bool:
        name = to_bytes(conversation_id)
        async with self._pipeline() as pipeline:
            pipeline.delete(_MEMORY + name)
            pipeline.delete(_HISTORY + name)
            count, _ = await pipeline.execute()
        return bool(count)

    async def _versions(self, conversation_id: str) -> Sequence[MemoryRecord]:
        async with self._errors():
            rows: Any = self.redis.lrange((_HISTORY + to_bytes(conversation_id)).decode("latin-1"), 0, -1)
            versions = await rows
        return [_version(conversation_id, version) for version in versions]

    async def _all(self) -> Sequence[MemoryRecord]:
        async with self._errors():
            names = [key[len(_MEMORY) :] async for key in self.redis.scan_iter(_MEMORY + b"*", count=1_000)]
        records = [await self._get(to_text(name)) for name in names]
        return [record for record in records if record]

    def _record(self, conversation_id: str, memory: bytes, version: bytes | None, left: int) -> MemoryRecord:
        """The present memory; one that another program wrote has no version, and its time follows from its TTL."""
        text = to_text(memory)
        if version is not None and (record := _version(conversation_id, version)).working_memory == text:
            return record
        age = self._ttl - timedelta(milliseconds=left) if left >= 0 else timedelta(0)
        return MemoryRecord(conversation_id, text, self._clock() - max(age, timedelta(0)))

    async def close(self) -> None:
        await self.redis.aclose()

    @asynccontextmanager
    async def _pipeline(self) -> AsyncIterator[Any]:
        """Commands that are done in one step."""
        async with self._errors(), self.redis.pipeline(transaction=True) as pipeline:
            yield pipeline

    @asynccontextmanager
    async def _errors(self) -> AsyncIterator[None]:
        """What Redis complains of becomes a WorkingMemoryError."""
        from redis.exceptions import RedisError

        try:
            yield
        except (RedisError, OSError) as error:
            raise WorkingMemoryError(f"Redis cannot be used: {error}.") from error


def _version(conversation_id: str, version: bytes) -> MemoryRecord:
    time, memory = orjson.loads(version)
    return MemoryRecord(conversation_id, to_text(bytes.fromhex(memory)), datetime.fromisoformat(time).astimezone(UTC))
