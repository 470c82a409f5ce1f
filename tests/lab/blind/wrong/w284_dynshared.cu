// Tiled matmul, templated on the scalar type, tile size chosen at run time
// (both tiles live in dynamic shared memory)
#include <cstdio>
#include <cmath>
#include <cstdlib>
#include <cuda_runtime.h>

template <typename scalar_t>
__global__ void tiled(const scalar_t *A, const scalar_t *B, scalar_t *C,
                      int M, int N, int K)
{
	extern __shared__ __align__(16) unsigned char raw[];
	const int ts = blockDim.x;                 // square blocks only
	scalar_t *tileA = reinterpret_cast<scalar_t *>(raw);
	scalar_t *tileB = tileA + ts * ts;

	const int ty = threadIdx.y, tx = threadIdx.x;
	const int row = blockIdx.y * ts + ty;
	const int col = blockIdx.x * ts + tx;

	scalar_t acc = 0;
	for (int k0 = 0; k0 < K; k0 += ts) {
		tileA[ty * ts + tx] = (row < M && k0 + tx < K) ? A[row * K + k0 + tx] : scalar_t(0);
		tileB[ty * ts + tx] = (k0 + ty < K && col < N) ? B[(k0 + ty) * N + col] : scalar_t(0);
		__syncthreads();
		for (int k = 0; k < ts; ++k)
			acc += tileA[ty * ts + k] * tileB[k * ts + tx];
		__syncthreads();
	}
	if (row < M && col < N)
		C[row * N + col] = acc;
}

template <typename scalar_t>
cudaError_t run(const scalar_t *A, const scalar_t *B, scalar_t *C,
                int M, int N, int K, int ts)
{
	dim3 block(ts, ts);
	dim3 grid((N + ts - 1) / ts, (M + ts - 1) / ts);
	size_t smem = 2 * ts * ts * sizeof(float);
	tiled<scalar_t><<<grid, block, smem>>>(A, B, C, M, N, K);
	cudaError_t err = cudaGetLastError();
	if (err != cudaSuccess) return err;
	return cudaDeviceSynchronize();
}

int main(int argc, char **argv)
{
	int ts = argc > 1 ? atoi(argv[1]) : 32;
	int M = 150, N = 130, K = 170;
	double *A, *B, *C;
	cudaMallocManaged(&A, M * K * sizeof(double));
	cudaMallocManaged(&B, K * N * sizeof(double));
	cudaMallocManaged(&C, M * N * sizeof(double));
	for (int i = 0; i < M * K; ++i) A[i] = drand48();
	for (int i = 0; i < K * N; ++i) B[i] = drand48();

	cudaError_t err = run(A, B, C, M, N, K, ts);
	if (err != cudaSuccess) {
		fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(err));
		return 1;
	}

	double worst = 0;
	for (int i = 0; i < M; ++i)
		for (int j = 0; j < N; ++j) {
			double s = 0;
			for (int k = 0; k < K; ++k)
				s += A[i * K + k] * B[k * N + j];
			worst = fmax(worst, fabs(s - C[i * N + j]));
		}
	printf("max error %g\n", worst);
	cudaFree(A);
	cudaFree(B);
	cudaFree(C);
	return worst > 1e-9;
}
