"""Build the image of deploy/Dockerfile on Debian, without an image from elsewhere: `make image`, as root.

    .venv/bin/python deploy/image.py [--output dist/stichkampf-image.tar] [--without pyarrow onnxruntime]

Debian's mmdebstrap makes the Dockerfile's base of Debian's packages, and buildah builds the Dockerfile on it,
from the last commit. What apt and pip of this machine are set to holds while it is built, and is not in the
image. `docker load`, `podman load` and `ctr image import` read the archive.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from uv import pip_settings

ROOT = Path(__file__).parents[1]
IMAGE = "stichkampf"
PROGRAMS = ("mmdebstrap", "buildah")
OPTIONAL = ("pyarrow", "onnxruntime")
"""Packages that a server can do without: there is no Parquet then, and no bot may bring a trained network."""
LEFT_OUT = ("doc", "info", "locale", "man")
"""Folders below /usr/share that Debian's own slim images leave out too."""
LOCAL_INDEX, LOCAL_FOLDER = re.compile(r"file://(/\S+)"), re.compile(r"(?<!\S)/\S+")
WHILE_BUILDING = {
    "cert": "/mnt/certificate",
    "constraint": "/mnt/constraints",
    "apt": "/etc/apt/apt.conf.d/99while-building",
    "pip": "/etc/pip.conf",
}
"""Files of this machine's settings, and the places where they are seen while the image is built."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=ROOT / "dist" / "stichkampf-image.tar")
    parser.add_argument("--without", choices=OPTIONAL, nargs="+", default=())
    options = parser.parse_args()
    output = options.output.absolute()
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if os.geteuid() != 0 or missing:
        sys.exit(f"image: this needs root, and on Debian: apt-get install {' '.join(missing or PROGRAMS)}")
    output.parent.mkdir(exist_ok=True)
    output.unlink(missing_ok=True)
    try:
        with tempfile.TemporaryDirectory(prefix="sk-image-") as folder:
            build(Path(folder), output, without=options.without)
    except subprocess.CalledProcessError as error:
        sys.exit(f"image: {' '.join(map(str, error.cmd[:6]))} … ended with {error.returncode}")


def build(folder: Path, output: Path, *, without: Sequence[str]) -> None:
    """Build the image and write it into an archive.

    :param folder: an empty one, for everything that is needed on the way.
    :param without: those of the optional packages that are left out.
    """
    buildah = ["buildah", "--root", folder / "storage", "--runroot", folder / "run"]
    context = folder / "context"
    context.mkdir()
    call("git", "-C", ROOT, "archive", "--output", folder / "context.tar", "HEAD")
    call("tar", "--extract", "--file", folder / "context.tar", "--directory", context)
    dockerfile = context / "deploy" / "Dockerfile"
    base, tag = base_of(dockerfile.read_text()), f"{IMAGE}:{version()}"
    with step(f"{base} of Debian's packages"):
        make_base(base, folder / "base.tar")
        container = call(*buildah, "from", "scratch")
        call(*buildah, "add", container, folder / "base.tar", "/")
        call(*buildah, "commit", "--rm", container, base)
    with step("the Dockerfile"):
        words = ["--file", dockerfile, "--tag", tag, "--format", "docker", "--isolation", "chroot"]
        words += ["--build-arg", f"WITHOUT={' '.join(without)}"]
        volumes = [word for volume in settings_of_this_machine(folder) for word in ("--volume", volume)]
        call(*buildah, "build", "--pull-never", *words, *volumes, context, quiet=False)
        remove_mount_points(buildah, tag, volumes[1::2])
    with step("the archive"):
        call(*buildah, "push", tag, f"docker-archive:{output}:{tag}")
    unpacked = call(*buildah, "images", "--format", "{{.Size}}", tag)
    print(f"image: {output}: {tag}, {output.stat().st_size / 1e6:.0f} MB, unpacked {unpacked}")


def remove_mount_points(buildah: list[str | Path], tag: str, volumes: list[str]) -> None:
    """Remove the empty files and folders that were made where the volumes were mounted."""
    container = call(*buildah, "from", "--pull-never", tag)
    root = call(*buildah, "mount", container)
    for volume in volumes:
        place = Path(f"{root}{volume.split(':')[1]}")
        if place.is_file() and not place.stat().st_size:
            place.unlink()
        elif place.is_dir() and not any(place.iterdir()):
            place.rmdir()
    call(*buildah, "umount", container)
    call(*buildah, "commit", "--rm", "--format", "docker", container, tag)


def base_of(dockerfile: str) -> str:
    """Return the image that all stages of a Dockerfile begin with: a release of Debian, made small."""
    (base,) = set(re.findall(r"^FROM (\S+)", dockerfile, re.MULTILINE))
    return base


def make_base(base: str, archive: Path) -> None:
    """Make the root of a system with Debian's essential packages and apt."""
    release = base.removeprefix("debian:").removesuffix("-slim")
    words = [f"--dpkgopt=path-exclude=/usr/share/{folder}/*" for folder in LEFT_OUT]
    words += [f"--aptopt={line}" for line in apt_settings()]
    words += ['--customize-hook=rm "$1"/etc/apt/apt.conf.d/99mmdebstrap']
    call("mmdebstrap", "--variant=minbase", *words, release, archive)


def settings_of_this_machine(folder: Path) -> list[str]:
    """Write what apt and pip of this machine are set to into files; return the volumes with them."""
    listed = call(sys.executable, "-m", "pip", "config", "list")
    pip = pip_settings(listed)
    files = {"apt": "\n".join(apt_settings())}
    for name in ("cert", "constraint"):
        if said := pip.get(name):
            files[name] = "\n".join(Path(path).read_text() for path in said.split())
            pip[name] = WHILE_BUILDING[name]
    files["pip"] = "\n".join(["[global]", *(f"{name} = {value}" for name, value in pip.items())])
    for name, text in files.items():
        (folder / name).write_text(f"{text}\n")
    # an index of files lies beside the folder with the files that it names
    told = " ".join(pip.values())
    folders = {Path(path).parent for path in LOCAL_INDEX.findall(told)}
    folders |= {Path(path) for path in LOCAL_FOLDER.findall(told) if Path(path).is_dir()}
    return [f"{folder / name}:{WHILE_BUILDING[name]}:ro" for name in files] + [
        f"{each}:{each}:ro" for each in sorted(folders)
    ]


def apt_settings() -> list[str]:
    """Return how this machine's apt gets packages."""
    return [line for line in call("apt-config", "dump", "Acquire").splitlines() if '""' not in line]


def version() -> str:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]


def call(*words: str | Path, quiet: bool = True) -> str:
    """Run a command and return its output, or show it at once."""
    done = subprocess.run(words, stdout=subprocess.PIPE if quiet else None, text=True, check=True)
    return (done.stdout or "").strip()


@contextmanager
def step(name: str, program: str = "image") -> Iterator[None]:
    """Say how long a step of a program took."""
    began = time.monotonic()
    yield
    print(f"{program}: {name}: {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
