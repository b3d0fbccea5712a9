"""Map work over items on a cluster of Dask's `distributed`, whose workers have the same version of Inspector.

The library pickles what goes between the program and the workers, so whoever controls the scheduler or a worker can run
code here. Transcripts are data at any time: nothing in them is unpickled.
"""

from __future__ import annotations

import logging
import socket
import time
import warnings
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar
from urllib.parse import urlsplit

from inspector import __version__
from inspector.core.extraction_cache import digest_of_code
from inspector.core.local_processes import results_of
from inspector.core.work_pool import Cancel, Work, WorkCancelled, WorkError

ADDRESS_FORM = "tcp://HOST:PORT, or tls://HOST:PORT for an encrypted connection"
_TIMEOUT = 10
"""Seconds to wait for the scheduler."""
_GRACE = 30.0
"""Seconds without a worker after which the work ends. A killed worker may be started again in the meantime."""
_CHECK_INTERVAL = 2.0
"""Seconds between two questions to the scheduler."""
_QUEUED = 2
"""Maximum number of items per thread of a worker that are sent before it is free."""
_MAX_FRAMES = 1_000
"""Limit of the number with which a scheduler greets: that of the frames of its first message."""
_SOURCES = ("analysis", "core", "engine", "formats", "llm")
"""Folders of the package that determine results."""
S = TypeVar("S")
T = TypeVar("T")
R = TypeVar("R")


class OtherVersionError(Exception):
    """Raised in a worker that has another version of Inspector. The text is that version."""


class Cluster:
    """The workers of a cluster. See `WorkPool`."""

    def __init__(self, address: str, client: Any, killed: type[Exception]) -> None:
        """Create a cluster.

        Args:
            address: Address of the scheduler.
            client: Connection to it.
            killed: Exception of an item on which several workers ended.
        """
        self.address = address
        self._client, self._killed = client, killed
        self._checked = self._seen = time.monotonic()

    @property
    def threads(self) -> dict[str, int]:
        """Number of threads by address of the worker.

        Raises:
            WorkError: If the scheduler does not answer.
        """
        try:
            return dict(self._client.nthreads())
        except (OSError, CancelledError, RuntimeError, AttributeError) as error:  # of a client that lost its connection
            raise self._lost() from error

    def results(
        self, work: Work[S, T, R], shared: S, items: Iterable[T], cancel: Cancel | None = None
    ) -> Iterator[tuple[int, R]]:
        """See `WorkPool.results`."""
        most = _QUEUED * sum(self.threads.values())
        executor = self._client.get_executor(pure=False)
        try:
            do_item = partial(_do_item, _this_version(), work, shared)
            yield from results_of(executor, do_item, items, most, cancel, self._check)
        except CancelledError as error:
            raise self._lost() from error
        except OtherVersionError as error:
            raise WorkError(_other_version("A worker", str(error))) from error
        except self._killed as error:
            raise WorkError(f"Several workers of {self.address} ended while they worked on one item.") from error
        finally:
            executor.shutdown(wait=False)

    def check_versions(self) -> None:
        """Check that there are workers and that all of them have this version of Inspector. Nothing else is sent.

        Raises:
            WorkError: If there are no workers, or others.
        """
        if not self.threads:
            raise WorkError(f"The cluster {self.address} has no workers. Start one: dask worker {self.address}")
        for worker, version in self._client.run(_this_version, on_error="return").items():
            if version != _this_version():
                raise WorkError(_other_version(f"The worker {worker}", version if isinstance(version, str) else ""))

    def _check(self) -> None:
        """Raise WorkError if there has been no worker for a while."""
        now = time.monotonic()
        if now - self._checked < _CHECK_INTERVAL:
            return
        self._checked = now
        if self.threads:
            self._seen = now
        elif now - self._seen > _GRACE:
            raise WorkError(f"All workers of the cluster {self.address} have ended.")

    def _lost(self) -> WorkError:
        return WorkError(f"The connection to the cluster {self.address} is lost.")


