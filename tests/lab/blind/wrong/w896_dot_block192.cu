#include <cuda_runtime.h>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>

// Točkasti umnožak; 192 niti po bloku (6 warpova) jer tako stane više blokova na SM.
// Svaki blok upiše jedan djelomični zbroj, zbraja ih thrust::reduce.

template <typename T>
__global__ void umnozak(const T *u, const T *w, T *djelomicni, long n)
{
    extern __shared__ unsigned char sirovo[];
    T *z = reinterpret_cast<T *>(sirovo);

    T moj = T(0);
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x)
        moj += u[i] * w[i];
    z[threadIdx.x] = moj;
    __syncthreads();

    for (unsigned pola = blockDim.x / 2; pola > 0; pola /= 2) {
        if (threadIdx.x < pola)
            z[threadIdx.x] += z[threadIdx.x + pola];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        djelomicni[blockIdx.x] = z[0];
}

template <typename T>
T tockasti(const thrust::device_vector<T> &u, const thrust::device_vector<T> &w)
{
    const int niti = 192, blokova = 160;
    thrust::device_vector<T> d(blokova);
    umnozak<T><<<blokova, niti, niti * sizeof(T)>>>(
        thrust::raw_pointer_cast(u.data()), thrust::raw_pointer_cast(w.data()),
        thrust::raw_pointer_cast(d.data()), (long)u.size());
    return thrust::reduce(d.begin(), d.end(), T(0));
}

template float  tockasti(const thrust::device_vector<float> &,  const thrust::device_vector<float> &);
template double tockasti(const thrust::device_vector<double> &, const thrust::device_vector<double> &);
