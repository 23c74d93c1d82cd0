# SPDX-License-Identifier: Apache-2.0
"""CUDA for tests, by ctypes on the driver alone: memory, streams, events and modules."""

import ctypes
import os
from functools import cache

import numpy as np

LEGACY = 1
#: By kind of memory: what allocates it, with what behind the size, and what frees it, with what behind the address.
_KINDS = {
    "device": ("cuMemAlloc_v2", (), "cuMemFree_v2", ()),
    "pool": ("cuMemAllocAsync", (LEGACY,), "cuMemFreeAsync", (LEGACY,)),
    "managed": ("cuMemAllocManaged", (1,), "cuMemFree_v2", ()),
    "pinned": ("cuMemHostAlloc", (0,), "cuMemFreeHost", ()),
}


def is_lazy():
    """Whether this is the stand-in, which does what is queued only when something waits for it."""
    return "STAND_IN_TWINS" in os.environ


@cache
def _library():
    library = ctypes.CDLL("libcuda.so.1")
    assert library.cuInit(0) == 0
    handle = ctypes.c_void_p()
    assert library.cuDevicePrimaryCtxRetain(ctypes.byref(handle), 0) == library.cuCtxSetCurrent(handle) == 0
    return library


def call(name, *arguments):
    result = getattr(_library(), name)(*arguments)
    assert result == 0, f"{name}: {result}"


@cache
def context(device):
    handle = ctypes.c_void_p()
    call("cuDevicePrimaryCtxRetain", ctypes.byref(handle), device)
    return handle


def use(device):
    """Has a device current on this thread."""
    call("cuCtxSetCurrent", context(device))


def made(name, *arguments):
    """What a call writes through its first parameter."""
    handle = ctypes.c_void_p()
    call(name, ctypes.byref(handle), *arguments)
    return handle.value


def wait(stream):
    call("cuStreamSynchronize", ctypes.c_void_p(stream))


class Stream:
    """A stream that is in order with no other."""

    def __init__(self):
        self.handle = made("cuStreamCreate", 1)

    def __cuda_stream__(self):
        return 0, self.handle

    def wait(self):
        wait(self.handle)

    def __del__(self):
        call("cuStreamDestroy_v2", ctypes.c_void_p(self.handle))


def order(first, then):
    """Has a stream come after what another has been given."""
    event = ctypes.c_void_p(made("cuEventCreate", 2))
    call("cuEventRecord", event, ctypes.c_void_p(first))
    call("cuStreamWaitEvent", ctypes.c_void_p(then), event, 0)
    call("cuEventDestroy_v2", event)


class Memory:
    """Bytes of one kind: "device", "pool" (freed without waiting), "managed" or "pinned"."""

    def __init__(self, kind, size):
        allocate, extra, *self._free = _KINDS[kind]
        self.address = made(allocate, ctypes.c_size_t(max(size, 1)), *map(ctypes.c_void_p, extra))

    def __del__(self):
        free, extra = self._free
        call(free, ctypes.c_void_p(self.address), *map(ctypes.c_void_p, extra))


def upload(address, array, stream=LEGACY):
    """Queues the copy of a contiguous array."""
    data = ctypes.c_void_p(array.ctypes.data)
    call("cuMemcpyHtoDAsync_v2", ctypes.c_void_p(address), data, ctypes.c_size_t(array.nbytes), ctypes.c_void_p(stream))


def copy_to_host(address, source, size, on):
    """Queues a copy from device memory to pinned or managed memory."""
    call("cuMemcpyDtoHAsync_v2", ctypes.c_void_p(address), ctypes.c_void_p(source), ctypes.c_size_t(size), ctypes.c_void_p(on))


def download(address, dtype, count, stream=LEGACY):
    """Elements of device memory, once a stream has come that far."""
    array = np.empty(count, dtype)
    data = ctypes.c_void_p(array.ctypes.data)
    call("cuMemcpyDtoHAsync_v2", data, ctypes.c_void_p(address), ctypes.c_size_t(array.nbytes), ctypes.c_void_p(stream))
    wait(stream)
    return array


def load_function(image, name):
    """(module, function) of the bytes of an artifact."""
    module = made("cuModuleLoadDataEx", ctypes.c_char_p(image), 0, None, None)
    return module, made("cuModuleGetFunction", ctypes.c_void_p(module), ctypes.c_char_p(name.encode()))


def mark(number):
    """Leaves a line in the stand-in's log."""
    _library().cuPointerGetAttributes(0, None, None, ctypes.c_uint64(number))
