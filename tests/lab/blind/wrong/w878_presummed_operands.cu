// C(i,j) = sum of the 2x2 square of A*B at (2i,2j), done as (row pairs of A) * (column pairs of B)
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

struct Mat { int r, c; float* d; };      // r x c, row-major, device memory

static Mat make(int r, int c) { Mat m{r, c, nullptr}; cudaMalloc(&m.d, sizeof(float) * r * c); return m; }

__global__ void add_row_pairs(Mat in, Mat out)
{
    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < out.r * out.c; e += gridDim.x * blockDim.x) {
        int r = e / out.c, c = e % out.c;
        out.d[e] = in.d[2 * r * in.c + c] + in.d[(2 * r + 1) * in.c + c];
    }
}

__global__ void add_col_pairs(Mat in, Mat out)
{
    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < out.r * out.c; e += gridDim.x * blockDim.x) {
        int r = e / out.c, c = e % out.c;
        out.d[e] = in.d[r * in.c + c] + in.d[r * in.c + c + out.c];
    }
}

__global__ void product(Mat a, Mat b, Mat out)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= out.r || c >= out.c) return;
    float s = 0.f;
    for (int k = 0; k < a.c; ++k) s += a.d[r * a.c + k] * b.d[k * b.c + c];
    out.d[r * out.c + c] = s;
}

void reduced_product(Mat A, Mat B, Mat C)
{
    Mat a = make(C.r, A.c), b = make(B.r, C.c);
    add_row_pairs<<<64, 256>>>(A, a);
    add_col_pairs<<<64, 256>>>(B, b);
    product<<<dim3((C.c + 31) / 32, (C.r + 7) / 8), dim3(32, 8)>>>(a, b, C);
    cudaFree(a.d);
    cudaFree(b.d);
}

int main()
{
    const int m = 70, n = 45, k = 90;
    std::vector<float> hA(2 * m * k), hB(k * 2 * n), hC(m * n);
    for (auto& v : hA) v = (rand() % 100) / 50.f - 1.f;
    for (auto& v : hB) v = (rand() % 100) / 50.f - 1.f;
    Mat A = make(2 * m, k), B = make(k, 2 * n), C = make(m, n);
    cudaMemcpy(A.d, hA.data(), hA.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(B.d, hB.data(), hB.size() * sizeof(float), cudaMemcpyHostToDevice);
    reduced_product(A, B, C);
    cudaMemcpy(hC.data(), C.d, hC.size() * sizeof(float), cudaMemcpyDeviceToHost);

    double worst = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double ref = 0;
            for (int di = 0; di < 2; ++di)
                for (int dj = 0; dj < 2; ++dj)
                    for (int p = 0; p < k; ++p)
                        ref += (double)hA[(2 * i + di) * k + p] * hB[p * 2 * n + 2 * j + dj];
            worst = fmax(worst, fabs(ref - hC[i * n + j]));
        }
    printf("max diff %g\n", worst);
    cudaFree(A.d); cudaFree(B.d); cudaFree(C.d);
    return worst > 1e-3;
}
