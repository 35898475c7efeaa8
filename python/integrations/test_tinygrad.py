# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tinygrad on Halyard against tinygrad's own CPU: the same programs, the same answers."""

import os
import shutil

import numpy
import pytest

os.environ["CACHELEVEL"] = "0"  # tinygrad's cache of compiled kernels lies in the home folder
pytest.importorskip("tinygrad", reason="tinygrad is not installed")
if not any(shutil.which(name) for name in ("clang", "clang-19", "clang-18", "clang-16", "clang-14")):
    pytest.skip("tinygrad's kernels need clang", allow_module_level=True)

import halyard.integrations.tinygrad  # noqa: F401
from tinygrad import Tensor, TinyJit, Variable, dtypes, nn

DEVICE = "HALYARD"
random = numpy.random.default_rng(7)


def f32(*shape):
    return random.standard_normal(shape).astype("float32")


A, B, C = f32(17, 24), f32(24, 9), f32(2, 3, 12, 12)
INTEGERS = random.integers(-100, 100, (6, 7)).astype("int32")

CASES = {
    "add": (lambda a: a + 1.5, lambda a: a + 1.5, [A]),
    "matmul": (lambda a, b: a @ b, lambda a, b: a @ b, [A, B]),
    "sum": (lambda a: a.sum(), lambda a: a.sum(), [A]),
    "max": (lambda a: a.max(axis=1), lambda a: a.max(axis=1), [A]),
    "softmax": (lambda a: a.softmax(), lambda a: numpy.exp(a) / numpy.exp(a).sum(-1, keepdims=True), [A]),
    "transpose": (lambda a: a.T.contiguous(), lambda a: a.T, [A]),
    "flip": (lambda a: a.flip(0), lambda a: a[::-1], [A]),
    "pad": (lambda a: a.pad(((1, 2), (0, 3))), lambda a: numpy.pad(a, ((1, 2), (0, 3))), [A]),
    "exp": (lambda a: a.exp(), numpy.exp, [A]),
    "sin": (lambda a: a.sin(), numpy.sin, [A]),
    "sqrt": (lambda a: a.abs().sqrt(), lambda a: numpy.sqrt(abs(a)), [A]),
    "compare": (lambda a: a > 0, lambda a: a > 0, [A]),
    "where": (lambda a: (a > 0).where(a, -a), abs, [A]),
    "integers": (lambda a: (a * 3 - 7) ^ 5, lambda a: (a * 3 - 7) ^ 5, [INTEGERS]),
    "shift": (lambda a: (a.abs() << 2) % 11, lambda a: (abs(a) << 2) % 11, [INTEGERS]),
    "cumsum": (lambda a: a.cumsum(1), lambda a: a.cumsum(1), [A]),
    "argmax": (lambda a: a.argmax(1), lambda a: a.argmax(1), [A]),
    "half": (lambda a: a.cast(dtypes.half) * 2, lambda a: a.astype("float16") * 2, [A]),
    "gather": (lambda a: a[[3, 1, 1]], lambda a: a[[3, 1, 1]], [A]),
    "concatenate": (lambda a: a.cat(a, dim=1), lambda a: numpy.concatenate([a, a], 1), [A]),
    "mean": (lambda a: a.mean(axis=(2, 3)), lambda a: a.mean(axis=(2, 3)), [C]),
    "pool": (lambda a: a.avg_pool2d(2), lambda a: a.reshape(2, 3, 6, 2, 6, 2).mean(axis=(3, 5)), [C]),
}


@pytest.mark.parametrize("name", CASES)
def test_operators(name):
    ours, reference, arrays = CASES[name]
    result = ours(*(Tensor(array, device=DEVICE) for array in arrays)).numpy()
    numpy.testing.assert_allclose(result, reference(*arrays), rtol=2e-3 if name == "half" else 1e-4, atol=1e-5)


def test_convolution_as_on_tinygrads_cpu():
    weights = f32(5, 3, 3, 3)
    results = [Tensor(C, device=d).conv2d(Tensor(weights, device=d), padding=1).relu().numpy() for d in (DEVICE, "CPU")]
    numpy.testing.assert_allclose(*results, rtol=1e-4, atol=1e-5)


def test_gradients():
    def gradient(device):
        a, b = (Tensor(array, device=device) for array in (A, B))
        loss = (a @ b).tanh().sum()
        return loss.gradient(a)[0].numpy()

    numpy.testing.assert_allclose(gradient(DEVICE), gradient("CPU"), rtol=1e-4, atol=1e-5)


def test_a_jit_replays_one_recording():
    @TinyJit
    def step(x):
        y = (x * 2).contiguous().realize()
        z = (y + 1).contiguous().realize()
        return (z - x).contiguous().realize()

    for i in range(6):
        array = f32(33)
        numpy.testing.assert_allclose(step(Tensor(array, device=DEVICE).realize()).numpy(), array + 1, rtol=1e-5, atol=1e-5)
    assert halyard._native._live_objects()["commands"] == 1


def test_a_jit_with_a_symbolic_number():
    @TinyJit
    def total(x):
        return x.sum().realize()

    for length in range(1, 7):
        n = Variable("n", 1, 10).bind(length)
        x = Tensor.ones(10, device=DEVICE).contiguous().realize()
        assert total(x[:n]).item() == length


def test_a_jit_with_a_symbolic_number_among_many_kernels():
    @TinyJit
    def work(x, n):
        y = (x + n).contiguous().realize()
        return ((y * 2).contiguous().realize() - n).contiguous().realize()

    x = Tensor.ones(5, device=DEVICE).contiguous().realize()
    for value in range(1, 7):
        assert work(x, Variable("n", 1, 10).bind(value)).tolist() == [2 + value] * 5


def test_several_devices_of_one_name():
    x = Tensor(A, device=DEVICE).to(DEVICE + ":1")
    y = (x * 2).to(DEVICE).numpy()
    numpy.testing.assert_array_equal(y, A * 2)
    shards = Tensor(A[:16], device=DEVICE).shard((DEVICE, DEVICE + ":1"), axis=0)
    numpy.testing.assert_allclose((shards + 1).sum().item(), (A[:16] + 1).sum(), rtol=1e-4)


def test_a_small_network_learns():
    Tensor.manual_seed(3)
    x = Tensor(f32(64, 8), device=DEVICE)
    y = (x.sum(axis=1, keepdim=True) > 0).float().realize()
    weights = Tensor(f32(8, 1) * 0.1, device=DEVICE).realize()
    losses = []
    for _ in range(25):
        loss = ((x @ weights).sigmoid() - y).square().mean()
        gradient = loss.gradient(weights)[0]
        weights = (weights - gradient * 2).contiguous().realize()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 2


def test_device_memory_of_the_tensor_is_numpys():
    x = Tensor(A, device=DEVICE).contiguous().realize()
    buffer = x.uop.base.buffer._buf
    assert isinstance(buffer, halyard.Buffer)
    numpy.testing.assert_array_equal(buffer.view("float32", A.shape).numpy(), A)
