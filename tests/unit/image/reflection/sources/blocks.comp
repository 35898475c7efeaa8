// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Uniform buffers beside a storage buffer: of the layout std140, in two sets, one with an array.
#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) uniform Scale {
  vec3 factor;
  uint count;
  float table[2];
} scale;
layout(set = 0, binding = 1) writeonly buffer Out { float out_[]; };
layout(set = 1, binding = 3) uniform Offset { float offset; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < scale.count) out_[i] = offset + scale.factor[i % 3] * float(i) + scale.table[i % 2];
}
