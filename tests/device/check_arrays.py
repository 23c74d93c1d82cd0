# SPDX-License-Identifier: Apache-2.0
"""check_arrays.py BUNDLES: DeviceKernel on CuPy's arrays and PyTorch's, against NumPy, and run() against their own ways.

check_arrays.py --reason prints why that cannot be done here, or nothing; it does not import eagle."""

import importlib
import sys
import time
from pathlib import Path
from statistics import median

import numpy as np

N, A, B = 70001, 2.5, -1.5


def cuda_module(name):
    """CuPy or PyTorch, where it has a CUDA device; else None."""
    try:
        module = importlib.import_module(name)
        has_device = module.cuda.runtime.getDeviceCount() > 0 if name == "cupy" else module.cuda.is_available()
    except Exception:  # not installed, or its CUDA is not this machine's
        return None
    return module if has_device else None


def libraries():
    return {name: module for name in ("cupy", "torch") if (module := cuda_module(name)) is not None}


class Library:
    """What the checks need of either: arrays there and back, a stream that is waited for, y = a x + b of its own."""

    def __init__(self, name, module):
        self.name, self.module = name, module
        if name == "cupy":
            self.to, self.back, self.wait = module.asarray, module.asnumpy, module.cuda.Device().synchronize
            self.own, self.own_name = self.raw_kernel(), "RawKernel"
        else:
            self.to, self.back = lambda x: module.from_numpy(x).cuda(), lambda x: module.as_tensor(x).cpu().numpy()
            self.wait, self.own_name = module.cuda.synchronize, "torch.add"
            self.own = lambda x, y: module.add(B, x, alpha=A, out=y)

    def raw_kernel(self):
        source = """extern "C" __global__ void axpy(double* y, const double* x, double a, double b, long long n) {
          const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
          if (i < n) y[i] = a * x[i] + b;
        }"""
        kernel, double, count = self.module.RawKernel(source, "axpy"), np.float64, np.int64
        return lambda x, y: kernel(((x.size + 255) // 256,), (256,), (y, x, double(A), double(B), count(x.size)))


def checks(library, bundles):
    """(name, function) of each check; a function raises where it has failed."""
    import eagle
    from eagle.plan import plan

    def planned(name, **options):
        return plan(eagle.load(bundles / name), structure=eagle.exec.DeviceKernel, npartitions=3, **options)

    x = np.linspace(-1, 1, N)
    whole = np.arange(N, dtype=np.float64) % 1000  # sums of these are exact

    def given():
        y = library.to(np.zeros(N))
        planned("axpy").run(x=library.to(x), y=y, a=A, b=B)
        np.testing.assert_array_equal(library.back(y), A * x + B)

    def made():
        y = planned("axpy").run(x=library.to(x), a=A, b=B)
        taken = library.module.from_dlpack(y)
        np.testing.assert_array_equal(library.back(taken), A * x + B)

    def folded():
        value = planned("dot").run(x=library.to(whole), y=library.to(whole))
        assert value == (whole.astype(int) ** 2).sum(), value

    def staged():
        np.testing.assert_array_equal(planned("axpy", staging=True).run(x=x, a=A, b=B), A * x + B)

    yield "an array that is given", given
    yield "an array that eagle makes, taken by from_dlpack", made
    yield "a mapreduce", folded
    yield "NumPy arrays, staged", staged


def seconds(call, turns=41, batch=20):
    """The median of turns, of one call."""
    times = []
    for _ in range(turns):
        start = time.perf_counter()
        for _ in range(batch):
            call()
        times.append((time.perf_counter() - start) / batch)
    return median(times)


def figures(library, bundles):
    """Microseconds a call, the work waited for: run() of arrays that are given, against the library's own way."""
    import eagle
    from eagle.plan import plan

    ready = plan(eagle.load(bundles / "axpy"), structure=eagle.exec.DeviceKernel)
    for n in (64, 10**7):
        x, y = library.to(np.ones(n)), library.to(np.zeros(n))

        def own(x=x, y=y):
            library.own(x, y)
            library.wait()

        def run(x=x, y=y):
            ready.run(x=x, y=y, a=A, b=B)

        run(), own()
        ours, theirs = seconds(run) * 1e6, seconds(own) * 1e6
        print(
            f"{'ok':8} {f'run() on {library.name}, {n} samples':38} {library.own_name:28} {ours:7.1f} us {theirs:7.1f} us "
            f"{theirs / ours:8.3f} -"
        )


def main():
    found = libraries()
    if sys.argv[1:] == ["--reason"]:
        print("" if found else "neither CuPy nor PyTorch is installed with a CUDA that works here")
        return 0
    failed = False
    for name, module in found.items():
        library = Library(name, module)
        for check, function in checks(library, Path(sys.argv[1])):
            try:
                function()
                print(f"{'ok':8} {name}: {check}", flush=True)
            except Exception as error:
                failed = True
                print(f"{'FAILED':8} {name}: {check}: {type(error).__name__}: {error}", flush=True)
        if not failed:
            figures(library, Path(sys.argv[1]))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
