// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Push constants whose addresses are chosen by an index.
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout(local_size_x = 4) in;
layout(buffer_reference, std430) buffer Floats { float values[]; };
struct Part {
  uint count;
  uvec2 address;
};
layout(push_constant) uniform Constants {
  uint pick;
  Part parts[3];
  uvec2 pair[2];
  uvec2 numbers[2];
} c;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= c.parts[c.pick].count) return;
  Floats(c.parts[c.pick].address).values[i] = Floats(c.pair[i % 2]).values[i] + float(c.numbers[c.pick].y);
}
