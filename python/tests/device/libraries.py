# SPDX-License-Identifier: Apache-2.0
"""PyTorch and CuPy themselves, where they have a device."""

import eagle
import numpy as np

from . import case, on_device, on_host, refused
from .arrays import RNG, N, same


def imported(name):
    """The module, or None where it is not there or has no CUDA."""
    try:
        module = __import__(name)
        return module if name != "torch" or module.cuda.is_available() else None
    except ImportError:
        return None


@case(on="machine")
def tensors_of_pytorch():
    torch = imported("torch")
    if torch is None:
        return
    x = RNG.standard_normal(N)
    given, y = torch.from_numpy(x).cuda(), torch.zeros(N, dtype=torch.float64, device="cuda")
    assert on_device("axpy").run(x=given, y=y, a=2.0, b=1.0) is y
    same(y.cpu().numpy(), 2.0 * x + 1.0)
    made = on_device("axpy").run(x=given, a=2.0, b=1.0)
    for taken in (torch.from_dlpack(made), torch.as_tensor(made, device="cuda")):
        assert taken.data_ptr() == made.__cuda_array_interface__["data"][0]
        same(taken.cpu().numpy(), 2.0 * x + 1.0)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        torch.cuda._sleep(50_000_000)
        given.mul_(2.0)
        y = on_device("axpy", stream=side).run(x=given, a=2.0, b=1.0)
        same(torch.from_dlpack(y).cpu().numpy(), 4.0 * x + 1.0)
    refused(TypeError, "give x.detach()", on_device("axpy").run, x=given.requires_grad_(), a=1.0, b=0.0)
    refused(TypeError, "lies on cuda:0, and this plan runs on the host", on_host("axpy").run, x=given.detach(), a=1.0, b=0.0)
    total = on_device("dot", staging=True).run(x=torch.from_numpy(x).pin_memory(), y=torch.from_numpy(x).cuda())
    assert type(total) is np.float64 and total.hex() == on_host("dot").run(x=x, y=x).hex()


@case(on="machine")
def arrays_of_cupy():
    cupy = imported("cupy")
    if cupy is None:
        return
    x = RNG.standard_normal(N)
    given, y = cupy.asarray(x), cupy.zeros(N)
    assert on_device("axpy").run(x=given, y=y, a=2.0, b=1.0) is y
    same(cupy.asnumpy(y), 2.0 * x + 1.0)
    made = on_device("axpy").run(x=given, a=2.0, b=1.0)
    assert type(made) is eagle.DeviceArray
    for taken in (cupy.asarray(made), cupy.from_dlpack(made)):
        assert taken.data.ptr == made.__cuda_array_interface__["data"][0]
        same(cupy.asnumpy(taken), 2.0 * x + 1.0)
    with cupy.cuda.Stream(non_blocking=True) as stream:
        given *= 2.0
        same(on_device("axpy").run(x=given, a=2.0, b=1.0).copy_to_host(), 4.0 * x + 1.0)
        same(on_device("axpy", stream=stream).run(x=given, a=2.0, b=1.0).copy_to_host(), 4.0 * x + 1.0)
