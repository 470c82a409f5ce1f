/*
 * Tích vô hướng của hai vectơ double, độ dài n (n từ 1 đến 2 000 000 000).
 *
 * Bước 1: mỗi khối cộng dồn một phần rồi ghi vào tong[blockIdx.x].
 * Bước 2: gọi cong_don với đúng một khối để cộng các phần lại.
 *
 * Số luồng mỗi khối phải là lũy thừa của 2 (tối đa 1024), bộ nhớ chia sẻ động
 * là blockDim.x * sizeof(double):
 *
 *   int luong = 256, khoi = 320;
 *   size_t bytes = luong * sizeof(double);
 *   tich_vo_huong<<<khoi, luong, bytes>>>(x, y, tong, n);
 *   cong_don<<<1, luong, bytes>>>(tong, ket_qua, khoi);
 */
#include <cuda_runtime.h>

__device__ double rut_gon(double *s, double gia_tri)
{
    unsigned int t = threadIdx.x;
    unsigned int k;

    s[t] = gia_tri;
    __syncthreads();
    for (k = blockDim.x >> 1; k > 0; k >>= 1) {
        if (t < k)
            s[t] = s[t] + s[t + k];
        __syncthreads();
    }
    return s[0];
}

__global__ void tich_vo_huong(const double *x, const double *y, double *tong, int n)
{
    extern __shared__ double bo_dem[];
    size_t bat_dau = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t buoc = (size_t)gridDim.x * blockDim.x;
    double s = 0.0;
    size_t i;

    for (i = bat_dau; i < (size_t)n; i += buoc)
        s += x[i] * y[i];

    s = rut_gon(bo_dem, s);
    if (threadIdx.x == 0)
        tong[blockIdx.x] = s;
}

__global__ void cong_don(const double *tong, double *ket_qua, int so_khoi)
{
    extern __shared__ double bo_dem[];
    double s = 0.0;
    int i;

    for (i = threadIdx.x; i < so_khoi; i += blockDim.x)
        s += tong[i];

    s = rut_gon(bo_dem, s);
    if (threadIdx.x == 0)
        *ket_qua = s;
}
