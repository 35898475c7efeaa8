#version 450
#extension GL_EXT_shared_memory_block : require
layout(local_size_x = 4) in;
shared Words { uint words[4]; } a;
shared Floats { float floats[4]; } b;
layout(set = 0, binding = 0) buffer Y { uint y[]; };
void main() {
  b.floats[gl_LocalInvocationIndex] = 1.0;
  barrier();
  y[gl_LocalInvocationIndex] = a.words[gl_LocalInvocationIndex];
}
