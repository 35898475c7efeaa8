// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/kernels/tensor_map_description.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "support/failure.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

// By the numbers of hal_tensor_data_type_t and its siblings.
constexpr std::array<std::string_view, 13> kDataTypes = {
    "uint8",   "uint16",  "uint32",   "int32",       "uint64",   "int64",       "float16",
    "float32", "float64", "bfloat16", "float32_ftz", "tfloat32", "tfloat32_ftz"};
constexpr std::array<uint32_t, 4> kSwizzles = {0, 32, 64, 128};     // bytes
constexpr std::array<uint32_t, 4> kPromotions = {0, 64, 128, 256};  // bytes
constexpr std::array<std::string_view, 2> kFills = {"zero", "nan"};

uint32_t ReadOneOf(const JsonValue& object, std::string_view key, std::span<const uint32_t> numbers) {
  if (!object.Has(key)) return 0;
  const uint32_t number = object.At(key).Uint32();
  const auto found = std::ranges::find(numbers, number);
  if (found != numbers.end()) return static_cast<uint32_t>(found - numbers.begin());
  std::vector<std::string> known;
  for (const uint32_t one : numbers) known.push_back(Concat(one));
  object.At(key).Fail(Concat("is ", number, "; it must be one of ", JoinText(known)));
}

hal_tensor_number_t ReadNumber(const JsonValue& value) {
  if (!value.IsObject()) return {0, 0, value.Uint32()};
  value.AllowKeys({"offset", "size"});
  return {value.At("offset").Uint32(), value.At("size").Uint32(), 0};
}

void ReadNumbers(const JsonValue& list, uint32_t rank, hal_tensor_number_t* out) {
  const std::vector<JsonValue> numbers = list.Array();
  if (numbers.size() != rank) list.Fail(Concat("has ", numbers.size(), " numbers, but box has ", rank));
  std::ranges::transform(numbers, out, ReadNumber);
}

// Of a file that was checked before.
template <class List>
auto Named(const List& list, uint32_t number) {
  return list[std::min<size_t>(number, list.size() - 1)];
}

Json ToJson(std::span<const hal_tensor_number_t> numbers) {
  Json list = Json::array();
  for (const hal_tensor_number_t& number : numbers) {
    if (number.size == 0) {
      list.push_back(number.value);
    } else {
      list.push_back({{"offset", number.offset}, {"size", number.size}});
    }
  }
  return list;
}

std::string NumbersText(std::span<const hal_tensor_number_t> numbers) {
  std::vector<std::string> words;
  for (const hal_tensor_number_t& number : numbers) {
    words.push_back(number.size == 0 ? Concat(number.value) : Concat("constant ", number.offset));
  }
  return "[" + JoinText(words) + "]";
}

}  // namespace

hal_tensor_map_t ReadTensorMap(const JsonValue& object) {
  hal_tensor_map_t map = {};
  map.data_type = static_cast<uint32_t>(object.At("data_type").Choice(kDataTypes));
  map.swizzle = ReadOneOf(object, "swizzle", kSwizzles);
  map.l2_promotion = ReadOneOf(object, "l2_promotion", kPromotions);
  map.fill = object.Has("fill") ? static_cast<uint32_t>(object.At("fill").Choice(kFills)) : 0;
  const JsonValue box = object.At("box");
  const std::vector<JsonValue> sides = box.Array();
  if (sides.empty() || sides.size() > HAL_TENSOR_MAP_MAX_RANK) {
    box.Fail(Concat("has ", sides.size(), " numbers, not 1 to ", HAL_TENSOR_MAP_MAX_RANK));
  }
  map.rank = static_cast<uint32_t>(sides.size());
  std::ranges::transform(sides, map.box, &JsonValue::Uint32);
  ReadNumbers(object.At("sizes"), map.rank, map.sizes);
  ReadNumbers(object.At("strides"), map.rank, map.strides);
  return map;
}

Json ToJson(const hal_tensor_map_t& map) {
  const uint32_t rank = std::min(map.rank, HAL_TENSOR_MAP_MAX_RANK);
  Json result = {{"data_type", Named(kDataTypes, map.data_type)},
                 {"swizzle", Named(kSwizzles, map.swizzle)},
                 {"l2_promotion", Named(kPromotions, map.l2_promotion)},
                 {"fill", Named(kFills, map.fill)}};
  result["box"] = std::vector<uint32_t>(map.box, map.box + rank);
  result["sizes"] = ToJson({map.sizes, rank});
  result["strides"] = ToJson({map.strides, rank});
  return result;
}

std::string TensorMapText(const hal_tensor_map_t& map) {
  const uint32_t rank = std::min(map.rank, HAL_TENSOR_MAP_MAX_RANK);
  std::vector<std::string> box;
  for (const uint32_t side : std::span(map.box, rank)) box.push_back(Concat(side));
  return Concat(Named(kDataTypes, map.data_type), ", box ", JoinText(box, " x "), ", swizzle ",
                Named(kSwizzles, map.swizzle), ", sizes ", NumbersText({map.sizes, rank}), ", strides ",
                NumbersText({map.strides, rank}));
}

}  // namespace halyard::tools
