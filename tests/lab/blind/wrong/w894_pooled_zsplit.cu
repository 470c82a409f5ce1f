#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

// Намалено произведение: C(i,j) = сбор на P(2i..2i+1, 2j..2j+1), P = A*B.
// Блок (8, 8, 8): осем среза по z делят сумата по k, накрая се събират дървовидно.

constexpr int S = 8;

__global__ void namaleno(const float *__restrict__ A, const float *__restrict__ B,
                         float *__restrict__ C, int m, int n, int k)
{
    __shared__ float buf[S][S][S];
    const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    const int j = blockIdx.x * S + x, i = blockIdx.y * S + y;

    float s = 0.f;
    if (i < m && j < n) {
        const float *gore = A + (size_t)(2 * i) * k, *dolu = gore + k;
        const float2 *dvoika = reinterpret_cast<const float2 *>(B) + j;
        for (int q = z; q < k; q += S) {
            const float2 b = dvoika[(size_t)q * n];
            s += (gore[q] + dolu[q]) * (b.x + b.y);
        }
    }
    buf[z][y][x] = s;
    __syncthreads();

    for (int h = S / 2; h > 1; h >>= 1) {
        if (z < h) buf[z][y][x] += buf[z + h][y][x];
        __syncthreads();
    }
    if (z == 0 && i < m && j < n)
        C[(size_t)i * n + j] = buf[0][y][x];
}

int main()
{
    const int m = 45, n = 61, k = 203;
    std::vector<float> a(2 * m * k), b(2 * n * k), c(m * n);
    for (size_t i = 0; i < a.size(); ++i) a[i] = std::sin(0.37f * i);
    for (size_t i = 0; i < b.size(); ++i) b[i] = std::cos(0.11f * i);
    float *da, *db, *dc;
    cudaMalloc(&da, a.size() * 4);
    cudaMalloc(&db, b.size() * 4);
    cudaMalloc(&dc, c.size() * 4);
    cudaMemcpy(da, a.data(), a.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * 4, cudaMemcpyHostToDevice);
    namaleno<<<dim3((n + S - 1) / S, (m + S - 1) / S), dim3(S, S, S)>>>(da, db, dc, m, n, k);
    cudaMemcpy(c.data(), dc, c.size() * 4, cudaMemcpyDeviceToHost);

    double greshka = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double t = 0;
            for (int q = 0; q < k; ++q)
                t += ((double)a[2 * i * k + q] + a[(2 * i + 1) * k + q]) *
                     ((double)b[q * 2 * n + 2 * j] + b[q * 2 * n + 2 * j + 1]);
            greshka = std::fmax(greshka, std::fabs(t - c[i * n + j]));
        }
    std::printf("грешка %g: %s\n", greshka, greshka < 1e-3 ? "добре" : "ЛОШО");
    return greshka < 1e-3 ? 0 : 1;
}
