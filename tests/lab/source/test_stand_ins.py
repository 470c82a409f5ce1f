"""Each header that NVRTC lacks or refuses has a stand-in with what device code takes from it.

`make test-cuda12` runs these with the oldest NVRTC that is supported; the other targets with the newest.
"""

from __future__ import annotations

import pytest

from tests.lab.source.in_process import compiled
from tests.repeats import sampled
from tilewright.lab.source import CompileError, compile_user_file, read_cuda_file

FLOAT_KERNEL = "\n__global__ void k(float* x) {{ {} }}\nint main() {{ return 0; }}\n"

NO_INCLUDE = {
    "fixed widths": "uint8_t a = 1; int16_t b = 2; uint32_t c = 3; int64_t d = 4; x[0] = a + b + c + d;",
    "sizes": "size_t a = 0; ptrdiff_t b = 0; std::size_t c = 0; uintptr_t p = (uintptr_t)x; x[0] = a + b + c + p;",
    "limits": "x[0] = INT_MAX + 1.0f * UINT_MAX + LONG_MIN + LLONG_MAX + ULONG_MAX + CHAR_BIT + SIZE_MAX + UINT32_MAX;",
    "floats": "x[0] = FLT_MAX + FLT_MIN + FLT_EPSILON + DBL_MAX;",
    "constants": "x[0] = M_PI + M_SQRT2; x[1] = INFINITY; x[2] = NAN;",
    "types of the system": "uint a = 1; ushort b = 2; ulong c = 3; x[0] = a + b + c;",
    "the library": 'printf("%d", 1); assert(x[0] > 0); memset(x, 0, 4); memcpy(x, x + 1, 4); x[0] = clock();',
    "NULL": "if (x == NULL || x == nullptr) return;",
}
HEADERS = {
    "stddef.h": "x[0] = offsetof(float4, y); ptrdiff_t d = 1; x[1] = d;",
    "cstddef": "std::size_t s = 1; std::ptrdiff_t d = 2; std::nullptr_t n = nullptr; if (n == nullptr) x[0] = s + d;",
    "stdint.h": "uint64_t a = UINT64_MAX; int8_t b = INT8_MIN; x[0] = a + b;",
    "cstdint": "std::uint32_t a = 1; std::int64_t b = 2; x[0] = a + b;",
    "inttypes.h": "uint32_t a = 1; x[0] = a;",
    "cinttypes": "int32_t a = 1; x[0] = a;",
    "limits.h": "x[0] = INT_MAX + LONG_MAX;",
    "climits": "x[0] = UINT_MAX;",
    "float.h": "x[0] = FLT_MAX;",
    "cfloat": "x[0] = DBL_EPSILON;",
    "math.h": "x[0] = sqrtf(x[1]) + M_PI + INFINITY;",
    "cmath": "x[0] = std::sqrt(x[1]) + std::abs(x[2]) + std::fmax(x[3], 1.0f) + std::expf(x[4]) + std::log2(x[5]);",
    "algorithm": "x[0] = std::min(x[1], std::max(x[2], 1.0f)); int i = std::min(1, 2); x[1] = i;",
    "vector": "x[0] = std::min(x[1], x[2]);",
    "utility": "int a = 1, b = 2; std::swap(a, b); x[0] = a;",
    "assert.h": "assert(x[0] > 0);",
    "device_launch_parameters.h": "x[threadIdx.x] = blockIdx.x;",
    "cuda_runtime.h": "uint32_t a = UINT_MAX; float4 v = make_float4(1, 2, 3, 4); x[0] = a + v.x;",
    "cuda.h": "x[0] = 1;",
    "cublas_v2.h": "x[0] = 1;",
    "helper_cuda.h": "x[0] = 1;",
    "cuda_texture_types.h": "x[0] = 1;",
    "wb.h": "x[0] = 1;",
    "thrust/device_vector.h": "x[0] = 1;",
    "cub/cub.cuh": "x[0] = 1;",
    "cuda_fp16.h": "x[0] = __half2float(__float2half(x[1]));",
    "math_constants.h": "x[0] = CUDART_INF_F;",
    "helper_math.h": "float4* v = (float4*)x; v[0] = v[1] + v[2] * 2.0f - 1.0f / v[3]; v[0] += v[1]; v[1] /= v[2]; "
    "x[0] = dot(v[0], v[1]) + length(make_float3(v[2])); v[2] = normalize(-v[3]); "
    "v[4] = clamp(lerp(v[0], v[1], 0.5f), 0.0f, 1.0f); int3 i = make_int3(1, 2, 3) * 2; uint2 u = make_uint2(1); "
    "v[5] = make_float4(cross(make_float3(1.0f), make_float3(v[0])), 1.0f); x[1] = abs(-i).x + max(u, u).y;",
}
SLOW_HEADERS = {
    "limits": "x[0] = std::numeric_limits<float>::infinity() + std::numeric_limits<int>::max();",
    "type_traits": 'static_assert(std::is_same<float, float>::value, ""); x[0] = 1;',
    "array": "std::array<float, 2> a{1, 2}; x[0] = a[1];",
    "tuple": "std::tuple<int, float> t(1, 2.0f); x[0] = std::get<1>(t);",
    "complex": "std::complex<float> a(1, 2); a = a * a; x[0] = a.real();",
    "cooperative_groups.h": "cooperative_groups::this_thread_block().sync(); x[0] = 1;",
    "cub/cub.cuh": "typedef cub::BlockReduce<float, 128> Reduce; __shared__ typename Reduce::TempStorage space; "
    "float sum = Reduce(space).Sum(x[threadIdx.x]); if (threadIdx.x == 0) x[0] = sum;",
    "thrust/complex.h": "thrust::complex<float> a(1, 2); a = a * a; x[0] = a.real() + thrust::abs(a);",
    "thrust/pair.h": "thrust::pair<int, float> p = thrust::make_pair(1, 2.0f); x[0] = p.second;",
    "thrust/functional.h": "x[0] = thrust::plus<float>()(x[1], thrust::maximum<float>()(x[2], x[3]));",
    "mma.h": "using namespace nvcuda::wmma; fragment<accumulator, 16, 16, 16, float> f; fill_fragment(f, 0);",
}
BESIDE = (
    "#include <cuda/std/cstdint>\n#include <cuda/std/cstddef>\n#include <cuda/std/climits>\n#include <cuda_fp16.h>\n"
)


