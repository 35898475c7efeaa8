// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "function/native_call.h"

#include <cstddef>

#if HALYARD_HAS_NATIVE_CALL && defined(__x86_64__)

namespace halyard {

static_assert(NativeFrame::kFirstVector * 8 == 48 && NativeFrame::kFirstStack * 8 == 176);
static_assert(offsetof(NativeReturns, vectors) == 32 && offsetof(NativeReturns, x87) == 80 &&
              sizeof(long double) == 16);

}  // namespace halyard

// rdi: frame, rsi: function, rdx: stack words, rcx: returns, r8: x87 count. rbx and r12 keep the last two over the
// call; with rbp and the return address that is 32 bytes, so the stack stays aligned to 16.
__asm__(R"(
  .text
  .p2align 4
  .globl halyard_native_call
  .hidden halyard_native_call
  .type halyard_native_call, @function
halyard_native_call:
  .cfi_startproc
  endbr64
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  pushq %rbx
  .cfi_offset %rbx, -24
  pushq %r12
  .cfi_offset %r12, -32
  movq %rcx, %rbx
  movq %r8, %r12
  movq %rsi, %r11
  movq %rdi, %r10
  testq %rdx, %rdx
  jz 2f
  leaq 1(%rdx), %rcx
  andq $-2, %rcx
  shlq $3, %rcx
  subq %rcx, %rsp
1:
  movq 168(%r10,%rdx,8), %rax
  movq %rax, -8(%rsp,%rdx,8)
  decq %rdx
  jnz 1b
2:
  movups 48(%r10), %xmm0
  movups 64(%r10), %xmm1
  movups 80(%r10), %xmm2
  movups 96(%r10), %xmm3
  movups 112(%r10), %xmm4
  movups 128(%r10), %xmm5
  movups 144(%r10), %xmm6
  movups 160(%r10), %xmm7
  movq (%r10), %rdi
  movq 8(%r10), %rsi
  movq 16(%r10), %rdx
  movq 24(%r10), %rcx
  movq 32(%r10), %r8
  movq 40(%r10), %r9
  call *%r11
  movq %rax, (%rbx)
  movq %rdx, 8(%rbx)
  movq %rcx, 16(%rbx)
  movups %xmm0, 32(%rbx)
  movups %xmm1, 48(%rbx)
  movups %xmm2, 64(%rbx)
  testq %r12, %r12
  jz 3f
  fstpt 80(%rbx)
  cmpq $1, %r12
  je 3f
  fstpt 96(%rbx)
3:
  leaq -16(%rbp), %rsp
  popq %r12
  popq %rbx
  popq %rbp
  .cfi_def_cfa %rsp, 8
  ret
  .cfi_endproc
  .size halyard_native_call, .-halyard_native_call
)");

#elif HALYARD_HAS_NATIVE_CALL && defined(__aarch64__)

namespace halyard {

static_assert(NativeFrame::kResultAddress * 8 == 64 && NativeFrame::kFirstVector * 8 == 80 &&
              NativeFrame::kFirstStack * 8 == 208);
static_assert(offsetof(NativeReturns, vectors) == 64);

}  // namespace halyard

// x0: frame, x1: function, x2: stack words, x3: returns. x19 keeps the last over the call. The first instruction is a
// place to land for branch target identification, and nothing on processors without it.
__asm__(R"(
  .text
  .p2align 4
  .globl halyard_native_call
  .hidden halyard_native_call
  .type halyard_native_call, @function
halyard_native_call:
  .cfi_startproc
  hint #34
  stp x29, x30, [sp, #-32]!
  .cfi_def_cfa_offset 32
  .cfi_offset 29, -32
  .cfi_offset 30, -24
  mov x29, sp
  .cfi_def_cfa_register 29
  str x19, [x29, #16]
  .cfi_offset 19, -16
  mov x19, x3
  mov x9, x0
  mov x10, x1
  cbz x2, 2f
  add x11, x2, #1
  and x11, x11, #-2
  sub sp, sp, x11, lsl #3
  add x12, x9, #208
1:
  sub x2, x2, #1
  ldr x13, [x12, x2, lsl #3]
  str x13, [sp, x2, lsl #3]
  cbnz x2, 1b
2:
  ldp q0, q1, [x9, #80]
  ldp q2, q3, [x9, #112]
  ldp q4, q5, [x9, #144]
  ldp q6, q7, [x9, #176]
  ldr x8, [x9, #64]
  ldp x0, x1, [x9]
  ldp x2, x3, [x9, #16]
  ldp x4, x5, [x9, #32]
  ldp x6, x7, [x9, #48]
  blr x10
  stp x0, x1, [x19]
  stp x2, x3, [x19, #16]
  stp x4, x5, [x19, #32]
  stp x6, x7, [x19, #48]
  stp q0, q1, [x19, #64]
  stp q2, q3, [x19, #96]
  stp q4, q5, [x19, #128]
  stp q6, q7, [x19, #160]
  mov sp, x29
  .cfi_def_cfa_register 31
  ldr x19, [sp, #16]
  .cfi_restore 19
  ldp x29, x30, [sp], #32
  .cfi_restore 29
  .cfi_restore 30
  .cfi_def_cfa_offset 0
  ret
  .cfi_endproc
  .size halyard_native_call, .-halyard_native_call
)");

#endif
