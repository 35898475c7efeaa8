// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What mangled names tell of parameters: names of nvcc, clang and g++, compared with c++filt by hand, and names that
// make no sense.
#include "image/reflection/names/mangled_parameters.h"

#include <gtest/gtest.h>

#include <string>

#include "image/reflection/names/element_names.h"

namespace halyard::testing {
namespace {

/// "*f32 u64 value": each parameter; "?" for a name that tells nothing.
std::string Told(const std::string& name) {
  HostVector<MangledParameter> parameters;
  if (!ReadMangledParameters(name, &parameters)) {
    EXPECT_TRUE(parameters.empty());
    return "?";
  }
  std::string text;
  for (const MangledParameter& parameter : parameters) {
    if (!text.empty()) text += " ";
    if (parameter.kind == MangledKind::kPointer) text += "*";
    if (parameter.kind == MangledKind::kValue) text += "value";
    const hal_element_type_t type = parameter.element_type;
    const char* const letters[] = {"", "i", "i", "si", "ui", "f", "bf"};
    if (type != HAL_ELEMENT_TYPE_NONE) text += letters[type >> 8] + std::to_string(type & 0xff);
  }
  return text;
}

TEST(MangledParameters, TellPointersFromNumbers) {
  EXPECT_EQ(Told("_Z6kernelPfi"), "*f32 si32");
  EXPECT_EQ(Told("_Z6kernelPKfPhymlxdbc"), "*f32 *ui8 ui64 ui64 si64 si64 f64 i1 i8");
  EXPECT_EQ(Told("_Z6kernelv"), "");
  EXPECT_EQ(Told("_Z6kernelPvPKvRKfOi"), "* * *f32 *si32");
  EXPECT_EQ(Told("_Z6kernelPPfPA4_dS_"), "* *f64 *f32");
  EXPECT_EQ(Told("_ZL6kernelPf"), "*f32") << "internal linkage";
  EXPECT_EQ(Told("_ZN12_GLOBAL__N_16kernelEPf"), "*f32") << "a namespace without a name";
  EXPECT_EQ(Told("_Z6kernelPf.constprop.0"), "*f32");
}

TEST(MangledParameters, TakesAddressesOfCodeForValues) {
  EXPECT_EQ(Told("_Z2stP6float4yPFviE"), "*f32 ui64 value");
  EXPECT_EQ(Told("_Z1fM1SiMS_FvvEDn"), "value value value");
}

TEST(MangledParameters, KnowsTheNumbersInClasses) {
  EXPECT_EQ(Told("_Z1fP6__halfS_P13__nv_bfloat16"), "*f16 valuef16 *bf16");
  EXPECT_EQ(Told("_Z1fDv4_fPS_PDhDF16b"), "valuef32 *f32 *f16 bf16");
  EXPECT_EQ(ElementTypeOfName("uchar16"), HAL_ELEMENT_TYPE_UI8);
  EXPECT_EQ(ElementTypeOfName("float5"), HAL_ELEMENT_TYPE_NONE);
  EXPECT_EQ(ElementTypeOfName("4"), HAL_ELEMENT_TYPE_NONE);
  EXPECT_EQ(ElementTypeOfName(""), HAL_ELEMENT_TYPE_NONE);
}

// Numba's names: a pointer keeps its '*' as a number, and an array is many parameters.
TEST(MangledParameters, KnowsPointersAndArraysOfNumba) {
  EXPECT_EQ(Told("_ZN8__main__3rawEi8int32_2a"), "si32 *si32");
  EXPECT_EQ(Told("_ZN6cudapy8__main__3rawB2v3B8cw51cXTLE10float32_2a7void_2a"), "*f32 *");
  EXPECT_EQ(Told("_ZN6cudapy8__main__4axpyB2v1B8cw51cXTLEf5ArrayIfLi1E1C7mutable7alignedE"),
            "f32   si64 si64 *f32 si64 si64");
  EXPECT_EQ(Told("_ZN8__main__3twoE5ArrayIiLi2E1A8readonly9unalignedEx"), "si64 si64 *si32 si64 si64 si64 si64 si64");
  EXPECT_EQ(Told("_ZN8__main__3dotE5ArrayI9complex64Li0E1F7mutable7alignedE"), "si64 si64 *");
  EXPECT_EQ(Told("_Z1f5ArrayIfLi3EE"), "value") << "a class of C++";
  EXPECT_EQ(Told("_Z1f5ArrayIfLi99E1C7mutable7alignedE"), "value") << "no array has so many dimensions";
  EXPECT_EQ(Told("_Z1fP5ArrayIfLi1E1C7mutable7alignedE"), "*f32") << "the address of one";
  EXPECT_EQ(Told("_Z1f3_2a"), "value");
}

TEST(MangledParameters, FollowsTemplatesAndSubstitutions) {
  EXPECT_EQ(Told("_Z6kernelIfEvPT_m"), "*f32 ui64");
  EXPECT_EQ(Told("_Z3addIfEvPT_S1_"), "*f32 *f32");
  EXPECT_EQ(Told("_ZN3FooIfE3barIiEEvT_"), "si32");
  EXPECT_EQ(Told("_Z1f3FooIfES0_PS0_"), "value value *");
  EXPECT_EQ(Told("_Z1fSsSaIcERKSt6vectorIfS_E"), "value value *");
  EXPECT_EQ(Told("_Z2ttI1WiEvT_IT0_EPS3_"), "value *") << "a template as an argument";
  EXPECT_EQ(Told("_ZN1n1kIfEEvNS_3AccIT_Li3EEEPKS2_1E1SS2_"), "value *f32 value value f32");
  EXPECT_EQ(Told("_ZN1SC1IPKcEET_S3_"), "*i8 *i8") << "a constructor has no result";
  EXPECT_EQ(Told("_Z1fIXadL_Z1gvEEEvPf"), "*f32") << "the address of a function as an argument";
  // Of PyTorch.
  EXPECT_EQ(Told("_ZN2at6native27unrolled_elementwise_kernelINS0_13AUnaryFunctorIfffNS0_15binary_internal10MulFunctorIf"
                 "EEEESt5arrayIPcLm2EELi4E23TrivialOffsetCalculatorILi1EjES9_NS0_6memory15LoadWithoutCastENSA_16StoreW"
                 "ithoutCastEEEviT_T0_T2_T3_T4_T5_"),
            "si32 value value value value value value");
}

TEST(MangledParameters, ExpandsPacks) {
  EXPECT_EQ(Told("_Z1fIJfiEEvDpT_"), "f32 si32");
  EXPECT_EQ(Told("_Z1fIJfiEEvDpPT_"), "*f32 *si32");
  EXPECT_EQ(Told("_Z1fIJfiEEvDp4ItemIT_Ey"), "value value ui64");
  EXPECT_EQ(Told("_Z1fIJEEvDpT_"), "");
  EXPECT_EQ(Told("_Z1fIfEvDpPT_"), "?") << "nothing to expand";
}

TEST(MangledParameters, ReadsClosures) {
  EXPECT_EQ(Told("_Z15vectorized_funcIZ4mainEUliE_EvT_i"), "value si32");
  EXPECT_EQ(Told("_Z2vfIZ4hostvEUliE_JS0_EEviT_DpT0_"), "si32 value value");
  EXPECT_EQ(Told("_Z2vfIZ4hostvEUlT_E_JfPiEEviS0_DpT0_"), "si32 value f32 *si32") << "S0_ is a T_ of both";
  EXPECT_EQ(Told("_Z1fZ4mainEUt_Z4mainE1S_0"), "value value");
}

TEST(MangledParameters, RatherTellNothingThanTheWrong) {
  for (const char* const name : {"",
                                 "_Z",
                                 "kernel",
                                 "add_kernel",
                                 "_Z6kernel",
                                 "__Z6kernelPf",
                                 "_Z6kernelP",
                                 "_Z6kernelPfE",
                                 "_Z6kernelT_",
                                 "_Z6kernelS_",
                                 "_Z6kernelS9_",
                                 "_Z6kernelIfEvT0_",
                                 "_Z6kernelz",
                                 "_Z6kernelfz",
                                 "_Z6kernelfv",
                                 "_ZN6kernelPf",
                                 "_ZNE",
                                 "_Z1fIfEDTcl1gfp_EET_",
                                 "_ZplPfi",
                                 "_ZTV3Foo",
                                 "_Z99999999999999999999kernel",
                                 "_Z0v",
                                 "_Z6kernelPU3AS3f",
                                 "_Z6kernelIXplLi1ELi2EEEvPf",
                                 "_Z6kernelDv_",
                                 "_Z6kernelAf"}) {
    const std::string told = Told(name);
    EXPECT_TRUE(told == "?" || (std::string(name) == "_Z6kernel" && told.empty())) << name << ": " << told;
  }
  EXPECT_EQ(Told("_Z6kernelPU3AS1f"), "*f32") << "global memory";
}

// Neither deep nor wide names take the stack or more time than their letters.
TEST(MangledParameters, BoundsDepthAndWidth) {
  EXPECT_EQ(Told("_Z1f" + std::string(60'000, 'P') + "i"), "?");
  EXPECT_EQ(Told("_Z1f" + std::string(100, 'P') + "i"), "*");
  std::string wide = "_Z1f";
  for (int i = 0; i < 5000; ++i) wide += "Pf";
  EXPECT_EQ(Told(wide), "?") << "more than 4096 parameters";
  std::string nested;
  for (int i = 0; i < 200; ++i) nested += "1AI";
  EXPECT_EQ(Told("_Z1f" + nested), "?");
  std::string packs = "_Z1fIJ";
  for (int i = 0; i < 4000; ++i) packs += "i";
  EXPECT_EQ(Told(packs + "EEvDpT_DpT_"), "?") << "more than 4096 parameters";
}

}  // namespace
}  // namespace halyard::testing