def written(folder, text):
    """A file, read."""
    path = folder / "k.cu"
    path.write_text(text)
    return read_cuda_file(path)


@pytest.mark.parametrize("body", NO_INCLUDE.values(), ids=NO_INCLUDE)
def test_what_nvcc_has_without_an_include(tmp_path, body):
    """It reads cuda_runtime.h before every file, and the host's headers behind that."""
    compiled(written(tmp_path, FLOAT_KERNEL.format(body)))


@pytest.mark.parametrize(("header", "body"), HEADERS.items(), ids=HEADERS)
def test_a_header_has_what_device_code_takes_from_it(tmp_path, header, body):
    """Alone, and after CUDA's own headers, which declare the same types."""
    compiled(written(tmp_path, f"#include <{header}>{FLOAT_KERNEL.format(body)}"))
    compiled(written(tmp_path, f"{BESIDE}#include <{header}>{FLOAT_KERNEL.format(body)}"))


@pytest.mark.slow
@pytest.mark.parametrize(("header", "body"), sampled(SLOW_HEADERS.items()))
def test_so_has_one_that_takes_long(tmp_path, header, body):
    """CUDA's templates are large."""
    compiled(written(tmp_path, f"{BESIDE}#include <{header}>{FLOAT_KERNEL.format(body)}"))


@pytest.mark.slow
def test_headers_of_one_stand_in_may_be_included_together(tmp_path):
    """NVRTC knows them as two files."""
    includes = (
        "#include <thrust/complex.h>\n#include <thrust/pair.h>\n#include <cutil_math.h>\n#include <helper_math.h>"
    )
    body = "thrust::complex<float> a(1, 2); float2 v = make_float2(1.0f) + 1.0f; x[0] = a.real() + v.x;"

    compiled(written(tmp_path, includes + FLOAT_KERNEL.format(body)))


@pytest.mark.parametrize(
    "own",
    [
        "#define INT_MAX 5\n#define M_PI 3.14\n#define FLT_MAX 1e30f\n",
        "typedef unsigned int uint32_t;\ntypedef unsigned char uint8_t;\ntypedef unsigned int uint;\n",
        "using namespace std;\n",
        "__device__ float clamp(float v, float low, float high) { return fminf(fmaxf(v, low), high); }\n",
    ],
)
def test_a_file_may_declare_the_same_itself(tmp_path, own):
    """As it may for nvcc."""
    compiled(written(tmp_path, own + FLOAT_KERNEL.format("x[0] = min(1.0f, x[1]);")))


def test_a_header_of_a_library_that_is_not_there_is_named(tmp_path):
    """Whose it is, and how to get it."""
    text = "#include <curand_kernel.h>" + FLOAT_KERNEL.format("curandState s; curand_init(1, 2, 3, &s);")

    with pytest.raises(CompileError, match=r"curand_kernel\.h is cuRAND's.*pip install nvidia-curand"):
        compile_user_file(written(tmp_path, text))
