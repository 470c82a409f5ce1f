// Nhan ma tran voi vecto: y = A x
// Moi luong tinh mot hang; vecto x duoc nap tung doan vao bo nho chung.
// Kich thuoc nam trong bo nho hang so.
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define LUONG 128

__constant__ int soHang;
__constant__ int soCot;

__global__ void nhan(const double *A, const double *x, double *y)
{
    __shared__ double doan[LUONG];
    int hang = blockIdx.x * LUONG + threadIdx.x;

    double tong = 0.0;
    for (int dau = 0; dau < soCot; dau += LUONG) {
        // tat ca cac luong cung nap, ke ca luong khong co hang
        if (dau + threadIdx.x < soCot)
            doan[threadIdx.x] = x[dau + threadIdx.x];
        __syncthreads();

        int dai = soCot - dau;
        if (dai > LUONG) dai = LUONG;
        if (hang < soHang) {
            const double *a = A + (size_t)hang * soCot + dau;
            for (int j = 0; j < dai; j++)
                tong += a[j] * doan[j];
        }
        __syncthreads();
    }

    if (hang < soHang)
        y[hang] = tong;
}

bool thu(int hang, int cot)
{
    double *A, *x, *y;
    if (cudaMallocManaged(&A, sizeof(double) * hang * cot) != cudaSuccess) return false;
    if (cudaMallocManaged(&x, sizeof(double) * cot) != cudaSuccess) return false;
    if (cudaMallocManaged(&y, sizeof(double) * hang) != cudaSuccess) return false;

    for (int i = 0; i < hang * cot; i++) A[i] = (rand() % 1000) * 0.002 - 1.0;
    for (int j = 0; j < cot; j++) x[j] = (rand() % 1000) * 0.002 - 1.0;
    for (int i = 0; i < hang; i++) y[i] = 12345.0;

    cudaMemcpyToSymbol(soHang, &hang, sizeof(int));
    cudaMemcpyToSymbol(soCot, &cot, sizeof(int));

    int khoi = (hang + LUONG - 1) / LUONG;
    nhan<<<khoi, LUONG>>>(A, x, y);

    bool dung = cudaGetLastError() == cudaSuccess;
    dung = (cudaDeviceSynchronize() == cudaSuccess) && dung;

    for (int i = 0; dung && i < hang; i++) {
        double s = 0.0;
        for (int j = 0; j < cot; j++)
            s += A[(size_t)i * cot + j] * x[j];
        if (!(fabs(s - y[i]) < 1e-9))
            dung = false;
    }

    cudaFree(A);
    cudaFree(x);
    cudaFree(y);
    return dung;
}

int main()
{
    bool tot = true;
    tot = thu(300, 259) && tot;
    tot = thu(7, 1000) && tot;
    tot = thu(128, 128) && tot;
    tot = thu(1025, 3) && tot;
    printf("ket qua nhan ma tran voi vecto: %s\n", tot ? "OK" : "FAILED");
    return tot ? 0 : 1;
}
