#include <cuda_runtime.h>
#include <utility>

#define GX 32
#define GY 8

// bir isi yayilimi adimi; kenar disindaki komsu, kenarin kendisi sayilir
__global__ void adim(const float *eski, float *yeni, int genislik, int yukseklik, float hiz)
{
    __shared__ float k[GY + 2][GX + 2];

    const int x = blockIdx.x * GX + threadIdx.x;
    const int y = blockIdx.y * GY + threadIdx.y;
    const int lx = threadIdx.x + 1, ly = threadIdx.y + 1;

    // tablonun disina tasan isler de yukleme yapar (sinira kirpilmis olarak)
    const int cx = min(x, genislik - 1);
    const int cy = min(y, yukseklik - 1);

    k[ly][lx] = eski[cy * genislik + cx];
    if (threadIdx.x == 0)
        k[ly][0] = eski[cy * genislik + max(cx - 1, 0)];
    if (threadIdx.x == GX - 1)
        k[ly][GX + 1] = eski[cy * genislik + min(x + 1, genislik - 1)];
    if (threadIdx.y == 0)
        k[0][lx] = eski[max(cy - 1, 0) * genislik + cx];
    if (threadIdx.y == GY - 1)
        k[GY + 1][lx] = eski[min(y + 1, yukseklik - 1) * genislik + cx];
    __syncthreads();

    if (x >= genislik || y >= yukseklik)
        return;

    const float orta = k[ly][lx];
    const float fark = k[ly][lx - 1] + k[ly][lx + 1] + k[ly - 1][lx] + k[ly + 1][lx] - 4.0f * orta;
    yeni[y * genislik + x] = orta + hiz * fark;
}

// iki tampon sirayla degisir; donen isaretci sonucun oldugu tampondur
float *yay(float *a, float *b, int genislik, int yukseklik, float hiz, int kacAdim)
{
    dim3 is(GX, GY);
    dim3 izgara((genislik + GX - 1) / GX, (yukseklik + GY - 1) / GY);
    for (int s = 0; s < kacAdim; s++) {
        adim<<<izgara, is>>>(a, b, genislik, yukseklik, hiz);
        std::swap(a, b);
    }
    cudaDeviceSynchronize();
    return a;
}
