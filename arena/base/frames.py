"""Frames: what goes through a pipe, as bytes with their length before them."""

from __future__ import annotations

import os
import struct

_LENGTH = struct.Struct("<I")
MOST = 1 << 20
"""Bytes of a frame, at most."""
_READ_BYTES = 1 << 14
"""Read at once, at most: room for more takes longer to make than to read."""


class FrameError(Exception):
    """What was read is no frame."""


def write(descriptor: int, content: bytes) -> None:
    """Write a frame. Raises BrokenPipeError where nobody reads any more, and OSError."""
    frame = _LENGTH.pack(len(content)) + content
    while frame:
        frame = frame[os.write(descriptor, frame) :]


class Reader:
    """The frames that come through a pipe."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._read = b""

    def frame(self) -> bytes | None:
        """The next frame if all of it was read. Raises FrameError if it would be longer than MOST."""
        if len(self._read) < _LENGTH.size:
            return None
        end = _LENGTH.size + _LENGTH.unpack_from(self._read)[0]
        if end > MOST:
            raise FrameError
        if len(self._read) < end:
            return None
        content, self._read = self._read[_LENGTH.size : end], self._read[end:]
        return content

    def fill(self) -> bool:
        """Wait for more and read it; false at the end of the pipe."""
        part = os.read(self._descriptor, _READ_BYTES)
        self._read += part
        return bool(part)
