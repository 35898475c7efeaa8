#version 450
layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0) buffer Y { uint y[]; };
shared uint memory[gl_WorkGroupSize.x];
void main() {
  memory[gl_LocalInvocationIndex] = y[0];
  barrier();
  y[gl_LocalInvocationIndex] = memory[0];
}
