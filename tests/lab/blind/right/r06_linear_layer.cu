/* Fully connected layer (without bias and activation): Y = X * W^T
 *   X: batch x inFeatures   (row-major)
 *   W: outFeatures x inFeatures (row-major, like in PyTorch)
 *   Y: batch x outFeatures
 * Tiles are padded by one column to avoid bank conflicts.
 */
#include <cstdio>
#include <vector>
#include <cmath>
#include <random>
#include <cuda_runtime.h>

constexpr int TS = 32;

__global__ void linearForward(const float* __restrict__ X, const float* __restrict__ W,
                              float* __restrict__ Y, int batch, int inFeatures, int outFeatures)
{
    __shared__ float xs[TS][TS + 1];
    __shared__ float ws[TS][TS + 1];

    const int o = blockIdx.x * TS + threadIdx.x;   // output feature
    const int s = blockIdx.y * TS + threadIdx.y;   // sample
    const int wRow = blockIdx.x * TS + threadIdx.y; // row of W that this thread loads

    float sum = 0.0f;
    for (int f0 = 0; f0 < inFeatures; f0 += TS) {
        const int f = f0 + threadIdx.x;
        xs[threadIdx.y][threadIdx.x] = (s < batch && f < inFeatures) ? X[s * inFeatures + f] : 0.0f;
        ws[threadIdx.y][threadIdx.x] = (wRow < outFeatures && f < inFeatures) ? W[wRow * inFeatures + f] : 0.0f;
        __syncthreads();

        #pragma unroll
        for (int f1 = 0; f1 < TS; ++f1)
            sum = fmaf(xs[threadIdx.y][f1], ws[threadIdx.x][f1], sum);
        __syncthreads();
    }

    if (s < batch && o < outFeatures)
        Y[s * outFeatures + o] = sum;
}

void forward(const float* dX, const float* dW, float* dY, int batch, int in, int out)
{
    dim3 block(TS, TS);
    dim3 grid((out + TS - 1) / TS, (batch + TS - 1) / TS);
    linearForward<<<grid, block>>>(dX, dW, dY, batch, in, out);
}

int main()
{
    const int batch = 70, in = 190, out = 115;
    std::mt19937 gen(1);
    std::uniform_real_distribution<float> dist(-1.f, 1.f);
    std::vector<float> X(batch * in), W(out * in), Y(batch * out);
    for (auto& v : X) v = dist(gen);
    for (auto& v : W) v = dist(gen);

    float *dX, *dW, *dY;
    cudaMalloc(&dX, X.size() * sizeof(float));
    cudaMalloc(&dW, W.size() * sizeof(float));
    cudaMalloc(&dY, Y.size() * sizeof(float));
    cudaMemcpy(dX, X.data(), X.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dW, W.data(), W.size() * sizeof(float), cudaMemcpyHostToDevice);
    forward(dX, dW, dY, batch, in, out);
    cudaMemcpy(Y.data(), dY, Y.size() * sizeof(float), cudaMemcpyDeviceToHost);

    bool ok = cudaGetLastError() == cudaSuccess;
    for (int i = 0; i < batch; ++i)
        for (int j = 0; j < out; ++j) {
            float ref = 0;
            for (int k = 0; k < in; ++k) ref += X[i * in + k] * W[j * in + k];
            if (!(std::abs(ref - Y[i * out + j]) <= 1e-3f)) ok = false;
        }
    printf("%s\n", ok ? "OK" : "BAD");
    cudaFree(dX); cudaFree(dW); cudaFree(dY);
    return !ok;
}
