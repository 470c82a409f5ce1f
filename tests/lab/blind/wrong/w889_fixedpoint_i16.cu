#include <cstdint>
#include <cuda_runtime.h>

// Înmulțire exactă în virgulă fixă (Q15 x Q15 -> Q30 pe 64 de biți).
// A: M x K, B: K x N, int16_t pe toată plaja de valori; C: M x N, int64_t.
// Bloc (16, 16); dimensiuni arbitrare.

template <typename Intrare, typename Iesire, int L = 16>
__global__ void inmultire(const Intrare *__restrict__ A, const Intrare *__restrict__ B,
                          Iesire *__restrict__ C, int M, int N, int K)
{
    __shared__ Intrare pa[L][L + 2];
    __shared__ Intrare pb[L][L + 2];

    const int lin = blockIdx.y * L + threadIdx.y;
    const int col = blockIdx.x * L + threadIdx.x;
    Iesire total = 0;

    for (int t = 0; t < K; t += L) {
        const int ka = t + threadIdx.x;
        const int kb = t + threadIdx.y;
        pa[threadIdx.y][threadIdx.x] = (lin < M && ka < K) ? A[(size_t)lin * K + ka] : Intrare(0);
        pb[threadIdx.y][threadIdx.x] = (col < N && kb < K) ? B[(size_t)kb * N + col] : Intrare(0);
        __syncthreads();

        int partial = 0;
        #pragma unroll
        for (int k = 0; k < L; ++k)
            partial += pa[threadIdx.y][k] * pb[k][threadIdx.x];
        total += partial;
        __syncthreads();
    }

    if (lin < M && col < N)
        C[(size_t)lin * N + col] = total;
}

void inmultire_q15(const int16_t *A, const int16_t *B, int64_t *C, int M, int N, int K, cudaStream_t flux)
{
    const dim3 bloc(16, 16);
    const dim3 retea((N + 15) / 16, (M + 15) / 16);
    inmultire<int16_t, int64_t><<<retea, bloc, 0, flux>>>(A, B, C, M, N, K);
}
