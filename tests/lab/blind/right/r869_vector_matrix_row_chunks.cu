// ვექტორის და მატრიცის ნამრავლი: y = x^T * A
// A - m სტრიქონი, n სვეტი, სტრიქონების მიხედვით. x - m ელემენტი, y - n ელემენტი.
// ბლოკი ამუშავებს 128 სვეტს და 64 სტრიქონს; ნაწილობრივი ჯამები ერთვის atomicAdd-ით.
#include <cuda_runtime.h>

enum { SVETI = 128, STRIQONI = 64 };

__global__ void xTA(const float *x, const float *A, float *y, int m, int n)
{
    __shared__ float xs[STRIQONI];
    const int i0 = blockIdx.x * STRIQONI;          // grid.x -> სტრიქონები
    const int j = blockIdx.y * SVETI + threadIdx.x; // grid.y -> სვეტები
    const int raod = min((int)STRIQONI, m - i0);

    if (threadIdx.x < raod) xs[threadIdx.x] = x[i0 + threadIdx.x];
    __syncthreads();

    if (j < n) {
        const float *p = A + (size_t)i0 * n + j;
        float s = 0.0f;
        for (int i = 0; i < raod; ++i, p += n)
            s += xs[i] * *p;
        atomicAdd(y + j, s);
    }
}

// y ნულდება აქ, გამოძახებამდე მისი მნიშვნელობა არ არის საჭირო; m, n > 0
void gamravleba(const float *x, const float *A, float *y, int m, int n, cudaStream_t st)
{
    cudaMemsetAsync(y, 0, n * sizeof(float), st);
    dim3 g((m + STRIQONI - 1) / STRIQONI, (n + SVETI - 1) / SVETI);
    xTA<<<g, SVETI, 0, st>>>(x, A, y, m, n);
}
