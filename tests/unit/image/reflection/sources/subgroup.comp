#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Y { uint y[]; };
void main() { y[0] = subgroupAdd(y[gl_LocalInvocationIndex]); }
