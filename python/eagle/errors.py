# SPDX-License-Identifier: Apache-2.0
"""The exceptions of eagle: each is an :class:`Error` with a ``code``, and also the built-in class that one would expect."""

import errno
import os
import re

_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_LONGEST = 16 << 10  # of a message, as names in it may have any length
_NUMBERS = {os.strerror(number): number for number in errno.errorcode}


class Error(Exception):
    """What eagle refuses. ``code`` says of which kind it is: bundle, placement, partition, argument, type, limit,
    unsupported, not_found, io, not_built, unavailable, memory, body, interrupted or internal."""

    code: str = "internal"


class InvalidError(Error, ValueError):
    """A bundle, placement, partition, plane or count that breaks a rule (ValueError)."""


class KindError(Error, TypeError):
    """A plane of another dtype or kind than is due (TypeError)."""


class FileError(Error, OSError):
    """A file that cannot be read (OSError); ``errno`` is None where the system had nothing against it."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        path, _, self.strerror = message.rpartition(": ")
        self.errno, self.filename = _NUMBERS.get(self.strerror), path or None

    __str__ = BaseException.__str__


class MissingFileError(FileError, FileNotFoundError):
    """A file that does not exist (FileNotFoundError)."""


class RunError(Error, RuntimeError):
    """What this build or machine does not have, and bodies that failed (RuntimeError)."""


class OutOfMemoryError(Error, MemoryError):
    """An array for which there is no memory (MemoryError)."""


class Interrupted(Error, KeyboardInterrupt):
    """A run that was stopped; planes are partly written (KeyboardInterrupt)."""


class LayoutWarning(UserWarning):
    """A plane had to be copied, since its samples are not contiguous."""


class ProfileWarning(UserWarning):
    """A profile is ignored, since it is of another machine, or says nothing of this plugin as it is built now."""


_CLASSES: dict[str, type[Error]] = {
    "type": KindError,
    "not_found": MissingFileError,
    "io": FileError,
    "not_built": RunError,
    "unavailable": RunError,
    "memory": OutOfMemoryError,
    "body": RunError,
    "interrupted": Interrupted,
    "internal": RunError,
}


def make(code: str, message: str) -> Error:
    """The exception for a code. Control characters of names become escapes, so that no file writes to a terminal."""
    short = message if len(message) <= _LONGEST else message[:_LONGEST] + "..."
    printable = _CONTROL.sub(
        lambda found: f"\\x{ord(found[0]):02x}" if found[0] < "\u0100" else f"\\u{ord(found[0]):04x}", short
    )
    error = _CLASSES.get(code, InvalidError)(printable)
    error.code = code
    return error
