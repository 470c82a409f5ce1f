// C <- alfa * A * B + beta * C, med ledande dimensioner som i BLAS (men radvis lagring).
//   A: m x k, lda >= k      B: k x n, ldb >= n      C: m x n, ldc >= n
// Om beta ar noll lases C aldrig, sa C far da vara oinitierad.
#include <cuda_runtime.h>
#include <cstdio>

template <typename T>
struct Vy {
    T *data;
    int ld;
    __device__ T &operator()(int rad, int kol) const { return data[(size_t)rad * ld + kol]; }
};

template <typename T, int RUTA>
__global__ void skaladProdukt(int m, int n, int k, T alfa, Vy<const T> A, Vy<const T> B,
                              T beta, Vy<T> C)
{
    __shared__ T rutaA[RUTA][RUTA];
    __shared__ T rutaB[RUTA][RUTA + 1];

    const int i = blockIdx.x * RUTA + threadIdx.y;   // obs: x-led i rutnatet gar over rader
    const int j = blockIdx.y * RUTA + threadIdx.x;

    T summa = 0;
    for (int bas = 0; bas < k; bas += RUTA) {
        const int pa = bas + threadIdx.x;
        const int pb = bas + threadIdx.y;
        T a = 0, b = 0;
        if (i < m && pa < k) a = A(i, pa);
        if (pb < k && j < n) b = B(pb, j);
        rutaA[threadIdx.y][threadIdx.x] = a;
        rutaB[threadIdx.y][threadIdx.x] = b;
        __syncthreads();
        for (int p = 0; p < RUTA; ++p)
            summa += rutaA[threadIdx.y][p] * rutaB[p][threadIdx.x];
        __syncthreads();
    }

    if (i >= m || j >= n)
        return;
    if (beta == T(0))
        C(i, j) = alfa * summa;
    else
        C(i, j) = alfa * summa + beta * C(i, j);
}

// Alla pekare pekar pa GPU-minne. Returnerar 0 om det gick bra.
int korProdukt(int m, int n, int k, float alfa, const float *A, int lda,
               const float *B, int ldb, float beta, float *C, int ldc)
{
    if (m < 1 || n < 1 || k < 1 || lda < k || ldb < n || ldc < n) {
        fprintf(stderr, "fel i argumenten\n");
        return -1;
    }
    constexpr int ruta = 32;
    dim3 tradar(ruta, ruta);
    dim3 block((m + ruta - 1) / ruta, (n + ruta - 1) / ruta);
    skaladProdukt<float, ruta><<<block, tradar>>>(m, n, k, alfa, Vy<const float>{A, lda},
                                                  Vy<const float>{B, ldb}, beta, Vy<float>{C, ldc});
    cudaError_t fel = cudaGetLastError();
    if (fel == cudaSuccess)
        fel = cudaDeviceSynchronize();
    if (fel != cudaSuccess)
        fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(fel));
    return fel == cudaSuccess ? 0 : -2;
}
