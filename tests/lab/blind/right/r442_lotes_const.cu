// C[b] += A[b]^T * B[b]  para b = 0 .. lotes-1
// A[b] tem K x M elementos, B[b] K x N, C[b] M x N, todas por linhas.
// As matrizes do mesmo lote ficam a saltoA / saltoB / saltoC elementos umas das outras.
#include <cuda_runtime.h>

struct Medidas {
    int M, N, K;
    int lotes;
    long saltoA, saltoB, saltoC;
};

__constant__ Medidas med;

#define L 8      // lado do azulejo
#define Z 3      // quantos membros do lote por bloco

__global__ void produtos_em_lote(const float *A, const float *B, float *C)
{
    __shared__ float sA[Z][L][L];
    __shared__ float sB[Z][L][L];

    const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    const int lote = blockIdx.z * Z + z;
    const bool existe = lote < med.lotes;

    const int i0 = blockIdx.y * L;
    const int j0 = blockIdx.x * L;

    const float *a = A + lote * med.saltoA;
    const float *b = B + lote * med.saltoB;

    float s = 0.0f;
    for (int p0 = 0; p0 < med.K; p0 += L) {
        const bool dentro = existe && p0 + y < med.K;
        // sA[z][p][i]: a linha de A e o indice da soma
        sA[z][y][x] = (dentro && i0 + x < med.M) ? a[(p0 + y) * med.M + i0 + x] : 0.0f;
        sB[z][y][x] = (dentro && j0 + x < med.N) ? b[(p0 + y) * med.N + j0 + x] : 0.0f;
        __syncthreads();
        for (int p = 0; p < L; ++p)
            s += sA[z][p][y] * sB[z][p][x];
        __syncthreads();
    }

    if (existe && i0 + y < med.M && j0 + x < med.N)
        C[lote * med.saltoC + (i0 + y) * med.N + j0 + x] += s;
}

cudaError_t produtos(const Medidas &h, const float *dA, const float *dB, float *dC,
                     cudaStream_t fila)
{
    cudaError_t e = cudaMemcpyToSymbolAsync(med, &h, sizeof(Medidas), 0,
                                            cudaMemcpyHostToDevice, fila);
    if (e != cudaSuccess) return e;
    dim3 bloco(L, L, Z);
    dim3 grade((h.N + L - 1) / L, (h.M + L - 1) / L, (h.lotes + Z - 1) / Z);
    produtos_em_lote<<<grade, bloco, 0, fila>>>(dA, dB, dC);
    e = cudaGetLastError();
    if (e != cudaSuccess) return e;
    return cudaStreamSynchronize(fila);
}
