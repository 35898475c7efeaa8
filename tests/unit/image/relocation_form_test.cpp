// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What relocations make of instructions, beside what GNU ld made of them.
#include "image/host_object/relocation_form.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "image/host_object/object_file.h"

namespace halyard {
namespace {

struct Linked {
  uint32_t type;
  uint32_t before;
  uint64_t value;
  uint64_t place;
  uint32_t after;
};

// aarch64-linux-gnu-ld 2.40, symbols set with --defsym.
constexpr Linked kArm[] = {
    {263, 0xd2800000, 0xbeef, 0x400000, 0xd297dde0},
    {264, 0xf2800000, 0x9876543210ab, 0x400004, 0xf2821560},
    {265, 0xd2a00000, 0xdead0001, 0x400008, 0xd2bbd5a0},
    {266, 0xf2a00000, 0x9876543210ab, 0x40000c, 0xf2aa8640},
    {267, 0xd2c00000, 0x9876543210ab, 0x400010, 0xd2d30ec0},
    {268, 0xf2c00000, 0x9876543210ab, 0x400014, 0xf2d30ec0},
    {269, 0xd2e00000, 0x9876543210ab, 0x400018, 0xd2e00000},
    {270, 0xd2800000, 0xfffffffffffffedc, 0x40001c, 0x92802460},
    {271, 0xd2a00000, 0xfffffffffffffedc, 0x400020, 0x92a00000},
    {272, 0xd2c00000, 0xfffffffffffffedc, 0x400024, 0x92c00000},
    {273, 0x58000001, 0x412340, 0x400028, 0x580918c1},
    {274, 0x10000001, 0x412340, 0x40002c, 0x100918a1},
    {275, 0x90000001, 0x412340, 0x400030, 0xd0000081},
    {277, 0x91000021, 0x412340, 0x400034, 0x910d0021},
    {278, 0x39400021, 0x412340, 0x400038, 0x394d0021},
    {284, 0x79400021, 0x412340, 0x40003c, 0x79468021},
    {285, 0xb9400021, 0x412340, 0x400040, 0xb9434021},
    {286, 0xf9400021, 0x412340, 0x400044, 0xf941a021},
    {299, 0x3dc00021, 0x412340, 0x400048, 0x3dc0d021},
    {279, 0x36180001, 0x401000, 0x40004c, 0x36187da1},
    {280, 0x54000000, 0x401000, 0x400050, 0x54007d80},
    {282, 0x14000000, 0x401000, 0x400054, 0x140003eb},
    {283, 0x94000000, 0x401000, 0x400058, 0x940003ea},
    {283, 0x94000000, 0x3ff000, 0x40005c, 0x97fffbe9},
    {261, 0x00000000, 0x412340, 0x400060, 0x000122e0},
    {258, 0x00000000, 0x412340, 0x40006c, 0x00412340},
};

uint64_t NumberOf(const RelocationForm& form, const Linked& row) {
  constexpr uint64_t kPage = ~uint64_t{0xfff};
  if (form.origin == RelocationOrigin::kPage) return (row.value & kPage) - (row.place & kPage);
  return form.origin == RelocationOrigin::kPlace ? row.value - row.place : row.value;
}

TEST(RelocationFormTest, InstructionsOfAarch64AreThoseOfTheLinker) {
  for (const Linked& row : kArm) {
    const RelocationForm* const form = FindRelocationForm(ObjectFile::kAarch64, row.type);
    ASSERT_NE(form, nullptr) << row.type;
    const uint64_t number = NumberOf(*form, row);
    ASSERT_TRUE(CanStore(*form, number)) << row.type;
    std::array<std::byte, 4> bytes;
    std::memcpy(bytes.data(), &row.before, 4);
    Store(*form, number, bytes);
    uint32_t after = 0;
    std::memcpy(&after, bytes.data(), 4);
    EXPECT_EQ(after, row.after) << row.type;
  }
}

TEST(RelocationFormTest, NumbersThatDoNotFitAreTold) {
  const auto fits = [](uint16_t machine, uint32_t type, uint64_t number) {
    return CanStore(*FindRelocationForm(machine, type), number);
  };
  constexpr uint16_t kX86 = ObjectFile::kX86_64;
  EXPECT_TRUE(fits(kX86, 2, 0x7fffffff) && fits(kX86, 2, static_cast<uint64_t>(-0x80000000ll)));
  EXPECT_FALSE(fits(kX86, 2, 0x80000000) || fits(kX86, 2, static_cast<uint64_t>(-0x80000001ll)));
  EXPECT_TRUE(fits(kX86, 10, 0xffffffff) && !fits(kX86, 10, 0x100000000) && !fits(kX86, 10, UINT64_MAX));
  EXPECT_TRUE(fits(kX86, 11, UINT64_MAX) && !fits(kX86, 11, 0x80000000));
  EXPECT_TRUE(fits(kX86, 12, 0xffff) && fits(kX86, 12, static_cast<uint64_t>(-0x8000)) && !fits(kX86, 12, 0x10000));
  constexpr uint16_t kArmMachine = ObjectFile::kAarch64;
  EXPECT_TRUE(fits(kArmMachine, 283, 0x7fffffc) && !fits(kArmMachine, 283, 0x8000000));
  EXPECT_FALSE(fits(kArmMachine, 283, 2)) << "no instruction is there";
  EXPECT_FALSE(fits(kArmMachine, 286, 4)) << "the instruction counts in steps of 8 bytes";
  EXPECT_FALSE(fits(kArmMachine, 263, 0x10000) || fits(kArmMachine, 270, 0x10000));
}

TEST(RelocationFormTest, WhatIsNotInTheTablesIsNotFound) {
  for (const uint32_t type : {0u, 5u, 19u, 23u, 44u, 1000u, UINT32_MAX}) {
    EXPECT_EQ(FindRelocationForm(ObjectFile::kX86_64, type), nullptr) << type;
    EXPECT_EQ(FindRelocationForm(ObjectFile::kAarch64, type), nullptr) << type;
  }
  EXPECT_TRUE(IsThreadLocalRelocation(ObjectFile::kX86_64, 19) && IsThreadLocalRelocation(ObjectFile::kAarch64, 541));
  EXPECT_FALSE(IsThreadLocalRelocation(ObjectFile::kX86_64, 5) || IsThreadLocalRelocation(ObjectFile::kAarch64, 1024));
}

// ldr x16 from 0x2345678 and jump there.
TEST(RelocationFormTest, StubsJumpToWhatTheirSlotSays) {
  std::array<std::byte, kStubSize> bytes;
  std::array<uint32_t, 3> code;
  WriteStub(ObjectFile::kAarch64, 0x400010, 0x2345678, bytes);
  std::memcpy(code.data(), bytes.data(), sizeof(code));
  EXPECT_EQ(code[0], 0xb000fa30u);  // adrp x16, 0x2345000
  EXPECT_EQ(code[1], 0xf9433e10u);  // ldr x16, [x16, #0x678]
  EXPECT_EQ(code[2], 0xd61f0200u);  // br x16
  WriteStub(ObjectFile::kX86_64, 0x400010, 0x400116, bytes);
  EXPECT_EQ(std::memcmp(bytes.data(), "\xff\x25\x00\x01\x00\x00", 6), 0);  // jmp *0x100(%rip)
}

}  // namespace
}  // namespace halyard
