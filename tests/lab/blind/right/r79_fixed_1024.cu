#include <stdio.h>
#include <stdlib.h>

#define N 1024
#define TILE 32
#if N % TILE != 0
#error "N must be a multiple of TILE"
#endif

__global__ void mm(float a[N][N], float b[N][N], float c[N][N])
{
	__shared__ float sa[TILE][TILE];
	__shared__ float sb[TILE][TILE];
	int i = blockIdx.y * TILE + threadIdx.y;
	int j = blockIdx.x * TILE + threadIdx.x;
	float x = 0;
	for (int kt = 0; kt < N; kt += TILE) {
		sa[threadIdx.y][threadIdx.x] = a[i][kt + threadIdx.x];
		sb[threadIdx.y][threadIdx.x] = b[kt + threadIdx.y][j];
		__syncthreads();
		for (int k = 0; k < TILE; k++)
			x += sa[threadIdx.y][k] * sb[k][threadIdx.x];
		__syncthreads();
	}
	c[i][j] = x;
}

static float A[N][N], B[N][N], C[N][N];

int main()
{
	float (*da)[N], (*db)[N], (*dc)[N];
	int i, j, k, err = 0;

	for (i = 0; i < N; i++)
		for (j = 0; j < N; j++) {
			A[i][j] = (i + j) % 3;
			B[i][j] = (i * j) % 4;
		}
	cudaMalloc((void **)&da, sizeof(A));
	cudaMalloc((void **)&db, sizeof(B));
	cudaMalloc((void **)&dc, sizeof(C));
	cudaMemcpy(da, A, sizeof(A), cudaMemcpyHostToDevice);
	cudaMemcpy(db, B, sizeof(B), cudaMemcpyHostToDevice);

	mm<<<dim3(N / TILE, N / TILE), dim3(TILE, TILE)>>>(da, db, dc);
	cudaMemcpy(C, dc, sizeof(C), cudaMemcpyDeviceToHost);

	/* spot check: every 37th row */
	for (i = 0; i < N; i += 37)
		for (j = 0; j < N; j++) {
			float s = 0;
			for (k = 0; k < N; k++)
				s += A[i][k] * B[k][j];
			if (s != C[i][j]) err++;
		}
	printf("%d errors\n", err);
	cudaFree(da);
	cudaFree(db);
	cudaFree(dc);
	return err != 0;
}
