// Practica 8: producto por lotes
// C[l] = A[l] * B[l] para l = 0 .. lotes-1; A[l] es m x k, B[l] es k x n.
// Los bloques de la malla en z se reparten los lotes.
#include <cstdio>
#include <cstdlib>
#include <cmath>

const int T = 16;
const int MAX_Z = 4;

struct Tam { int m, n, k, lotes; };

__global__ void por_lotes(const float *A, const float *B, float *C, Tam d)
{
    __shared__ float a[T][T];
    __shared__ float b[T][T];
    int x = threadIdx.x, y = threadIdx.y;
    int fil = blockIdx.y * T + y;
    int col = blockIdx.x * T + x;
    float suma = 0;

    for (int l = blockIdx.z; l < d.lotes; l += gridDim.z) {
        const float *Al = A + (size_t)l * d.m * d.k;
        const float *Bl = B + (size_t)l * d.k * d.n;
        float *Cl = C + (size_t)l * d.m * d.n;

        for (int k0 = 0; k0 < d.k; k0 += T) {
            a[y][x] = fil < d.m && k0 + x < d.k ? Al[fil * d.k + k0 + x] : 0;
            b[y][x] = col < d.n && k0 + y < d.k ? Bl[(k0 + y) * d.n + col] : 0;
            __syncthreads();
            for (int q = 0; q < T; q++)
                suma += a[y][q] * b[q][x];
            __syncthreads();
        }
        if (fil < d.m && col < d.n)
            Cl[fil * d.n + col] = suma;
    }
}

int main(int argc, char **argv)
{
    Tam d = { 24, 40, 33, 10 };
    if (argc > 4) {
        d.m = atoi(argv[1]);
        d.n = atoi(argv[2]);
        d.k = atoi(argv[3]);
        d.lotes = atoi(argv[4]);
    }
    size_t nA = (size_t)d.lotes * d.m * d.k;
    size_t nB = (size_t)d.lotes * d.k * d.n;
    size_t nC = (size_t)d.lotes * d.m * d.n;
    float *A = new float[nA], *B = new float[nB], *C = new float[nC];
    for (size_t i = 0; i < nA; i++) A[i] = (i * 7) % 5 + 1;
    for (size_t i = 0; i < nB; i++) B[i] = (i * 3) % 7 + 1;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, nA * sizeof(float));
    cudaMalloc(&dB, nB * sizeof(float));
    cudaMalloc(&dC, nC * sizeof(float));
    cudaMemcpy(dA, A, nA * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, nB * sizeof(float), cudaMemcpyHostToDevice);

    dim3 hilos(T, T);
    dim3 malla((d.n + T - 1) / T, (d.m + T - 1) / T, d.lotes < MAX_Z ? d.lotes : MAX_Z);
    por_lotes<<<malla, hilos>>>(dA, dB, dC, d);
    cudaMemcpy(C, dC, nC * sizeof(float), cudaMemcpyDeviceToHost);

    int mal = 0;
    for (int l = 0; l < d.lotes; l++)
        for (int i = 0; i < d.m; i++)
            for (int j = 0; j < d.n; j++) {
                float s = 0;
                for (int k = 0; k < d.k; k++)
                    s += A[((size_t)l * d.m + i) * d.k + k] * B[((size_t)l * d.k + k) * d.n + j];
                if (fabs(s - C[((size_t)l * d.m + i) * d.n + j]) > 1e-2) mal++;
            }
    printf("elementos incorrectos: %d\n", mal);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    delete[] A; delete[] B; delete[] C;
}
