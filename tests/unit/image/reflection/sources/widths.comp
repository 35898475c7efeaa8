#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint block = 1;
layout(constant_id = 1) const bool flag = true;
layout(constant_id = 2) const int8_t s8 = int8_t(-8);
layout(constant_id = 3) const uint8_t u8 = uint8_t(200);
layout(constant_id = 4) const int16_t s16 = int16_t(-1600);
layout(constant_id = 5) const uint16_t u16 = uint16_t(60000);
layout(constant_id = 6) const int64_t s64 = -64000000000L;
layout(constant_id = 7) const uint64_t u64 = 18000000000000000000UL;
layout(constant_id = 8) const float16_t f16 = float16_t(0.5);
layout(constant_id = 9) const double f64 = 0.125;
layout(set = 0, binding = 0) buffer Y { int64_t y[]; };
void main() {
  y[block] = flag ? int64_t(s8) + u8 : int64_t(s16) + u16;
  y[1] = s64 + int64_t(u64) + int64_t(f16) + int64_t(f64);
}
