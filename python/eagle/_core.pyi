"""
The compiled half of eagle: nothing here is public but through the package.
"""
from __future__ import annotations
import collections.abc
import numpy
import os
import types
import typing
__all__: list[str] = ['Bound', 'DeviceArray', 'Options', 'Plan', 'Plugin', 'check', 'check_access', 'check_bundle', 'device_count', 'devices', 'digest', 'fold', 'gatherer', 'given_plugin', 'identity', 'load', 'look_for_nccl_at', 'part_of', 'plan', 'structure', 'structures', 'tree_v1', 'validate_manifest', 'validate_sidecar', 'version']
class Plugin:
    def arguments(self) -> list:
        """
        (name, role, dtype, width, shape, default) of each argument, in arg_spec order.
        """
    def describe(self) -> dict:
        """
        What manifest and sidecar say, by their own keys.
        """
    def digest(self) -> str:
        ...
    def text(self) -> str:
        ...
class DeviceArray:
    """
    An output that a plan made on a CUDA device.
    
    It goes on without a copy by ``cupy.asarray(y)``, ``torch.from_dlpack(y)`` or ``jax.dlpack.from_dlpack(y)``, in the order of
    the stream that wrote it, and to the host by :meth:`copy_to_host`. Whatever it was given to keeps its memory.
    """
    def __array__(self, dtype: typing.Any = None, copy: typing.Any = None) -> typing.Any:
        ...
    def __dlpack__(self, *, stream: typing.Any = None, max_version: typing.Any = None, dl_device: typing.Any = None, copy: typing.Any = None) -> typing.Any:
        ...
    def __dlpack_device__(self) -> tuple[int, int]:
        ...
    def __repr__(self) -> str:
        ...
    def copy_to_host(self) -> numpy.ndarray:
        """
        A NumPy array of its elements, once they are written.
        """
    @property
    def __cuda_array_interface__(self) -> dict:
        ...
    @property
    def device(self) -> str:
        """
        Where it lies, "cuda:0".
        """
    @property
    def dtype(self) -> numpy.dtype[typing.Any]:
        """
        A NumPy dtype.
        """
    @property
    def name(self) -> str:
        """
        The output's name.
        """
    @property
    def shape(self) -> tuple:
        """
        Elements along each axis.
        """
    @property
    def strides(self) -> tuple:
        """
        Bytes from one element to the next along each axis.
        """
class Options:
    def __init__(self, *, structure: str, inner: str | None = None, partitions: collections.abc.Sequence[tuple[typing.SupportsInt | typing.SupportsIndex, typing.SupportsInt | typing.SupportsIndex, typing.SupportsInt | typing.SupportsIndex]] | None = None, npartitions: typing.SupportsInt | typing.SupportsIndex = 1, n_samples: typing.SupportsInt | typing.SupportsIndex | None = None, exec_access: str | None = None, exec_op: str | None = None, combine: bool | None = None, precision: str | None = None, layout: collections.abc.Mapping[str, str] = {}, check_replicated: bool = False, profile: os.PathLike | str | bytes = ...) -> None:
        ...
class Bound:
    def launch(self, stream: typing.Any) -> None:
        ...
    def outputs(self) -> dict:
        ...
    def rebind(self, planes: dict) -> None:
        ...
    def replicas(self, name: str) -> tuple:
        ...
    def result(self) -> typing.Any:
        ...
    @property
    def n_samples(self) -> int:
        ...
class Plan:
    def bind(self, planes: dict) -> Bound:
        ...
    def describe(self) -> str:
        ...
    def run(self, planes: dict) -> typing.Any:
        ...
def check(plugin: Plugin, options: Options) -> str:
    """
    The rule that allows a placement.
    """
def check_access(plugin: str, access: str, structure: str, partitions: typing.SupportsInt | typing.SupportsIndex) -> str:
    ...
def check_bundle(path: os.PathLike | str | bytes) -> list:
    ...
def device_count() -> int:
    """
    How many CUDA devices there are; starts the driver and no device.
    """
def devices() -> str:
    """
    All CUDA devices, for people.
    """
def digest(plugins: collections.abc.Sequence[Plugin]) -> str:
    ...
def fold(op: str, row: numpy.ndarray) -> typing.Any:
    ...
def gatherer() -> types.CapsuleType:
    ...
def given_plugin(id: str, kernel: str, scalar_type: str, access: str, op: str | None, v1: bool, arguments: collections.abc.Sequence[tuple], target: str, entry: typing.SupportsInt | typing.SupportsIndex, keep: typing.Any) -> Plugin:
    ...
def identity(op: str, dtype: str) -> typing.Any:
    ...
def load(path: os.PathLike | str | bytes, digest: str = '') -> list[Plugin]:
    ...
def look_for_nccl_at(file: str) -> None:
    ...
def part_of(whole: tuple[typing.SupportsInt | typing.SupportsIndex, typing.SupportsInt | typing.SupportsIndex, typing.SupportsInt | typing.SupportsIndex], parts: typing.SupportsInt | typing.SupportsIndex, r: typing.SupportsInt | typing.SupportsIndex) -> tuple[int, int, int]:
    ...
def plan(plugin: Plugin, options: Options, progress: typing.Any, structure: types.CapsuleType, stream: typing.Any) -> Plan:
    ...
def structure(*, kind: str, threads: typing.SupportsInt | typing.SupportsIndex, schedule: str, tile: typing.SupportsInt | typing.SupportsIndex, device: typing.SupportsInt | typing.SupportsIndex | None, devices: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex], stream: typing.SupportsInt | typing.SupportsIndex | None, block: typing.SupportsInt | typing.SupportsIndex, staging: bool) -> types.CapsuleType:
    """
    What drives a body in one process: for a plan, or for eagle._mpi to drive on each rank.
    """
def structures() -> list:
    """
    (name, built, detail) of each structure; starts no runtime.
    """
def tree_v1(op: str, row: numpy.ndarray, precision: str) -> typing.Any:
    ...
def validate_manifest(path: os.PathLike | str | bytes) -> list:
    ...
def validate_sidecar(path: os.PathLike | str | bytes) -> list:
    ...
version: str = '0.1.0'
