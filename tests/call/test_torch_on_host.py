"""torch's tensors of the host, and bfloat16: in and out as they are, computed as on a GPU."""

from __future__ import annotations

import subprocess
import sys

import numpy
import pytest

import tilewright

pytestmark = pytest.mark.slow  # torch alone takes seconds to import, and only `make test-all` installs it


@pytest.fixture(scope="module")
def torch():
    """The real library, for the CPU."""
    return pytest.importorskip("torch", reason="torch is not installed: make test-all brings it")


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int64", "complex64"])
def test_a_tensor_in_is_a_tensor_out(torch, dtype):
    """Of the same type, with any strides, and right."""
    a = torch.randint(-4, 5, (3, 7, 5)).to(getattr(torch, dtype)).transpose(1, 2)
    b = torch.randint(-4, 5, (7, 12)).to(getattr(torch, dtype))[:, ::2]

    c = tilewright.matmul(a, b)

    assert (type(c), c.dtype, c.device) == (torch.Tensor, a.dtype, a.device)
    assert torch.equal(c.to(torch.complex128), a.to(torch.complex128) @ b.to(torch.complex128))


def test_bfloat16_is_rounded_once(torch):
    """Sums that bfloat16 cannot hold on the way; torch's own conversion is the only rounding."""
    a, b = torch.randn(64, 300).bfloat16(), torch.randn(300, 32).bfloat16()
    bias = torch.randn(32).bfloat16()

    result = tilewright.matmul(a, b, alpha=0.5, bias=bias, activation="gelu")

    exact = torch.nn.functional.gelu(0.5 * (a.double() @ b.double()) + bias.double())
    assert result.dtype == torch.bfloat16
    torch.testing.assert_close(result.double(), exact, rtol=2**-8, atol=1e-6)
    unrounded = tilewright.matmul(a, b, out_dtype=torch.float32)
    torch.testing.assert_close(unrounded.double(), a.double() @ b.double(), rtol=1e-4, atol=1e-4)
    once, plain = (a.double() @ b.double()).bfloat16(), tilewright.matmul(a, b)
    assert (plain != once).double().mean() < 0.01  # where float32's sum lies beside a tie
    torch.testing.assert_close(plain, once, rtol=2**-7, atol=1e-3)


@pytest.mark.parametrize("activation", ["relu", "gelu", "silu"])
def test_activations_are_torchs(torch, activation):
    """Gelu is the one that torch has by default."""
    a, b = torch.randn(20, 30, dtype=torch.float64), torch.randn(30, 10, dtype=torch.float64)

    result = tilewright.matmul(a, b, activation=activation)

    torch.testing.assert_close(result, getattr(torch.nn.functional, activation)(a @ b))


def test_out_is_written_and_returned(torch):
    """Whatever its strides, and also where it is an input: torch's own matmul is silently wrong there."""
    s = torch.randn(8, 8)
    expected = s @ s
    out = torch.zeros(8, 16)[:, ::2]

    assert tilewright.matmul(s, s, out=out) is out
    torch.testing.assert_close(out, expected)
    assert tilewright.matmul(s, s, out=s) is s
    torch.testing.assert_close(s, expected)


@pytest.mark.parametrize("name", ["matmul", "reduced_matmul", "dot", "vecdot"])
def test_out_that_is_expanded(torch, name):
    """Refused before anything runs, where torch refuses to write the first of these, and writes the second."""
    a = torch.randn(4, 4)
    shape = {"reduced_matmul": (2, 2), "vecdot": (4,)}.get(name, (4, 4))
    for out in (torch.zeros((1,) * len(shape)).expand(shape), torch.zeros(9).as_strided(shape, (0,) * len(shape))):
        with pytest.raises(tilewright.ShapeError, match="some of its elements share a place"):
            getattr(tilewright, name)(a, a, out=out)


def test_vectors_and_empty_tensors(torch):
    """As torch.matmul shapes them."""
    v, m = torch.randn(5), torch.randn(5, 3)

    torch.testing.assert_close(tilewright.matmul(v, v), v @ v)
    torch.testing.assert_close(tilewright.matmul(v, m), v @ m)
    assert tilewright.matmul(torch.zeros(2, 0), torch.zeros(0, 3)).tolist() == [[0.0] * 3] * 2
    assert tilewright.matmul(torch.zeros(0, 5), m).shape == (0, 3)


def test_what_is_refused(torch):
    """One kind in one place and of one type; nothing sparse, no out beside gradients; out exactly as it is."""
    a = torch.ones(4, 4)
    refused = [
        ({"b": numpy.ones((4, 4), "f4")}, "A is a torch tensor on cpu and B is a numpy ndarray"),
        ({"b": a.to_sparse()}, "sparse"),
        ({"b": a.clone().requires_grad_(), "out": a.clone()}, "records no gradients"),
        ({"b": a, "out": torch.ones(4, 4).double()}, "out is .* float64, and float32"),
        ({"b": a, "out_dtype": torch.bfloat16}, "out_dtype is bfloat16, and float32 is accepted"),
        ({"b": torch.ones(4, 4, device="meta")}, "B is a torch tensor on meta"),
    ]
    for options, sentence in refused:
        with pytest.raises(tilewright.DtypeError, match=sentence):
            tilewright.matmul(a, **options)
    with pytest.raises(tilewright.ShapeError, match=r"out is \(4, 5\)"):
        tilewright.matmul(a, a, out=torch.ones(4, 5))
    with pytest.raises(tilewright.ShapeError, match="inner sizes 4 and 5"):
        tilewright.matmul(a, torch.ones(5, 4))
    with torch.no_grad():
        assert tilewright.matmul(a, a.clone().requires_grad_()).sum() == 64


