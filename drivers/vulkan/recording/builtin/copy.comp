// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies whole groups of 16 bytes of the target from any byte of the source. The bytes at both ends are not its
// business.
#version 450
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) readonly buffer Source { uvec4 source[]; };
layout(set = 0, binding = 1) writeonly buffer Target { uvec4 target[]; };
layout(push_constant) uniform Params {
  uint first_source;  // in groups
  uint first_target;  // the same
  uint count;         // groups that are written
  uint shift;         // bytes; where in its first group the source begins
  uint per_workgroup;  // groups; a multiple of 256
};

// Five words from the word on with which the source begins, of which four are whole ones.
uvec4 joined(uvec4 low, uvec4 high) {
  const uint words = shift / 4;
  uvec4 first = low;
  uint next = high.x;
  if (words == 1) {
    first = uvec4(low.yzw, high.x);
    next = high.y;
  } else if (words == 2) {
    first = uvec4(low.zw, high.xy);
    next = high.z;
  } else if (words == 3) {
    first = uvec4(low.w, high.xyz);
    next = high.w;
  }
  const uint bits = shift % 4 * 8;
  if (bits == 0) return first;
  return (first >> bits) | (uvec4(first.yzw, next) << (32 - bits));
}

// Neighbours move neighbouring groups.
void main() {
  const uint begin = gl_WorkGroupID.x * per_workgroup;
  const uint end = min(begin + per_workgroup, count);
  for (uint i = begin + gl_LocalInvocationID.x; i < end; i += 256) {
    const uvec4 low = source[first_source + i];
    target[first_target + i] = shift == 0 ? low : joined(low, source[first_source + i + 1]);
  }
}
