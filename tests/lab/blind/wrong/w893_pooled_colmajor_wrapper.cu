#include <cuda_runtime.h>

// Редуциран производ во колонски распоред (како во Fortran):
//   A е 2m x k, B е k x 2n, C е m x n
//   C(i,j) = збир на четирите елементи на A*B во квадратот со агол (2i, 2j)
// Секоја нишка пресметува еден елемент; блокот е 64 x 4.

struct Pogled {
    const float *p;
    int ld;
    __device__ float operator()(int r, int c) const { return p[r + (size_t)c * ld]; }
};

__global__ void reduciran(Pogled A, Pogled B, float *C, int ldc, int m, int n, int k)
{
    __shared__ float par[64][5];

    const int i = blockIdx.x * 64 + threadIdx.x;
    const int j = blockIdx.y * 4 + threadIdx.y;
    const int nit = threadIdx.y * 64 + threadIdx.x;
    const int lq = nit % 64, lj = nit / 64;
    const int kol = blockIdx.y * 4 + lj;
    float zbir = 0.f;

    for (int q0 = 0; q0 < k; q0 += 64) {
        par[lq][lj] = (q0 + lq < k && kol < n)
                    ? B(q0 + lq, 2 * kol) + B(q0 + lq, 2 * kol + 1) : 0.f;
        __syncthreads();
        if (i < m) {
            const int kraj = min(64, k - q0);
            for (int q = 0; q < kraj; ++q)
                zbir += (A(2 * i, q0 + q) + A(2 * i + 1, q0 + q)) * par[q][threadIdx.y];
        }
        __syncthreads();
    }
    if (i < m && j < n)
        C[i + (size_t)j * ldc] = zbir;
}

// m, n и k се произволни; матриците се густо спакувани.
void presmetaj(const float *A, const float *B, float *C, int m, int n, int k, cudaStream_t tek = 0)
{
    const Pogled va{A, m};
    const Pogled vb{B, k};
    const dim3 blok(64, 4);
    const dim3 mreza((m + 63) / 64, (n + 3) / 4);
    reduciran<<<mreza, blok, 0, tek>>>(va, vb, C, m, m, n, k);
}
