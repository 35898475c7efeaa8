// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers of SPIR-V that the library knows, named as the specification names them. The capabilities are those that
// kernels can declare.
#ifndef HALYARD_IMAGE_REFLECTION_SPIRV_OPCODES_H_
#define HALYARD_IMAGE_REFLECTION_SPIRV_OPCODES_H_

#include <cstdint>

namespace halyard {

#define HALYARD_SPIRV_CAPABILITIES(X)                  \
  X(Matrix, 0)                                         \
  X(Shader, 1)                                         \
  X(Addresses, 4)                                      \
  X(Linkage, 5)                                        \
  X(Kernel, 6)                                         \
  X(Vector16, 7)                                       \
  X(Float16Buffer, 8)                                  \
  X(Float16, 9)                                        \
  X(Float64, 10)                                       \
  X(Int64, 11)                                         \
  X(Int64Atomics, 12)                                  \
  X(Groups, 18)                                        \
  X(Int16, 22)                                         \
  X(ImageGatherExtended, 25)                           \
  X(StorageImageMultisample, 27)                       \
  X(UniformBufferArrayDynamicIndexing, 28)             \
  X(SampledImageArrayDynamicIndexing, 29)              \
  X(StorageBufferArrayDynamicIndexing, 30)             \
  X(StorageImageArrayDynamicIndexing, 31)              \
  X(GenericPointer, 38)                                \
  X(Int8, 39)                                          \
  X(SparseResidency, 41)                               \
  X(MinLod, 42)                                        \
  X(Sampled1D, 43)                                     \
  X(Image1D, 44)                                       \
  X(SampledBuffer, 46)                                 \
  X(ImageBuffer, 47)                                   \
  X(StorageImageExtendedFormats, 49)                   \
  X(ImageQuery, 50)                                    \
  X(DerivativeControl, 51)                             \
  X(StorageImageReadWithoutFormat, 55)                 \
  X(StorageImageWriteWithoutFormat, 56)                \
  X(SubgroupDispatch, 58)                              \
  X(GroupNonUniform, 61)                               \
  X(GroupNonUniformVote, 62)                           \
  X(GroupNonUniformArithmetic, 63)                     \
  X(GroupNonUniformBallot, 64)                         \
  X(GroupNonUniformShuffle, 65)                        \
  X(GroupNonUniformShuffleRelative, 66)                \
  X(GroupNonUniformClustered, 67)                      \
  X(GroupNonUniformQuad, 68)                           \
  X(UniformDecoration, 71)                             \
  X(SubgroupBallotKHR, 4423)                           \
  X(WorkgroupMemoryExplicitLayoutKHR, 4428)            \
  X(WorkgroupMemoryExplicitLayout8BitAccessKHR, 4429)  \
  X(WorkgroupMemoryExplicitLayout16BitAccessKHR, 4430) \
  X(SubgroupVoteKHR, 4431)                             \
  X(StorageBuffer16BitAccess, 4433)                    \
  X(UniformAndStorageBuffer16BitAccess, 4434)          \
  X(StoragePushConstant16, 4435)                       \
  X(DeviceGroup, 4437)                                 \
  X(VariablePointersStorageBuffer, 4441)               \
  X(VariablePointers, 4442)                            \
  X(StorageBuffer8BitAccess, 4448)                     \
  X(UniformAndStorageBuffer8BitAccess, 4449)           \
  X(StoragePushConstant8, 4450)                        \
  X(DenormPreserve, 4464)                              \
  X(DenormFlushToZero, 4465)                           \
  X(SignedZeroInfNanPreserve, 4466)                    \
  X(RoundingModeRTE, 4467)                             \
  X(RoundingModeRTZ, 4468)                             \
  X(RayQueryKHR, 4472)                                 \
  X(Int64ImageEXT, 5016)                               \
  X(ShaderClockKHR, 5055)                              \
  X(GroupNonUniformPartitionedNV, 5297)                \
  X(ShaderNonUniform, 5301)                            \
  X(RuntimeDescriptorArray, 5302)                      \
  X(StorageBufferArrayNonUniformIndexing, 5308)        \
  X(VulkanMemoryModel, 5345)                           \
  X(VulkanMemoryModelDeviceScope, 5346)                \
  X(PhysicalStorageBufferAddresses, 5347)              \
  X(CooperativeMatrixNV, 5357)                         \
  X(AtomicFloat32MinMaxEXT, 5612)                      \
  X(AtomicFloat64MinMaxEXT, 5613)                      \
  X(AtomicFloat16MinMaxEXT, 5616)                      \
  X(ExpectAssumeKHR, 5629)                             \
  X(DotProductInputAll, 6016)                          \
  X(DotProductInput4x8Bit, 6017)                       \
  X(DotProductInput4x8BitPacked, 6018)                 \
  X(DotProduct, 6019)                                  \
  X(CooperativeMatrixKHR, 6022)                        \
  X(BitInstructions, 6025)                             \
  X(GroupNonUniformRotateKHR, 6026)                    \
  X(AtomicFloat32AddEXT, 6033)                         \
  X(AtomicFloat64AddEXT, 6034)                         \
  X(AtomicFloat16AddEXT, 6095)

/// What a module needs of its device, as OpCapability numbers it.
enum class SpirvCapability : uint32_t {
#define HALYARD_SPIRV_ENUMERATOR(name, number) k##name = number,  // NOLINT(bugprone-macro-parentheses)
  HALYARD_SPIRV_CAPABILITIES(HALYARD_SPIRV_ENUMERATOR)
#undef HALYARD_SPIRV_ENUMERATOR
};

namespace spirv {

enum Opcode : uint32_t {
  kOpUndef = 1,
  kOpSourceContinued = 2,
  kOpSource = 3,
  kOpSourceExtension = 4,
  kOpName = 5,
  kOpMemberName = 6,
  kOpString = 7,
  kOpLine = 8,
  kOpExtension = 10,
  kOpExtInst = 12,
  kOpMemoryModel = 14,
  kOpEntryPoint = 15,
  kOpExecutionMode = 16,
  kOpCapability = 17,
  kOpTypeVoid = 19,
  kOpTypeBool = 20,
  kOpTypeInt = 21,
  kOpTypeFloat = 22,
  kOpTypeVector = 23,
  kOpTypeMatrix = 24,
  kOpTypeImage = 25,
  kOpTypeSampler = 26,
  kOpTypeSampledImage = 27,
  kOpTypeArray = 28,
  kOpTypeRuntimeArray = 29,
  kOpTypeStruct = 30,
  kOpTypePointer = 32,
  kOpTypeForwardPointer = 39,
  kOpConstantTrue = 41,
  kOpConstantFalse = 42,
  kOpConstant = 43,
  kOpConstantComposite = 44,
  kOpConstantNull = 46,
  kOpSpecConstantTrue = 48,
  kOpSpecConstantFalse = 49,
  kOpSpecConstant = 50,
  kOpSpecConstantComposite = 51,
  kOpSpecConstantOp = 52,
  kOpFunction = 54,
  kOpFunctionEnd = 56,
  kOpFunctionCall = 57,
  kOpVariable = 59,
  kOpLoad = 61,
  kOpStore = 62,
  kOpCopyMemory = 63,
  kOpAccessChain = 65,
  kOpInBoundsAccessChain = 66,
  kOpArrayLength = 68,
  kOpDecorate = 71,
  kOpMemberDecorate = 72,
  kOpDecorationGroup = 73,
  kOpGroupDecorate = 74,
  kOpGroupMemberDecorate = 75,
  kOpVectorShuffle = 79,
  kOpCompositeExtract = 81,
  kOpCompositeInsert = 82,
  kOpCopyObject = 83,
  kOpUConvert = 113,
  kOpSConvert = 114,
  kOpConvertUToPtr = 120,
  kOpBitcast = 124,
  kOpSNegate = 126,
  kOpIAdd = 128,
  kOpISub = 130,
  kOpIMul = 132,
  kOpUDiv = 134,
  kOpSDiv = 135,
  kOpUMod = 137,
  kOpSRem = 138,
  kOpSMod = 139,
  kOpLogicalEqual = 164,
  kOpLogicalNotEqual = 165,
  kOpLogicalOr = 166,
  kOpLogicalAnd = 167,
  kOpLogicalNot = 168,
  kOpSelect = 169,
  kOpIEqual = 170,
  kOpINotEqual = 171,
  kOpUGreaterThan = 172,
  kOpSGreaterThan = 173,
  kOpUGreaterThanEqual = 174,
  kOpSGreaterThanEqual = 175,
  kOpULessThan = 176,
  kOpSLessThan = 177,
  kOpULessThanEqual = 178,
  kOpSLessThanEqual = 179,
  kOpShiftRightLogical = 194,
  kOpShiftRightArithmetic = 195,
  kOpShiftLeftLogical = 196,
  kOpBitwiseOr = 197,
  kOpBitwiseXor = 198,
  kOpBitwiseAnd = 199,
  kOpNot = 200,
  kOpLoopMerge = 246,
  kOpSelectionMerge = 247,
  kOpBranchConditional = 250,
  kOpSwitch = 251,
  kOpModuleProcessed = 330,
  kOpExecutionModeId = 331,
  kOpDecorateId = 332,
  kOpGroupNonUniformElect = 333,
  kOpGroupNonUniformQuadSwap = 366,
  kOpTypeAccelerationStructureKHR = 5341,
  kOpDecorateString = 5632,
  kOpMemberDecorateString = 5633,
};

enum Decoration : uint32_t {
  kSpecId = 1,
  kBlock = 2,
  kBufferBlock = 3,
  kRowMajor = 4,
  kArrayStride = 6,
  kMatrixStride = 7,
  kBuiltIn = 11,
  kNonWritable = 24,
  kNonReadable = 25,
  kBinding = 33,
  kDescriptorSet = 34,
  kOffset = 35,
};

enum StorageClass : uint32_t {
  kUniformConstant = 0,
  kUniform = 2,
  kWorkgroup = 4,
  kPushConstant = 9,
  kStorageBuffer = 12,
  kPhysicalStorageBuffer = 5349,
};

enum ExecutionModel : uint32_t { kGlCompute = 5 };
enum ExecutionMode : uint32_t {
  kLocalSize = 17,
  kSubgroupSize = 35,
  kSubgroupsPerWorkgroup = 36,
  kSubgroupsPerWorkgroupId = 37,
  kLocalSizeId = 38,
};
enum BuiltIn : uint32_t { kWorkgroupSize = 25 };

}  // namespace spirv
}  // namespace halyard

#endif  // HALYARD_IMAGE_REFLECTION_SPIRV_OPCODES_H_
