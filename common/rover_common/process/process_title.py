"""What `ps`, `pgrep` and /proc show as the command line of this process.

A process that was forked and runs another program than its parent still shows the parent's command
line, and whoever looks for a node by its module would not find it. The kernel lets every process
say where its own is (`PR_SET_MM_MAP`, made for checkpoints; no privilege is needed).
"""

from __future__ import annotations

from collections.abc import Sequence
import ctypes
import mmap
import os

PR_SET_MM, PR_SET_MM_MAP = 35, 14
NO_FILE = 0xFFFFFFFF
# Of `struct prctl_mm_map`, with their fields of /proc/self/stat counted from 1; 0: none.
ADDRESSES = {
    **{'start_code': 26, 'end_code': 27, 'start_data': 45, 'end_data': 46, 'start_brk': 47},
    **{'brk': 0, 'start_stack': 28, 'arg_start': 48, 'arg_end': 49},
    **{'env_start': 50, 'env_end': 51},
}
_kept: list[mmap.mmap] = []  # the kernel reads it as long as the process exists


class _MemoryMap(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_uint64) for name in ADDRESSES),
        ('auxv', ctypes.c_void_p),
        ('auxv_size', ctypes.c_uint32),
        ('exe_fd', ctypes.c_uint32),
    )


def show_command_line(arguments: Sequence[str]) -> bool:
    """Show these arguments as the command line; False if this kernel does not allow it."""
    libc = ctypes.CDLL(None, use_errno=True)
    text = b''.join(os.fsencode(argument) + b'\0' for argument in arguments)
    # Private: of shared memory the kernel shows nothing.
    kept = mmap.mmap(-1, len(text), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    kept[:] = text
    with open('/proc/self/stat', 'rb') as file:
        fields = file.read().rpartition(b')')[2].split()
    found = {each: int(fields[field - 3]) for each, field in ADDRESSES.items() if field}
    libc.sbrk.restype = ctypes.c_void_p
    begin = ctypes.addressof(ctypes.c_char.from_buffer(kept))
    found |= {'brk': libc.sbrk(0), 'arg_start': begin, 'arg_end': begin + len(text)}
    shown = _MemoryMap(**found, exe_fd=NO_FILE)
    size = ctypes.c_size_t(ctypes.sizeof(shown))
    refused = libc.prctl(PR_SET_MM, PR_SET_MM_MAP, ctypes.byref(shown), size, 0)
    if not refused:
        _kept.append(kept)
    return not refused
