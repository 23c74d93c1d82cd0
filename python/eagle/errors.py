# SPDX-License-Identifier: Apache-2.0
"""The exceptions of eagle: each is an :class:`Error` with a ``code``, and also the built-in class that one would expect."""


class Error(Exception):
    """What eagle refuses. ``code`` says of which kind it is: bundle, placement, partition, argument, type, limit,
    unsupported, not_found, io, not_built, unavailable, body, interrupted or internal."""

    code: str = "internal"


class InvalidError(Error, ValueError):
    """A bundle, placement, partition, plane or count that breaks a rule (ValueError)."""


class KindError(Error, TypeError):
    """A plane of another dtype or kind than is due (TypeError)."""


class MissingFileError(Error, FileNotFoundError):
    """A file that does not exist (FileNotFoundError)."""


class FileError(Error, OSError):
    """A file that cannot be read (OSError)."""


class RunError(Error, RuntimeError):
    """What this build or machine does not have, and bodies that failed (RuntimeError)."""


class Interrupted(Error, KeyboardInterrupt):
    """A run that was stopped; planes are partly written (KeyboardInterrupt)."""


class LayoutWarning(UserWarning):
    """A plane had to be copied, since its samples are not contiguous."""


_CLASSES: dict[str, type[Error]] = {
    "type": KindError,
    "not_found": MissingFileError,
    "io": FileError,
    "not_built": RunError,
    "unavailable": RunError,
    "body": RunError,
    "interrupted": Interrupted,
    "internal": RunError,
}


def make(code: str, message: str) -> Error:
    """The exception for a code."""
    error = _CLASSES.get(code, InvalidError)(message)
    error.code = code
    return error
