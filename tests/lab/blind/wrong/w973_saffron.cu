#include <cuda_runtime.h>

// y = A * x with A of m x n; the threads of a block share slices of x
template <class T, int SLICE>
__global__ void mv(const T* A, const T* x, T* y, int m, int n)
{
	__shared__ T part[SLICE];
	const int row = blockIdx.x * SLICE + threadIdx.x;
	T sum = 0;

	for (int s = 0; s < (n + SLICE - 1) / SLICE; ++s) {
		const int idx = s * SLICE + threadIdx.x;
		if (row < m)
			part[threadIdx.x] = (idx < n) ? x[idx] : T(0);
		__syncthreads();

		if (row < m) {
			const int end = min(SLICE, n - s * SLICE);
			for (int q = 0; q < end; ++q)
				sum += A[row * n + s * SLICE + q] * part[q];
		}
		__syncthreads();
	}
	if (row < m)
		y[row] = sum;
}

extern "C" void mv_float(const float* A, const float* x, float* y, int m, int n)
{
	mv<float, 64><<<(m + 63) / 64, 64>>>(A, x, y, m, n);
}

extern "C" void mv_int(const int* A, const int* x, int* y, int m, int n)
{
	mv<int, 128><<<(m + 127) / 128, 128>>>(A, x, y, m, n);
}
