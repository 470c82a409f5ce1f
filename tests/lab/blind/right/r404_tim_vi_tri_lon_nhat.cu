// Tìm vị trí phần tử lớn nhất của một mảng float (nếu trùng thì lấy vị trí nhỏ nhất).
// Cách làm: ghép (giá trị, vị trí) thành một khóa 64 bit rồi dùng max.
//   - 32 bit cao: giá trị float đổi sang số nguyên không dấu giữ nguyên thứ tự
//   - 32 bit thấp: 0xffffffff - vị trí
// Mảng không chứa NaN, 1 <= n < 2^32. -0.0 và +0.0 được coi là bằng nhau.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

typedef unsigned long long u64;
#define SO_LUONG 256          // phải là lũy thừa của 2

__device__ unsigned int doiThuTu(float v)
{
    unsigned int b = (v == 0.0f) ? 0u : __float_as_uint(v);
    return (b & 0x80000000u) ? ~b : (b | 0x80000000u);
}

__global__ void viTriLonNhat(const float *mang, unsigned int n, u64 *khoaLonNhat)
{
    __shared__ u64 khoa[SO_LUONG];
    int t = threadIdx.x;

    u64 tot = 0;    // nhỏ hơn khóa của mọi giá trị, kể cả -inf
    for (u64 i = (u64)blockIdx.x * SO_LUONG + t; i < n; i += (u64)gridDim.x * SO_LUONG) {
        u64 k = ((u64)doiThuTu(mang[i]) << 32) | (0xffffffffu - (unsigned int)i);
        if (k > tot) tot = k;
    }
    khoa[t] = tot;
    __syncthreads();

    for (int s = SO_LUONG / 2; s > 0; s >>= 1) {
        if (t < s && khoa[t + s] > khoa[t])
            khoa[t] = khoa[t + s];
        __syncthreads();
    }

    if (t == 0)
        atomicMax(khoaLonNhat, khoa[0]);
}

int main(int argc, char **argv)
{
    unsigned int n = argc > 1 ? (unsigned int)strtoul(argv[1], 0, 10) : 123457;
    if (n == 0) return 1;
    float *h = (float *)malloc(n * sizeof(float));
    for (unsigned int i = 0; i < n; i++)
        h[i] = -1.0f - (float)(((i + 77u) * 2654435761u) >> 20);   // toàn số âm, có trùng

    float *d;
    u64 *dKhoa, khoa = 0;
    cudaMalloc(&d, n * sizeof(float));
    cudaMalloc(&dKhoa, sizeof(u64));
    cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(dKhoa, 0, sizeof(u64));

    unsigned int soKhoi = (n - 1) / SO_LUONG + 1;
    if (soKhoi > 128) soKhoi = 128;
    viTriLonNhat<<<soKhoi, SO_LUONG>>>(d, n, dKhoa);
    cudaMemcpy(&khoa, dKhoa, sizeof(u64), cudaMemcpyDeviceToHost);
    unsigned int viTri = 0xffffffffu - (unsigned int)(khoa & 0xffffffffu);

    unsigned int dung = 0;
    for (unsigned int i = 1; i < n; i++)
        if (h[i] > h[dung]) dung = i;
    printf("GPU: %u  CPU: %u  %s\n", viTri, dung, viTri == dung ? "dung" : "SAI");

    cudaFree(d);
    cudaFree(dKhoa);
    free(h);
    return viTri == dung ? 0 : 1;
}
