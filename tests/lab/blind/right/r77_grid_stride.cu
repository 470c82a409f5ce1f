// Naive matrix multiply, but with a grid-stride loop, so any launch shape works.
#include <iostream>
#include <memory>

__global__ void gemm_gs(const float* lhs, const float* rhs, float* dst,
                        long long rows, long long depth, long long cols)
{
    const long long total  = rows * cols;
    const long long stride = (long long)gridDim.x * blockDim.x;

    for (long long idx = (long long)blockIdx.x * blockDim.x + threadIdx.x; idx < total; idx += stride)
    {
        const long long r = idx / cols;
        const long long c = idx - r * cols;
        const float* p = lhs + r * depth;
        const float* q = rhs + c;
        float v = 0.0f;
        for (long long d = 0; d < depth; ++d, q += cols)
            v += p[d] * *q;
        dst[idx] = v;
    }
}

struct CudaDeleter { void operator()(float* p) const { cudaFree(p); } };
using DevPtr = std::unique_ptr<float, CudaDeleter>;

static DevPtr devAlloc(size_t n)
{
    float* p = nullptr;
    if (cudaMalloc((void**)&p, n * sizeof(float)) != cudaSuccess) std::abort();
    return DevPtr(p);
}

int main()
{
    const long long R = 45, D = 30, Cc = 52;
    std::unique_ptr<float[]> a(new float[R * D]), b(new float[D * Cc]), c(new float[R * Cc]);
    for (int i = 0; i < R * D; ++i) a[i] = i % 6;
    for (int i = 0; i < D * Cc; ++i) b[i] = i % 5;

    DevPtr da = devAlloc(R * D), db = devAlloc(D * Cc), dc = devAlloc(R * Cc);
    cudaMemcpy(da.get(), a.get(), R * D * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db.get(), b.get(), D * Cc * sizeof(float), cudaMemcpyHostToDevice);
    gemm_gs<<<6, 128>>>(da.get(), db.get(), dc.get(), R, D, Cc);
    cudaMemcpy(c.get(), dc.get(), R * Cc * sizeof(float), cudaMemcpyDeviceToHost);

    for (int i = 0; i < R; ++i)
        for (int j = 0; j < Cc; ++j)
        {
            float s = 0;
            for (int k = 0; k < D; ++k) s += a[i * D + k] * b[k * Cc + j];
            if (s != c[i * Cc + j]) { std::cout << "wrong at " << i << ',' << j << '\n'; return 1; }
        }
    std::cout << "fine\n";
}
