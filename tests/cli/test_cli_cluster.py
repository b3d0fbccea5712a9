"""`--cluster`: the same output as on one machine, also if a worker is killed, and one sentence for what cannot be."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.engine.compression.presets import Preset, save
from inspector.store import Store
from tests.cli.calling import inspect, process
from tests.cli.test_cli_tune_folder import script
from tests.dialogues import dialogue
from tests.engine.work_state.scripts import session_of
from tests.formats.written import write_json
from tests.places import ROOT
from tests.servers import DaskCluster, wait_for


def folder_of_logs(folder: Path, count: int) -> Path:
    save(Preset("small", 1_500, 0.4, 4, "sliding_window"))
    for number in range(count):
        (folder / str(number)).mkdir(parents=True)
        session_of(script(number, 4), "claude-code", folder / str(number))
    (folder / "other.json").write_text("{}")
    return folder


def test_tune_has_the_rows_of_one_machine_although_a_worker_is_killed(cluster: DaskCluster, tmp_path: Path) -> None:
    folder, journal = folder_of_logs(tmp_path / "logs", 4), tmp_path / "journal"
    words = ("tune", folder, "--preset", "small", "--db", tmp_path / "x.db", "--json")
    here = inspect(*words)
    cluster.await_workers(2)  # one that another test killed may not be gone yet
    killed = cluster.add_worker()
    cluster.await_workers(3)
    there = (sys.executable, "-m", "inspector", *words, "--cluster", cluster.address, "--journal", journal)
    program = subprocess.Popen(list(map(str, there)), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for(lambda: journal.exists() and journal.stat().st_size > 0)
    cluster.kill(killed)
    out, err = program.communicate()
    assert (program.returncode, out.decode()) == (0, here.out)
    assert err.decode() == f"Sending 5 sessions to {cluster.address} and its 3 workers, not encrypted.\n"
    again = process(*words, "--cluster", "tcp://127.0.0.1:1", "--journal", journal)
    assert again.returncode == 1 and b"no scheduler answers" in again.stderr, "one file was not read and is tried again"
    (folder / "other.json").unlink()
    again = process(*words, "--cluster", "tcp://127.0.0.1:1", "--journal", journal)
    assert again.returncode == 0 and b'"unread": []' in again.stdout, "all sessions are in the journal"


def test_an_interrupt_keeps_the_finished_sessions(cluster: DaskCluster, tmp_path: Path) -> None:
    folder, journal = folder_of_logs(tmp_path / "logs", 1), tmp_path / "journal"
    log = (folder / "0" / "claude-code.jsonl").read_bytes()
    for number in range(100):
        (folder / f"{number}.jsonl").write_bytes(log)
    words = ("tune", folder, "--db", tmp_path / "x.db", "--cluster", cluster.address, "--journal", journal)
    command = [sys.executable, "-m", "inspector", *map(str, words)]
    program = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for(lambda: journal.exists() and journal.stat().st_size > 0)
    program.send_signal(signal.SIGINT)
    assert program.wait() == 130
    assert 1 <= len(journal.read_text().splitlines()) < 100


def test_eval_and_backfill_have_the_numbers_of_one_machine(cluster: DaskCluster, tmp_path: Path) -> None:
    file = write_json(tmp_path / "x.json", [dialogue(), dialogue(days=8, name="conv-2")])
    words = ("eval", "locomo", file, "-s", "deletion", "-s", "vector_swap", "--budget", "30%", "--json")
    there = process(*words, "--cluster", cluster.address)
    assert there.stdout.decode() == inspect(*words).out
    assert there.stderr.startswith(b"Sending 2 dialogues to ")
    rows = []
    for name, options in (("here", ()), ("there", ("--cluster", cluster.address))):
        db = tmp_path / f"{name}.db"
        assert inspect("import", ROOT / "sessions", "--db", db).code == 0
        with Store(db) as store:
            with store.rollups._settled() as connection:
                connection.execute("UPDATE rollup SET rules = 0, calls = 77")
            assert len(store.rollups.stale(0)) == 0
        ended = process("stats", "--backfill", "--db", db, *options)
        assert ended.returncode == 0 and ended.stdout.startswith(b"Added up ")
        with Store(db) as store:
            rows.append(list(store.rollups.every()))
    assert rows[0] == rows[1] and len(rows[0]) > 3
    assert process("stats", "--backfill", "--db", db, "--cluster", "tcp://127.0.0.1:1").returncode == 0, "none is left"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("tune", "{log}", "--cluster", "tcp://h:1"), "--cluster needs a folder with several sessions."),
        (("tune", "{folder}", "--cluster", "h:1"), "--cluster takes the address of a scheduler: tcp://HOST:PORT"),
        (("tune", "{folder}", "--model", "--cluster", "tcp://h:1"), "--cluster takes no models that write summaries."),
        (("stats", "--cluster", "tcp://h:1"), "--cluster is for --backfill."),
    ],
)
def test_wrong_uses_are_named(tmp_path: Path, words: tuple[str, ...], sentence: str) -> None:
    log, folder = ROOT / "sessions" / "support-ticket.json", ROOT / "sessions"
    ended = inspect(
        *(word.format(log=log, folder=folder) for word in words), "--db", tmp_path / "x.db", INSPECTOR_MODEL="m"
    )
    assert ended.code == 2 and sentence in ended.err
