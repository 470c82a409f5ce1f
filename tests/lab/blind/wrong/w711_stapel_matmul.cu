// Stapel von Matrixprodukten: fuer jedes s gilt  C_s = A_s * B_s
//   A_s: M x K,  B_s: K x N,  C_s: M x N, zeilenweise,
//   die Matrizen eines Stapels liegen direkt hintereinander.
//
// M, N, K beliebig positiv. Start:
//   constexpr int W = 16;
//   dim3 gitter((N + W - 1) / W, (M + W - 1) / W, anzahl);
//   stapelProdukt<float, W><<<gitter, dim3(W, W)>>>(A, B, C, M, N, K);

#include <cstddef>

template <typename T, int W>
__global__ void stapelProdukt(const T* A, const T* B, T* C, int M, int N, int K)
{
    __shared__ T kachelA[W][W + 1];
    __shared__ T kachelB[W][W + 1];

    const std::size_t s = blockIdx.z;
    A += s * M * K;
    B += s * M * N;
    C += s * M * N;

    const int zeile  = blockIdx.y * W + threadIdx.y;
    const int spalte = blockIdx.x * W + threadIdx.x;
    const bool zeileOk  = zeile < M;
    const bool spalteOk = spalte < N;

    T summe{};
    for (int k0 = 0; k0 < K; k0 += W) {
        const int ka = k0 + threadIdx.x;
        const int kb = k0 + threadIdx.y;
        kachelA[threadIdx.y][threadIdx.x] = zeileOk && ka < K ? A[zeile * K + ka] : T{};
        kachelB[threadIdx.y][threadIdx.x] = spalteOk && kb < K ? B[kb * N + spalte] : T{};
        __syncthreads();

#pragma unroll
        for (int k = 0; k < W; ++k)
            summe += kachelA[threadIdx.y][k] * kachelB[k][threadIdx.x];
        __syncthreads();
    }

    if (zeileOk && spalteOk)
        C[zeile * N + spalte] = summe;
}

template __global__ void stapelProdukt<float, 16>(const float*, const float*, float*, int, int, int);
template __global__ void stapelProdukt<double, 16>(const double*, const double*, double*, int, int, int);
