// One constant that is two sides of a workgroup.
#version 450
layout(local_size_x_id = 0, local_size_y_id = 0) in;
layout(set = 0, binding = 0) buffer Values { float values[]; };
void main() { values[gl_LocalInvocationIndex] += float(gl_WorkGroupSize.x * gl_WorkGroupSize.y); }
