"""The image, built of Debian's packages alone: small, without root and secrets, and its programs play."""

import json
import subprocess
import sys
import tarfile
import time

import pytest
from stichkampf_platform.supervisor.installation import SERVICE_UID, checkout

from benchmarks.nodes.machines import Machines

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(5400), pytest.mark.xdist_group("supervised")]

MOST_BYTES = 800_000_000
"""Size of the archive, in which layers are not compressed."""
ENTER = (
    'mount --bind "$0" "$0"; mount --rbind /dev "$0/dev"; mount --rbind /sys "$0/sys"; cd "$0";'
    ' mount -t proc proc proc; /usr/sbin/pivot_root . .; /bin/umount -l .; exec "$@"'
)
"""A shell's words that make a folder the root, as containers have it, before it becomes the command."""
FETCH = "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())"
TOLD = (
    *("SECRET_KEY", "ALLOWED_HOSTS", "DATABASE_URL", "REDIS_URL", "STICHKAMPF_PROXIES", "STICHKAMPF_NODE"),
    *("STICHKAMPF_BOT_FIRST_UID", "STICHKAMPF_BOT_UIDS"),
)
"""Settings that the programs are given; all others are the image's own."""
USED = """
import io, boto3, numpy.testing, onnxruntime, pyarrow, scipy
from pyarrow import parquet
file = io.BytesIO()
parquet.write_table(pyarrow.table({"seat": [1, 2]}), file, compression="zstd")
assert parquet.read_table(file).to_pylist() == [{"seat": 1}, {"seat": 2}]
assert scipy.special.ndtr(0.0) == 0.5
assert scipy.sparse.linalg.spsolve(scipy.sparse.eye(2, format="csc"), [1.0, 2.0])[1] == 2.0
for service in ("s3", "sts"):
    boto3.client(service, region_name="eu-central-1")
assert onnxruntime.get_available_providers()[-1] == "CPUExecutionProvider"
"""
"""A program that asks something of each package of which files were left out."""
WORKER = ["celery", "--app", "stichkampf_platform.celery_app"]
PLAYED = "SELECT count(*) FROM tournaments_table WHERE state = 'done'"
TABLES = 12


class Image:
    """An unpacked image.

    :ivar config: what it says of itself: user, environment, command, health check.
    """

    def __init__(self, archive, root):
        self.root = root
        with tarfile.open(archive) as outer:
            (about,) = json.load(outer.extractfile("manifest.json"))
            self.config = json.load(outer.extractfile(about["Config"]))["config"]
            for layer in about["Layers"]:
                outer.extract(layer, root.parent)
                self._unpack(root.parent / layer)

    def _unpack(self, layer):
        """Add a layer, in which an empty file `.wh.NAME` means that NAME is gone."""
        with tarfile.open(layer) as files:
            gone = [name for name in files.getnames() if "/.wh." in f"/{name}"]
        for name in gone:
            subprocess.run(["rm", "-rf", self.root / name.replace(".wh.", "", 1)], check=True)
        words = ["--numeric-owner", "--exclude=.wh.*", "--directory", self.root, "--file", layer]
        subprocess.run(["tar", "--extract", *words], check=True)

    def command(self, words, settings, *, user=SERVICE_UID):
        """Return the command that runs another one from this root, in the image's environment."""
        variables = [*self.config["Env"], *(f"{name}={value}" for name, value in settings.items())]
        ids = ["--reuid", str(user), "--regid", str(user), "--clear-groups"]
        inside = ["setpriv", *ids, "env", "-i", "-C", self.config["WorkingDir"], *variables, *words]
        return ["unshare", "--mount", "sh", "-ec", ENTER, str(self.root), *inside]


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    folder = tmp_path_factory.mktemp("image")
    archive, root = folder / "image.tar", folder / "root"
    subprocess.run([sys.executable, checkout() / "deploy" / "image.py", "--output", archive], check=True)
    root.mkdir()
    folder.chmod(0o755)
    assert archive.stat().st_size < MOST_BYTES
    return Image(archive, root)


def test_it_runs_as_an_ordinary_user_with_a_health_check_and_knows_no_secret(image):
    assert image.config["User"] == f"{SERVICE_UID}:{SERVICE_UID}"
    assert image.config["Healthcheck"]["Test"][-1] == "stichkampf_platform.supervisor.health"
    names = {variable.split("=")[0] for variable in image.config["Env"]}
    assert not names & {"SECRET_KEY", "DATABASE_URL"}
    assert not (image.root / "etc" / "pip.conf").exists()
    assert not list((image.root / "etc" / "apt" / "apt.conf.d").glob("*building*"))
    packages = json.loads((image.root / "venv" / "share" / "sbom.json").read_text())["components"]
    assert "django" in {package["name"].lower() for package in packages}


def test_the_packages_of_which_files_were_left_out_work(image):
    subprocess.run(image.command(["python", "-c", USED], {}), check=True)


def test_its_programs_play_a_tournament(image):
    with Machines() as machines:
        machines.start_servers()
        host = machines.add("image")
        told = machines.environment(host)
        settings = {name: told[name] for name in TOLD} | {
            "STICHKAMPF_STORE": "/var/lib/stichkampf/store",
            "STICHKAMPF_SITE_PROCESSES": "1",
        }

        def call(*words, **who):
            return host.call(*image.command(words, settings, **who))

        def start(name, *words, **who):
            host.run(image.command(words, settings, **who), {}, machines.log(host, name), folder=image.root)

        began = time.monotonic()
        call("python", "-m", "stichkampf_platform", "upgrade")
        start("site", *image.config["Cmd"])
        start("arbiter", "python", "-m", "stichkampf_arbiter", user=0)
        for name, queues in (("worker", "matches"), ("maintenance", "sweep,ratings,mail")):
            start(
                name, *WORKER, "worker", "--hostname", f"{name}@%h", "--queues", queues, "--concurrency", "2"
            )
        start("beat", *WORKER, "beat")
        check = image.config["Healthcheck"]["Test"][1:]
        for healthy in (check, [*check, "arbiter"]):
            machines.wait_for(lambda words=healthy: succeeds(call, *words), f"{healthy} says yes")
        ready = machines.head.call(sys.executable, "-c", FETCH, f"http://{host.address}:8000/readyz")
        assert ready.strip() == "ready"
        call("python", "-m", "stichkampf_platform", "demo_tournament")
        machines.wait_for(lambda: machines.sql(PLAYED)[0][0] >= TABLES, "tables are played", 600)
        print(machines.sql("SELECT name, interpreters FROM core_node"))
        print(f"from migration to {TABLES} tables: {time.monotonic() - began:.0f} s; {machines.levels()}")


def succeeds(call, *words):
    try:
        call(*words)
    except subprocess.CalledProcessError:
        return False
    return True
