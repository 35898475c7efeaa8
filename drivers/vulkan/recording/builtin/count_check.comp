// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies the counts of an indirect dispatch, or zeros if the device does not take so many, and says which.
#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) readonly buffer Counts { uint counts[]; };
layout(set = 0, binding = 1) buffer Checked { uint checked[]; };  // x, y, z, rejected
layout(push_constant) uniform Params {
  uint first_count;    // in words
  uint first_checked;  // the same
  uint most_x;
  uint most_y;
  uint most_z;
};

void main() {
  const uvec3 given = uvec3(counts[first_count], counts[first_count + 1], counts[first_count + 2]);
  const bool fits = all(lessThanEqual(given, uvec3(most_x, most_y, most_z)));
  const uvec3 taken = fits ? given : uvec3(0);
  checked[first_checked] = taken.x;
  checked[first_checked + 1] = taken.y;
  checked[first_checked + 2] = taken.z;
  checked[first_checked + 3] = fits ? 0 : 1;
}
