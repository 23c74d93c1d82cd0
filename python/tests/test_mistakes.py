# SPDX-License-Identifier: Apache-2.0
"""What people get wrong: the class of the error, the words it has to say, and that nothing was written."""

import re
from pathlib import Path

import eagle
import numpy as np
import pytest
from eagle.plan import plan

N = 6
X, K, P = np.arange(1.0, N + 1), np.arange(N), np.arange(18.0).reshape(3, N)
AXPY, SAXPY = {"x": X, "a": 2.0, "b": 1.0}, {"x": X.astype("f"), "a": 2.0}
DRIFT, HISTOGRAM = {"p": P, "v": P, "dt": 1.0}, {"x": X, "lo": 0.0, "hi": 9.0, "nbins": 3}


def case(name, given, error, *words, options=None):
    """A run of a plugin that is refused."""
    return pytest.param(name, given, options or {}, error, words, id=f"{name}-{words[0]}")


def full(shape, dtype="float64"):
    """A given output, with values that a run would change."""
    return np.full(shape, 77, dtype)


class Raising:
    """A number that cannot say which."""

    def __init__(self, error):
        self.error = error

    def __float__(self):
        raise self.error


class RaisingIndex(Raising):
    __index__ = Raising.__float__


RUNS = [
    # Names.
    case("axpy", AXPY | {"xx": X}, ValueError, "argument 'xx' is unknown", "is 'x' meant?", "arguments are y, x, a, b"),
    case("histogram", {"x": X, "low": 0.0}, ValueError, "argument 'low' is unknown", "is 'lo' meant?"),
    case("countdown", {"letf": K}, ValueError, "argument 'letf' is unknown", "is 'left' meant?"),
    case("axpy", AXPY | {"completely": 1}, ValueError, "argument 'completely' is unknown:", "y, x, a, b"),
    case("shift", {"x": X, "n": N}, ValueError, "argument 'n' is unknown", "y, x"),
    case("axpy", {"x": X, "a": 2.0}, ValueError, "argument 'b' (uniform, float64) is missing and must be given"),
    case("histogram", HISTOGRAM, ValueError, "argument 'bins' (accum_out, float64) is missing and must be given"),
    case("axpy", AXPY | {"self": 1}, ValueError, "argument 'self' is unknown"),
    # Dtypes.
    case("saxpy", SAXPY | {"x": X}, TypeError, "argument 'x' is float64, and float32 is due", "give an array of that type"),
    case("axpy", AXPY | {"y": full(N, "f")}, TypeError, "'y' is float32, and float64 is due", "give an array of that type"),
    case("gather", {"k": X, "table": X}, TypeError, "argument 'k' is float64, and int64 is due"),
    case("gather", {"k": K.astype("u8"), "table": X}, TypeError, "argument 'k' is uint64, and int64 is due"),
    case("axpy", AXPY | {"x": X * 1j}, TypeError, "argument 'x' is complex128, and float64 is due", "would lose values"),
    case("axpy", AXPY | {"x": X.astype("g")}, TypeError, "is float128, and float64 is due", "x.astype('float64')"),
    case("axpy", AXPY | {"x": X.astype("O")}, TypeError, "argument 'x' is object", "x.astype('float64')"),
    case(
        "axpy",
        AXPY | {"y": full(N, ">f8")},
        TypeError,
        "argument 'y' is >f8, and float64 is due",
        "give an array of float64 to write into",
    ),
    case("product", {"x": X, "terminated": K}, TypeError, "argument 'terminated' is int64, and bool is due"),
    # Lists.
    case("axpy", AXPY | {"x": [[1.0, 2.0], [3.0]]}, ValueError, "argument 'x' is a list whose rows have uneven lengths"),
    case("drift3", DRIFT | {"p": [[1.0, 2.0], [3.0]]}, ValueError, "uneven lengths: every sample needs the same shape"),
    case("drift3", DRIFT | {"p": [1.0, [2.0], 3.0]}, ValueError, "'p' is a list whose rows have uneven lengths"),
    case("axpy", AXPY | {"x": ["1", "2"]}, TypeError, "argument 'x' is a list of <U1 elements, and float64 is due"),
    case("axpy", AXPY | {"x": [None]}, TypeError, "argument 'x' is a list of NoneType elements, and float64 is due"),
    case("axpy", AXPY | {"y": [0.0] * N}, TypeError, "'y' is a list, and the body writes it", "numpy.array(values, 'float64')"),
    case("gather", {"k": [0.5], "table": X}, TypeError, "'k' is a list of float elements, and int64 is due"),
    case("hash_mix", {"k": [2**63], "seed": 0}, ValueError, "which int64 does not hold", str(2**63)),
    case("hash_mix", {"k": [2**63, -1], "seed": 0}, ValueError, str(2**63)),
    case("hash_mix", {"k": [2**64], "seed": 0}, ValueError, "int64", str(2**64)),
    case("saxpy", SAXPY | {"x": [1e300]}, ValueError, "'x' is a list with 1e+300, which float32 does not hold"),
    # Numbers.
    case("hash_mix", {"k": K, "seed": 2**63}, ValueError, f"argument 'seed' is {2**63}", "out of the range of int64"),
    case("hash_mix", {"k": K, "seed": 2**64}, ValueError, f"argument 'seed' is {2**64}", "which int64 does not hold"),
    case("hash_mix", {"k": K, "seed": 2.5}, TypeError, "argument 'seed' is 2.5", "not an integer and int64 is due"),
    case("hash_mix", {"k": K, "seed": 3.0}, TypeError, "argument 'seed' is 3.0"),
    case("saxpy", SAXPY | {"a": 1e300}, ValueError, "argument 'a' is 1e+300", "out of the range of float32"),
    case("axpy", AXPY | {"a": Raising(ValueError("none"))}, ValueError, "'a' is a Raising whose __float__ fails: none"),
    case("hash_mix", {"k": K, "seed": RaisingIndex(TypeError("no"))}, TypeError, "RaisingIndex whose __index__ fails: no"),
    case("axpy", AXPY | {"a": [2.0]}, TypeError, "argument 'a' is float64 (1,): a uniform is one number"),
    case("axpy", AXPY | {"a": X}, TypeError, f"argument 'a' is float64 ({N},): a uniform is one number"),
    case("axpy", AXPY | {"a": None}, TypeError, "argument 'a' is a NoneType: an array or a number is accepted"),
    case("axpy", AXPY | {"a": "2"}, TypeError, "argument 'a' is a str: an array or a number is accepted"),
    case("axpy", AXPY | {"x": {"x": X}}, TypeError, "argument 'x' is a dict: an array or a number is accepted"),
    case("axpy", AXPY | {"a": 10**5000}, ValueError, "argument 'a' is "),
    # A number where a plane is due.
    case("axpy", AXPY | {"y": 0.0}, TypeError, "argument 'y' is the number 0.0, and a plane is due"),
    case("drift3", DRIFT | {"p": 1.0}, TypeError, "argument 'p' is the number 1.0, and a plane is due"),
    case("drift3", DRIFT | {"p": 1.0}, TypeError, "(3, n)"),
    case("gather", {"k": K, "table": 2.0}, TypeError, "argument 'table' is the number 2.0, and an array is due"),
    case("histogram", HISTOGRAM | {"bins": 3}, TypeError, "argument 'bins' is the number 3, and an array is due"),
    case("dot", {"x": X, "y": 2.0}, ValueError, "argument 'y' is a single sample, and 'x' is a batch", "cannot be mixed"),
    case("dot", {"x": X, "y": 2.0}, ValueError, "(n,)"),
    case("drift3", DRIFT | {"v": [1.0, 2, 3]}, ValueError, "argument 'v' is a single sample, and 'p' is a batch"),
    # Shapes and axes.
    case("axpy", AXPY | {"x": P}, ValueError, f"argument 'x' is float64 (3, {N}): its shape must be (n,)"),
    case("axpy", AXPY | {"y": full((N, 1))}, ValueError, f"argument 'y' is float64 ({N}, 1): its shape must be (n,)"),
    case("drift3", DRIFT | {"p": P.ravel()}, ValueError, "'p' is float64 (18,): its shape must be (3, n) or (n, 3)"),
    case("drift3", DRIFT | {"p": np.ones((4, N))}, ValueError, f"'p' is float64 (4, {N}): its shape must be (3, n) or (n, 3)"),
    case(
        "matvec3",
        {"x": P, "m": np.ones((3, N, 3))},
        ValueError,
        f"argument 'm' is float64 (3, {N}, 3): its shape must be (3, 3, n), (9, n), (n, 3, 3) or (n, 9)",
    ),
    case("drift3", {"p": np.ones((3, 3)), "v": np.ones((3, 3)), "dt": 1}, ValueError, "say layout={'p': 'component'}"),
    case("drift3", DRIFT | {"q": full((N, 3))}, ValueError, "as layout says", options={"layout": {"q": "component"}}),
    # Lengths.
    case("dot", {"x": X, "y": X[1:]}, ValueError, f"argument 'y' has {N - 1} samples, and 'x' has {N}"),
    case("axpy", AXPY | {"y": full(N + 1)}, ValueError, f"argument 'x' has {N} samples, and 'y' has {N + 1}"),
    case("drift3", DRIFT | {"v": P[:, 1:]}, ValueError, f"argument 'v' has {N - 1} samples, and 'p' has {N}"),
    case("axpy", AXPY, ValueError, f"argument 'x' has {N} samples, and the plan has 5", options={"n_samples": 5}),
    case("axpy", AXPY, ValueError, f"'x' has {N} samples, and the plan has 5", options={"partitions": [(0, 5, 5)]}),
    case("count_index", {"counts": full(3, "i8")}, ValueError, "nothing given fixes the number of samples: give n_samples"),
    case("dot", {"x": X, "y": X, "total": full(5)}, ValueError, "'total' has 5", options={"combine": False}),
    # What the body writes.
    case("dot", {"x": X, "y": X, "total": full(N)}, ValueError, "argument 'total' is folded to one value", "combine=false"),
    case("axpy", AXPY | {"y": np.frombuffer(b"12345678" * N)}, ValueError, "argument 'y' is read-only, and the body writes it"),
    case("axpy", AXPY | {"y": X}, ValueError, "argument 'y' overlaps argument 'x' in memory", "give separate arrays"),
]


