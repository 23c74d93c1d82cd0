# SPDX-License-Identifier: Apache-2.0
"""Streams: the stand-in does what is queued only when something waits for it, so that what is not ordered is not done in time."""

import gc
import threading
import time
from types import SimpleNamespace

import eagle
import numpy as np
from eagle.exec import DeviceKernel
from eagle.plan import plan

from . import case, cuda, on_device, on_host, refused
from .arrays import RNG, N, same
from .lenders import Both, Cai, Dl, Taken


def queued(lender, values, on):
    """An array whose values are on their way on a stream."""
    made = lender(values, stream=on.handle)
    made.on = on
    return made


@case()
def producers_come_first():
    x, axpy = RNG.standard_normal(N), on_device("axpy")
    axpy.run(x=Cai(x), a=1.0, b=0.0)  # loads the kernel
    for lender in (Cai, Dl, Both):
        on = cuda.Stream()
        given = queued(lender, x, on)
        cuda.mark(1)
        bound = axpy.bind(x=given, a=2.5, b=-1.5)
        cuda.mark(2)
        bound.launch()
        same(bound.result().copy_to_host(), 2.5 * x - 1.5)
        same(axpy.run(x=queued(lender, x, on), a=2.5, b=-1.5).copy_to_host(), 2.5 * x - 1.5)
        del bound  # waits for its launches


@case()
def a_producer_that_asks_for_no_order_has_none():
    """That the case above can fail."""
    x = queued(Cai, np.ones(N), cuda.Stream())
    x.changes = {"stream": None}
    y = on_device("axpy").run(x=x, a=0.0, b=1.0)
    x.on.wait()
    if cuda.is_lazy():
        assert not (y.copy_to_host() == 1.0).any()


@case()
def the_host_waits_for_producers_of_what_it_reads_itself():
    values = RNG.standard_normal(N)
    for lender in (Cai, Dl):
        for kind in ("managed", "pinned")[: 2 if lender is Cai else 1]:  # by DLPack pinned memory has no stream
            on = cuda.Stream()
            x = lender(np.zeros(N), kind=kind, stream=on.handle)
            source = Cai(values, stream=on.handle)
            cuda.copy_to_host(x.memory.address, source.memory.address, values.nbytes, on.handle)
            same(on_host("axpy").run(x=x, a=2.0, b=1.0), 2.0 * values + 1.0)


@case(fail="cuEventRecord:1:400")
def a_stream_that_cuda_does_not_take_is_named():
    words = "argument 'x' waits for the stream 0x1, and cuEventRecord failed on cuda:0"
    refused(ValueError, words, on_device("axpy").run, x=Cai(np.ones(N)), a=1.0, b=0.0)


@case()
def an_output_is_written_after_what_its_owner_has_queued():
    stream = cuda.Stream()
    y = queued(Cai, np.full(N, 7.0), stream)
    on_device("axpy").run(x=Cai(np.ones(N)), y=y, a=2.0, b=1.0)
    same(y.values(), np.full(N, 3.0))


class Protocol:
    def __init__(self, handle, version=0):
        self.said = (version, handle)

    def __cuda_stream__(self):
        return self.said


def ways_to_give(handle):
    later = SimpleNamespace(__cuda_stream__=(0, handle))
    return [
        handle,
        np.uint64(handle),
        Protocol(handle),
        later,
        SimpleNamespace(ptr=handle),
        SimpleNamespace(cuda_stream=handle),
    ]


@case()
def a_plan_has_a_stream_of_the_callers():
    x, stream = RNG.standard_normal(N), cuda.Stream()
    for given in ways_to_give(stream.handle):
        lent = Dl(x)
        y = on_device("axpy", stream=given).run(x=lent, a=2.0, b=1.0)
        assert lent.asked == [stream.handle] and y.__cuda_array_interface__["stream"] == stream.handle
        same(y.copy_to_host(), 2.0 * x + 1.0)
        del y
    for handle, number in ((0, 1), (1, 1), (2, 2)):
        lent = Dl(x)
        y = on_device("axpy", stream=handle).run(x=lent, a=2.0, b=1.0)
        assert lent.asked == [number] and y.__cuda_array_interface__["stream"] == number
        same(y.copy_to_host(), 2.0 * x + 1.0)


@case()
def a_launch_has_a_stream_of_the_callers():
    x, plans, stream = RNG.standard_normal(N), on_device("axpy"), cuda.Stream()
    bound = plans.bind(x=queued(Cai, x, cuda.Stream()), a=2.0, b=1.0)
    for given in ways_to_give(stream.handle):
        bound.launch(stream=given)
        assert bound.outputs["y"].__cuda_array_interface__["stream"] == stream.handle
        same(bound.result().copy_to_host(), 2.0 * x + 1.0)
    bound.launch()
    assert bound.outputs["y"].__cuda_array_interface__["stream"] != stream.handle
    bound.launch(0)
    assert bound.outputs["y"].__cuda_array_interface__["stream"] == 1
    bound.result()


