// Εργασία 4: πυκνό επίπεδο νευρωνικού δικτύου
//   Y = relu(X * W^T + b)
// X: deigmata x eisodoi, W: exodoi x eisodoi, b: exodoi, Y: deigmata x exodoi
// Όλοι οι πίνακες κατά γραμμές, όλες οι διαστάσεις >= 1, deigmata <= 1048560.
#include <cuda_runtime.h>

constexpr int PLAKIDIO = 16;

struct Diastaseis {
    int deigmata;
    int eisodoi;
    int exodoi;
};

__device__ inline float relu(float v)
{
    return v > 0.0f ? v : 0.0f;
}

__global__ void pyknoEpipedo(const float* X, const float* W, const float* b,
                             float* Y, Diastaseis d)
{
    __shared__ float sX[PLAKIDIO][PLAKIDIO];
    // μία επιπλέον στήλη: το W διαβάζεται ανά γραμμή και χρησιμοποιείται ανεστραμμένο
    __shared__ float sW[PLAKIDIO][PLAKIDIO + 1];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int deigma = blockIdx.y * PLAKIDIO + ty;
    const int exodos = blockIdx.x * PLAKIDIO + tx;
    const int grammiW = blockIdx.x * PLAKIDIO + ty;   // γραμμή του W που φορτώνει το νήμα

    float athroisma = 0.0f;
    for (int arxi = 0; arxi < d.eisodoi; arxi += PLAKIDIO) {
        const int e = arxi + tx;
        sX[ty][tx] = (deigma < d.deigmata && e < d.eisodoi)
                         ? X[(size_t)deigma * d.eisodoi + e] : 0.0f;
        sW[ty][tx] = (grammiW < d.exodoi && e < d.eisodoi)
                         ? W[(size_t)grammiW * d.eisodoi + e] : 0.0f;
        __syncthreads();

#pragma unroll
        for (int k = 0; k < PLAKIDIO; ++k)
            athroisma = fmaf(sX[ty][k], sW[tx][k], athroisma);
        __syncthreads();
    }

    if (deigma < d.deigmata && exodos < d.exodoi)
        Y[(size_t)deigma * d.exodoi + exodos] = relu(athroisma + b[exodos]);
}

// Δείκτες μνήμης συσκευής.
cudaError_t efarmogi(const float* dX, const float* dW, const float* db, float* dY,
                     Diastaseis d, cudaStream_t roi = 0)
{
    if (d.deigmata < 1 || d.eisodoi < 1 || d.exodoi < 1 || d.deigmata > 1048560)
        return cudaErrorInvalidValue;

    dim3 block(PLAKIDIO, PLAKIDIO);
    dim3 plegma((d.exodoi + PLAKIDIO - 1) / PLAKIDIO,
                (d.deigmata + PLAKIDIO - 1) / PLAKIDIO);
    pyknoEpipedo<<<plegma, block, 0, roi>>>(dX, dW, db, dY, d);
    return cudaGetLastError();
}
