"""Lines of the pages that the kernel shows to every process, put out of the processor's caches.

Memory that was never written is one page of zeros for the whole machine, and the code with which processes
ask for the time is another few (vDSO). No sandbox can be without them. Which of their lines lie in the caches
tells which somebody read last, also while the reader is frozen; once they are put out, it does not. How many
are found may tell still whether any was read: a processor learns what to load ahead (docs/sandbox.md).
"""

from __future__ import annotations

import ctypes
import mmap
import os
from pathlib import Path

PAGE_BYTES = 4096
OF_THE_KERNEL = ("[vdso]", "[vvar]", "[vvar_vclock]")
# again: clflush [rdi]; add rdi, 64; cmp rdi, rsi; jb again; mfence; ret
_CODE = bytes.fromhex("0fae3f4883c7404839f772f40faef0c3")


class CommonLines:
    """The lines that all processes have in common, and the way to put them out.

    :ivar pages: addresses of the pages; none but on x86-64, and none where a process may not make code.
    """

    def __init__(self) -> None:
        self.pages: list[int] = []
        if os.uname().machine != "x86_64":
            return
        try:
            code = mmap.mmap(-1, PAGE_BYTES, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        except PermissionError:
            return
        code.write(_CODE)
        self._code = code
        self._put_out = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(
            ctypes.addressof(ctypes.c_char.from_buffer(code))
        )
        self.pages = [_zeros(), *filter(_is_readable, _pages_of_the_kernel())]

    def put_out(self) -> None:
        """Put every line of them out of all caches."""
        for page in self.pages:
            self._put_out(page, page + PAGE_BYTES)


def _zeros() -> int:
    """Return the address of a page that was read and is never written."""
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    kind = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    page = int(libc.mmap(None, PAGE_BYTES, mmap.PROT_READ, kind, -1, 0))
    ctypes.string_at(page, 1)
    return page


def _pages_of_the_kernel() -> list[int]:
    pages: list[int] = []
    for line in Path("/proc/self/maps").read_text().splitlines():
        if line.endswith(OF_THE_KERNEL):
            first, _, end = line.split()[0].partition("-")
            pages += range(int(first, 16), int(end, 16), PAGE_BYTES)
    return pages


def _is_readable(page: int) -> bool:
    """Ask the kernel to read it: a process that touched a page without memory would be ended."""
    reading, writing = os.pipe2(os.O_CLOEXEC)
    try:
        return int(ctypes.CDLL(None).write(writing, ctypes.c_void_p(page), 1)) == 1
    finally:
        os.close(reading)
        os.close(writing)
