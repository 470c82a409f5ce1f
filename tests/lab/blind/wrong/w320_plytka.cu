// Лаб. робота 4: скорочений добуток матриць
// кожен елемент результату - сума квадрата 2x2 добутку A*B (m і n парні)
//
// Запуск:
//   dim3 blok(32, 32);
//   dim3 sitka((n + 31) / 32, (m + 31) / 32);
//   skorochenyi<<<sitka, blok>>>(A, B, R, m, k, n);

#define W 32

__global__ void skorochenyi(const float *A, const float *B, float *R, int m, int k, int n)
{
    __shared__ float plytkaA[W][W];
    __shared__ float plytkaB[W][W];
    __shared__ float plytkaP[W][W];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int ryad = blockIdx.y * W + ty;
    int stovp = blockIdx.x * W + tx;
    float s = 0.0f;

    for (int t = 0; t < (k + W - 1) / W; t++) {
        plytkaA[ty][tx] = (ryad < m && t * W + tx < k) ? A[ryad * k + t * W + tx] : 0.0f;
        plytkaB[ty][tx] = (t * W + ty < k && stovp < n) ? B[(t * W + ty) * n + stovp] : 0.0f;
        __syncthreads();
        for (int q = 0; q < W; q++)
            s += plytkaA[ty][q] * plytkaB[q][tx];
        __syncthreads();
    }

    plytkaP[ty][tx] = s;

    // парні потоки збирають квадрат 2x2
    if (tx % 2 == 0 && ty % 2 == 0 && ryad < m && stovp < n) {
        float v = plytkaP[ty][tx] + plytkaP[ty][tx + 1]
                + plytkaP[ty + 1][tx] + plytkaP[ty + 1][tx + 1];
        R[(ryad / 2) * (n / 2) + stovp / 2] = v;
    }
}