OUTPUTS = {
    "axpy": ("y", N, "f8"),
    "saxpy": ("y", N, "f4"),
    "hash_mix": ("h", N, "i8"),
    "gather": ("y", N, "f8"),
    "drift3": ("q", (3, N), "f8"),
    "countdown": ("left", N, "i8"),
}


@pytest.mark.parametrize("name, given, options, error, words", RUNS)
@pytest.mark.parametrize("call", ["run", "bind"])
def test_a_refused_call_says_what_and_writes_nothing(host, call, name, given, options, error, words):
    refused = getattr(host(name, **options), call)
    with pytest.raises(error) as caught:
        refused(**given)
    assert isinstance(caught.value, eagle.Error) and caught.value.code in ("argument", "type")
    message = str(caught.value)
    assert message.startswith(f"plugin '{name}': ")
    for word in words:
        assert word in message
    if name in OUTPUTS:
        key, shape, dtype = OUTPUTS[name]
        given = {key: full(shape, dtype)} | given
    with pytest.raises(eagle.Error):
        refused(**given)
    for value in given.values():
        assert value is X or not isinstance(value, np.ndarray) or 77 not in value or (value == 77).all()


def test_the_inputs_of_this_table_are_as_they_were():
    np.testing.assert_array_equal(X, np.arange(1.0, N + 1))
    np.testing.assert_array_equal(P, np.arange(18.0).reshape(3, N))


