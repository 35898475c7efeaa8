// values[i] *= factor. A call runs one workgroup, which takes workgroup_size[0] of the values.
#include <halyard/local_kernel.h>

HAL_LOCAL_KERNEL(scale) {
  float* values = HAL_LOCAL_BINDING(float, 0);
  const float factor = *HAL_LOCAL_CONSTANT(const float, 0);
  const uint64_t count = dispatch->binding_lengths[0] / sizeof(float);
  const uint64_t begin = (uint64_t)workgroup->id[0] * dispatch->workgroup_size[0];
  for (uint64_t i = begin; i < begin + dispatch->workgroup_size[0] && i < count; ++i) values[i] *= factor;
  return 0;
}
