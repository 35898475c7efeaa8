#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, r32f) uniform image2D pixels;
void main() { imageStore(pixels, ivec2(0, 0), vec4(1)); }
