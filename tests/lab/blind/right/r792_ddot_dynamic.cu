// ddot: double precision dot product, block size chosen at run time.
// The block size does not have to be a power of two (1..1024).
//
//   cudaMemset(res, 0, sizeof(double));          <- res has to start at zero
//   ddot<<<blocks, threads, threads * sizeof(double)>>>(n, x, y, res);

__global__ void ddot(long n, const double *x, const double *y, double *res)
{
	extern __shared__ double buf[];

	const int tid = threadIdx.x;
	double sum = 0.0;

	for (long i = blockIdx.x * (long)blockDim.x + tid; i < n; i += (long)gridDim.x * blockDim.x)
		sum += x[i] * y[i];

	buf[tid] = sum;
	__syncthreads();

	/* fold the upper part onto the lower one; with an odd
	   number of values the middle one just stays */
	int m = blockDim.x;
	while (m > 1) {
		int half = (m + 1) / 2;
		if (tid + half < m)
			buf[tid] += buf[tid + half];
		__syncthreads();
		m = half;
	}

	if (tid == 0)
		atomicAdd(res, buf[0]);
}
