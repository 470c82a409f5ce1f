// y = A x, en traad per rad. Vektoren x hentes i biter til delt minne,
// slik at alle traadene i blokken kan lese den derfra.
//
// A er rader x kolonner, radvis. Blokken har BITE traader (1-D),
// rutenettet har (rader + BITE - 1) / BITE blokker. Alle storrelser er lov.
#include <cuda_runtime.h>

#define BITE 128

template <typename Tall>
__global__ void radPerTraad(const Tall *__restrict__ A, const Tall *__restrict__ x,
                            Tall *__restrict__ y, int rader, int kolonner)
{
    __shared__ Tall xBit[BITE];

    const int rad = blockIdx.x * BITE + threadIdx.x;
    const bool aktiv = rad < rader;   // ingen retur her: alle maa naa barrierene
    Tall sum = 0;

    for (int start = 0; start < kolonner; start += BITE) {
        const int igjen = kolonner - start;
        const int lengde = igjen < BITE ? igjen : BITE;

        if (threadIdx.x < lengde)
            xBit[threadIdx.x] = x[start + threadIdx.x];
        __syncthreads();

        if (aktiv) {
            const Tall *a = A + (size_t)rad * kolonner + start;
            int c = 0;
            // fire om gangen, saa resten
            for (; c + 3 < lengde; c += 4) {
                sum += a[c] * xBit[c];
                sum += a[c + 1] * xBit[c + 1];
                sum += a[c + 2] * xBit[c + 2];
                sum += a[c + 3] * xBit[c + 3];
            }
            for (; c < lengde; ++c)
                sum += a[c] * xBit[c];
        }
        __syncthreads();
    }

    if (aktiv)
        y[rad] = sum;
}

template __global__ void radPerTraad<float>(const float *, const float *, float *, int, int);
template __global__ void radPerTraad<double>(const double *, const double *, double *, int, int);
