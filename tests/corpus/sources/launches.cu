// Kernels whose launch is special: clusters, a grid that synchronises, programmatic launch.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) fixed_cluster(int* out) {
  cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();
  out[blockIdx.x] = cluster.block_rank();
}

__global__ void any_cluster(int* out) {
  __shared__ int mine;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) mine = cluster.block_rank();
  cluster.sync();
  out[blockIdx.x] = *cluster.map_shared_rank(&mine, 0);
  cluster.sync();
}

__global__ void grid_sync(float* x, int n) {
  cg::grid_group grid = cg::this_grid();
  x[grid.thread_rank() % n] += 1;
  grid.sync();
  x[grid.thread_rank() % n] *= 2;
}

__global__ void dependent(const float* in, float* out) {
  cudaGridDependencySynchronize();
  out[threadIdx.x] = in[threadIdx.x];
  cudaTriggerProgrammaticLaunchCompletion();
}

__global__ void __block_size__((128, 1, 1), (2, 1, 1)) sized_cluster(int* out) { out[blockIdx.x] = threadIdx.x; }

__global__ void __launch_bounds__(512, 1, 4) bounded_cluster(int* out) { out[threadIdx.x] = blockIdx.x; }