# Plans.


def wrong(name, options, error, *words):
    return pytest.param(name, {"structure": "host_team"} | options, error, words, id=f"{name}-{str(options)[:60]}")


BIG = 2**70
CUTS = "partitions"
PLANS = [
    wrong("axpy", {"threads": "2"}, TypeError, "threads is '2': an integer is due"),
    wrong("axpy", {"threads": 2.0}, TypeError, "threads is 2.0: an integer is due"),
    wrong("axpy", {"threads": ""}, TypeError, "threads is ''"),
    wrong("axpy", {"threads": -1}, ValueError, "threads is -1: 1 to 512, or 0 for all, is accepted"),
    wrong("axpy", {"threads": 2**40}, ValueError, "threads"),
    wrong("axpy", {"tile": 8}, ValueError, "tile=8 needs schedule=dynamic"),
    wrong("axpy", {"tile": -1, "schedule": "dynamic"}, ValueError, "tile is -1: at least 1 sample"),
    wrong("axpy", {"tile": 1.5, "schedule": "dynamic"}, TypeError, "tile is 1.5: an integer is due"),
    wrong("axpy", {"schedule": "guided"}, ValueError, "schedule is 'guided': static or dynamic is accepted"),
    wrong("axpy", {"schedule": None}, TypeError, "schedule", "static"),
    wrong("axpy", {"npartitions": 0}, ValueError, "'axpy'", "npartitions is 0: 1 to"),
    wrong("axpy", {"npartitions": -3}, ValueError, "'axpy'", "npartitions is -3: 1 to"),
    wrong("axpy", {"npartitions": 1.5}, TypeError, "npartitions is 1.5: an integer is due"),
    wrong("axpy", {"npartitions": BIG}, ValueError, "npartitions"),
    wrong("axpy", {"n_samples": -1}, ValueError, "'axpy'", "n_samples is -1: at least 0"),
    wrong("axpy", {"n_samples": "5"}, TypeError, "n_samples is '5': an integer is due"),
    wrong("axpy", {CUTS: []}, ValueError, "'axpy'", "partitions is empty: give at least one, e.g. (0, n, n)"),
    wrong("axpy", {CUTS: [(0, 3, 5)]}, ValueError, "'axpy'", "cover [0, 3) and n_samples is 5: they must cover [0, 5)"),
    wrong("axpy", {CUTS: [(0, 3, 5), (2, 3, 5)]}, ValueError, "partition 1 is (2, 3, 5)", "the one before ends, at 3"),
    wrong("axpy", {CUTS: [(0, 3, 5), (4, 1, 5)]}, ValueError, "partition 1 is (4, 1, 5)", "the one before ends, at 3"),
    wrong("axpy", {CUTS: [(3, 2, 5), (0, 3, 5)]}, ValueError, "partition 0 is (3, 2, 5)", "at 0"),
    wrong("axpy", {CUTS: [(0, 6, 5)]}, ValueError, "partition 0 is (0, 6, 5): it reaches beyond n_samples 5"),
    wrong("axpy", {CUTS: [(0, 2, 5), (2, 3, 6)]}, ValueError, "partition 1 is (2, 3, 6)", "differs from partition 0's, 5"),
    wrong("axpy", {CUTS: [(0, -1, 5)]}, ValueError, "partition 0 is (0, -1, 5): count must be at least 0"),
    wrong("axpy", {CUTS: [(0, 5)]}, ValueError, "partitions hold (0, 5): triples (base, count, n_samples) are due"),
    wrong("axpy", {CUTS: [(0, "5", 5)]}, TypeError, "count of a partition is '5': an integer is due"),
    wrong("axpy", {CUTS: 5}, TypeError, "partitions"),
    wrong("axpy", {CUTS: [(0, BIG, BIG)]}, ValueError, "partition"),
    wrong("axpy", {CUTS: [(0, 5, 5)], "npartitions": 2}, ValueError, "both partitions and npartitions=2 are given: give one"),
    wrong("axpy", {CUTS: [(0, 5, 5)], "n_samples": 6}, ValueError, "n_samples is 6 and the partitions say 5"),
    wrong("axpy", {"layout": {"z": "sample"}}, ValueError, "'axpy'", "layout names 'z', which is no vector or matrix"),
    wrong("axpy", {"layout": {"x": "sample"}}, ValueError, "'axpy'", "layout names 'x', which is no vector or matrix"),
    wrong("drift3", {"layout": {"p": "samples"}}, ValueError, "layout is 'samples': component or sample is accepted"),
    wrong("drift3", {"layout": {"p": "\udc80"}}, ValueError, "layout is '\\udc80': component or sample is accepted"),
    wrong("drift3", {"layout": {"p": 3}}, TypeError, "layout", "component or sample"),
    wrong("drift3", {"layout": "sample"}, TypeError, "layout"),
    wrong("axpy", {"structure": "host_teem"}, ValueError, "'host_teem'", "host_team, device_kernel, rank_partition"),
    wrong("axpy", {"structure": None}, TypeError, "structure is None: eagle.exec.HostTeam", "or a name is accepted"),
    wrong("axpy", {"combine": False}, ValueError, "'axpy'", "only a mapreduce combines, and this body is sample_local"),
    wrong("axpy", {"precision": "compensated"}, ValueError, "'axpy'", "only a mapreduce combines"),
    wrong("dot", {"precision": "double"}, ValueError, "precision is 'double': working or compensated is accepted"),
    wrong("sum_index", {"precision": "compensated"}, ValueError, "'sum_index'", "not for sum of int64"),
    wrong("maximum", {"precision": "compensated"}, ValueError, "'maximum'", "not for max of float64"),
    wrong("dot", {"precision": "compensated", "combine": False}, ValueError, "'dot'", "combine=false folds nothing"),
    wrong("shift", {"exec_access": "sample_local"}, ValueError, "'shift'", "'cross_sample_read', and a plan may only restrict"),
    wrong("histogram", {"exec_access": "cross_sample_read"}, ValueError, "a plan may only restrict"),
    wrong("axpy", {"exec_access": "mapreduce"}, ValueError, "mapreduce stays mapreduce"),
    wrong("dot", {"exec_access": "sample_local"}, ValueError, "mapreduce stays mapreduce"),
    wrong("axpy", {"exec_access": "local"}, ValueError, "exec_access is 'local': sample_local, cross_sample_read"),
    wrong("axpy", {"exec_access": 3}, TypeError, "exec_access", "sample_local, cross_sample_read"),
    wrong("axpy", {"exec_op": "sum"}, ValueError, "only a mapreduce has an op, and this body is sample_local"),
    wrong("dot", {"exec_op": "max"}, ValueError, "exec_op='max' is refused: the artifact declares 'sum'"),
    wrong("dot", {"exec_op": "mean"}, ValueError, "exec_op is 'mean': sum, times, max or land is accepted"),
    wrong(
        "histogram", {"npartitions": 2}, ValueError, "2 partitions under host_team is refused", "single-device structures only"
    ),
    wrong("axpy", {"exec_access": "cross_sample_write", "npartitions": 2}, ValueError, "single-device structures only"),
    wrong("histogram", {"structure": "rank_partition"}, ValueError, "one partition under rank_partition is refused"),
    wrong("emit", {"structure": "rank_partition"}, ValueError, "'emit'"),
    wrong("axpy", {"inner": "host_team"}, ValueError, "only rank_partition has an inner structure, this plan's is host_team"),
    wrong("axpy", {"structure": "rank_partition", "inner": "device_group"}, ValueError, "inner is host_team or device_kernel"),
    wrong("axpy", {"structure": "device_kernel", "threads": 2}, ValueError, "threads=2 is refused", "device_kernel"),
    wrong("axpy", {"structure": "device_kernel", "schedule": "dynamic"}, ValueError, "schedule='dynamic' is refused"),
    wrong("axpy", {"structure": "device_kernel", "devices": [0]}, ValueError, "devices=[0] is refused", "device_group"),
    wrong("axpy", {"structure": "device_kernel", "device": -1}, ValueError, "device -1 is given: devices count from 0"),
    wrong("axpy", {"structure": "device_kernel", "block": 1025}, ValueError, "a block of 1025 threads", "1 to 1024"),
    wrong("axpy", {"structure": "device_kernel", "device": "0"}, TypeError, "device is '0': an integer is due"),
    wrong("axpy", {"structure": "device_kernel", "stream": "s"}, TypeError, "stream is a str", "__cuda_stream__"),
]
OWNERS = {"rank_partition": {"gather": False, "comm": 1, "check_replicated": True}}
OWNERS["device_kernel"] = {"device": 0}
OWNERS["device_group"] = {"devices": [0]}
OWNERS["device_kernel and device_group"] = {"stream": 1, "block": 64, "staging": True}
PLANS += [
    wrong("axpy", {key: value}, ValueError, f"'axpy': {key}={value!r} is refused: it is an option of {owner}", "host_team")
    for owner, options in OWNERS.items()
    for key, value in options.items()
]
WORDS = ("structure", "inner", "exec_access", "exec_op", "schedule", "precision")
PLANS += [  # half of a surrogate pair is no text elsewhere, and an array equals nothing
    wrong("drift3", {key: value}, error, f"{key} is {value!r}: ", "is accepted")
    for key in WORDS
    for value, error in [("\udc80", ValueError), (X, TypeError)]
]
INTEGERS = [("threads", {}), ("tile", {"schedule": "dynamic"}), ("npartitions", {}), ("n_samples", {})]
INTEGERS += [("device", {"structure": "device_kernel"}), ("block", {"structure": "device_kernel"})]
PLANS += [
    wrong("axpy", others | {key: value}, TypeError, f"{key} is {value}: an integer is due")
    for key, others in INTEGERS
    for value in (True, False)
]
PLANS += [wrong("axpy", {CUTS: [(False, 5, 5)]}, TypeError, "base of a partition is False: an integer is due")]


