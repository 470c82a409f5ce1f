// y = A x, A sutun sutun saklanir (column major): A(i,j) = A[j * satir + i]
// baslatma: dim3 blok(32, 8);  matvek<8><<<(satir + 31) / 32, blok>>>(A, x, y, satir, sutun);
template <int PARCA>
__global__ void matvek(const float *A, const float *x, float *y, int satir, int sutun)
{
    __shared__ float ara[PARCA][32];
    int i = blockIdx.x * 32 + threadIdx.x;

    float t = 0.0f;
    if (i < satir)
        for (int j = threadIdx.y; j < sutun; j += PARCA)
            t = fmaf(A[j * satir + i], x[j], t);

    ara[threadIdx.y][threadIdx.x] = t;
    __syncthreads();

    // ilk satirdaki threadler parcalari toplar
    if (threadIdx.y == 0 && i < satir)
    {
        for (int p = 1; p < PARCA; ++p)
            t += ara[p][threadIdx.x];
        y[i] = t;
    }
}

template __global__ void matvek<8>(const float *, const float *, float *, int, int);
