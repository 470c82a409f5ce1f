#include <cuda_bf16.h>
#include <cuda_runtime.h>

// C = A * B met bfloat16-invoer en -uitvoer, optellen gebeurt in float.
// Rij-voor-rij opslag, A is m x k, B is k x n, C is m x n; alle maten > 0 toegestaan.
//
// Blok van 16 x 16 draden rekent een tegel van 64 x 64 uit, elke draad 4 x 4.
// Rooster: x = ceil(n / 64), y = ceil(m / 64)

typedef __nv_bfloat16 bf16;

enum { BT = 64, KT = 16, R = 4, DRADEN = 256 };

__global__ void __launch_bounds__(DRADEN)
gemm_bf16(const bf16 *__restrict__ a, const bf16 *__restrict__ b, bf16 *__restrict__ c,
          int m, int n, int k)
{
    __shared__ float ta[KT][BT + 4];    // getransponeerd: [k][rij]
    __shared__ float tb[KT][BT];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int t = ty * 16 + tx;
    const int rij0 = blockIdx.y * BT;
    const int kol0 = blockIdx.x * BT;

    float som[R][R];
#pragma unroll
    for (int i = 0; i < R; i++)
#pragma unroll
        for (int j = 0; j < R; j++)
            som[i][j] = 0.f;

    for (int kk = 0; kk < k; kk += KT) {
#pragma unroll
        for (int e = t; e < BT * KT; e += DRADEN) {
            // tegel van A: 64 rijen van 16
            const int ra = e / KT, ka = e % KT;
            float va = 0.f;
            if (rij0 + ra < m && kk + ka < k)
                va = __bfloat162float(a[(long)(rij0 + ra) * k + kk + ka]);
            ta[ka][ra] = va;

            // tegel van B: 16 rijen van 64
            const int kb = e / BT, cb = e % BT;
            float vb = 0.f;
            if (kk + kb < k && kol0 + cb < n)
                vb = __bfloat162float(b[(long)(kk + kb) * n + kol0 + cb]);
            tb[kb][cb] = vb;
        }
        __syncthreads();

#pragma unroll
        for (int p = 0; p < KT; p++) {
            float ra[R], rb[R];
#pragma unroll
            for (int i = 0; i < R; i++) {
                ra[i] = ta[p][ty * R + i];
                rb[i] = tb[p][tx + 16 * i];
            }
#pragma unroll
            for (int i = 0; i < R; i++)
#pragma unroll
                for (int j = 0; j < R; j++)
                    som[i][j] += ra[i] * rb[j];
        }
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < R; i++) {
        const int r = rij0 + ty * R + i;
        if (r >= m) break;
#pragma unroll
        for (int j = 0; j < R; j++) {
            const int s = kol0 + tx + 16 * j;
            if (s < n)
                c[(long)r * n + s] = __float2bfloat16(som[i][j]);
        }
    }
}
