// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As compilers of WGSL write it: each variable is in a block with one member, a vec3 is followed by a number.
#version 450
layout(local_size_x = 8) in;
struct Params {
  vec3 scale;
  float bias;
  uint count;
};
layout(set = 0, binding = 2, std140) uniform params_block { Params inner; } params;
layout(set = 0, binding = 7, std430) buffer result_block { float inner[]; } result;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < params.inner.count) result.inner[i] = params.inner.scale[i % 3] + params.inner.bias;
}
