"""Run a command of this checkout in a virtual machine with control groups of version 2.

The machine boots Debian's cloud kernel under qemu. Its files are those of this machine, read-only, below a
layer in memory that is thrown away: nothing that runs inside changes anything here.
Needs root, and installs the Debian packages that it lacks.

    python tests/virtual_machine/run.py .venv/bin/python -m pytest tests/arbiter/sandbox
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
CHECKOUT = HERE.parents[1]
KERNELS = CHECKOUT / "var" / "kernel"
PACKAGES = {
    "qemu-system-x86": Path("/usr/bin/qemu-system-x86_64"),
    "qemu-system-common": Path("/usr/lib/qemu/virtiofsd"),
    "busybox-static": Path("/bin/busybox"),
    "cpio": Path("/usr/bin/cpio"),
}
MODULES = ("virtio_pci", "virtiofs", "overlay", "erofs", "loop")
STATUS = re.compile(rb"exit status in the virtual machine: (\d+)")


def install_packages() -> None:
    """Install the Debian packages that are missing."""
    missing = [package for package, program in PACKAGES.items() if not program.exists()]
    if missing:
        print(f"installing Debian packages for the virtual machine: {' '.join(missing)}", flush=True)
        quiet = {"stdout": subprocess.DEVNULL, "check": True}
        subprocess.run(["apt-get", "update"], **quiet)
        subprocess.run(["apt-get", "install", "--yes", "--no-install-recommends", *missing], **quiet)


def unpack_kernel() -> Path:
    """Download Debian's cloud kernel, without installing it; the folder with `boot` and `lib`."""
    folders = sorted(KERNELS.glob("*/boot"))
    if not folders:
        KERNELS.mkdir(parents=True, exist_ok=True)
        depends = subprocess.run(
            ["apt-cache", "depends", "linux-image-cloud-amd64"], capture_output=True, text=True, check=True
        ).stdout
        (package,) = re.findall(r"Depends: (linux-image-\S+-cloud-amd64)", depends)
        print(f"downloading {package}", flush=True)
        subprocess.run(
            ["apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download", package], cwd=KERNELS, check=True
        )
        (archive,) = KERNELS.glob("*.deb")
        unpacked = KERNELS / "unpacked"
        subprocess.run(["dpkg", "-x", archive, unpacked], check=True)
        archive.unlink()
        unpacked.rename(KERNELS / package)
        folders = [KERNELS / package / "boot"]
    return folders[-1].parent


def dependencies(modules: Path, names: tuple[str, ...]) -> list[Path]:
    """List module files so that each stands after those that it needs."""
    files = {file.name.removesuffix(".ko").replace("-", "_"): file for file in modules.rglob("*.ko")}
    order: dict[Path, None] = {}

    def add(name: str) -> None:
        file = files.get(name.replace("-", "_"))
        if file is None or file in order:
            return
        needed = re.search(rb"depends=([^\0]*)\0", file.read_bytes())
        for other in (needed[1].decode() if needed else "").split(","):
            add(other)
        order[file] = None

    for name in names:
        add(name)
    return list(order)


def build_initramfs(kernel: Path, command: list[str], folder: Path) -> Path:
    """Build the first file system of the machine: busybox, the modules and the command."""
    root = folder / "root"
    (root / "bin").mkdir(parents=True)
    (root / "modules").mkdir()
    shutil.copy(PACKAGES["busybox-static"], root / "bin" / "busybox")
    shutil.copy(HERE / "start.sh", root / "init")
    (root / "init").chmod(0o755)
    files = dependencies(kernel / "lib" / "modules", MODULES)
    for file in files:
        shutil.copy(file, root / "modules")
    (root / "modules" / "order").write_text("".join(f"{file.name}\n" for file in files))
    said = f"CHECKOUT={shlex.quote(str(CHECKOUT))}\nCOMMAND={shlex.quote(shlex.join(command))}\n"
    (root / "run-in-machine").write_text(said + (HERE / "inside.sh").read_text())
    image = folder / "initramfs"
    names = "\n".join(str(path.relative_to(root)) for path in sorted(root.rglob("*"))).encode()
    with image.open("wb") as file:
        subprocess.run(
            ["cpio", "--quiet", "-o", "-H", "newc"], input=names, stdout=file, cwd=root, check=True
        )
    return image


def run(kernel: Path, command: list[str], *, memory_mb: int, cores: int, seconds: float) -> int:
    """Boot, run the command, print what it prints; its exit status, or 70 if the machine gave none."""
    with tempfile.TemporaryDirectory(prefix="stichkampf-vm-") as name:
        folder = Path(name)
        image = build_initramfs(kernel, command, folder)
        socket = folder / "files.sock"
        files = subprocess.Popen(
            [
                PACKAGES["qemu-system-common"],
                f"--socket-path={socket}",
                "-o",
                "source=/,sandbox=chroot,cache=always",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            deadline = time.monotonic() + 10
            while not socket.exists() and time.monotonic() < deadline:
                time.sleep(0.05)
            (vmlinuz,) = (kernel / "boot").glob("vmlinuz-*")
            machine = subprocess.Popen(
                [
                    PACKAGES["qemu-system-x86"],
                    *accelerator(),
                    *("-smp", str(cores), "-m", f"{memory_mb}M", "-nographic", "-no-reboot", "-nic", "none"),
                    *("-object", f"memory-backend-memfd,id=memory,size={memory_mb}M,share=on"),
                    *("-numa", "node,memdev=memory"),
                    *("-chardev", f"socket,id=files,path={socket}"),
                    *("-device", "vhost-user-fs-pci,chardev=files,tag=host"),
                    *("-kernel", vmlinuz, "-initrd", image),
                    *("-append", "console=ttyS0 quiet edd=off no_timer_check panic=-1"),
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
            )
            try:
                return follow(machine, time.monotonic() + seconds)
            finally:
                machine.kill()
                machine.wait()
        finally:
            files.kill()
            files.wait()


def accelerator() -> list[str]:
    """Choose the processor's own virtualisation where it boots any kernel, else emulation, which is slower.

    `/dev/kvm` alone says little: where KVM has no help from the processor, only a kernel made for that boots.
    """
    flags = set(Path("/proc/cpuinfo").read_text().split())
    if flags & {"vmx", "svm"} and os.access("/dev/kvm", os.W_OK):
        return ["-accel", "kvm", "-cpu", "host"]
    # The least that numpy runs on: wide vectors cost more to emulate than they save.
    return ["-accel", "tcg,thread=multi", "-cpu", "Nehalem"]


def follow(machine: subprocess.Popen[bytes], deadline: float) -> int:
    """Print what the machine prints until it says how the command ended."""
    assert machine.stdout is not None
    for line in machine.stdout:
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
        ended = STATUS.search(line)
        if ended:
            return int(ended[1])
        if time.monotonic() > deadline:
            print("the virtual machine took too long and was ended")
            break
    return 70


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--memory-mb", type=int, default=6144)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("command", nargs=argparse.REMAINDER, help="the command to run, in the checkout")
    given = parser.parse_args()
    # Ended from outside, it still removes what it made.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if not given.command:
        parser.error("name the command to run, such as .venv/bin/python -m pytest tests/arbiter/sandbox")
    if os.getuid() != 0:
        parser.error("only root may share this machine's files with a virtual machine; run it as root")
    install_packages()
    return run(
        unpack_kernel(),
        given.command,
        memory_mb=given.memory_mb,
        cores=given.cores,
        seconds=60 * given.minutes,
    )


if __name__ == "__main__":
    raise SystemExit(main())
