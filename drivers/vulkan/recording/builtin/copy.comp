// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies whole words of the target from any byte of the source. The bytes at both ends are not its business.
#version 450
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 1) writeonly buffer Target { uint target[]; };
layout(push_constant) uniform Params {
  uint first_source;  // in words
  uint first_target;  // the same
  uint word_count;
  uint shift;  // bits; where in its first word the source begins
};

uint word_at(uint i) {
  const uint low = source[first_source + i];
  return shift == 0 ? low : (low >> shift) | (source[first_source + i + 1] << (32 - shift));
}

// Four words for each work-item, so that neighbours read neighbouring words.
void main() {
  const uint begin = gl_WorkGroupID.x * 1024 + gl_LocalInvocationID.x;
  for (uint i = begin; i < min(begin + 1024, word_count); i += 256) target[first_target + i] = word_at(i);
}
