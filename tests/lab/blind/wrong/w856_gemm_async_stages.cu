#include <cuda_runtime.h>
#include <cuda_pipeline.h>

// C = A * B, sorfolytonos tárolás.
// M, N, K a 32 többszöröse; minden mutató 16 bájtra igazított.
// Blokk: (8, 32) szál, rács: (N/32, M/32).
constexpr int CS = 32;

__device__ __forceinline__ void hozd(float *cel, const float *forras)
{
    __pipeline_memcpy_async(cel, forras, 16);
}

__global__ void __launch_bounds__(256)
szorzas(const float *__restrict__ A, const float *__restrict__ B,
        float *__restrict__ C, int N, int K)
{
    __shared__ __align__(16) float a[2][CS][CS];
    __shared__ __align__(16) float b[2][CS][CS];

    const int x4 = threadIdx.x * 4;
    const int y  = threadIdx.y;
    const int sor = blockIdx.y * CS + y;
    const int oszlop = blockIdx.x * CS + x4;

    const float *pa = A + (size_t)sor * K + x4;
    const float *pb = B + (size_t)y * N + oszlop;
    float4 ossz = make_float4(0.f, 0.f, 0.f, 0.f);

    hozd(&a[0][y][x4], pa);
    hozd(&b[0][y][x4], pb);
    __pipeline_commit();

    const int lepesek = K / CS;
    for (int t = 0; t < lepesek; ++t) {
        const int most = t & 1;
        if (t + 1 < lepesek) {          // a következő csempe már úton
            pa += CS;
            pb += (size_t)CS * N;
            hozd(&a[most ^ 1][y][x4], pa);
            hozd(&b[most ^ 1][y][x4], pb);
            __pipeline_commit();
        }
        __pipeline_wait_prior(1);
        __syncthreads();

        #pragma unroll
        for (int k = 0; k < CS; ++k) {
            const float av = a[most][y][k];
            const float4 bv = *reinterpret_cast<const float4 *>(&b[most][k][x4]);
            ossz.x = fmaf(av, bv.x, ossz.x);
            ossz.y = fmaf(av, bv.y, ossz.y);
            ossz.z = fmaf(av, bv.z, ossz.z);
            ossz.w = fmaf(av, bv.w, ossz.w);
        }
        __syncthreads();
    }
    *reinterpret_cast<float4 *>(&C[(size_t)sor * N + oszlop]) = ossz;
}
