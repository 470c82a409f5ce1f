// out = alpha * in + beta, vectorised with float4 and a scalar tail
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

__global__ void affine4(const float *in, float *out, float alpha, float beta, int n)
{
    int n4 = n / 4;
    int rest = n % 4;
    int idx = blockIdx.x * blockDim.x + threadIdx.x;

    const float4 *in4 = reinterpret_cast<const float4 *>(in);
    float4 *out4 = reinterpret_cast<float4 *>(out);

    if (idx < n4) {
        float4 v = in4[idx];
        v.x = alpha * v.x + beta;
        v.y = alpha * v.y + beta;
        v.z = alpha * v.z + beta;
        v.w = alpha * v.w + beta;
        out4[idx] = v;
    }

    if (idx < rest) {
        int pos = n4 + idx;
        out[pos] = alpha * in[pos] + beta;
    }
}

int main()
{
    const int n = 10007;
    const float alpha = 1.5f, beta = -2.0f;
    float *h_in = (float *)malloc(n * sizeof(float));
    float *h_out = (float *)malloc(n * sizeof(float));
    for (int i = 0; i < n; ++i)
        h_in[i] = 0.001f * i;

    float *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_in, h_in, n * sizeof(float), cudaMemcpyHostToDevice);

    int block = 128;
    int grid = (n / 4 + block - 1) / block;
    if (grid == 0)
        grid = 1;
    affine4<<<grid, block>>>(d_in, d_out, alpha, beta, n);
    cudaMemcpy(h_out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);

    float err = 0.0f;
    for (int i = 0; i < n; ++i)
        err = fmaxf(err, fabsf(h_out[i] - (alpha * h_in[i] + beta)));
    printf("max error: %g\n", err);

    cudaFree(d_in);
    cudaFree(d_out);
    free(h_in);
    free(h_out);
    return 0;
}
