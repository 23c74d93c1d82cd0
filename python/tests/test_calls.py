# SPDX-License-Identifier: Apache-2.0
"""Random calls: arrays of any kind, numbers, words and objects in the place of every argument of load, plan, run, bind, rebind and
the reductions. What comes out is a result, or eagle's own error, a TypeError or a ValueError; what is refused has written
nothing. `scripts/fuzz calls` draws the same calls guided by coverage, with atheris."""

import os
import re
import warnings
from collections import OrderedDict
from decimal import Decimal
from fractions import Fraction

import eagle
import numpy as np
from conftest import BUNDLES
from eagle.plan import plan
from eagle.reduction import fold, identity, tree_v1
from hypothesis import given, settings
from hypothesis import strategies as st

#: Bodies that are at home with every number.
NAMES = [
    "axpy",
    "saxpy",
    "drift3",
    "matvec3",
    "outer3",
    "hash_mix",
    "dot",
    "dot3",
    "product",
    "maximum",
    "all_finite",
    "sum_index",
]
DTYPES = [
    "f8",
    "f4",
    "f2",
    "g",
    "i8",
    "i4",
    "i2",
    "u8",
    "u4",
    "u1",
    "?",
    "c16",
    ">f8",
    ">i4",
    "U3",
    "S2",
    "O",
    "M8[s]",
    "V5",
    "f8,i4",
]
LOADED = {name: eagle.load(BUNDLES / name)[name] for name in NAMES}
usual = st.integers(0, 6)


def mostly(usual, rare):
    """One of two strategies, the second in a tenth of the cases."""
    return st.integers(0, 9).flatmap(lambda k: usual if k else rare)


@st.composite
def arrays(draw, dtypes, shapes):
    """An array in memory of its own, in any order and cut, at times read-only, misaligned or of repeated elements."""
    dtype, shape = np.dtype(draw(dtypes)), tuple(draw(shapes))
    way = draw(st.integers(0, 9))
    if way == 0 and not dtype.hasobject:
        return np.ones(dtype.itemsize * int(np.prod(shape)) + 1, "u1")[1:].view(dtype).reshape(shape)
    array = np.ones(shape, dtype) if dtype.kind in "fiu?c" else np.zeros(shape, dtype)
    if way == 1:
        return np.asfortranarray(array)
    if way == 2:
        return np.repeat(array, 2, -1)[..., ::-2] if array.ndim else array
    if way == 3:
        return np.broadcast_to(array[..., :1], shape) if array.ndim else array
    if way == 4:
        array.flags.writeable = False
    if way == 5:
        return np.moveaxis(array, -1, 0) if array.ndim else array
    return array


numbers = st.one_of(
    st.integers(-3, 50),
    st.sampled_from([2**31, 2**32 - 1, 2**63 - 1, 2**63, -(2**63), 2**64, 10**400]),
    st.floats(),
    st.floats(width=32).map(np.float32),
    st.integers(0, 255).map(np.uint8),
    st.booleans(),
    st.complex_numbers(),
    st.sampled_from([Fraction(1, 3), Decimal("0.5"), np.bool_(True), np.datetime64("2020"), np.float64("nan")]),
)
words = mostly(
    st.sampled_from(
        "host_team device_kernel rank_partition static dynamic sum times max land working compensated sample component "
        "sample_local cross_sample_read cross_sample_write mapreduce float64 int32 bool".split()
    ),
    st.text(max_size=8),
)
odd = st.one_of(
    st.none(),
    words,
    st.binary(max_size=9),
    st.binary(max_size=16).map(bytearray),
    st.binary(max_size=16).map(memoryview),
    st.just(object()),
    st.just(NotImplemented),
    st.just(print),
    st.just(int),
    st.just(OrderedDict(x=1)),
    st.lists(st.one_of(numbers, st.lists(numbers, max_size=3)), max_size=4),
    st.tuples(numbers, numbers, numbers),
    st.just(np.ma.masked_array([1.0, 2.0], [True, False])),
)
anything = st.one_of(arrays(st.sampled_from(DTYPES), st.lists(usual, max_size=4)), numbers, odd)


