// Bai tap 5: tich vo huong cua hai vector.
// Moi luong nap hai cap phan tu, moi khoi cho ra mot tong rieng,
// CPU cong cac tong rieng lai.
#include <stdio.h>
#include <stdlib.h>

#define SO_LUONG 256

__global__ void tichVoHuong(const int *x, const int *y, int *tongRieng, int n)
{
    __shared__ int dem[SO_LUONG];

    unsigned int t = threadIdx.x;
    unsigned int i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;

    int tam = 0;
    if (i < n)
        tam = x[i] * y[i];
    if (i + blockDim.x < n)
        tam += x[i + blockDim.x] * y[i + blockDim.x];
    dem[t] = tam;
    __syncthreads();

    for (unsigned int buoc = blockDim.x / 2; buoc > 0; buoc >>= 1) {
        if (t < buoc)
            dem[t] += dem[t + buoc];
        __syncthreads();
    }

    if (t == 0)
        tongRieng[blockIdx.x] = dem[0];
}

int main()
{
    int n = 100003;
    size_t kichThuoc = n * sizeof(int);
    int *x = (int *)malloc(kichThuoc);
    int *y = (int *)malloc(kichThuoc);
    long long dung = 0;
    for (int i = 0; i < n; i++) {
        x[i] = rand() % 21 - 10;
        y[i] = rand() % 21 - 10;
        dung += (long long)x[i] * y[i];
    }

    int soKhoi = (n + 2 * SO_LUONG - 1) / (2 * SO_LUONG);
    int *rieng = (int *)malloc(soKhoi * sizeof(int));

    int *dx, *dy, *dr;
    cudaMalloc(&dx, kichThuoc);
    cudaMalloc(&dy, kichThuoc);
    cudaMalloc(&dr, soKhoi * sizeof(int));
    cudaMemcpy(dx, x, kichThuoc, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y, kichThuoc, cudaMemcpyHostToDevice);

    tichVoHuong<<<soKhoi, SO_LUONG>>>(dx, dy, dr, n);
    cudaMemcpy(rieng, dr, soKhoi * sizeof(int), cudaMemcpyDeviceToHost);

    long long tong = 0;
    for (int b = 0; b < soKhoi; b++)
        tong += rieng[b];

    printf("GPU %lld, CPU %lld\n", tong, dung);
    cudaFree(dx); cudaFree(dy); cudaFree(dr);
    free(x); free(y); free(rieng);
    return tong != dung;
}