@case()
def what_is_no_stream():
    for given, error, words in [
        ("7", TypeError, "stream is a str: the handle of a CUDA stream is due"),
        (True, TypeError, "stream is a bool"),
        (object(), TypeError, "stream is a object"),
        (1.5, TypeError, "stream is a float"),
        (-1, ValueError, "stream is -1: the handle of a CUDA stream is at least 0"),
        (2**64, ValueError, "65 bits"),
        (SimpleNamespace(ptr=None), TypeError, "stream is a SimpleNamespace"),
        (Protocol(5, version=1), TypeError, "(0, handle) is due"),
        (SimpleNamespace(__cuda_stream__=5), TypeError, "(0, handle) is due"),
    ]:
        assert isinstance(refused(error, words, on_device, "axpy", stream=given), eagle.Error)
        bound = on_device("axpy").bind(x=Cai(np.ones(N)), a=1.0, b=0.0)
        assert "plugin 'axpy': " in str(refused(error, words, bound.launch, given))
    refused(ValueError, "a stream is given, and host_team has none", on_host("axpy").bind(x=np.ones(2), a=1, b=0).launch, "7")


@case()
def consumers_come_after():
    x, stream, own = RNG.standard_normal(N), cuda.Stream(), cuda.Stream()
    for plans in (on_device("axpy"), on_device("axpy", stream=own)):
        bound = plans.bind(x=Cai(x), a=2.5, b=-1.5)
        for launched_on in (None, cuda.Stream()):
            bound.launch(launched_on)
            taken = Taken(bound.outputs["y"].__dlpack__(stream=stream.handle, max_version=(1, 0)))
            same(cuda.download(taken.address, "f8", N, stream.handle), 2.5 * x - 1.5)
            taken.give_back()
            bound.rebind(b=-2.5).launch(launched_on)
            interface = bound.outputs["y"].__cuda_array_interface__
            cuda.order(interface["stream"], stream.handle)
            same(cuda.download(interface["data"][0], "f8", N, stream.handle), 2.5 * x - 2.5)
            bound.rebind(b=-3.5).launch(launched_on)
            same(bound.outputs["y"].copy_to_host(), 2.5 * x - 3.5)
            bound.rebind(b=-1.5)


@case()
def a_consumer_that_asks_for_no_order_has_none():
    stream = cuda.Stream()
    bound = on_device("axpy", stream=cuda.Stream()).bind(x=Cai(np.ones(N)), a=2.0, b=0.0)
    bound.launch()
    same(bound.result().copy_to_host(), np.full(N, 2.0))
    bound.rebind(b=1.0).launch()
    taken = Taken(bound.outputs["y"].__dlpack__(stream=-1, max_version=(1, 0)))
    if cuda.is_lazy():
        same(cuda.download(taken.address, "f8", N, stream.handle), np.full(N, 2.0))
    same(bound.result().copy_to_host(), np.full(N, 3.0))
    taken.give_back()


@case()
def a_copy_that_is_asked_for_is_of_what_was_launched():
    bound = on_device("axpy").bind(x=Cai(np.ones(N)), a=2.0, b=1.0)
    bound.launch(cuda.Stream())
    copy = Taken(bound.outputs["y"].__dlpack__(copy=True, max_version=(1, 0)))
    same(cuda.download(copy.address, "f8", N), np.full(N, 3.0))
    copy.give_back()
    bound.result()


@case()
def launches_come_one_after_the_other_on_any_streams():
    first, second = cuda.Stream(), cuda.Stream()
    bound = on_device("axpy").bind(x=Cai(np.ones(N), kind="pool"), a=2.0, b=1.0)
    own = bound.outputs["y"].__cuda_array_interface__["stream"]
    bound.launch(first)
    bound.launch(second)
    bound.result()
    del bound
    gc.collect()
    for stream in (cuda.LEGACY, own):  # what frees the arrays
        cuda.wait(stream)
    first.wait()


@case()
def rebinding_waits_for_what_uses_the_old_array():
    bound = on_device("axpy").bind(x=Cai(np.ones(N), kind="pool"), a=2.0, b=1.0)
    bound.launch(cuda.Stream())
    bound.rebind(x=Cai(np.full(N, 2.0), kind="pool"))
    gc.collect()
    cuda.wait(cuda.LEGACY)  # the old array's freeing
    same(bound.outputs["y"].copy_to_host(), np.full(N, 3.0))
    bound.launch()
    same(bound.result().copy_to_host(), np.full(N, 5.0))


SLOW = b""".version 8.0
.target sm_75
.address_size 64
.visible .entry slow(.param .align 8 .b8 y[32], .param .u64 us, .param .u64 b, .param .u64 c, .param .u64 n) { ret; }
"""


@case(on="stand-in")
def results_are_waited_for_without_the_gil():
    _, function = cuda.load_function(SLOW, "slow")
    body = SimpleNamespace(
        kernel="slow",
        exec_access="sample_local",
        device_function=function,
        arg_spec=[("mutable", "y"), ("uniform", "microseconds")],
        arg_dtypes={"y": "int64", "microseconds": "int64"},
    )
    slow = plan(body, structure=DeviceKernel, n_samples=100, block=100)
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    bound = slow.bind(microseconds=5000)
    bound.launch()
    for wait in (bound.result, lambda: slow.run(microseconds=5000)):
        before = counted[0]
        begin = time.monotonic()
        wait()
        assert time.monotonic() - begin > 0.4 and counted[0] - before > 50
    stop.set()
    thread.join()
