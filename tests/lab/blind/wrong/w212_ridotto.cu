#include <cstdio>
#include <cuda_runtime.h>

template <typename T>
struct Mat { int h, w; T *d; };

// prodotto ridotto, h e w pari
template <typename T>
__global__ void ridotto(Mat<T> A, Mat<T> B, Mat<T> C)
{
    const int i = threadIdx.x + blockIdx.x * blockDim.x;   // riga di C
    const int j = threadIdx.y + blockIdx.y * blockDim.y;   // colonna di C

    if (i < A.h && j < B.w / 2) {
        const T *su = A.d + 2 * i * A.w;
        const T *giu = su + A.w;
        T s = T(0);
        for (int k = 0; k < A.w; ++k)
            s += (su[k] + giu[k]) * (B.d[k * B.w + 2 * j] + B.d[k * B.w + 2 * j + 1]);
        C.d[i * C.w + j] = s;
    }
}

template <typename T>
Mat<T> nuova(int h, int w)
{
    Mat<T> x = {h, w, nullptr};
    cudaMallocManaged(&x.d, sizeof(T) * h * w);
    for (int i = 0; i < h * w; ++i) x.d[i] = T(i % 4);
    return x;
}

int main()
{
    auto A = nuova<float>(30, 22);
    auto B = nuova<float>(22, 18);
    auto C = nuova<float>(15, 9);
    dim3 blocco(16, 16);
    dim3 griglia((C.h + 15) / 16, (C.w + 15) / 16);
    ridotto<float><<<griglia, blocco>>>(A, B, C);
    cudaDeviceSynchronize();
    printf("%f\n", C.d[0]);
    return 0;
}