@st.composite
def planes(draw, plugin):
    """A value for each argument of a plugin, most of them fitting."""
    n, made = draw(usual), {}
    for argument in plugin.arguments:
        written = argument.role in ("mutable", "out", "accum_out")
        if draw(st.integers(0, 1 if written else 19)) == 0:
            continue
        head = argument.shape if argument.shape and draw(st.booleans()) else (argument.width,) if argument.width > 1 else ()
        shape = (n, *head) if head and draw(st.integers(0, 3)) == 0 else (*head, n)
        fitting = mostly(usual, numbers) if argument.role == "uniform" else arrays(st.just(argument.dtype), st.just(shape))
        made[argument.name] = draw(mostly(fitting, anything))
    for name in draw(mostly(st.just([]), st.lists(st.text(max_size=5), max_size=1))):
        made[name] = draw(anything)
    return made


@st.composite
def options(draw, plugin):
    """Some options of plan(). Counts are small or beyond what is accepted: a run of 2^40 samples is no fault."""
    count = st.one_of(st.integers(-2, 40), st.sampled_from([2**63 - 1, 2**63, -(2**63), 1.5, "3", True, None, np.int32(4)]))
    triple = st.one_of(st.tuples(count, count, count), st.tuples(count), odd)
    cuts = st.lists(usual, max_size=4).map(lambda c: [(sum(c[:k]), c[k], sum(c)) for k in range(len(c))])
    every = {
        "partitions": mostly(cuts, st.lists(triple, max_size=3)),
        "npartitions": count,
        "n_samples": count,
        "exec_access": mostly(st.just(plugin.exec_access), words),
        "exec_op": mostly(st.just(plugin.exec_op), words),
        "combine": st.booleans(),
        "precision": words,
        "threads": st.one_of(st.integers(-1, 3), odd),
        "schedule": mostly(st.sampled_from(["static", "dynamic"]), words),
        "tile": count,
        "layout": st.dictionaries(st.sampled_from([a.name for a in plugin.arguments]), words, max_size=2),
        "profile": mostly(st.just(False), odd.filter(lambda given: given is not None)),
        "device": odd,
        "block": count,
        "staging": anything,
        "stream": odd,
        "inner": words,
        "gather": odd,
        "check_replicated": st.booleans(),
    }
    chosen = draw(st.lists(st.sampled_from(sorted(every)), max_size=3, unique=True))
    return {"structure": draw(mostly(st.just("host_team"), anything))} | {name: draw(every[name]) for name in chosen}


def refused(call):
    """Calls; whether it was refused, and rightly so."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call()
    except eagle.Error as error:
        assert error.code != "internal" and str(error), repr(error)
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", str(error)), repr(error)
        return True
    except (TypeError, ValueError):
        return True
    return False


def copies(made):
    return {name: value.tobytes() for name, value in made.items() if isinstance(value, np.ndarray)}


def check_run(data):
    plugin = LOADED[data.draw(st.sampled_from(NAMES))]
    plans = []
    wanted = data.draw(options(plugin))
    if refused(lambda: plans.append(plan(plugin, **wanted))):
        return
    assert repr(plans[0])
    made = data.draw(planes(plugin))
    before = copies(made)
    if refused(lambda: plans[0].run(**made)):
        assert copies(made) == before, "what is refused has written something"
    bound = []
    if refused(lambda: bound.append(plans[0].bind(**made))):
        return
    refused(bound[0].launch)
    again = data.draw(planes(plugin))
    refused(lambda: bound[0].rebind(**again))
    refused(bound[0].launch)
    refused(bound[0].result)


def check_rest(data):
    op = data.draw(mostly(st.sampled_from(["sum", "times", "max", "land"]), st.one_of(words, odd)))
    dtype, value = data.draw(st.one_of(st.sampled_from(DTYPES), words, odd)), data.draw(anything)
    precision = data.draw(mostly(st.sampled_from(["working", "compensated"]), st.one_of(words, odd)))
    path = data.draw(st.one_of(st.text(max_size=9), st.binary(max_size=9), odd))
    refused(lambda: eagle.load(path))
    refused(lambda: eagle.check(path))
    refused(lambda: tree_v1(op, value, precision))
    refused(lambda: fold(op, value))
    refused(lambda: identity(op, dtype))


@settings(max_examples=int(os.environ.get("EAGLE_CALLS", "1500")), deadline=None, derandomize=True, database=None)
@given(st.data())
def test_any_call_is_answered(data):
    check_run(data) if data.draw(st.integers(0, 4)) else check_rest(data)
