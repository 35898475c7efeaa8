#version 450
layout(local_size_x = 8, local_size_y = 4, local_size_z = 2) in;
layout(set = 1, binding = 7) readonly buffer A { uint a[]; };
layout(set = 9, binding = 2) writeonly buffer B { uint b[]; };
layout(set = 9, binding = 4) buffer Unused { uint unused[]; };
layout(push_constant) uniform Constants { layout(offset = 16) uvec2 size; uint rows[3]; };
void main() { b[gl_LocalInvocationIndex] = a[gl_LocalInvocationIndex] + size.x * rows[2]; }