@pytest.mark.parametrize("name, options, error, words", PLANS)
def test_a_refused_plan_says_what(bundles, name, options, error, words):
    plugin = eagle.load(bundles / name)
    with pytest.raises(error) as caught:
        plan(plugin, **options)
    assert isinstance(caught.value, eagle.Error) or "structure is None" in words[0]
    for word in words:
        assert word in str(caught.value)


def test_options_that_plan_does_not_have(bundles):
    plugin = eagle.load(bundles / "axpy")
    for options, words in [
        ({}, "missing 1 required keyword-only argument: 'structure'"),
        ({"structure": "host_team", "thread": 2}, "unexpected keyword argument 'thread'"),
        ({"structure": "host_team", "structur": 2}, "unexpected keyword argument 'structur'"),
    ]:
        with pytest.raises(TypeError, match=words):
            plan(plugin, **options)
    with pytest.raises(TypeError, match="positional argument"):
        plan(plugin, "host_team")
    with pytest.raises(TypeError, match="positional argument"):
        plan(plugin, structure="host_team").run(X)


@pytest.mark.parametrize("given", [None, 5, "axpy", Path("axpy"), np.ones(3), [1]], ids=str)
def test_what_is_no_plugin(given):
    with pytest.raises(TypeError, match="a plugin of eagle.load.., a bundle of one, or an object with arg_spec"):
        plan(given, structure="host_team")


