// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells how many elements each binding has, and writes to all of them.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Lengths { uint lengths[]; };
layout(set = 0, binding = 1) buffer Words { uint words[]; };
layout(set = 0, binding = 2) buffer Halves { uint16_t halves[]; };
layout(set = 1, binding = 0) buffer Bytes { uint8_t bytes[]; };
layout(set = 1, binding = 1) buffer Behind {
  uint head[4];
  uint behind[];
};

void main() {
  lengths[0] = words.length();
  lengths[1] = halves.length();
  lengths[2] = bytes.length();
  lengths[3] = behind.length();
  for (uint i = 0; i < words.length(); ++i) words[i] = 0x4d4d4d4d;
  for (uint i = 0; i < halves.length(); ++i) halves[i] = uint16_t(0x4d4d);
  for (uint i = 0; i < bytes.length(); ++i) bytes[i] = uint8_t(0x4d);
  for (uint i = 0; i < behind.length(); ++i) behind[i] = 0x4d4d4d4d;
}
