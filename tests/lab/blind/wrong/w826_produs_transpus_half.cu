// C = A^T * B cu intrări half și acumulare în float.
// A: k x m, B: k x n, C: m x n, toate pe linii; m, n, k între 1 și 16000.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

struct Argumente {
    const __half* A;
    const __half* B;
    float* C;
    int m, n, k;
};

template <int D>
__global__ void produsTranspus(Argumente g)
{
    __shared__ __half ta[D][D];     // ta[q][i]: linia q din A, coloana i a blocului
    __shared__ __half tb[D][D];

    const int x = threadIdx.x, y = threadIdx.y;
    const int linie0 = blockIdx.y * D;
    const int col0 = blockIdx.x * D;
    const int linie = linie0 + y;
    const int col = col0 + x;
    const __half zero = __float2half(0.0f);

    float s = 0.0f;
    for (int k0 = 0; k0 < g.k; k0 += D) {
        const int q = k0 + y;
        ta[y][x] = (q < g.k && linie < g.m) ? g.A[(size_t)q * g.m + linie0 + x] : zero;
        tb[y][x] = (q < g.k && col < g.n) ? g.B[(size_t)q * g.n + col] : zero;
        __syncthreads();
        #pragma unroll
        for (int r = 0; r < D; ++r)
            s = fmaf(__half2float(ta[r][y]), __half2float(tb[r][x]), s);
        __syncthreads();
    }

    if (linie < g.m && col < g.n)
        g.C[(size_t)linie * g.n + col] = s;
}

// g conține adrese de pe placă
void calculeaza(const Argumente& g)
{
    constexpr int D = 16;
    const dim3 bloc(D, D);
    const dim3 grila((g.n + D - 1) / D, (g.m + D - 1) / D);
    produsTranspus<D><<<grila, bloc>>>(g);
}
