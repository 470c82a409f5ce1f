/* Übung 3: Matrixmultiplikation mit Kacheln im gemeinsamen Speicher
 * C (zeilen x spalten) = A (zeilen x innen) * B (innen x spalten)
 */
#include <cstdio>
#include <vector>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

constexpr int KACHEL = 16;

__global__ void kachelProdukt(const float *A, const float *B, float *C,
                              int zeilen, int innen, int spalten)
{
    __shared__ float kachelA[KACHEL][KACHEL];
    __shared__ float kachelB[KACHEL][KACHEL];

    const int ty = threadIdx.y;
    const int tx = threadIdx.x;
    const int zeile  = blockIdx.y * KACHEL + ty;
    const int spalte = blockIdx.x * KACHEL + tx;

    float summe = 0.0f;
    const int anzahl = (innen + KACHEL - 1) / KACHEL;

    for (int t = 0; t < anzahl; t++) {
        const int kA = t * KACHEL + tx;
        const int kB = t * KACHEL + ty;

        // außerhalb der Matrix mit Null auffüllen
        kachelA[ty][tx] = (zeile < zeilen && kA < innen)  ? A[zeile * innen + kA]    : 0.0f;
        kachelB[ty][tx] = (kB < innen && spalte < spalten) ? B[kB * spalten + spalte] : 0.0f;
        __syncthreads();

#pragma unroll
        for (int k = 0; k < KACHEL; k++)
            summe += kachelA[ty][k] * kachelB[k][tx];
        __syncthreads();
    }

    if (zeile < zeilen && spalte < spalten)
        C[zeile * spalten + spalte] = summe;
}

int main()
{
    const int zeilen = 250, innen = 190, spalten = 310;
    std::vector<float> hA(zeilen * innen), hB(innen * spalten), hC(zeilen * spalten);
    for (auto &x : hA) x = rand() / (float)RAND_MAX;
    for (auto &x : hB) x = rand() / (float)RAND_MAX;

    float *dA, *dB, *dC;
    cudaMalloc((void **)&dA, hA.size() * sizeof(float));
    cudaMalloc((void **)&dB, hB.size() * sizeof(float));
    cudaMalloc((void **)&dC, hC.size() * sizeof(float));
    cudaMemcpy(dA, hA.data(), hA.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, hB.data(), hB.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 block(KACHEL, KACHEL);
    dim3 gitter((spalten + KACHEL - 1) / KACHEL, (zeilen + KACHEL - 1) / KACHEL);
    kachelProdukt<<<gitter, block>>>(dA, dB, dC, zeilen, innen, spalten);

    cudaError_t fehler = cudaDeviceSynchronize();
    if (fehler != cudaSuccess) {
        printf("Fehler: %s\n", cudaGetErrorString(fehler));
        return 1;
    }
    cudaMemcpy(hC.data(), dC, hC.size() * sizeof(float), cudaMemcpyDeviceToHost);

    double maxAbw = 0;
    for (int i = 0; i < zeilen; i++)
        for (int j = 0; j < spalten; j++) {
            double s = 0;
            for (int k = 0; k < innen; k++) s += (double)hA[i * innen + k] * hB[k * spalten + j];
            maxAbw = fmax(maxAbw, fabs(s - hC[i * spalten + j]));
        }
    printf("maximale Abweichung: %g\n", maxAbw);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return maxAbw < 1e-3 ? 0 : 1;
}
