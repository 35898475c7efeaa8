#version 450
layout(local_size_x_id = 0, local_size_y = 4) in;
layout(constant_id = 0) const int block = 64;
layout(constant_id = 4) const float factor = 0.5;
layout(constant_id = 5) const bool is_swapped = true;
layout(constant_id = 6) const int first = -3;
layout(set = 0, binding = 0) buffer Y { vec4 y[]; } result;
layout(push_constant) uniform Constants { float bias; int shift; uvec2 pair; };
void main() { result.y[block] = vec4(is_swapped ? factor : bias, first + shift, pair); }
