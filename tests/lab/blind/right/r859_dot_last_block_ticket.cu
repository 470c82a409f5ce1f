// Skalaarkorrutis ühe käivitusega: iga plokk kirjutab oma osasumma,
// viimasena lõpetav plokk liidab osasummad kokku (järjekord on alati sama).
// Korraga tohib käia ainult üks selle tuuma käivitus, sest loendur ja puhver on globaalsed.
#include <cuda_runtime.h>

constexpr int LOIMI = 192;          // lõimi plokis (6 lõimekimpu)
constexpr int PLOKKE_MAX = 512;

__device__ float osasumma[PLOKKE_MAX];
__device__ unsigned int valmis = 0;

// tulemus kehtib ainult lõimes 0
__device__ float plokisumma(float v)
{
    __shared__ float kimp[LOIMI / 32];
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0) kimp[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        v = 0.0f;
        for (int w = 0; w < LOIMI / 32; ++w) v += kimp[w];
    }
    return v;
}

__global__ void __launch_bounds__(LOIMI)
skalaarkorrutis(const float* __restrict__ x, const float* __restrict__ y, size_t n, float* tulemus)
{
    __shared__ bool viimane;

    float s = 0.0f;
    for (size_t i = (size_t)blockIdx.x * LOIMI + threadIdx.x; i < n; i += (size_t)gridDim.x * LOIMI)
        s = fmaf(x[i], y[i], s);
    s = plokisumma(s);

    if (threadIdx.x == 0) {
        osasumma[blockIdx.x] = s;
        __threadfence();                            // osasumma enne piletit
        viimane = atomicAdd(&valmis, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!viimane) return;

    __threadfence();
    float kokku = 0.0f;
    for (unsigned b = threadIdx.x; b < gridDim.x; b += LOIMI)
        kokku += __ldcg(&osasumma[b]);
    kokku = plokisumma(kokku);
    if (threadIdx.x == 0) {
        *tulemus = kokku;
        valmis = 0;                                 // järgmise käivituse jaoks
    }
}

cudaError_t arvuta(const float* x, const float* y, size_t n, float* tulemus, cudaStream_t voog)
{
    size_t plokke = (n + LOIMI - 1) / LOIMI;
    if (plokke < 1) plokke = 1;
    if (plokke > PLOKKE_MAX) plokke = PLOKKE_MAX;
    skalaarkorrutis<<<(unsigned)plokke, LOIMI, 0, voog>>>(x, y, n, tulemus);
    return cudaGetLastError();
}