def test_a_bundle_of_several_or_none(bundles):
    axpy, dot = eagle.load(bundles / "axpy")["axpy"], eagle.load(bundles / "dot")["dot"]
    with pytest.raises(ValueError, match="a bundle of 2 plugins is given: choose one of 'axpy', 'dot'"):
        plan({"axpy": axpy, "dot": dot}, structure="host_team")
    with pytest.raises(ValueError, match="a bundle of 0 plugins is given"):
        plan({}, structure="host_team")


# Bundles.


def test_bundles_that_are_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere: No such file") as caught:
        eagle.load(tmp_path / "nowhere")
    assert isinstance(caught.value, eagle.Error) and caught.value.code == "not_found"
    with pytest.raises(FileNotFoundError, match="manifest.json: No such file"):
        eagle.load(tmp_path)


@pytest.mark.parametrize(
    "text, words",
    [
        ("", "manifest.json"),
        ("{", "line 1, column 2"),
        ("{}", "schema_version is missing: an integer is needed"),
        ("[]", "manifest.json"),
        ("\0", "NUL"),
        ('{"schema_version": 9}', "schema_version"),
    ],
)
def test_manifests_that_are_broken(tmp_path, text, words):
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(ValueError, match=f"(?s)bundle {re.escape(str(tmp_path))} is refused:.*{words}") as caught:
        eagle.load(tmp_path)
    assert isinstance(caught.value, eagle.Error) and caught.value.code == "bundle"
    assert eagle.check(tmp_path)


@pytest.mark.parametrize("path", [None, 5, ["axpy"]], ids=str)
def test_what_is_no_path(path):
    with pytest.raises(TypeError) as caught:
        eagle.load(path)
    assert "incompatible function arguments" not in str(caught.value)


def test_rebind_refuses_like_bind(host):
    y = full(N)
    bound = host("axpy").bind(y=y, **AXPY)
    for given, error, words in [
        ({"xx": X}, ValueError, "argument 'xx' is unknown (is 'x' meant?)"),
        ({"x": X[1:]}, ValueError, f"argument 'x' has {N - 1} samples, and the run has {N}"),
        ({"x": X * 1j}, TypeError, "argument 'x' is complex128"),
        ({"x": y}, ValueError, "overlaps argument"),
        ({"a": "2"}, TypeError, "argument 'a' is a str"),
    ]:
        with pytest.raises(error, match=re.escape(words)):
            bound.rebind(**given)
    assert (y == 77).all()
    bound.launch()
    np.testing.assert_array_equal(y, 2 * X + 1)
