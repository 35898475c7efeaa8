#version 450
layout(local_size_x_id = 3, local_size_y = 2, local_size_z_id = 5) in;
layout(local_size_x = 32, local_size_z = 1) in;
layout(constant_id = 7) const uint scale = 2;
layout(set = 0, binding = 0) writeonly buffer Y { uint y[]; };
void main() { y[gl_LocalInvocationIndex] = gl_WorkGroupSize.x * scale; }
