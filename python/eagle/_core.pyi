"""
The compiled half of eagle: nothing here is public but through the package.
"""
from __future__ import annotations
import collections.abc
import numpy
import os
import types
import typing
__all__: list[str] = ['Bound', 'Options', 'Plan', 'Plugin', 'check', 'check_access', 'check_bundle', 'fold', 'given_plugin', 'identity', 'load', 'part_of', 'plan', 'structure', 'structures', 'tree_v1', 'validate_manifest', 'validate_sidecar', 'version']
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
class Options:
    def __init__(self, *, structure: str, inner: str | None = None, partitions: collections.abc.Sequence[tuple[typing.SupportsInt | typing.SupportsIndex, typing.SupportsInt | typing.SupportsIndex, typing.SupportsInt | typing.SupportsIndex]] | None = None, npartitions: typing.SupportsInt | typing.SupportsIndex = 1, n_samples: typing.SupportsInt | typing.SupportsIndex | None = None, exec_access: str | None = None, exec_op: str | None = None, combine: bool | None = None, precision: str | None = None, layout: collections.abc.Mapping[str, str] = {}, check_replicated: bool = False) -> None:
        ...
class Bound:
    def launch(self, stream: typing.Any) -> None:
        ...
    def outputs(self) -> dict:
        ...
    def rebind(self, planes: dict) -> None:
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
def fold(op: str, row: numpy.ndarray) -> typing.Any:
    ...
def given_plugin(id: str, kernel: str, scalar_type: str, access: str, op: str | None, v1: bool, arguments: collections.abc.Sequence[tuple], host_entry: typing.SupportsInt | typing.SupportsIndex, keep: typing.Any) -> Plugin:
    ...
def identity(op: str, dtype: str) -> typing.Any:
    ...
def load(path: os.PathLike | str | bytes) -> list[Plugin]:
    ...
def part_of(whole: tuple[typing.SupportsInt | typing.SupportsIndex, typing.SupportsInt | typing.SupportsIndex, typing.SupportsInt | typing.SupportsIndex], parts: typing.SupportsInt | typing.SupportsIndex, r: typing.SupportsInt | typing.SupportsIndex) -> tuple[int, int, int]:
    ...
def plan(plugin: Plugin, options: Options, progress: typing.Any, structure: types.CapsuleType) -> Plan:
    ...
def structure(kind: str, threads: typing.SupportsInt | typing.SupportsIndex, schedule: str, tile: typing.SupportsInt | typing.SupportsIndex) -> types.CapsuleType:
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
