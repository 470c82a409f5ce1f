// Transponeren via een gedeelde tegel; uit heeft kolommen x rijen elementen.
// Start:
//   dim3 blok(TEGEL, STROOK);
//   dim3 rooster((kolommen + TEGEL - 1) / TEGEL, (rijen + TEGEL - 1) / TEGEL);
//   transponeer<float><<<rooster, blok>>>(in, uit, rijen, kolommen);
#include <cuda_runtime.h>

enum { TEGEL = 32, STROOK = 8 };

template <class Getal>
__global__ void transponeer(const Getal *in, Getal *uit, int rijen, int kolommen)
{
	__shared__ Getal tegel[TEGEL][TEGEL + 1];

	int k = blockIdx.x * TEGEL + threadIdx.x;
	int r = blockIdx.y * TEGEL + threadIdx.y;
	if (k < kolommen) {
		for (int d = 0; d < TEGEL && r + d < rijen; d += STROOK)
			tegel[threadIdx.y + d][threadIdx.x] = in[(size_t)(r + d) * kolommen + k];
	}

	__syncthreads();

	// nu het blok gespiegeld: x loopt langs de rijen van de invoer
	int ur = blockIdx.x * TEGEL + threadIdx.y;
	int uk = blockIdx.y * TEGEL + threadIdx.x;
	if (uk < rijen) {
		for (int d = 0; d < TEGEL && ur + d < kolommen; d += STROOK)
			uit[(size_t)(ur + d) * rijen + uk] = tegel[threadIdx.x][threadIdx.y + d];
	}
}

template __global__ void transponeer<float>(const float *, float *, int, int);
template __global__ void transponeer<int>(const int *, int *, int, int);
