// Dislayan (exclusive) onek toplami: cikti[i] = girdi[0] + ... + girdi[i-1].
// Her blok 2 * IPLIK elemani Blelloch agaciyla tarar; blok toplamlari
// ozyinelemeli olarak taranip geri eklenir.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define KONTROL(x)                                                     \
    if (cudaError_t h = (x)) {                                         \
        fprintf(stderr, "satir %d: %s\n", __LINE__, cudaGetErrorString(h)); \
        exit(1);                                                       \
    }

const int IPLIK = 256;
const int PARCA = 2 * IPLIK;

__global__ void blokTara(const int *girdi, int *cikti, int *toplamlar, int n)
{
    __shared__ int s[PARCA];
    const int t = threadIdx.x;
    const int taban = blockIdx.x * PARCA;

    s[t] = taban + t < n ? girdi[taban + t] : 0;
    s[t + IPLIK] = taban + t + IPLIK < n ? girdi[taban + t + IPLIK] : 0;

    // yukari cikis
    int adim = 1;
    for (int d = IPLIK; d > 0; d /= 2) {
        __syncthreads();
        if (t < d) {
            int sol = adim * (2 * t + 1) - 1;
            int sag = adim * (2 * t + 2) - 1;
            s[sag] += s[sol];
        }
        adim *= 2;
    }
    __syncthreads();
    if (t == 0) {
        toplamlar[blockIdx.x] = s[PARCA - 1];
        s[PARCA - 1] = 0;
    }

    // asagi inis
    for (int d = 1; d <= IPLIK; d *= 2) {
        adim /= 2;
        __syncthreads();
        if (t < d) {
            int sol = adim * (2 * t + 1) - 1;
            int sag = adim * (2 * t + 2) - 1;
            int eski = s[sol];
            s[sol] = s[sag];
            s[sag] += eski;
        }
    }
    __syncthreads();

    if (taban + t < n) cikti[taban + t] = s[t];
    if (taban + t + IPLIK < n) cikti[taban + t + IPLIK] = s[t + IPLIK];
}

__global__ void kaymaEkle(int *cikti, const int *kayma, int n)
{
    const int taban = blockIdx.x * PARCA;
    const int k = kayma[blockIdx.x];
    for (int i = threadIdx.x; i < PARCA && taban + i < n; i += blockDim.x)
        cikti[taban + i] += k;
}

void onekToplam(const int *d_girdi, int *d_cikti, int n)
{
    const int blok = (n + PARCA - 1) / PARCA;
    int *d_toplam;
    KONTROL(cudaMalloc(&d_toplam, blok * sizeof(int)));
    blokTara<<<blok, IPLIK>>>(d_girdi, d_cikti, d_toplam, n);
    KONTROL(cudaGetLastError());
    if (blok > 1) {
        int *d_kayma;
        KONTROL(cudaMalloc(&d_kayma, blok * sizeof(int)));
        onekToplam(d_toplam, d_kayma, blok);
        kaymaEkle<<<blok, IPLIK>>>(d_cikti, d_kayma, n);
        KONTROL(cudaGetLastError());
        KONTROL(cudaFree(d_kayma));
    }
    KONTROL(cudaFree(d_toplam));
}

int main()
{
    const int boylar[] = {1, 511, 512, 513, 100000, 1234567};
    for (int n : boylar) {
        std::vector<int> g(n), c(n);
        for (int i = 0; i < n; ++i) g[i] = i % 11 - 4;
        int *dg, *dc;
        KONTROL(cudaMalloc(&dg, n * sizeof(int)));
        KONTROL(cudaMalloc(&dc, n * sizeof(int)));
        KONTROL(cudaMemcpy(dg, g.data(), n * sizeof(int), cudaMemcpyHostToDevice));
        onekToplam(dg, dc, n);
        KONTROL(cudaMemcpy(c.data(), dc, n * sizeof(int), cudaMemcpyDeviceToHost));
        int beklenen = 0, yanlis = 0;
        for (int i = 0; i < n; ++i) {
            if (c[i] != beklenen) ++yanlis;
            beklenen += g[i];
        }
        printf("n = %d: %s\n", n, yanlis ? "HATALI" : "dogru");
        KONTROL(cudaFree(dg));
        KONTROL(cudaFree(dc));
    }
    return 0;
}
