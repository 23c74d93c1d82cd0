# SPDX-License-Identifier: Apache-2.0
"""Arrays in CUDA memory as other libraries have them, by either protocol, and a consumer of DLPack."""

import ctypes

import numpy as np
from test_dlpack import CODES, VERSIONED, Tensor, Versioned, capsule_of

from . import cuda

DLPACK = {"device": 2, "pool": 2, "pinned": 3, "managed": 13}


class Held:
    """Values of an array in memory of some kind, with the same shape and strides."""

    def __init__(self, values, kind="device", device=0, stream=cuda.LEGACY):
        values = np.asarray(values)
        cuda.use(device)
        self.kind, self.device, self.stream = kind, device, stream
        self.shape, self.strides, self.dtype = values.shape, values.strides, values.dtype
        ends = [(extent - 1) * step for extent, step in zip(self.shape, self.strides, strict=True)]
        self.size = values.itemsize + sum(ends) if values.size else 0
        assert all(step >= 0 for step in self.strides)
        self.memory = cuda.Memory(kind, self.size)
        flat = np.zeros(self.size, np.uint8)
        if values.size:
            self._shaped(flat)[...] = values
        if kind in ("device", "pool"):
            cuda.upload(self.memory.address, flat, stream)
        else:
            ctypes.memmove(self.memory.address, flat.ctypes.data, self.size)
        cuda.use(0)

    def _shaped(self, flat):
        return np.ndarray(self.shape, self.dtype, flat, strides=self.strides)

    def values(self):
        """What is there, after the work of its stream."""
        cuda.use(self.device)
        flat = cuda.download(self.memory.address, np.uint8, self.size, self.stream)
        cuda.use(0)
        return self._shaped(flat).copy()


class Cai(Held):
    """As numba has them."""

    changes = {}

    @property
    def __cuda_array_interface__(self):
        strides = None if np.empty(self.shape, self.dtype).strides == self.strides else self.strides
        data = (self.memory.address if self.size else 0, False)
        usual = {"shape": self.shape, "typestr": self.dtype.str, "data": data, "strides": strides}
        return usual | {"version": 3, "stream": self.stream} | self.changes


#: What was lent, by the address of its struct.
LENT = {}


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def give_back(address):
    LENT.pop(address)


class Dl(Held):
    """As CuPy and PyTorch have them; `asked` holds the stream of each call."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.asked = []

    def __dlpack_device__(self):
        return DLPACK[self.kind], self.device

    def __dlpack__(self, *, stream=None, max_version=None):
        assert max_version >= (1, 0) and stream != 0
        self.asked.append(stream)
        cuda.use(self.device)
        if stream != -1 and self.kind != "pinned":
            cuda.order(self.stream, cuda.LEGACY if stream is None else stream)
        cuda.use(0)
        extents = (ctypes.c_int64 * len(self.shape))(*self.shape)
        steps = (ctypes.c_int64 * len(self.shape))(*(step // self.dtype.itemsize for step in self.strides))
        type_ = (CODES[self.dtype.kind], 8 * self.dtype.itemsize, 1)
        tensor = Tensor(self.memory.address, *self.__dlpack_device__(), len(self.shape), *type_, extents, steps, 0)
        managed = Versioned(major=1, tensor=tensor, deleter=ctypes.cast(give_back, ctypes.c_void_p))
        LENT[ctypes.addressof(managed)] = (self, managed, extents, steps)
        return capsule_of(ctypes.addressof(managed), VERSIONED, None)


class Both(Cai, Dl):
    """As CuPy has them: both protocols."""


_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_rename = ctypes.pythonapi.PyCapsule_SetName
_rename.argtypes = [ctypes.py_object, ctypes.c_char_p]


class Taken:
    """A capsule that a consumer has taken over."""

    def __init__(self, capsule):
        self._used = ctypes.c_char_p(b"used_dltensor_versioned")
        self.managed = Versioned.from_address(_pointer_of(capsule, VERSIONED))
        _rename(capsule, self._used)
        tensor = self.managed.tensor
        self.address, self.device = tensor.data, (tensor.device_type, tensor.device_id)
        self.type, self.shape = (tensor.code, tensor.bits, tensor.lanes), tuple(tensor.shape[: tensor.ndim])
        self.flags = self.managed.flags

    def give_back(self):
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.managed.deleter)(ctypes.addressof(self.managed))