def test_named_kernels_and_plans(torch):
    """The emulator's kernels read tensors of the host, too, and explain plans for them."""
    a = torch.ones(4, 4, dtype=torch.float64)

    assert tilewright.matmul(a, a, kernel="sequential").tolist() == (a @ a).tolist()
    assert tilewright.explain(a, a).machine == "host"
    for operation in ("matmul", "reduced_matmul", "dot"):
        weight = torch.nn.Parameter(torch.zeros(4, 4, dtype=torch.bfloat16))
        assert tilewright.explain(weight, weight, operation=operation).machine == "host"
    with pytest.raises(tilewright.DtypeError, match="takes float32 and float64"):
        tilewright.matmul(a.bfloat16(), a.bfloat16(), kernel="sequential")


def test_bfloat16_of_numpy():
    """ml_dtypes gives NumPy a bfloat16; what comes in comes out."""
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    a = numpy.random.default_rng().standard_normal((30, 40)).astype(bfloat16)

    c = tilewright.matmul(a, a.T, alpha=0.5)

    assert c.dtype == bfloat16
    exact = 0.5 * (a.astype(float) @ a.T.astype(float))
    numpy.testing.assert_allclose(c.astype(float), exact, rtol=2**-8, atol=1e-5)
    assert tilewright.matmul(a, a.T, out_dtype="float32").dtype == numpy.float32
    assert tilewright.matmul(a, a.T.astype("float32")).dtype == numpy.float32


def test_torch_is_imported_only_by_those_who_use_it():
    """NumPy's arrays are multiplied without it, 16 bits and epilogues, too."""
    code = (
        "import sys, numpy, tilewright; a = numpy.ones((2, 2), 'f2');"
        "tilewright.matmul(a, a, alpha=2, bias=a[0]); sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_subclasses_of_tensors(torch):
    """Each function gives what torch's gives: of the subclass, by its `__torch_function__`; of a Parameter none."""

    def asked(_cls, function, _types, _args=(), _kwargs=None):
        return f"asked for {function.__name__}"

    own = type("Own", (torch.Tensor,), {})
    refuses = type("Refuses", (torch.Tensor,), {"__torch_function__": classmethod(asked)})
    a = torch.randn(4, 4)
    for name in ("matmul", "reduced_matmul", "dot", "vecdot", "tensordot"):
        function = getattr(tilewright, name)
        assert type(function(a.as_subclass(own), a)) is own
        assert function(a, a.as_subclass(refuses)) == f"asked for {name}"
        assert type(function(torch.nn.Parameter(a, requires_grad=False), a)) is torch.Tensor
    assert type(tilewright.matmul(a, a, alpha=2, bias=a[0].as_subclass(own))) is own


def test_tensors_without_values(torch):
    """Of the meta device: shapes and types, as torch's functions have them; not together with others."""
    a, b = torch.empty(2, 4, 6, device="meta"), torch.empty(6, 8, device="meta", dtype=torch.float64)
    result = tilewright.matmul(a, b)
    assert (result.shape, result.dtype, result.device.type) == ((2, 4, 8), torch.float64, "meta")
    assert tilewright.reduced_matmul(a, b).shape == (2, 2, 4)
    assert tilewright.dot(a, b).shape == (2, 4, 8)
    assert tilewright.vecdot(a, a).shape == (2, 4)
    assert tilewright.tensordot(a, b, 1).shape == (2, 4, 8)
    with pytest.raises(tilewright.DtypeError, match="A is a torch tensor on meta and B is a torch tensor on cpu"):
        tilewright.matmul(a, torch.zeros(6, 8))
    with pytest.raises(tilewright.DtypeError, match="meta device, and a plan is for arrays on the host or on a GPU"):
        tilewright.plan(a, b)


def test_arrays_of_a_gpu_that_this_torch_cannot_read(torch, monkeypatch):
    """They are refused before they are asked for."""
    monkeypatch.delattr(torch._C, "_cuda_getCurrentRawStream", raising=False)
    monkeypatch.setattr(torch.backends.cuda, "is_built", lambda: False)

    class OnGpu:
        def __dlpack__(self, **_):
            pytest.fail("it was asked")

        def __dlpack_device__(self):
            return 2, 0

    for multiply in (tilewright.matmul, tilewright.reduced_matmul):
        with pytest.raises(tilewright.DtypeError, match="this torch is built without CUDA"):
            multiply(OnGpu(), OnGpu())


def test_a_number_scales_a_tensor(torch):
    """One of Python's, which changes no type, as in torch's and JAX's own products."""
    a = torch.randn(3, 4)
    torch.testing.assert_close(tilewright.dot(2.0, a), 2 * a)
    torch.testing.assert_close(tilewright.dot(a.bfloat16(), 2), 2 * a.bfloat16())
    out = torch.empty(3, 4)
    assert tilewright.dot(3, a, out) is out
    torch.testing.assert_close(out, 3 * a)
    with pytest.raises(tilewright.ShapeError, match="out is"):
        tilewright.dot(3, a, torch.empty(4))
    with pytest.raises(tilewright.PlanError, match="runs on matmul's kernels"):
        tilewright.dot(3, a, kernel="tiled")
    weight = a.clone().requires_grad_()
    tilewright.dot(weight, 2.0).sum().backward()
    assert (weight.grad == 2).all()


def test_a_mode_that_sees_operators(torch):
    """That of torch.fx with real tensors finds our operator, where it took the result for a constant."""
    from torch.fx.experimental.proxy_tensor import make_fx

    a, b = torch.randn(3, 4), torch.randn(4, 5)
    traced = make_fx(lambda x, y: tilewright.matmul(x, y, alpha=2))(a, b)
    assert "tilewright.matmul" in traced.code
    torch.testing.assert_close(traced(b.T, a.T), 2 * b.T @ a.T)
