"""A Spark cluster on this machine, to try things on: a master and workers, each a process, none seen from outside.

    python -m examples.spark_cluster

prints the address to write into [dataset] as `spark = "…"`, and the folder with the secret that lets in who may read
it, as SPARK_CONF_DIR; it runs until Ctrl-C.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field
from importlib.util import find_spec
from pathlib import Path
from secrets import token_hex
from shutil import rmtree, which
from subprocess import STDOUT, Popen, TimeoutExpired
from tempfile import mkdtemp

import click

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.engines.spark.context import SECURED, java_home

_HOST = "127.0.0.1"
_DAEMON = ["-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
_MASTER, _WORKER = "org.apache.spark.deploy.master.Master", "org.apache.spark.deploy.worker.Worker"
_CONF, _DEFAULTS = "SPARK_CONF_DIR", "spark-defaults.conf"
_PATIENCE = 180.0  # seconds until everybody has met


@frozen
class Cluster:
    """A master and its workers, as processes, with the folder that they write to."""

    address: str
    home: Path
    folder: Path
    master: Popen[bytes]
    workers: list[Popen[bytes]] = field(default_factory=list)

    def hire(self, cores: int, memory: str) -> None:
        """One more worker."""
        work = self.folder / f"work{len(self.workers)}"
        sizes = ["--cores", str(cores), "--memory", memory, "--work-dir", str(work), "--webui-port", "0"]
        self.workers.append(_started(self.home, self.folder, _WORKER, *sizes, self.address))

    @property
    def conf(self) -> Path:
        """The folder in which Spark finds the secret of this cluster."""
        return self.folder / "conf"

    def meet(self) -> None:
        """Wait until the master knows every worker."""
        end, log = time.monotonic() + _PATIENCE, self.folder / f"{_MASTER}.log"
        while log.read_bytes().count(b"Registering worker") < len(self.workers):
            if self.master.poll() is not None or time.monotonic() > end:
                raise Refused("a Spark cluster", "Its processes do not start.", "Java 17 or later, and free memory.")
            time.sleep(0.1)

    def stop(self) -> None:
        """End every process."""
        for process in (*self.workers, self.master):
            process.terminate()
        for process in (*self.workers, self.master):
            try:
                process.wait(timeout=20)
            except TimeoutExpired:
                process.kill()
                process.wait()


@contextmanager
def running(workers: int = 2, cores: int = 1, memory: str = "1g", home: Path | None = None) -> Iterator[Cluster]:
    """A cluster that is ready, and whose secret this process knows; it ends with the block, leaving nothing behind."""
    place, folder, port = home or _home(), Path(mkdtemp(prefix="tacit-spark-")), _free_port()
    _write_secret(folder / "conf")
    master = _started(place, folder, _MASTER, "--port", str(port), "--webui-port", "0")
    cluster, before = Cluster(f"spark://{_HOST}:{port}", place, folder, master), os.environ.get(_CONF)
    os.environ[_CONF] = str(cluster.conf)
    try:
        for _ in range(workers):
            cluster.hire(cores, memory)
        cluster.meet()
        yield cluster
    finally:
        os.environ.pop(_CONF, None)
        if before is not None:
            os.environ[_CONF] = before
        cluster.stop()
        rmtree(folder, ignore_errors=True)


def _write_secret(conf: Path) -> None:
    """What lets a process speak to the cluster, in a file of this user's alone."""
    conf.mkdir(mode=0o700)
    own = {**SECURED, "spark.authenticate.secret": token_hex(32)}
    with open(os.open(conf / _DEFAULTS, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="ascii") as file:
        file.writelines(f"{name} {value}\n" for name, value in own.items())


def _home() -> Path:
    spec = find_spec("pyspark")
    if spec is None or spec.origin is None:
        raise Refused("a Spark cluster", "pyspark is not installed.", "pip install 'tacit[spark]'.")
    return Path(spec.origin).parent


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((_HOST, 0))
        return int(probe.getsockname()[1])


def _started(home: Path, folder: Path, name: str, *words: str) -> Popen[bytes]:
    java = java_home()
    command = str(java / "bin" / "java") if java else which("java") or "java"
    scala = next((home / "jars").glob("spark-core_*.jar")).name.split("_")[1].split("-")[0]
    own = {
        "SPARK_HOME": str(home),
        "SPARK_SCALA_VERSION": scala,
        "SPARK_LOCAL_IP": _HOST,
        "SPARK_LOCAL_DIRS": str(folder),
    }
    environment = {**os.environ, **own}
    if java:
        environment["JAVA_HOME"] = str(java)
    with (folder / f"{name}.log").open("ab") as log:
        known = ["--host", _HOST, "--properties-file", str(folder / "conf" / _DEFAULTS)]
        call = [command, *_DAEMON, f"-Djava.io.tmpdir={folder}", "-cp", str(home / "jars" / "*"), name, *known, *words]
        return Popen(call, env=environment, cwd=folder, stdout=log, stderr=STDOUT, umask=0o077)


@click.command()
@click.option("--workers", type=click.IntRange(min=1), default=2, show_default=True, help="How many workers.")
@click.option("--cores", type=click.IntRange(min=1), default=1, show_default=True, help="Cores of each worker.")
@click.option("--memory", default="1g", show_default=True, help="Memory of each worker, such as 1g.")
def main(workers: int, cores: int, memory: str) -> None:
    """Start a Spark cluster on this machine; Ctrl-C ends it."""
    with running(workers, cores, memory) as cluster:
        click.echo(f'spark = "{cluster.address}"')
        click.echo(f"SPARK_CONF_DIR={cluster.conf}")
        click.echo(f"{workers} workers with {cores} core(s) and {memory} each. Ctrl-C ends them.")
        try:
            cluster.master.wait()
        except KeyboardInterrupt:
            click.echo("Ended.")


if __name__ == "__main__":
    main()
