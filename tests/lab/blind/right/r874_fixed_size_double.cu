#include <cstdio>
#include <cstdlib>
#include <cmath>

// Nhân ma trận kích thước cố định lúc biên dịch, kiểu double.
// X: H x K, Y: K x W, Z: H x W. Mọi cấu hình lưới 1 chiều đều cho kết quả đúng.
template <int H, int K, int W>
__global__ void nhan(const double (*X)[K], const double (*Y)[W], double (*Z)[W])
{
    for (int o = blockIdx.x * blockDim.x + threadIdx.x; o < H * W; o += gridDim.x * blockDim.x) {
        int h = o / W;
        int w = o - h * W;
        double t = 0;
#pragma unroll 4
        for (int k = 0; k < K; k++)
            t += X[h][k] * Y[k][w];
        Z[h][w] = t;
    }
}

template <int H, int K, int W>
static int kiemTra(int luoi, int khoi)
{
    double (*x)[K], (*y)[W], (*z)[W];
    cudaMallocManaged(&x, sizeof(double) * H * K);
    cudaMallocManaged(&y, sizeof(double) * K * W);
    cudaMallocManaged(&z, sizeof(double) * H * W);
    for (int i = 0; i < H; i++)
        for (int k = 0; k < K; k++) x[i][k] = (rand() % 2001 - 1000) / 1000.0;
    for (int k = 0; k < K; k++)
        for (int j = 0; j < W; j++) y[k][j] = (rand() % 2001 - 1000) / 1000.0;

    nhan<H, K, W><<<luoi, khoi>>>(x, y, z);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;

    int sai = 0;
    for (int i = 0; i < H; i++)
        for (int j = 0; j < W; j++) {
            double t = 0;
            for (int k = 0; k < K; k++) t += x[i][k] * y[k][j];
            if (std::fabs(t - z[i][j]) > 1e-10) sai++;
        }
    cudaFree(x); cudaFree(y); cudaFree(z);
    printf("%dx%dx%d <<<%d,%d>>>: %d sai\n", H, K, W, luoi, khoi, sai);
    return sai != 0;
}

int main()
{
    int loi = kiemTra<64, 64, 64>(16, 256);
    loi += kiemTra<31, 70, 45>(3, 100);
    loi += kiemTra<1, 129, 7>(1, 32);
    return loi;
}
