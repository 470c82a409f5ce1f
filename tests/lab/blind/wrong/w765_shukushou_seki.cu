// Kadai 5: shukushou gyouretsu seki (reduced matrix product)
//
//   A: m x k,  B: k x n,  R: (m/2) x (n/2)    m to n wa guusuu, k wa nan demo yoi
//   R[i][j] = seki A B no gyou 2i, 2i+1 to retsu 2j, 2j+1 no yottsu no youso no wa
//
// Kernel no yobikata:
//   dim3 block(32, 8);
//   dim3 grid((n / 2 + 31) / 32, (m / 2 + 7) / 8);
#include <cuda_runtime.h>

// hitotsu no youso (gyou, retsu) no naiseki
__device__ float naiseki(const float *A, const float *B, int gyou, int retsu, int k, int n)
{
    float wa = 0.0f;
    for (int p = 0; p < k; p++) {
        wa += A[(size_t)gyou * k + p] * B[(size_t)p * n + retsu];
    }
    return wa;
}

__global__ void shukushouSeki(const float *A, const float *B, float *R,
                              int m, int k, int n)
{
    const int yoko = n / 2;     // R no retsu no kazu
    const int tate = m / 2;     // R no gyou no kazu

    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= tate || j >= yoko)
        return;

    const int ue = 2 * i;
    const int shita = ue + 1;
    const int hidari = j;
    const int migi = j + yoko;

    // yottsu no naiseki o tasu
    float goukei = 0.0f;
    goukei += naiseki(A, B, ue, hidari, k, n);
    goukei += naiseki(A, B, ue, migi, k, n);
    goukei += naiseki(A, B, shita, hidari, k, n);
    goukei += naiseki(A, B, shita, migi, k, n);

    R[(size_t)i * yoko + j] = goukei;
}
