// y = A * x. Un warp s'occupe de plusieurs lignes (boucle avec pas de grille).
#include <cstdio>
#include <vector>
#include <functional>
#include <cuda_runtime.h>

constexpr unsigned TOUS = 0xffffffffu;

template <typename T>
struct Vue {                // matrice par lignes, pas = éléments entre deux lignes
    const T* p;
    int lignes, colonnes, pas;
    __device__ T operator()(int i, int j) const { return p[i * pas + j]; }
};

template <typename T>
__global__ void matVec(Vue<T> A, const T* x, T* y)
{
    const int voie      = threadIdx.x % 32;
    const int warp      = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int nbWarps   = gridDim.x * blockDim.x / 32;

    for (int i = warp; i < A.lignes; i += nbWarps) {
        T s = 0;
        for (int j = voie; j < A.colonnes; j += 32)
            s += A(i, j) * x[j];

        for (int ecart = 16; ecart > 1; ecart /= 2)
            s += __shfl_down_sync(TOUS, s, ecart);

        if (voie == 0)
            y[i] = s;
    }
}

int main()
{
    const int lignes = 300, colonnes = 210, pas = 224;
    std::vector<double> A(lignes * pas, 0.0), x(colonnes), y(lignes);
    std::function<double(int, int)> f = [](int i, int j) { return 1.0 / (1 + i + j); };
    for (int i = 0; i < lignes; ++i)
        for (int j = 0; j < colonnes; ++j)
            A[i * pas + j] = f(i, j);
    for (int j = 0; j < colonnes; ++j)
        x[j] = j % 2 ? -1.0 : 2.0;

    double *dA, *dx, *dy;
    cudaMalloc(&dA, A.size() * sizeof(double));
    cudaMalloc(&dx, x.size() * sizeof(double));
    cudaMalloc(&dy, y.size() * sizeof(double));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), x.size() * sizeof(double), cudaMemcpyHostToDevice);

    Vue<double> vue{dA, lignes, colonnes, pas};
    matVec<<<16, 256>>>(vue, dx, dy);
    cudaMemcpy(y.data(), dy, y.size() * sizeof(double), cudaMemcpyDeviceToHost);

    for (int i = 0; i < 5; ++i)
        std::printf("y[%d] = %f\n", i, y[i]);

    cudaFree(dA);
    cudaFree(dx);
    cudaFree(dy);
    return 0;
}
