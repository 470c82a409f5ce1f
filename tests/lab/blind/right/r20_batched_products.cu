// Batched matrix product: out[b] = left[b] * right[b] for many small matrices
// The batch index is blockIdx.z.
#include <cstdio>
#include <cmath>
#include <vector>

struct BatchSize {
    int batches, rows, inner, cols;
};

__global__ void batchedMatmul(const float* left, const float* right, float* out, BatchSize s)
{
    int b = blockIdx.z;
    const float* L = left  + b * s.rows * s.inner;
    const float* R = right + b * s.inner * s.cols;
    float* O       = out   + b * s.rows * s.cols;

    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (y < s.rows && x < s.cols) {
        float v = 0.0f;
        for (int k = 0; k < s.inner; ++k)
            v += L[y * s.inner + k] * R[k * s.cols + x];
        O[y * s.cols + x] = v;
    }
}

int main()
{
    BatchSize s{12, 20, 33, 27};
    std::vector<float> L(s.batches * s.rows * s.inner), R(s.batches * s.inner * s.cols), O(s.batches * s.rows * s.cols);
    for (size_t i = 0; i < L.size(); ++i) L[i] = (i % 21) * 0.1f;
    for (size_t i = 0; i < R.size(); ++i) R[i] = (i % 17) * 0.1f - 0.8f;

    float *dL, *dR, *dO;
    cudaMalloc(&dL, L.size() * sizeof(float));
    cudaMalloc(&dR, R.size() * sizeof(float));
    cudaMalloc(&dO, O.size() * sizeof(float));
    cudaMemcpy(dL, L.data(), L.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dR, R.data(), R.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 block(8, 8, 1);
    dim3 grid((s.cols + 7) / 8, (s.rows + 7) / 8, s.batches);
    batchedMatmul<<<grid, block>>>(dL, dR, dO, s);
    cudaMemcpy(O.data(), dO, O.size() * sizeof(float), cudaMemcpyDeviceToHost);

    bool ok = true;
    for (int b = 0; b < s.batches; ++b)
        for (int i = 0; i < s.rows; ++i)
            for (int j = 0; j < s.cols; ++j) {
                float v = 0;
                for (int k = 0; k < s.inner; ++k)
                    v += L[(b * s.rows + i) * s.inner + k] * R[(b * s.inner + k) * s.cols + j];
                if (!(std::fabs(v - O[(b * s.rows + i) * s.cols + j]) <= 1e-3f)) ok = false;
            }
    printf("%s\n", ok ? "OK" : "BAD");
    cudaFree(dL); cudaFree(dR); cudaFree(dO);
    return ok ? 0 : 1;
}
