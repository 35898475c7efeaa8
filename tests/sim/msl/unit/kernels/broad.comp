#version 460
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Much of what SPIRV-Cross can meet in a kernel, so that the host's library for Metal's language has it. Never run.
#extension GL_EXT_shader_explicit_arithmetic_types : require

layout(local_size_x = 64) in;

struct Cell {
  vec3 place;
  float weight;
  uvec2 counts;
  int tail[3];
};

layout(set = 0, binding = 0, std430) buffer Cells { Cell cells[]; };
layout(set = 0, binding = 1, std430) buffer Words { uint words[]; };
layout(set = 1, binding = 0, std430) readonly buffer Vectors { vec4 vectors[]; };
layout(set = 1, binding = 1, std430) buffer Halves { float16_t halves[]; };
layout(set = 1, binding = 2, std430) buffer Bytes { i8vec4 bytes[]; };
layout(set = 1, binding = 3, std430) buffer Longs { int64_t longs[]; };
layout(set = 1, binding = 4, std430) buffer Shorts { u16vec3 shorts[]; };
layout(push_constant) uniform Constants { vec2 scale; uint count; ivec3 step3; };
layout(constant_id = 5) const float factor = 2.5;
layout(constant_id = 6) const bool flag = false;
layout(constant_id = 7) const int length7 = 3;

shared float sums[64];
shared uint counters[2];
shared Cell shared_cells[4];
shared uint total;
shared bool seen;

const float table[4] = float[](1.0, 2.0, 3.5, 4.25);

// By reference in Metal, as are arrays.
uint Count(uint number) {
  atomicAdd(total, number);
  seen = true;
  barrier();
  return seen ? total + counters[1] : 0;
}

float Sum(inout vec3 v, float numbers[4]) {
  v *= 2.0;
  float sum = 0.0;
  for (int i = 0; i < 4; ++i) sum += numbers[i];
  barrier();
  return sum + dot(v, vec3(1));
}

float Functions(vec3 v, float s) {
  mat3 m = mat3(v, v * 2.0, vec3(1));
  vec3 product = m * v + mat4x3(1.0) * vec4(1.0);
  float sum = product.x + determinant(transpose(m) * m) + inversesqrt(s) + roundEven(s) + trunc(s) + sign(s);
  sum += atan(s, v.x) + mod(s, 3.0) + radians(s) + fract(s) + smoothstep(0.0, 1.0, s) + clamp(s, 0.0, 1.0);
  sum += exp2(s) + log2(s) + ldexp(s, 2) + length(v) + normalize(v).y + cross(v, v).z + step(0.5, s) + pow(s, 2.0);
  int exponent;
  float whole;
  sum += frexp(s, exponent) * modf(s, whole) + float(exponent);
  return isnan(sum) || isinf(sum) ? whole : min(fma(s, s, s), sum);
}

void Bits(uint i) {
  words[i] = bitCount(words[i]) + findMSB(words[i]) + findLSB(words[i]) + bitfieldReverse(words[i]);
  words[i] += bitfieldExtract(words[i], 3, 5) ^ bitfieldInsert(words[i], 5u, 2, 4) ^ uint(findMSB(int(words[i])));
  words[i] ^= packUnorm4x8(vectors[i]) ^ packHalf2x16(vectors[i].xy) ^ packSnorm2x16(vectors[i].zw);
  uint high, low, carry;
  umulExtended(words[i], 7u, high, low);
  words[i] = high + low + uaddCarry(words[i], 3u, carry) + carry;
}

void Atomics(uint i) {
  atomicMax(words[0], i);
  atomicMin(words[1], i);
  atomicAnd(words[2], i);
  atomicOr(words[3], i);
  atomicXor(words[4], i);
  words[5] = atomicExchange(words[6], i);
  words[7] = atomicCompSwap(words[8], 1u, 2u);
  atomicAdd(counters[1], 1u);
  words[9] = Count(i);
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (gl_LocalInvocationIndex == 0) {
    counters[1] = 0;
    shared_cells[0] = cells[i];
  }
  barrier();
  memoryBarrierShared();
  Atomics(i);
  Bits(i);
  vec3 v = cells[i].place;
  float numbers[4] = table;
  numbers[i % 4] += 1.0;
  sums[gl_LocalInvocationIndex] = Sum(v, numbers) * factor;
  barrier();

  Cell cell = cells[i];
  cell.tail[i % 3] = int(Functions(v, sums[63 - gl_LocalInvocationIndex]));
  cell.counts = uvec2(lessThan(cell.counts, uvec2(3)));
  bvec3 larger = greaterThan(v, vec3(0.5));
  if (any(larger) && !all(not(larger))) cell.weight = mix(v, vec3(1), larger).x;
  cells[i] = cell;

  vec4 unpacked = unpackUnorm4x8(words[i]) + unpackSnorm4x8(words[i]);
  halves[i] = float16_t(unpacked.x) * halves[i] + float16_t(unpackHalf2x16(words[i]).x);
  bytes[i] += i8vec4(1);
  longs[i] *= 3l;
  shorts[i].y += uint16_t(1);
  if (flag) words[9] = uint(length7);
  ivec3 steps = abs(step3) % 7;
  words[10] = uint(steps.x) / count + uint(max(steps.y, 3)) + gl_NumWorkGroups.x + gl_WorkGroupID.y + gl_WorkGroupSize.x;
  switch (words[10]) {
    case 1u:
      words[11] = 4;
      break;
    default:
      words[11] = 5;
      break;
  }
  uvec4 swapped = uvec4(words[0], words[1], words[2], words[3]);
  swapped.zw += swapped.xy;
  words[12] = swapped.w + uint(scale.x);
}
