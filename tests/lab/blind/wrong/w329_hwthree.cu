/* matrix multiply kernel, shared memory, homework 3 */
#define BLOCK_SIZE 16

__global__ void mm(const float *a, const float *b, float *c, int m, int n, int p)
{
	/* a is m x n, b is n x p, c is m x p */
	__shared__ float as[BLOCK_SIZE][BLOCK_SIZE];
	__shared__ float bs[BLOCK_SIZE][BLOCK_SIZE];
	int i, t;
	int row = blockIdx.y * BLOCK_SIZE + threadIdx.y;
	int col = blockIdx.x * BLOCK_SIZE + threadIdx.x;
	float tmp = 0;

	for (t = 0; t < (n + BLOCK_SIZE - 1) / BLOCK_SIZE; t++) {
		int x = t * BLOCK_SIZE + threadIdx.x;
		int y = t * BLOCK_SIZE + threadIdx.y;
		as[threadIdx.y][threadIdx.x] = (row < m && x < n) ? a[row * n + x] : 0;
		bs[threadIdx.y][threadIdx.x] = (y < n && col < p) ? b[y * p + col] : 0;
		__syncthreads();
		for (i = 0; i < BLOCK_SIZE; i++)
			tmp += as[threadIdx.y][i] * bs[i][threadIdx.x];
		__syncthreads();
	}
	if (row < m || col < p)
		c[row * p + col] = tmp;
}
