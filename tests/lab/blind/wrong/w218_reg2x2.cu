// 2x2 register block of the full product per thread, summed at the end
// block (16,16), grid (ceil((n/2)/16), ceil((m/2)/16)), m and n even
constexpr int TB = 16;

__global__ void reduced2x2(float *__restrict__ C, const float *__restrict__ A,
                           const float *__restrict__ B, int m, int p, int n)
{
    __shared__ float up[TB][TB], down[TB][TB];       // even and odd rows of A
    __shared__ float left[TB][TB], right[TB][TB];    // even and odd columns of B
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int i = blockIdx.y * TB + ty, j = blockIdx.x * TB + tx;
    const bool rowOk = i < m / 2, colOk = j < n / 2;
    float p00 = 0.f, p01 = 0.f, p10 = 0.f, p11;

    for (int k0 = 0; k0 < p; k0 += TB) {
        const bool la = rowOk && k0 + tx < p;
        const bool lb = colOk && k0 + ty < p;
        up[ty][tx] = la ? A[2 * i * p + k0 + tx] : 0.f;
        down[ty][tx] = la ? A[(2 * i + 1) * p + k0 + tx] : 0.f;
        left[ty][tx] = lb ? B[(k0 + ty) * n + 2 * j] : 0.f;
        right[ty][tx] = lb ? B[(k0 + ty) * n + 2 * j + 1] : 0.f;
        __syncthreads();
        for (int k = 0; k < TB; ++k) {
            p00 += up[ty][k] * left[k][tx];
            p01 += up[ty][k] * right[k][tx];
            p10 += down[ty][k] * left[k][tx];
            p11 += down[ty][k] * right[k][tx];
        }
        __syncthreads();
    }
    if (rowOk && colOk)
        C[i * (n / 2) + j] = p00 + p01 + p10 + p11;
}
