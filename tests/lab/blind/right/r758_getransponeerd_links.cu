// C = A^T * B in dubbele precisie.
//   A is k x m (rijen eerst), B is k x n, C is m x n.
// Blok van 8 x 8 draden; elke draad rekent 2 x 2 elementen van C uit,
// dus een blok dekt 16 x 16 elementen. Alle afmetingen >= 1 zijn toegestaan.
#include <cuda_runtime.h>

static const int DRADEN = 8;
static const int TEGEL = 2 * DRADEN;
static const int DIEPTE = 8;

__global__ void atMaalB(const double *A, const double *B, double *C, int m, int n, int k)
{
    __shared__ double deelA[DIEPTE][TEGEL];   // deelA[p][i] = A[p0 + p][i0 + i]
    __shared__ double deelB[DIEPTE][TEGEL];

    int tx = threadIdx.x, ty = threadIdx.y;
    int i0 = blockIdx.y * TEGEL;
    int j0 = blockIdx.x * TEGEL;

    double c00 = 0, c01 = 0, c10 = 0, c11 = 0;

    for (int p0 = 0; p0 < k; p0 += DIEPTE) {
        int p = p0 + ty;
        for (int h = 0; h < 2; h++) {
            int q = tx + h * DRADEN;
            deelA[ty][q] = (p < k && i0 + q < m) ? A[(long long)p * m + i0 + q] : 0.0;
            deelB[ty][q] = (p < k && j0 + q < n) ? B[(long long)p * n + j0 + q] : 0.0;
        }
        __syncthreads();

        for (int s = 0; s < DIEPTE; s++) {
            double a0 = deelA[s][ty], a1 = deelA[s][ty + DRADEN];
            double b0 = deelB[s][tx], b1 = deelB[s][tx + DRADEN];
            c00 += a0 * b0;
            c01 += a0 * b1;
            c10 += a1 * b0;
            c11 += a1 * b1;
        }
        __syncthreads();
    }

    int i = i0 + ty, j = j0 + tx;
    bool iEen = i < m, iTwee = i + DRADEN < m;
    bool jEen = j < n, jTwee = j + DRADEN < n;
    if (iEen && jEen)   C[(long long)i * n + j] = c00;
    if (iEen && jTwee)  C[(long long)i * n + j + DRADEN] = c01;
    if (iTwee && jEen)  C[(long long)(i + DRADEN) * n + j] = c10;
    if (iTwee && jTwee) C[(long long)(i + DRADEN) * n + j + DRADEN] = c11;
}

// Kopieert naar de GPU, rekent, en kopieert het resultaat terug. Geeft true als alles lukt.
bool transponeerEnVermenigvuldig(const double *hA, const double *hB, double *hC, int m, int n, int k)
{
    size_t bytesA = sizeof(double) * m * k;
    size_t bytesB = sizeof(double) * n * k;
    size_t bytesC = sizeof(double) * m * n;
    double *dA = nullptr, *dB = nullptr, *dC = nullptr;
    bool goed = cudaMalloc(&dA, bytesA) == cudaSuccess
             && cudaMalloc(&dB, bytesB) == cudaSuccess
             && cudaMalloc(&dC, bytesC) == cudaSuccess
             && cudaMemcpy(dA, hA, bytesA, cudaMemcpyHostToDevice) == cudaSuccess
             && cudaMemcpy(dB, hB, bytesB, cudaMemcpyHostToDevice) == cudaSuccess;
    if (goed) {
        dim3 blok(DRADEN, DRADEN);
        dim3 rooster((n + TEGEL - 1) / TEGEL, (m + TEGEL - 1) / TEGEL);
        atMaalB<<<rooster, blok>>>(dA, dB, dC, m, n, k);
        goed = cudaGetLastError() == cudaSuccess
            && cudaMemcpy(hC, dC, bytesC, cudaMemcpyDeviceToHost) == cudaSuccess;
    }
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return goed;
}
