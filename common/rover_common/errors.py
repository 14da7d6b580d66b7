"""Every error that this package raises, drawn as a tree.

BtExecutiveError
├─ ConfigError            the configuration cannot be used: whose file, which key, what to do
├─ UsageError             the command line or a console line cannot be used
├─ RecordingError         a run folder cannot be read: which file, what is wrong with it
├─ JournalError           a journal cannot be read: which file, what is wrong with it
├─ EpisodesError          what vision keeps cannot be read or written: which file, what to do
├─ MemoryStoreError       the spatial memory cannot be opened, or not take what it is given
│  └─ StoreUnusableError  its file or server does not serve it now; later it may
└─ ProtocolError          a caller inside this project broke a table's rule (a fault in the code)

Faults of the world (a refused tool, an absent server, a dark picture) are data, not exceptions:
see `bt_executive.core.executive_ports.ToolResult` and `Verdict` in
`bt_executive.core.guard_view_and_verdict`.
"""

from __future__ import annotations


class BtExecutiveError(Exception):
    """Base of every error of this package; its text is one or more whole sentences."""


class ConfigError(BtExecutiveError):
    """The configuration cannot be used. The text names file, dotted key, value and remedy."""


class UsageError(BtExecutiveError):
    """A command cannot be used as given. The text says what would be accepted."""


class RecordingError(BtExecutiveError):
    """A run folder cannot be read. The text names the file, the fault and what to do."""


class JournalError(BtExecutiveError):
    """A journal cannot be read. The text names the file, the fault and what to do."""


class EpisodesError(BtExecutiveError):
    """What vision keeps cannot be read or written. The text names the file and what to do."""


class MemoryStoreError(BtExecutiveError):
    """The spatial memory cannot be used so. The text names file or value and what to do."""


class StoreUnusableError(MemoryStoreError):
    """The file or server of the memory does not serve it now; later it may."""


class ProtocolError(BtExecutiveError):
    """A step that a protocol table does not allow; always a fault in the calling code."""
