"""The system calls of this machine, and what each does to who makes it and to what another left."""

from __future__ import annotations

import functools

import pyseccomp  # type: ignore[import-untyped]

LAST_CALL = 470
NEVER = frozenset(
    [
        "exit",
        "exit_group",
        "rt_sigreturn",
        "fork",
        "vfork",
        "clone",
        "clone3",
        "execve",
        "execveat",
        "kill",
        "tkill",
        "tgkill",
        "rt_sigqueueinfo",
        "rt_tgsigqueueinfo",
        "pidfd_send_signal",
        "reboot",
    ]
)
"""They end or double who makes them."""
PROBED = ("clone3", "execveat", "pidfd_send_signal", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "reboot")
"""Calls of `NEVER` that do nothing where all their arguments are -1."""
LAST = frozenset(
    [
        "close",
        "close_range",
        "dup2",
        "dup3",
        "munmap",
        "mremap",
        "mprotect",
        "brk",
        "chroot",
        "chdir",
        "fchdir",
        "setrlimit",
        "prlimit64",
        "personality",
        "arch_prctl",
        "prctl",
        "seccomp",
        "ptrace",
        "unshare",
        "setns",
        "rt_sigprocmask",
        "rt_sigaction",
        "sigaltstack",
        "set_robust_list",
        "setsid",
        "shutdown",
        "pkey_mprotect",
        "mseal",
        "map_shadow_stack",
        "landlock_restrict_self",
        "process_madvise",
        "set_tid_address",
        "modify_ldt",
    ]
)
"""They take from a process what other calls need; each is made in a process of its own."""
CHANGING = frozenset(
    [
        "chmod",
        "fchmod",
        "fchmodat",
        "fchmodat2",
        "chown",
        "fchown",
        "lchown",
        "fchownat",
        "truncate",
        "ftruncate",
        "utime",
        "utimes",
        "futimesat",
        "utimensat",
        "utimensat_time64",
        "fallocate",
        "creat",
        "mknod",
        "mknodat",
        "link",
        "linkat",
        "symlink",
        "symlinkat",
        "unlink",
        "unlinkat",
        "rename",
        "renameat",
        "renameat2",
        "mkdir",
        "mkdirat",
        "rmdir",
        "write",
        "writev",
        "pwrite64",
        "pwritev",
        "pwritev2",
        "flock",
        "add_key",
        "setxattr",
        "lsetxattr",
        "fsetxattr",
        "removexattr",
        "lremovexattr",
        "fremovexattr",
        "setxattrat",
        "shmget",
        "semget",
        "msgget",
        "semop",
        "mq_open",
        "mount",
        "umount2",
        "madvise",
        "fadvise64",
        "readahead",
    ]
)
"""Calls that would wipe away what another left; who looks makes none of them."""


@functools.cache
def calls() -> dict[str, int]:
    """Return the system calls of this machine, by name."""
    named = {}
    for number in range(LAST_CALL):
        try:
            named[pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, number).decode()] = number
        except ValueError:
            continue
    return {name: number for name, number in named.items() if name not in NEVER}


@functools.cache
def probes() -> dict[str, int]:
    """Return the calls of `NEVER` that do nothing where all their arguments are -1."""
    named = ((name, number_of(name)) for name in PROBED)
    return {name: number for name, number in named if number >= 0}


def number_of(name: str) -> int:
    """Return the number of a system call of this machine, below 0 if it has none."""
    return int(pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name))
