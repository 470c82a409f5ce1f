#include <cuda_fp16.h>

// C (float) = A (half) * B (half).  Launch: block (16,16), grid (ceil(n/32), ceil(m/32)).
__global__ void hmm(const half* A, const half* B, float* C, int m, int n, int k)
{
	__shared__ float a[32][16];
	__shared__ float b[16][32];

	int tx = threadIdx.x;
	int ty = threadIdx.y;
	int id = ty * 16 + tx;
	int r0 = blockIdx.y * 32;
	int c0 = blockIdx.x * 32;

	float c00 = 0, c01 = 0, c10 = 0, c11 = 0;

	for (int kk = 0; kk < k; kk += 16) {
		// 512 numbers in each tile, 256 threads
		for (int e = id; e < 512; e += 256) {
			int ar = e >> 4, ac = e & 15;
			int br = e >> 5, bc = e & 31;
			a[ar][ac] = 0.0f;
			b[br][bc] = 0.0f;
			if (r0 + ar < m && kk + ac < k)
				a[ar][ac] = __half2float(A[(r0 + ar) * k + kk + ac]);
			if (kk + br < k && c0 + bc < n)
				b[br][bc] = __half2float(B[(kk + br) * n + c0 + bc]);
		}
		__syncthreads();
		for (int i = 0; i < 16; i++) {
			float x0 = a[ty][i], x1 = a[ty + 16][i];
			float y0 = b[i][tx], y1 = b[i][tx + 16];
			c00 += x0 * y0;
			c01 += x0 * y1;
			c10 += x1 * y0;
			c11 += x1 * y1;
		}
		__syncthreads();
	}

	int r = r0 + ty, c = c0 + tx;
	if (r < m      && c < n)      C[r * n + c] = c00;
	if (r < m      && c + 16 < n) C[r * n + c + 16] = c01;
	if (r + 16 < m && c < n)      C[(r + 16) * n + c] = c10;
	if (r + 16 < m && c + 16 < n) C[(r + 16) * n + c + 16] = c11;
}
