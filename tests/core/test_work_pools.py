"""Pools of workers: one suite over this process, local processes and a cluster, and what happens when workers end."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from inspector import __version__
from inspector.core.cluster import Cluster, OtherVersionError, _do_item, is_cluster_address, open_cluster
from inspector.core.local_processes import LocalProcesses
from inspector.core.work_pool import Stop, ThisProcess, WorkError
from tests import warm
from tests.core.pool_work import await_started, await_stopped, check_pool, multiply, wait_until_stopped
from tests.places import ROOT
from tests.servers import DaskCluster, require_distributed, short_folder


def test_this_process_is_a_pool(tmp_path: Path) -> None:
    check_pool(ThisProcess(), tmp_path)


def test_local_processes_are_a_pool(tmp_path: Path) -> None:
    check_pool(LocalProcesses(2), tmp_path)


def test_forked_processes_are_a_pool(tmp_path: Path) -> None:
    script = (
        "from pathlib import Path; from inspector.core.local_processes import *; from tests.core.pool_work import *;"
    )
    script += f"check_pool(LocalProcesses(2, safe_start()), Path({str(tmp_path)!r}))"
    assert warm.run(["-c", script], cwd=ROOT).returncode == 0


def end_worker(_: None, __: int, ___: Stop) -> int:
    os._exit(9)


def test_a_lost_process_is_reported_in_a_sentence() -> None:
    with pytest.raises(WorkError, match=r"^A worker process died\.$"):
        list(LocalProcesses(1).results(end_worker, None, range(3)))


def test_a_cluster_is_a_pool(cluster: DaskCluster, tmp_path: Path) -> None:
    with open_cluster(cluster.address) as pool:
        check_pool(pool, tmp_path)


KILLED = """
import sys
from importlib import import_module
from pathlib import Path
from inspector.core.cluster import open_cluster
from tests.core.pool_work import wait_until_stopped
with open_cluster(sys.argv[1]) as pool:
    list(pool.results(wait_until_stopped, Path(sys.argv[2]), range(1, 3)))
"""


def test_work_of_a_killed_program_ends(cluster: DaskCluster, tmp_path: Path) -> None:
    program = subprocess.Popen([sys.executable, "-c", KILLED, cluster.address, str(tmp_path)], cwd=ROOT)
    try:
        await_started(tmp_path, lambda names: names == {"1", "2"})
    finally:
        program.kill()
        program.wait()
    await_stopped(tmp_path)


def test_the_work_of_a_killed_worker_is_done_by_another_one(cluster: DaskCluster, tmp_path: Path) -> None:
    cluster.await_workers(2)  # one that another test killed may not be gone yet
    killed = cluster.add_worker()
    cluster.await_workers(3)
    with open_cluster(cluster.address) as pool:
        results = pool.results(wait_until_stopped, tmp_path, range(8))
        assert next(results) == (0, 0)
        await_started(tmp_path, lambda names: len(names) == 3)
        cluster.kill(killed)
        (tmp_path / "go").touch()
        assert sorted(results) == [(place, place) for place in range(1, 8)]


def test_other_versions_are_named(cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.core.cluster.__version__", "9.9")
    words = rf"^The worker tcp://\S+ has version {__version__} of Inspector\. Install version 9\.9 there, "
    with pytest.raises(WorkError, match=words), open_cluster(cluster.address):
        pass


def test_clusters_that_cannot_be_used_are_reported_in_a_sentence() -> None:
    require_distributed()
    distributed = import_module("distributed")
    places = {
        "tcp://127.0.0.1:1": "no scheduler answers",
        "tls://127.0.0.1:1": "needs certificates",
        "ws://host:1": "The address of",
    }
    for address, words in places.items():
        with pytest.raises(WorkError, match=words), open_cluster(address):
            pass
    with short_folder() as folder:
        cluster = DaskCluster(folder)
        try:
            cluster.start(0)
            cluster.await_workers(0)
            with (
                pytest.raises(WorkError, match=r"has no workers\. Start one: dask worker"),
                open_cluster(cluster.address),
            ):
                pass
            (folder / "without.py").write_text("import sys\nsys.modules['inspector'] = None\n")
            cluster.add_worker("--preload", str(folder / "without.py"))
            cluster.await_workers(1)
            with pytest.raises(WorkError, match=r"has no Inspector, or another "), open_cluster(cluster.address):
                pass
            with distributed.Client(cluster.address, set_as_default=False) as client:
                cluster.kill(cluster.scheduler)
                with pytest.raises(WorkError, match=rf"^The connection to the cluster {cluster.address} is lost\.$"):
                    list(Cluster(cluster.address, client, distributed.KilledWorker).results(multiply, 1, range(3)))
        finally:
            cluster.stop()


def test_a_worker_of_another_version_does_no_work() -> None:
    with pytest.raises(OtherVersionError):
        _do_item("0.0.1 ab", end_worker, None, 0, 0)


def test_addresses() -> None:
    assert all(map(is_cluster_address, ("tcp://10.0.0.5:8786", "tls://scheduler.example.org:1", "tcp://[::1]:8786")))
    wrong = (
        "",
        "scheduler:8786",
        "tcp://",
        "tcp://host",
        "tcp://u:p@host:1",
        "http://host:1",
        "tcp://host:1/x",
        "tcp://[",
    )
    assert not any(map(is_cluster_address, wrong))
