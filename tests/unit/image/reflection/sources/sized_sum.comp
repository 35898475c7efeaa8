#version 450
// As kernels of ggml are: an array of workgroup memory that is as long as a workgroup, and one of twice that length.
layout(local_size_x_id = 0, local_size_y = 1, local_size_z = 1) in;
layout(constant_id = 0) const uint block = 32;
layout(constant_id = 1) const uint scale = 3;
layout(set = 0, binding = 0) readonly buffer X { uint x[]; };
layout(set = 0, binding = 1) buffer Y { uint y[]; };
shared uint partial[block];
shared uint twice[2 * block];
void main() {
  const uint i = gl_LocalInvocationIndex;
  partial[i] = x[gl_GlobalInvocationID.x];
  twice[i] = 0;
  twice[block + i] = 1;
  barrier();
  for (uint step = block / 2; step > 0; step /= 2) {
    if (i < step) partial[i] += partial[i + step];
    barrier();
  }
  if (i == 0) y[gl_WorkGroupID.x] = partial[0] * scale + twice[block] + gl_WorkGroupSize.x;
}
