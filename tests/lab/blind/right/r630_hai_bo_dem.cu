// Nhân ma trận với hai bộ đệm trong bộ nhớ chia sẻ (nạp ô kế tiếp trong lúc tính ô hiện tại)
// C[m x n] = A[m x k] * B[k x n], kích thước bất kỳ từ 1 đến 1 triệu
#include <cuda_runtime.h>

template <class So, int O>
class ODem {
    So (&a)[2][O][O];
    So (&b)[2][O][O];
public:
    __device__ ODem(So (&a_)[2][O][O], So (&b_)[2][O][O]) : a(a_), b(b_) {}

    __device__ void nap(int dem, int buoc, const So* A, const So* B,
                        int hang, int cot, int m, int n, int k)
    {
        const int ka = buoc * O + threadIdx.x;
        const int kb = buoc * O + threadIdx.y;
        So va = So(0), vb = So(0);
        if (hang < m && ka < k) va = A[static_cast<size_t>(hang) * k + ka];
        if (kb < k && cot < n)  vb = B[static_cast<size_t>(kb) * n + cot];
        a[dem][threadIdx.y][threadIdx.x] = va;
        b[dem][threadIdx.y][threadIdx.x] = vb;
    }

    __device__ So nhan(int dem) const
    {
        So t = So(0);
#pragma unroll
        for (int i = 0; i < O; ++i)
            t += a[dem][threadIdx.y][i] * b[dem][i][threadIdx.x];
        return t;
    }
};

template <class So, int O>
__global__ void __launch_bounds__(O * O)
nhanMaTran(const So* A, const So* B, So* C, int m, int n, int k)
{
    __shared__ So kho_a[2][O][O];
    __shared__ So kho_b[2][O][O];
    ODem<So, O> dem(kho_a, kho_b);

    const int hang = blockIdx.y * O + threadIdx.y;
    const int cot  = blockIdx.x * O + threadIdx.x;
    const int soBuoc = (k + O - 1) / O;

    So tong = So(0);
    int hienTai = 0;
    dem.nap(hienTai, 0, A, B, hang, cot, m, n, k);
    __syncthreads();

    for (int buoc = 0; buoc < soBuoc; ++buoc) {
        if (buoc + 1 < soBuoc)
            dem.nap(hienTai ^ 1, buoc + 1, A, B, hang, cot, m, n, k);
        tong += dem.nhan(hienTai);
        __syncthreads();
        hienTai ^= 1;
    }

    if (hang < m && cot < n)
        C[static_cast<size_t>(hang) * n + cot] = tong;
}

void goiNhan(const double* A, const double* B, double* C, int m, int n, int k, cudaStream_t luong)
{
    constexpr int O = 16;
    dim3 khoi(O, O);
    dim3 luoi((n + O - 1) / O, (m + O - 1) / O);
    nhanMaTran<double, O><<<luoi, khoi, 0, luong>>>(A, B, C, m, n, k);
}

void goiNhan(const float* A, const float* B, float* C, int m, int n, int k, cudaStream_t luong)
{
    constexpr int O = 32;
    dim3 khoi(O, O);
    dim3 luoi((n + O - 1) / O, (m + O - 1) / O);
    nhanMaTran<float, O><<<luoi, khoi, 0, luong>>>(A, B, C, m, n, k);
}