@contextmanager
def open_cluster(address: str) -> Iterator[Cluster]:
    """Connect to the scheduler of a cluster, and check its workers. Only the version is sent.

    Args:
        address: Address of the scheduler. The files for TLS are those of the configuration of Dask.

    Raises:
        WorkError: If the address is invalid or not reachable, or workers have another version.
    """
    if not is_cluster_address(address):
        raise WorkError(f"The address of a cluster is {ADDRESS_FORM}.")
    try:
        from distributed import Client, KilledWorker
    except ImportError as error:
        raise WorkError("distributed is not installed: pip install 'memory-inspector[cluster]'.") from error
    level = logging.root.manager.disable
    logging.disable(logging.CRITICAL)  # errors become sentences
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about large items, and other versions of the library's dependencies
            client = _connected(Client, address)
            try:
                cluster = Cluster(address, client, KilledWorker)
                cluster.check_versions()
                yield cluster
            finally:
                client.close(timeout=_TIMEOUT)
    finally:
        logging.disable(level)


def is_cluster_address(text: str) -> bool:
    """Return True if a text is the address of a scheduler, without a user and a password."""
    try:
        parts = urlsplit(text)
        is_place = bool(parts.hostname) and "@" not in parts.netloc and not (parts.path or parts.query)
        return parts.scheme in ("tcp", "tls") and is_place and parts.port is not None
    except ValueError:
        return False


def _connected(client: Any, address: str) -> Any:
    parts = urlsplit(address)
    security = _certificates(address) if parts.scheme == "tls" else None
    try:
        with socket.create_connection((parts.hostname, parts.port), _TIMEOUT) as probe:
            # the client would try again and again where nothing listens, and wait for another kind of server
            if security is None and not 0 < int.from_bytes(probe.recv(8), "little") < _MAX_FRAMES:
                raise OSError("another kind of server")
        return client(address, timeout=_TIMEOUT, set_as_default=False, name="inspector", security=security)
    except (OSError, ValueError, RuntimeError) as error:
        reason = "no scheduler answers" if isinstance(error, OSError) else str(error).rstrip(".")
        raise WorkError(f"Cannot connect to the cluster {address}: {reason}.") from error


def _certificates(address: str) -> Any:
    """Return the settings for TLS from the configuration of Dask. Raises WorkError without certificates."""
    from distributed.security import Security

    security = Security()
    try:
        context = security.get_connection_args("client").get("ssl_context")
    except OSError as error:
        raise WorkError(f"Cannot read the certificates for {address}: {error.strerror or error}.") from error
    if context is None:
        variables = ("CA_FILE", "CLIENT__CERT", "CLIENT__KEY")
        names = ", ".join(f"DASK_DISTRIBUTED__COMM__TLS__{name}" for name in variables)
        raise WorkError(f"{address} needs certificates. Set {names}.")
    return security


def _other_version(worker: str, version: str) -> str:
    """Return a sentence about a worker with another version, or with an unknown one."""
    other = version.partition(" ")[0]
    has = f"version {other} of Inspector" if other else "no Inspector, or another version"
    has += " with other code" if other == __version__ else ""
    return f"{worker} has {has}. Install version {__version__} there, with the same plugins and Python."


def _this_version() -> str:
    """Return the version of this process: that of Inspector, and a digest of its code and plugins."""
    return f"{__version__} {digest_of_code(_SOURCES).hex()}"


def _do_item(version: str, work: Work[S, T, R], shared: S, place: int, item: T) -> tuple[int, R] | None:
    """Do the work on one item in a worker. Raises OtherVersionError before it."""
    if version != _this_version():
        raise OtherVersionError(_this_version())
    try:
        return place, work(shared, item, _is_cancelled)
    except WorkCancelled:
        return None


def _is_cancelled() -> bool:
    """Return True if the task of this thread is no longer wanted: it was cancelled, or its client is gone."""
    from distributed.worker import get_worker, thread_state

    task = get_worker().state.tasks.get(thread_state.key)
    return task is None or task.state != "executing"
