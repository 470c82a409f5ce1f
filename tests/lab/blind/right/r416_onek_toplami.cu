// Önek toplamı (kapsayıcı, inclusive scan): çıkış[i] = giriş[0] + ... + giriş[i]
// Blok içi: warp shuffle ile; bloklar arası: blok toplamları özyinelemeli taranır.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

const int BLOK = 512;

__device__ long long warpTara(long long v)
{
    int serit = threadIdx.x & 31;
    for (int d = 1; d < 32; d <<= 1) {
        long long komsu = __shfl_up_sync(0xffffffff, v, d);
        if (serit >= d) v += komsu;
    }
    return v;
}

template <typename Giris>
__global__ void blokTara(const Giris *giris, long long *cikis, long long *blokToplami, int n)
{
    __shared__ long long warpToplami[32];
    int i = blockIdx.x * BLOK + threadIdx.x;
    int serit = threadIdx.x & 31, warp = threadIdx.x >> 5;

    long long v = i < n ? (long long)giris[i] : 0;
    v = warpTara(v);
    if (serit == 31) warpToplami[warp] = v;
    __syncthreads();

    if (warp == 0) {
        long long t = serit < BLOK / 32 ? warpToplami[serit] : 0;
        warpToplami[serit] = warpTara(t);
    }
    __syncthreads();

    if (warp > 0) v += warpToplami[warp - 1];
    if (i < n) cikis[i] = v;
    if (blokToplami != nullptr && threadIdx.x == BLOK - 1) blokToplami[blockIdx.x] = v;
}

__global__ void blokEkle(long long *cikis, const long long *taranmis, int n)
{
    int i = (blockIdx.x + 1) * BLOK + threadIdx.x;   // ilk bloğa bir şey eklenmez
    if (i < n) cikis[i] += taranmis[blockIdx.x];
}

template <typename Giris>
void tara(const Giris *dGiris, long long *dCikis, int n)
{
    int bloklar = (n + BLOK - 1) / BLOK;
    if (bloklar == 1) {
        blokTara<Giris><<<1, BLOK>>>(dGiris, dCikis, nullptr, n);
        return;
    }
    long long *toplam, *taranmis;
    cudaMalloc(&toplam, bloklar * sizeof(long long));
    cudaMalloc(&taranmis, bloklar * sizeof(long long));
    blokTara<Giris><<<bloklar, BLOK>>>(dGiris, dCikis, toplam, n);
    tara<long long>(toplam, taranmis, bloklar);
    blokEkle<<<bloklar - 1, BLOK>>>(dCikis, taranmis, n);
    cudaFree(toplam);
    cudaFree(taranmis);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 300000;   // 1 <= n <= 2^30
    std::vector<int> h(n);
    for (int i = 0; i < n; i++) h[i] = (i % 1000) * 37 % 1000 - 300;

    int *dG;
    long long *dC;
    cudaMalloc(&dG, n * sizeof(int));
    cudaMalloc(&dC, n * sizeof(long long));
    cudaMemcpy(dG, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    tara<int>(dG, dC, n);

    std::vector<long long> s(n);
    cudaMemcpy(s.data(), dC, n * sizeof(long long), cudaMemcpyDeviceToHost);
    long long t = 0;
    int hata = 0;
    for (int i = 0; i < n; i++) {
        t += h[i];
        if (s[i] != t) hata++;
    }
    printf("%s (%d hata)\n", hata ? "YANLIŞ" : "doğru", hata);
    cudaFree(dG);
    cudaFree(dC);
    return hata != 0;
}
