// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/reflection/amd/msgpack_reader.h"

namespace halyard {
namespace {

const char* KindName(MsgpackKind kind) {
  switch (kind) {
    case MsgpackKind::kNil:
      return "nil";
    case MsgpackKind::kBool:
      return "a boolean";
    case MsgpackKind::kUint:
      return "a number";
    case MsgpackKind::kInt:
      return "a negative number";
    case MsgpackKind::kFloat:
      return "a floating-point number";
    case MsgpackKind::kText:
      return "a text";
    case MsgpackKind::kBytes:
      return "bytes";
    case MsgpackKind::kArray:
      return "an array";
    case MsgpackKind::kMap:
      return "a map";
  }
  return "unknown";
}

/// The bytes of a number in front of what it counts: 1, 2, 4 (or 8) for consecutive tags.
size_t LengthSize(uint8_t tag, uint8_t first) { return size_t{1} << (tag - first); }

}  // namespace

Status MsgpackReader::Next(MsgpackValue* out_value) {
  if (at_ == bytes_.size()) return Fail(HAL_STATUS_DATA_LOSS, "msgpack: a value is missing at byte %zu, the end", at_);
  const auto tag = ReadUint<uint8_t>(bytes_, at_++);
  *out_value = {};
  if (tag <= 0x7f || tag >= 0xe0) {
    out_value->kind = tag <= 0x7f ? MsgpackKind::kUint : MsgpackKind::kInt;
    out_value->number = static_cast<uint64_t>(static_cast<int64_t>(static_cast<int8_t>(tag)));
    return kOk;
  }
  if (tag <= 0x8f) return TakeCount(MsgpackKind::kMap, tag & 0x0f, out_value);
  if (tag <= 0x9f) return TakeCount(MsgpackKind::kArray, tag & 0x0f, out_value);
  if (tag <= 0xbf) return TakeText(MsgpackKind::kText, tag & 0x1f, out_value);
  return TakeSized(tag, out_value);
}

Status MsgpackReader::TakeSized(uint8_t tag, MsgpackValue* out_value) {
  uint64_t length = 0;
  switch (tag) {
    case 0xc0:
      return kOk;
    case 0xc2:
    case 0xc3:
      out_value->kind = MsgpackKind::kBool;
      out_value->number = tag & 1;
      return kOk;
    case 0xc4:
    case 0xc5:
    case 0xc6:
      HAL_TRY(ReadLength(LengthSize(tag, 0xc4), &length));
      return TakeText(MsgpackKind::kBytes, length, out_value);
    case 0xca:
    case 0xcb:
      return TakeNumber(MsgpackKind::kFloat, tag == 0xca ? 4 : 8, out_value);
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf:
      return TakeNumber(MsgpackKind::kUint, LengthSize(tag, 0xcc), out_value);
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
      return TakeNumber(MsgpackKind::kInt, LengthSize(tag, 0xd0), out_value);
    case 0xd9:
    case 0xda:
    case 0xdb:
      HAL_TRY(ReadLength(LengthSize(tag, 0xd9), &length));
      return TakeText(MsgpackKind::kText, length, out_value);
    case 0xdc:
    case 0xdd:
      HAL_TRY(ReadLength(tag == 0xdc ? 2 : 4, &length));
      return TakeCount(MsgpackKind::kArray, length, out_value);
    case 0xde:
    case 0xdf:
      HAL_TRY(ReadLength(tag == 0xde ? 2 : 4, &length));
      return TakeCount(MsgpackKind::kMap, length, out_value);
    default:
      return Fail(HAL_STATUS_DATA_LOSS, "msgpack: byte %zu begins with 0x%02x, which is no value known here", at_ - 1,
                  tag);
  }
}

// Big-endian, as everything in MessagePack.
Status MsgpackReader::ReadLength(size_t size, uint64_t* out_length) {
  if (!IsInside(bytes_, at_, size)) {
    return Fail(HAL_STATUS_DATA_LOSS, "msgpack: a number of %zu bytes at byte %zu exceeds the %zu bytes", size, at_,
                bytes_.size());
  }
  *out_length = 0;
  for (size_t i = 0; i < size; ++i) *out_length = *out_length << 8 | ReadUint<uint8_t>(bytes_, at_ + i);
  at_ += size;
  return kOk;
}

Status MsgpackReader::TakeNumber(MsgpackKind kind, size_t size, MsgpackValue* out_value) {
  out_value->kind = kind;
  HAL_TRY(ReadLength(size, &out_value->number));
  if (kind != MsgpackKind::kInt) return kOk;
  const uint64_t sign = uint64_t{1} << (8 * size - 1);
  if ((out_value->number & sign) == 0) {
    out_value->kind = MsgpackKind::kUint;
  } else {
    out_value->number |= ~(sign | (sign - 1));
  }
  return kOk;
}

Status MsgpackReader::TakeText(MsgpackKind kind, uint64_t length, MsgpackValue* out_value) {
  if (!IsInside(bytes_, at_, length)) {
    return Fail(HAL_STATUS_DATA_LOSS, "msgpack: a text of %llu bytes at byte %zu exceeds the %zu bytes",
                static_cast<unsigned long long>(length), at_, bytes_.size());
  }
  out_value->kind = kind;
  out_value->text = AsText(bytes_.subspan(at_, length));
  at_ += length;
  return kOk;
}

Status MsgpackReader::TakeCount(MsgpackKind kind, uint64_t count, MsgpackValue* out_value) {
  const uint64_t values = kind == MsgpackKind::kMap ? 2 * count : count;
  if (values > bytes_.size() - at_) {
    return Fail(HAL_STATUS_DATA_LOSS, "msgpack: %s of %llu elements at byte %zu, with %zu bytes left", KindName(kind),
                static_cast<unsigned long long>(count), at_, bytes_.size() - at_);
  }
  out_value->kind = kind;
  out_value->count = static_cast<uint32_t>(count);
  return kOk;
}

Status MsgpackReader::Skip() {
  // Each value takes a byte at least, so that this ends; counts are 32 bits each, so that the sum has room.
  for (uint64_t left = 1; left > 0; --left) {
    MsgpackValue value;
    HAL_TRY(Next(&value));
    left += value.kind == MsgpackKind::kMap ? 2 * uint64_t{value.count} : value.count;
  }
  return kOk;
}

Status MsgpackReader::Expect(MsgpackKind kind, const char* what, MsgpackValue* out_value) {
  const size_t begin = at_;
  if (Status status = Next(out_value); status != kOk) return Annotate(status, what, ": ");
  if (out_value->kind == kind) return kOk;
  return Fail(HAL_STATUS_DATA_LOSS, "%s: byte %zu is %s, not %s", what, begin, KindName(out_value->kind),
              KindName(kind));
}

Status MsgpackReader::ReadCount(MsgpackKind kind, const char* what, uint32_t* out_count) {
  MsgpackValue value;
  HAL_TRY(Expect(kind, what, &value));
  *out_count = value.count;
  return kOk;
}

Status MsgpackReader::ReadText(const char* what, std::string_view* out_text) {
  MsgpackValue value;
  HAL_TRY(Expect(MsgpackKind::kText, what, &value));
  *out_text = value.text;
  return kOk;
}

Status MsgpackReader::ReadNumber(const char* what, uint64_t most, uint64_t* out_number) {
  MsgpackValue value;
  HAL_TRY(Expect(MsgpackKind::kUint, what, &value));
  *out_number = value.number;
  if (value.number <= most) return kOk;
  return Fail(HAL_STATUS_DATA_LOSS, "%s: %llu; at most %llu is possible", what,
              static_cast<unsigned long long>(value.number), static_cast<unsigned long long>(most));
}

Status MsgpackReader::ReadFlag(const char* what, bool* out_flag) {
  MsgpackValue value;
  HAL_TRY(Expect(MsgpackKind::kBool, what, &value));
  *out_flag = value.number != 0;
  return kOk;
}

}  // namespace halyard
