// Shukushou gyouretsu seki: B no retsu no tsui wo float2 de yomu
// burokku (TB, TB), guriddo (ceil((n/2)/TB), ceil((m/2)/TB));  m to n wa guusuu
#define TB 16

__global__ void shukushou(const float *a, const float *b, float *c,
                          const int m, const int n, const int p)
{
    __shared__ float tsuiA[TB][TB + 1];
    __shared__ float tsuiB[TB][TB];

    const int n2 = n >> 1;
    const int m2 = m >> 1;
    const float2 *b2 = reinterpret_cast<const float2 *>(b);
    const int retsu = blockIdx.x * TB + threadIdx.x;
    const int gyou = blockIdx.y * TB + threadIdx.y;

    float goukei = 0.f;
    for (int hajime = 0; hajime < p; hajime += TB) {
        const int k1 = hajime + threadIdx.x;
        const int k2 = hajime + threadIdx.y;
        float2 w = make_float2(0.f, 0.f);
        if (k2 < p && retsu < n2) w = b2[k2 * n2 + retsu];
        tsuiB[threadIdx.y][threadIdx.x] = w.x + w.y;

        float u = 0.f;
        if (gyou < m2 && k1 < p) {
            u = a[2 * gyou * p + k1];
            u += a[2 * gyou * p + p + k1];
        }
        tsuiA[threadIdx.x][threadIdx.y] = u;      // tenchi shite oku
        __syncthreads();

        for (int k = 0; k < TB; k++)
            goukei += tsuiA[k][threadIdx.y] * tsuiB[k][threadIdx.x];
        __syncthreads();
    }
    if (gyou < m2 && retsu < n2)
        c[gyou * n2 + retsu] = goukei;
}
