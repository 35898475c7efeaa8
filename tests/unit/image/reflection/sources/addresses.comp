#version 450
// Addresses of buffers in push constants: in a structure, as a pointer, and as numbers that the code makes pointers of.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_ARB_gpu_shader_int64 : require
layout(local_size_x = 32) in;
layout(buffer_reference, scalar) buffer Floats { float at[]; };
struct Span { uint64_t n; Floats p; };
layout(push_constant, scalar) uniform Arguments {
  Span from;        // 0: the count, 8: the address
  Floats target;    // 16
  uint64_t number;  // 24
  uvec2 halves;     // 32
  uint64_t shift;   // 40: a number
  float factor;     // 48
} args;
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= args.from.n) return;
  const float sum = Floats(args.number).at[i] + Floats(args.halves).at[i] + float(args.shift);
  args.target.at[i] = args.from.p.at[i] * args.factor + sum;
}
