// Bài tập 3: tích vô hướng của hai vectơ kiểu double
// Mỗi khối 192 luồng, n tùy ý. Tổng cuối cùng cộng ở CPU.
#include <cuda_runtime.h>
#include <cstdio>
#include <cmath>

#define SO_LUONG 192

__global__ void tichVoHuong(const double* a, const double* b, double* tongKhoi, int n)
{
    __shared__ double tam[SO_LUONG];

    int i = blockIdx.x * SO_LUONG + threadIdx.x;
    if (i < n)
        tam[threadIdx.x] = a[i] * b[i];
    else
        tam[threadIdx.x] = 0.0;
    __syncthreads();

    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s)
            tam[threadIdx.x] += tam[threadIdx.x + s];
        __syncthreads();
    }

    if (threadIdx.x == 0)
        tongKhoi[blockIdx.x] = tam[0];
}

double tinhTich(const double* a, const double* b, int n)
{
    int soKhoi = (n + SO_LUONG - 1) / SO_LUONG;
    double *da, *db, *dt;
    double* t = new double[soKhoi];

    cudaMalloc(&da, sizeof(double) * n);
    cudaMalloc(&db, sizeof(double) * n);
    cudaMalloc(&dt, sizeof(double) * soKhoi);
    cudaMemcpy(da, a, sizeof(double) * n, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, sizeof(double) * n, cudaMemcpyHostToDevice);

    tichVoHuong<<<soKhoi, SO_LUONG>>>(da, db, dt, n);
    cudaMemcpy(t, dt, sizeof(double) * soKhoi, cudaMemcpyDeviceToHost);

    double tong = 0.0;
    for (int k = 0; k < soKhoi; k++)
        tong += t[k];

    delete[] t;
    cudaFree(da);
    cudaFree(db);
    cudaFree(dt);
    return tong;
}

int main()
{
    const int n = 10000;
    static double a[n], b[n];
    for (int i = 0; i < n; i++) {
        a[i] = std::sqrt((double)i);
        b[i] = a[i];
    }
    printf("ket qua: %.2f\n", tinhTich(a, b, n));
    return 0;
}
