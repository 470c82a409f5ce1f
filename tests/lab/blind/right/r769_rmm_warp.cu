// Redukalt matrixszorzat: az R minden elemet egy 32 szalas warp szamolja ki.
// A szalak a kozos k dimenziot osztjak fel, a vegen shuffle-lel adjak ossze.
// m es n paros, k tetszoleges.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int WARP = 32;
constexpr int WARP_PER_BLOKK = 4;
constexpr unsigned TELJES = 0xffffffffu;

__device__ long long warpOsszeg(long long v)
{
    for (int lepes = WARP / 2; lepes > 0; lepes /= 2)
        v += __shfl_down_sync(TELJES, v, lepes);
    return v;
}

__global__ void rmmWarp(const int *A, const int *B, long long *R, int m, int k, int n)
{
    const int sav = threadIdx.x % WARP;
    const int elem = blockIdx.x * WARP_PER_BLOKK + threadIdx.x / WARP;
    const int oszlopok = n / 2;
    const int osszes = (m / 2) * oszlopok;

    if (elem >= osszes)      // az egesz warp egyszerre lep ki
        return;

    const int i = elem / oszlopok;
    const int j = elem % oszlopok;
    const int *felso = A + (2 * i) * k;
    const int *also = felso + k;

    long long s = 0;
    for (int p = sav; p < k; p += WARP) {
        const long long a = (long long)felso[p] + also[p];
        const long long b = (long long)B[p * n + 2 * j] + B[p * n + 2 * j + 1];
        s += a * b;
    }
    s = warpOsszeg(s);
    if (sav == 0)
        R[elem] = s;
}

int main()
{
    const int m = 46, k = 75, n = 38;
    const int db = (m / 2) * (n / 2);
    std::vector<int> A(m * k), B(k * n);
    std::vector<long long> R(db, -1);
    unsigned mag = 12345u;
    auto kovetkezo = [&mag]() {
        mag = mag * 1664525u + 1013904223u;
        return (int)(mag >> 16) % 2001 - 1000;
    };
    for (int &x : A) x = kovetkezo();
    for (int &x : B) x = kovetkezo();

    int *gA, *gB;
    long long *gR;
    cudaMalloc(&gA, A.size() * sizeof(int));
    cudaMalloc(&gB, B.size() * sizeof(int));
    cudaMalloc(&gR, R.size() * sizeof(long long));
    cudaMemcpy(gA, A.data(), A.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(gB, B.data(), B.size() * sizeof(int), cudaMemcpyHostToDevice);

    const int blokkok = (db + WARP_PER_BLOKK - 1) / WARP_PER_BLOKK;
    rmmWarp<<<blokkok, WARP * WARP_PER_BLOKK>>>(gA, gB, gR, m, k, n);
    cudaError_t hiba = cudaDeviceSynchronize();
    cudaMemcpy(R.data(), gR, R.size() * sizeof(long long), cudaMemcpyDeviceToHost);
    cudaFree(gA);
    cudaFree(gB);
    cudaFree(gR);

    bool jo = hiba == cudaSuccess;
    for (int i = 0; i < m / 2; i++)
        for (int j = 0; j < n / 2; j++) {
            long long v = 0;
            for (int p = 0; p < k; p++)
                for (int x = 0; x < 4; x++)
                    v += (long long)A[(2 * i + x / 2) * k + p] * B[p * n + 2 * j + x % 2];
            if (v != R[i * (n / 2) + j]) jo = false;
        }
    printf("redukalt szorzat: %s\n", jo ? "OK" : "FAILED");
    return jo ? 0 : 1;
}
