// Couche dense d'un petit réseau : Y = ReLU(X * W + biais)
// X : lot x entree (half), W : entree x sortie (half), biais : sortie (float)
// Accumulation en float, résultat arrondi en half.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define VERIF(appel) do { cudaError_t err__ = appel; if (err__ != cudaSuccess) { \
    printf("Erreur CUDA l.%d : %s\n", __LINE__, cudaGetErrorString(err__)); exit(1); } } while (0)

const int T  = 16;       // côté de la tuile
const int W2 = 2;        // colonnes calculées par chaque thread

__global__ void dense_relu(const __half *X, const __half *W, const float *biais,
                           __half *Y, int lot, int entree, int sortie)
{
    __shared__ __half tx_[T][T];
    __shared__ __half tw_[T][T * W2];

    int lig  = blockIdx.y * T + threadIdx.y;
    int col0 = blockIdx.x * (T * W2);

    float acc0 = 0.f, acc1 = 0.f;
    int nb = (entree + T - 1) / T;

    for (int t = 0; t < nb; ++t) {
        int e = t * T + threadIdx.x;
        if (lig < lot && e < entree)
            tx_[threadIdx.y][threadIdx.x] = X[lig * entree + e];
        else
            tx_[threadIdx.y][threadIdx.x] = __float2half(0.f);

        int ew = t * T + threadIdx.y;
        for (int c = threadIdx.x; c < T * W2; c += T) {
            if (ew < entree && col0 + c < sortie)
                tw_[threadIdx.y][c] = W[ew * sortie + col0 + c];
            else
                tw_[threadIdx.y][c] = __float2half(0.f);
        }
        __syncthreads();

        for (int k = 0; k < T; ++k) {
            float x = __half2float(tx_[threadIdx.y][k]);
            acc0 += x * __half2float(tw_[k][threadIdx.x]);
            acc1 += x * __half2float(tw_[k][threadIdx.x + T]);
        }
        __syncthreads();   // avant d'écraser les tuiles
    }

    int c0 = col0 + threadIdx.x, c1 = c0 + T;
    if (lig < lot) {
        if (c0 < sortie) Y[lig * sortie + c0] = __float2half(fmaxf(acc0 + biais[c0], 0.f));
        if (c1 < sortie) Y[lig * sortie + c1] = __float2half(fmaxf(acc1 + biais[c1], 0.f));
    }
}

int main()
{
    const int lot = 50, entree = 75, sortie = 100;
    __half *X, *W, *Y;
    float *b;
    VERIF(cudaMallocManaged(&X, lot * entree * sizeof(__half)));
    VERIF(cudaMallocManaged(&W, entree * sortie * sizeof(__half)));
    VERIF(cudaMallocManaged(&Y, lot * sortie * sizeof(__half)));
    VERIF(cudaMallocManaged(&b, sortie * sizeof(float)));

    for (int i = 0; i < lot * entree; ++i)    X[i] = __float2half((rand() % 17 - 8) / 8.f);
    for (int i = 0; i < entree * sortie; ++i) W[i] = __float2half((rand() % 17 - 8) / 16.f);
    for (int i = 0; i < sortie; ++i)          b[i] = (i % 7 - 3) * 0.25f;

    dim3 blk(T, T);
    dim3 grl((sortie + T * W2 - 1) / (T * W2), (lot + T - 1) / T);
    dense_relu<<<grl, blk>>>(X, W, b, Y, lot, entree, sortie);
    VERIF(cudaGetLastError());
    VERIF(cudaDeviceSynchronize());

    int faux = 0;
    for (int i = 0; i < lot; ++i)
        for (int j = 0; j < sortie; ++j) {
            float s = b[j];
            for (int k = 0; k < entree; ++k)
                s += __half2float(X[i * entree + k]) * __half2float(W[k * sortie + j]);
            s = s > 0.f ? s : 0.f;
            if (fabsf(s - __half2float(Y[i * sortie + j])) > 0.02f) ++faux;
        }
    printf("%d valeurs fausses\n", faux);
    cudaFree(X); cudaFree(W); cudaFree(Y); cudaFree(b);
    return faux != 0;
}
