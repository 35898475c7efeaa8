// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A constant buffer as HLSL packs it: a matrix of rows, each in 16 bytes, and what fits behind the last one.
cbuffer Params : register(b0, space0) {
  row_major float2x3 rows;
  float bias;
  uint count;
};
RWStructuredBuffer<float> result : register(u1, space0);

[numthreads(8, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
  if (id.x < count) result[id.x] = rows[id.x / 3][id.x % 3] + bias;
}
