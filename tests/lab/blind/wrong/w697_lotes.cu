// Tarea 6: muchos productos de matrices pequeñas a la vez
// Los lotes están uno tras otro en memoria, sin huecos.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

struct Dim { int lotes, m, n, k; };

// un bloque por lote, un hilo por elemento de C (m*n <= 1024)
__global__ void productoLotes(const int *A, const int *B, int *C, Dim d)
{
    extern __shared__ int sh[];
    int *sA = sh;                 // m * k
    int *sB = sh + d.m * d.k;     // k * n

    int lote = blockIdx.x;
    const int *a = A + lote * d.m * d.k;
    const int *b = B + lote * d.k * d.n;
    int *c = C + lote * d.m * d.k;

    for (int e = threadIdx.x; e < d.m * d.k; e += blockDim.x) sA[e] = a[e];
    for (int e = threadIdx.x; e < d.k * d.n; e += blockDim.x) sB[e] = b[e];
    __syncthreads();

    int i = threadIdx.x / d.n;
    int j = threadIdx.x % d.n;
    int s = 0;
    for (int l = 0; l < d.k; l++)
        s += sA[i * d.k + l] * sB[l * d.n + j];
    c[threadIdx.x] = s;
}

int main(int argc, char **argv)
{
    Dim d = {100, 8, 8, 8};
    if (argc == 5) {
        d.lotes = atoi(argv[1]); d.m = atoi(argv[2]);
        d.n = atoi(argv[3]);     d.k = atoi(argv[4]);
    }
    // todos positivos, m*n cabe en un bloque y todo cabe en memoria compartida
    if (d.lotes < 1 || d.lotes > 10000 || d.m < 1 || d.n < 1 || d.k < 1 || d.m > 64 || d.n > 64
        || d.k > 64 || d.m * d.n > 1024) {
        puts("tamaños no válidos");
        return 1;
    }
    int nA = d.lotes * d.m * d.k, nB = d.lotes * d.k * d.n, nC = d.lotes * d.m * d.n;
    int *A = (int *)malloc(nA * sizeof(int));
    int *B = (int *)malloc(nB * sizeof(int));
    int *C = (int *)malloc(nC * sizeof(int));
    for (int i = 0; i < nA; i++) A[i] = i % 10;
    for (int i = 0; i < nB; i++) B[i] = i % 7 - 2;

    int *dA, *dB, *dC;
    cudaMalloc(&dA, nA * sizeof(int));
    cudaMalloc(&dB, nB * sizeof(int));
    cudaMalloc(&dC, nC * sizeof(int));
    cudaMemcpy(dA, A, nA * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, nB * sizeof(int), cudaMemcpyHostToDevice);

    size_t compartida = (d.m * d.k + d.k * d.n) * sizeof(int);   // como mucho 32 KB
    productoLotes<<<d.lotes, d.m * d.n, compartida>>>(dA, dB, dC, d);
    cudaMemcpy(C, dC, nC * sizeof(int), cudaMemcpyDeviceToHost);

    long long suma = 0;
    for (int i = 0; i < nC; i++) suma += C[i];
    printf("suma de control: %lld\n", suma);

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return 0;
}
