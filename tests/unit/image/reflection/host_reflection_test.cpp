// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What shared objects of a host tell, by the records of halyard/local_kernel_record.h.
#include "image/reflection/host_reflection.h"

#include "halyard/local_kernel_record.h"
#include "reflection_images.h"

namespace halyard::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

struct Records {
  hal_local_kernel_record_t head;
  hal_local_parameter_record_t parameters[2];
  char name[8];
};

Records Sample() {
  Records records = {};
  records.head = {HAL_LOCAL_KERNEL_RECORD_MAGIC,
                  HAL_LOCAL_KERNEL_RECORD_VERSION,
                  sizeof(Records),
                  offsetof(Records, name),
                  offsetof(Records, parameters),
                  2,
                  {64, 1, 1},
                  16,
                  8,
                  0};
  records.parameters[0] = HAL_LOCAL_CONSTANT_RECORD(4, 4);
  records.parameters[1] = HAL_LOCAL_BINDING_RECORD(1, 3, HAL_LOCAL_ACCESS_WRITE);
  std::strcpy(records.name, "scale");
  return records;
}

std::string RefusalOf(const Records& records, hal_status_t expected = HAL_STATUS_DATA_LOSS) {
  ReflectedImage image;
  EXPECT_EQ(Publish(ReflectHostRecords(std::as_bytes(std::span(&records, 1)), &image)), expected);
  return std::string(LastErrorMessage());
}

TEST(HostReflection, ReadsWhatTheMacrosWroteIntoAnObject) {
  const ReflectedImage image = ReflectFile("host-shared-object", "host_x86_64.so");
  EXPECT_EQ(image.target, "x86_64");
  ASSERT_THAT(image.kernels, SizeIs(2));
  const ReflectedKernel& saxpy = KernelOf(image, "saxpy");
  EXPECT_EQ(ParametersText(saxpy), "c4@0 r:b0 rw:b1 c4@4");
  EXPECT_EQ(WorkgroupText(saxpy), "64,1,1");
  EXPECT_EQ(saxpy.constants_size, 8u);
  const ReflectedKernel& nothing = KernelOf(image, "nothing");
  EXPECT_EQ(nothing.local_memory_size, 256u);
  EXPECT_EQ(WorkgroupText(nothing), "0,1,1");
  EXPECT_TRUE(nothing.is_workgroup_size_known);
}

TEST(HostReflection, ReadsRecordsAlone) {
  const Records records[2] = {Sample(), [] {
                                Records second = Sample();
                                second.name[0] = 'S';
                                return second;
                              }()};
  ReflectedImage image;
  ASSERT_EQ(ReflectHostRecords(std::as_bytes(std::span(records)), &image), kOk) << LastErrorMessage();
  ASSERT_THAT(image.kernels, SizeIs(2));
  EXPECT_EQ(ParametersText(image.kernels[1]), "c4@4 w:b3");
  EXPECT_EQ(image.kernels[1].parameters[1].value.set, 1u);
}

TEST(HostReflection, NamesTheFieldThatIsWrong) {
  Records records = Sample();
  records.head.magic = 1;
  EXPECT_THAT(RefusalOf(records), HasSubstr("record 0: magic: it is 0x00000001"));
  records = Sample();
  records.head.version = 2;
  EXPECT_THAT(RefusalOf(records, HAL_STATUS_INCOMPATIBLE), HasSubstr("version: it is 2"));
  records = Sample();
  records.head.record_size = sizeof(Records) + 8;
  EXPECT_THAT(RefusalOf(records), HasSubstr("record_size"));
  records = Sample();
  records.head.record_size = 0;
  EXPECT_THAT(RefusalOf(records), HasSubstr("record_size"));
  records = Sample();
  records.head.parameter_count = 0x20000000;
  EXPECT_THAT(RefusalOf(records), HasSubstr("parameters_offset"));
  records = Sample();
  records.head.name_offset = UINT32_MAX;
  EXPECT_THAT(RefusalOf(records), HasSubstr("name_offset"));
  records = Sample();
  std::memset(records.name, 'x', sizeof(records.name));
  EXPECT_THAT(RefusalOf(records), HasSubstr("name_offset"));
  records = Sample();
  records.head.workgroup_size[1] = 0;
  EXPECT_THAT(RefusalOf(records), HasSubstr("workgroup_size"));
  records = Sample();
  records.head.constants_size = 7;
  EXPECT_THAT(RefusalOf(records), HasSubstr("parameters[0].offset: 4 + size 4 exceeds constants_size, which is 7"));
  records = Sample();
  records.parameters[1].access = 3;
  EXPECT_THAT(RefusalOf(records), HasSubstr("parameters[1].access: 3 is unknown"));
  records = Sample();
  records.parameters[0].kind = UINT32_MAX;
  EXPECT_THAT(RefusalOf(records), HasSubstr("parameters[0].kind: 4294967295 is unknown"));
}

TEST(HostReflection, SaysThatAnObjectHasNoRecords) {
  ReflectedImage image;
  const ReflectionImage elf = ReadReflectionImage("clang19_gfx1100_v5.hsaco");
  EXPECT_EQ(Publish(ReflectHost(elf, &image)), HAL_STATUS_NOT_FOUND);
  EXPECT_THAT(std::string(LastErrorMessage()), HasSubstr("no section .halyard.kernels"));
}

TEST(HostReflection, SurvivesDamage) {
  ExpectSurvivesDamage("host-shared-object", ReadReflectionImage("host_x86_64.so"));
}

}  // namespace
}  // namespace halyard::testing
