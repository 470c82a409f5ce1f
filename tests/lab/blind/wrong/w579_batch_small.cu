// Many small matrix products at once. blockIdx.x = product in the batch,
// one block per product, threads loop over the elements of C.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

typedef float real;

typedef struct {
    int count;      /* how many products    */
    int M, N, K;    /* C(MxN) = A(MxK)*B(KxN) */
} batch_t;

__global__ void small_products(batch_t p, const real *A, const real *B, real *C)
{
    extern __shared__ real sh[];
    real *sA = sh;                  /* M*K */
    real *sB = sh + p.M * p.K;      /* K*N */

    const real *a = A + (size_t)blockIdx.x * p.M * p.K;
    const real *b = B + (size_t)blockIdx.x * p.M * p.K;
    real *c = C + (size_t)blockIdx.x * p.M * p.N;

    for (int i = threadIdx.x; i < p.M * p.K; i += blockDim.x)
        sA[i] = a[i];
    for (int i = threadIdx.x; i < p.K * p.N; i += blockDim.x)
        sB[i] = b[i];
    __syncthreads();

    for (int e = threadIdx.x; e < p.M * p.N; e += blockDim.x) {
        int row = e / p.N;
        int col = e % p.N;
        real s = 0;
        for (int q = 0; q < p.K; q++)
            s += sA[row * p.K + q] * sB[q * p.N + col];
        c[e] = s;
    }
}

static void fill(real *v, size_t n)
{
    for (size_t i = 0; i < n; i++) v[i] = (real)(rand() % 19 - 9);
}

int main(int argc, char **argv)
{
    batch_t p = {500, 12, 12, 9};
    if (argc == 5) {
        p.count = atoi(argv[1]);
        p.M = atoi(argv[2]);
        p.N = atoi(argv[3]);
        p.K = atoi(argv[4]);
    }
    size_t shbytes = sizeof(real) * ((size_t)p.M * p.K + (size_t)p.K * p.N);
    if (p.count < 1 || p.M < 1 || p.N < 1 || p.K < 1 || shbytes > 48 * 1024) {
        printf("A and B of one product must fit in 48 KB\n");
        return 1;
    }

    size_t na = (size_t)p.count * p.M * p.K;
    size_t nb = (size_t)p.count * p.K * p.N;
    size_t nc = (size_t)p.count * p.M * p.N;
    real *A = (real *)malloc(na * sizeof(real));
    real *B = (real *)malloc(nb * sizeof(real));
    real *C = (real *)malloc(nc * sizeof(real));
    fill(A, na);
    fill(B, nb);

    real *dA, *dB, *dC;
    cudaMalloc((void **)&dA, na * sizeof(real));
    cudaMalloc((void **)&dB, nb * sizeof(real));
    cudaMalloc((void **)&dC, nc * sizeof(real));
    cudaMemcpy(dA, A, na * sizeof(real), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, nb * sizeof(real), cudaMemcpyHostToDevice);

    small_products<<<p.count, 96, shbytes>>>(p, dA, dB, dC);
    cudaMemcpy(C, dC, nc * sizeof(real), cudaMemcpyDeviceToHost);

    long bad = 0;
    for (size_t z = 0; z < (size_t)p.count; z++)
        for (int i = 0; i < p.M; i++)
            for (int j = 0; j < p.N; j++) {
                double ref = 0;
                for (int q = 0; q < p.K; q++)
                    ref += A[(z * p.M + i) * p.K + q] * B[(z * p.K + q) * p.N + j];
                if (fabs(ref - C[(z * p.M + i) * p.N + j]) > 1e-2) bad++;
            }
    printf("%ld wrong elements\n", bad);

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return bad != 0;
}
