// 3. hazi feladat: negyedelt matrixszorzat (RMM), 4k szorzassal elemenkent
// A: m x k, B: k x n, R: m/2 x n/2; m es n paros
#include <cstdio>
#include <vector>
#include <cmath>
#include <cuda_runtime.h>

constexpr int CS = 16;    // csempe merete az eredmenyben

__global__ void negyedelt(const double *A, const double *B, double *R, int m, int k, int n)
{
    __shared__ double csA[2 * CS][CS];
    __shared__ double csB[CS][2 * CS];

    const int x = threadIdx.x, y = threadIdx.y;
    const int sor0 = blockIdx.y * 2 * CS;      // elso sor A-ban
    const int oszlop0 = blockIdx.x * 2 * CS;   // elso oszlop B-ben

    double s00 = 0, s01 = 0, s10 = 0, s11 = 0;

    for (int p0 = 0; p0 < k; p0 += CS) {
        for (int h = 0; h < 2; h++) {
            const int sor = sor0 + y + h * CS;
            csA[y + h * CS][x] = (sor < m && p0 + x < k) ? A[sor * k + p0 + x] : 0.0;
            const int oszlop = oszlop0 + x + h * CS;
            csB[y][x + h * CS] = (p0 + y < k && oszlop < n) ? B[(p0 + y) * n + oszlop] : 0.0;
        }
        __syncthreads();

        for (int p = 0; p < CS; p++) {
            const double a0 = csA[2 * y][p], a1 = csA[2 * y + 1][p];
            const double b0 = csB[p][2 * x], b1 = csB[p][2 * x + 1];
            s00 += a0 * b0;
            s01 += a0 * b1;
            s10 += a1 * b0;
            s11 += a1 * b1;
        }
        __syncthreads();
    }

    const int i = sor0 / 2 + y;
    const int j = oszlop0 / 2 + x;
    if (i < m / 2 && j < n / 2)
        R[i * n + j] = s00 + s01 + s10 + s11;
}

int main()
{
    const int m = 120, k = 75, n = 200;
    const int mr = m / 2, nr = n / 2;
    std::vector<double> A(m * k), B(k * n), R(mr * nr);
    for (int i = 0; i < m * k; i++) A[i] = (i * 37 % 101) / 101.0;
    for (int i = 0; i < k * n; i++) B[i] = (i * 53 % 89) / 89.0 - 0.5;

    double *eA, *eB, *eR;
    cudaMalloc(&eA, sizeof(double) * m * k);
    cudaMalloc(&eB, sizeof(double) * k * n);
    cudaMalloc(&eR, sizeof(double) * mr * nr);
    cudaMemcpy(eA, A.data(), sizeof(double) * m * k, cudaMemcpyHostToDevice);
    cudaMemcpy(eB, B.data(), sizeof(double) * k * n, cudaMemcpyHostToDevice);

    dim3 szalak(CS, CS);
    dim3 blokkok((nr + CS - 1) / CS, (mr + CS - 1) / CS);
    negyedelt<<<blokkok, szalak>>>(eA, eB, eR, m, k, n);

    cudaError_t hiba = cudaDeviceSynchronize();
    if (hiba != cudaSuccess) {
        printf("CUDA hiba: %s\n", cudaGetErrorString(hiba));
        return 1;
    }
    cudaMemcpy(R.data(), eR, sizeof(double) * mr * nr, cudaMemcpyDeviceToHost);

    double legnagyobb = 0;
    for (int i = 0; i < mr; i++)
        for (int j = 0; j < nr; j++) {
            double s = 0;
            for (int p = 0; p < k; p++)
                s += (A[2 * i * k + p] + A[(2 * i + 1) * k + p]) *
                     (B[p * n + 2 * j] + B[p * n + 2 * j + 1]);
            legnagyobb = std::fmax(legnagyobb, std::fabs(s - R[i * nr + j]));
        }
    printf("legnagyobb elteres: %g, %s\n", legnagyobb, legnagyobb < 1e-8 ? "jo" : "rossz");

    cudaFree(eA); cudaFree(eB); cudaFree(eR);
    return 0;
}
