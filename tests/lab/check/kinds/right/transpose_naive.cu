__global__ void transposeNaive(float *odata, const float *idata, int nx, int ny) {
  int ix = blockDim.x * blockIdx.x + threadIdx.x, iy = blockDim.y * blockIdx.y + threadIdx.y;
  if (ix < nx && iy < ny) odata[ix * ny + iy] = idata[iy * nx + ix];
}
