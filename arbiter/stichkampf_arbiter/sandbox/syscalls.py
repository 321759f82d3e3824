"""The system calls that a bot may make, as a seccomp filter.

Everything that is not listed answers EPERM, calls of another architecture (32-bit, x32) end the process. What is left
out on purpose: namespaces and mounts, ptrace and reading of other processes' memory, keys, userfaultfd,
bpf, perf, io_uring, memfd and System V memory (memory outside ``/tmp``), every socket that is not a
Unix socket, file locks, leases and inotify (two sandboxes see the same read-only files, and could talk through
them), real-time scheduling, TIOCSTI, extended attributes and larger pipes.
"""

from __future__ import annotations

import errno
import fcntl
import functools
import os
import socket
import tempfile
import termios

import pyseccomp as seccomp

FREE = """
access arch_prctl brk capget chdir chmod chown clock_getres clock_gettime clock_nanosleep close close_range
copy_file_range creat dup dup2 dup3 epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_pwait epoll_pwait2 epoll_wait
epoll_wait_old eventfd eventfd2 execve execveat exit exit_group faccessat faccessat2 fadvise64 fallocate fchdir
fchmod fchmodat fchown fchownat fdatasync fgetxattr flistxattr fork fstat fstatfs fsync ftruncate futex futex_waitv
get_robust_list getcpu getcwd getdents getdents64 getegid geteuid getgid getgroups getitimer getpeername getpgid
getpgrp getpid getppid getpriority getrandom getresgid getresuid getrlimit getrusage getsid getsockname getsockopt gettid
gettimeofday getuid getxattr kill lchown lgetxattr link linkat listxattr llistxattr lseek lstat madvise
membarrier mkdir mkdirat mmap mprotect mremap msync munmap nanosleep newfstatat open openat openat2 pause
pidfd_open pidfd_send_signal pipe pipe2 poll ppoll pread64 preadv prlimit64 pselect6 pwrite64 pwritev
read readahead readlink readlinkat readv recvfrom recvmmsg recvmsg rename renameat renameat2 restart_syscall rmdir rseq
rt_sigaction rt_sigpending rt_sigprocmask rt_sigreturn rt_sigsuspend rt_sigtimedwait sched_get_priority_max
sched_get_priority_min sched_getaffinity sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval sched_yield
select sendfile sendmmsg sendmsg sendto set_robust_list set_tid_address setitimer setpgid setrlimit setsid setsockopt shutdown
sigaltstack stat statfs statx symlink symlinkat sync_file_range sysinfo tgkill time timer_create timer_delete
timer_getoverrun timer_gettime timer_settime timerfd_create timerfd_gettime timerfd_settime times tkill truncate umask
uname unlink unlinkat utime utimensat utimes vfork wait4 waitid write writev
accept accept4 bind connect listen
riscv_flush_icache riscv_hwprobe
""".split()

FCNTL = (
    fcntl.F_DUPFD,
    fcntl.F_DUPFD_CLOEXEC,
    fcntl.F_GETFD,
    fcntl.F_SETFD,
    fcntl.F_GETFL,
    fcntl.F_SETFL,
    fcntl.F_GETPIPE_SZ,
)
_FIONBIO, _FIOCLEX, _FIONCLEX, _FIOASYNC = 0x5421, 0x5451, 0x5450, 0x5452
IOCTL = (
    termios.FIONREAD,
    _FIONBIO,
    _FIOCLEX,
    _FIONCLEX,
    _FIOASYNC,
    termios.TCGETS,
    termios.TIOCGWINSZ,
    termios.TIOCGPGRP,
)
_PR_SET_PDEATHSIG, _PR_GET_PDEATHSIG, _PR_GET_DUMPABLE, _PR_SET_DUMPABLE = 1, 2, 3, 4
_PR_SET_NAME, _PR_GET_NAME, _PR_CAPBSET_READ, _PR_SET_TIMERSLACK = 15, 16, 23, 29
_PR_SET_NO_NEW_PRIVS, _PR_GET_NO_NEW_PRIVS, _PR_SET_VMA = 38, 39, 0x53564D41
PRCTL = (
    _PR_SET_PDEATHSIG,
    _PR_GET_PDEATHSIG,
    _PR_GET_DUMPABLE,
    _PR_SET_DUMPABLE,
    _PR_SET_NAME,
    _PR_GET_NAME,
    _PR_CAPBSET_READ,
    _PR_SET_TIMERSLACK,
    _PR_SET_NO_NEW_PRIVS,
    _PR_GET_NO_NEW_PRIVS,
    _PR_SET_VMA,
)
CLONE_NAMESPACES = 0x7E020000
"""Every CLONE_NEW* flag that fits into clone's flags; clone3, whose flags a filter cannot read, is refused as a whole."""
PERSONALITIES = (0x0, 0x20000, 0xFFFFFFFF)

ONLY: tuple[tuple[str, int, tuple[int, ...]], ...] = (
    ("socket", 0, (socket.AF_UNIX,)),
    ("socketpair", 0, (socket.AF_UNIX,)),
    ("fcntl", 1, FCNTL),
    ("ioctl", 1, IOCTL),
    ("prctl", 0, PRCTL),
    ("personality", 0, PERSONALITIES),
)
"""Calls that are allowed for these values of one argument: (call, argument number, values)."""


def make_filter() -> seccomp.SyscallFilter:
    """The filter of every sandbox, for the machine's own architecture."""
    wall = seccomp.SyscallFilter(seccomp.ERRNO(errno.EPERM))
    wall.set_attr(seccomp.Attr.ACT_BADARCH, seccomp.KILL_PROCESS)
    for call in FREE:
        _allow(wall, call)
    for call, argument, values in ONLY:
        for value in values:
            _allow(wall, call, seccomp.Arg(argument, seccomp.MASKED_EQ, 0xFFFFFFFF, value))
    _allow(wall, "clone", seccomp.Arg(0, seccomp.MASKED_EQ, CLONE_NAMESPACES, 0))
    # ENOSYS, not EPERM: the C library then falls back to clone.
    wall.add_rule(seccomp.ERRNO(errno.ENOSYS), "clone3")
    # gRPC asks for inet sockets to learn what the machine can do, and takes this answer well.
    wall.add_rule(
        seccomp.ERRNO(errno.EAFNOSUPPORT), "socket", seccomp.Arg(0, seccomp.NE, int(socket.AF_UNIX))
    )
    return wall


def _allow(wall: seccomp.SyscallFilter, call: str, *arguments: seccomp.Arg) -> None:
    try:
        number = seccomp.resolve_syscall(seccomp.Arch.NATIVE, call)
    except OSError:
        return  # a call that this architecture never had, such as open on aarch64
    if number >= 0:
        wall.add_rule(seccomp.ALLOW, number, *arguments)


@functools.cache
def _compiled() -> bytes:
    with tempfile.TemporaryFile() as program:
        make_filter().export_bpf(program)
        program.seek(0)
        return program.read()


def write_program() -> int:
    """The filter as a BPF program in a file of memory, positioned at its start; the caller closes it."""
    fd = os.memfd_create("seccomp", os.MFD_CLOEXEC)
    os.write(fd, _compiled())
    os.lseek(fd, 0, os.SEEK_SET)
    return fd
