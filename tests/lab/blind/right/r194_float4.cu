// Each thread computes four neighbouring elements of a row of C.
// n must be a multiple of 4 (rows of B and C are read / written as float4).
// block (16, 16), grid (ceil((n/4)/16), ceil(m/16))
__global__ void matmul_vec4(const float *__restrict__ a, const float *__restrict__ b,
                            float *__restrict__ c, int m, int n, int k)
{
    const int n4 = n / 4;
    const int col4 = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col4 >= n4)
        return;

    const float4 *b4 = reinterpret_cast<const float4 *>(b);
    float4 *c4 = reinterpret_cast<float4 *>(c);

    float4 acc = make_float4(0.f, 0.f, 0.f, 0.f);
    for (int q = 0; q < k; ++q) {
        const float av = __ldg(&a[row * k + q]);
        const float4 bv = __ldg(&b4[q * n4 + col4]);
        acc.x += av * bv.x;
        acc.y += av * bv.y;
        acc.z += av * bv.z;
        acc.w += av * bv.w;
    }
    c4[row * n4 + col4] = acc;
}
