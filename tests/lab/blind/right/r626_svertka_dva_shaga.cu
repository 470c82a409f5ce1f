// Редуцированное произведение в три ядра:
//   1) складываем соседние строки A, 2) складываем соседние столбцы B, 3) перемножаем.
// Нечётный размер допускается: последняя строка (столбец) остаётся без пары.
#include <cuda_runtime.h>

struct Matrica {
    int strok;
    int stolbcov;
    size_t shag;      // в элементах
    float *d;
};

__global__ void pary_strok(Matrica a, Matrica s)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= s.strok || j >= s.stolbcov) return;
    float v = a.d[(size_t)(2 * i) * a.shag + j];
    if (2 * i + 1 < a.strok)
        v += a.d[(size_t)(2 * i + 1) * a.shag + j];
    s.d[i * s.shag + j] = v;
}

__global__ void pary_stolbcov(Matrica b, Matrica s)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= s.strok || j >= s.stolbcov) return;
    const float *p = b.d + i * b.shag;
    float v = p[2 * j];
    if (2 * j + 1 < b.stolbcov)
        v += p[2 * j + 1];
    s.d[i * s.shag + j] = v;
}

#define PLITKA 16

__global__ void umnozhit(Matrica a, Matrica b, Matrica c)
{
    __shared__ float pa[PLITKA][PLITKA];
    __shared__ float pb[PLITKA][PLITKA];
    int i = blockIdx.y * PLITKA + threadIdx.y;
    int j = blockIdx.x * PLITKA + threadIdx.x;
    float summa = 0.f;
    for (int t = 0; t * PLITKA < a.stolbcov; ++t) {
        int ka = t * PLITKA + threadIdx.x;
        int kb = t * PLITKA + threadIdx.y;
        pa[threadIdx.y][threadIdx.x] = (i < a.strok && ka < a.stolbcov) ? a.d[i * a.shag + ka] : 0.f;
        pb[threadIdx.y][threadIdx.x] = (kb < b.strok && j < b.stolbcov) ? b.d[kb * b.shag + j] : 0.f;
        __syncthreads();
        for (int k = 0; k < PLITKA; ++k)
            summa += pa[threadIdx.y][k] * pb[k][threadIdx.x];
        __syncthreads();
    }
    if (i < c.strok && j < c.stolbcov)
        c.d[i * c.shag + j] = summa;
}

static dim3 setka(const Matrica &m)
{
    return dim3((m.stolbcov + PLITKA - 1) / PLITKA, (m.strok + PLITKA - 1) / PLITKA);
}

static cudaError_t vydelit(Matrica *m, int strok, int stolbcov)
{
    size_t bajt = 0;
    m->strok = strok;
    m->stolbcov = stolbcov;
    m->d = nullptr;
    cudaError_t e = cudaMallocPitch((void **)&m->d, &bajt, stolbcov * sizeof(float), strok);
    m->shag = bajt / sizeof(float);
    return e;
}

// C уже выделена: ceil(A.strok/2) x ceil(B.stolbcov/2); все размеры не меньше 1
cudaError_t reducirovannoe(Matrica A, Matrica B, Matrica C)
{
    if (A.stolbcov != B.strok || C.strok != (A.strok + 1) / 2 || C.stolbcov != (B.stolbcov + 1) / 2)
        return cudaErrorInvalidValue;

    Matrica SA, SB;
    cudaError_t e = vydelit(&SA, C.strok, A.stolbcov);
    if (e != cudaSuccess) return e;
    e = vydelit(&SB, B.strok, C.stolbcov);
    if (e != cudaSuccess) {
        cudaFree(SA.d);
        return e;
    }
    dim3 blok(PLITKA, PLITKA);
    pary_strok<<<setka(SA), blok>>>(A, SA);
    pary_stolbcov<<<setka(SB), blok>>>(B, SB);
    umnozhit<<<setka(C), blok>>>(SA, SB, C);
    e = cudaGetLastError();
    cudaError_t e2 = cudaDeviceSynchronize();
    cudaFree(SA.d);
    cudaFree(SB.d);
    return e != cudaSuccess ? e : e2;
}
