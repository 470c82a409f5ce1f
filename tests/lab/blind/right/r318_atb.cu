#define TS 16

// computes C = transpose(A) * B
// A has K rows and M columns, B has K rows and N columns
__global__ void gemm_tn(double* C, const double* A, const double* B, int M, int N, int K)
{
	__shared__ double At[TS][TS];
	__shared__ double Bt[TS][TS];

	int i0 = blockIdx.y * TS;
	int j0 = blockIdx.x * TS;
	int tx = threadIdx.x;
	int ty = threadIdx.y;
	double acc = 0;

	for (int t = 0; t < (K + TS - 1) / TS; t++) {
		int k = t * TS + ty;
		// both loads are along rows, so both are coalesced
		if (k < K && i0 + tx < M) At[ty][tx] = A[k * M + i0 + tx]; else At[ty][tx] = 0;
		if (k < K && j0 + tx < N) Bt[ty][tx] = B[k * N + j0 + tx]; else Bt[ty][tx] = 0;
		__syncthreads();
		for (int p = 0; p < TS; p++)
			acc += At[p][ty] * Bt[p][tx];
		__syncthreads();
	}

	int i = i0 + ty, j = j0 + tx;
	if (i < M && j < N) C[i * N + j] = acc;
}
