// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As Taichi writes its arguments: one block of scalars without gaps, and the shape of an array with them.
#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0, scalar) uniform args_t {
  int shape[2];
  float factor;
  int begin;
} args;
layout(set = 0, binding = 1, std430) buffer Array { float values[]; };

void main() {
  const int i = int(gl_GlobalInvocationID.x);
  if (i < args.shape[0] * args.shape[1]) values[i] = args.factor * float(i + args.begin);
}
