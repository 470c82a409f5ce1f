// Prodotto scalare in due passate: la prima scrive un parziale per blocco,
// la seconda (un solo blocco) somma i parziali e scrive il risultato.
#include <cuda_runtime.h>

static const int FILI = 256;
static const int MAX_BLOCCHI = 1000;

// Somma dei valori di tutti i fili del blocco; valida solo nel filo 0.
// blockDim.x deve essere FILI.
__device__ double somma_blocco(double v)
{
    __shared__ double per_warp[FILI / 32];
    const int corsia = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;

    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_down_sync(0xffffffff, v, d);
    if (corsia == 0)
        per_warp[warp] = v;
    __syncthreads();

    // il primo warp intero partecipa, le corsie in piu' portano zero
    if (warp == 0) {
        v = (corsia < FILI / 32) ? per_warp[corsia] : 0.0;
        for (int d = 16; d > 0; d >>= 1)
            v += __shfl_down_sync(0xffffffff, v, d);
    }
    return v;
}

__global__ void parziali(const float *x, const float *y, long long n, double *out)
{
    double s = 0.0;
    long long passo = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += passo)
        s += (double)x[i] * (double)y[i];
    s = somma_blocco(s);
    if (threadIdx.x == 0)
        out[blockIdx.x] = s;
}

__global__ void finale(const double *in, int quanti, double *risultato)
{
    double s = 0.0;
    for (int i = threadIdx.x; i < quanti; i += blockDim.x)
        s += in[i];
    s = somma_blocco(s);
    if (threadIdx.x == 0)
        *risultato = s;
}

// x e y sono sul dispositivo; il risultato torna in *ris (memoria dell'host).
cudaError_t prodotto_scalare(const float *x, const float *y, long long n, double *ris)
{
    *ris = 0.0;
    if (n <= 0)
        return cudaSuccess;

    long long servono = (n + FILI - 1) / FILI;
    int blocchi = servono < MAX_BLOCCHI ? (int)servono : MAX_BLOCCHI;

    double *d = nullptr;    // [0..blocchi) parziali, [blocchi] risultato
    cudaError_t e = cudaMalloc(&d, (blocchi + 1) * sizeof(double));
    if (e != cudaSuccess)
        return e;

    parziali<<<blocchi, FILI>>>(x, y, n, d);
    e = cudaGetLastError();
    if (e == cudaSuccess) {
        finale<<<1, FILI>>>(d, blocchi, d + blocchi);
        e = cudaGetLastError();
    }
    if (e == cudaSuccess)
        e = cudaMemcpy(ris, d + blocchi, sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d);
    return e;
}
