// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a word to an address, whatever is there.
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout(local_size_x = 1) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Word { uint value; };
layout(push_constant) uniform Params {
  uvec2 address;
  uint value;
};

void main() { Word(address).value = value; }
