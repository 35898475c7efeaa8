// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "commands.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>

#include "errors.h"
#include "numbers.h"
#include "transfers.h"

namespace halyard::python {

namespace {

/// What a command takes: a buffer, which the recording keeps, or a slot.
hal_buffer_ref_t Take(CommandsCore& commands, nb::handle place) {
  if (nb::isinstance<Slot>(place)) return Instance<Slot>(place).ref();
  const Buffer& buffer = TakeBuffer(place, "a command");
  commands.Keep(buffer.memory());
  return buffer.ref();
}

void Fill(const Commands& commands, nb::handle target, nb::handle value, nb::handle dtype) {
  Pattern pattern;
  if (nb::isinstance<Slot>(target)) {
    // Of a slot only the recording says what lies there.
    const hal_element_type_t type = dtype.is_none() ? HAL_ELEMENT_TYPE_UI8 : ParseType(dtype);
    const auto any = Allocate(commands.core()->device, TypeSize(type), false);
    pattern = MakePattern(Buffer(any, 0, type, {1}), value);
  } else {
    pattern = MakePattern(TakeBuffer(target, "a fill"), value);
  }
  const hal_buffer_ref_t ref = Take(*commands.core(), target);
  Check(hal_command_buffer_fill(commands.get(), ref, pattern.bytes, pattern.size));
}

void Copy(const Commands& commands, nb::handle source, nb::handle target) {
  const hal_buffer_ref_t from = Take(*commands.core(), source), to = Take(*commands.core(), target);
  Check(hal_command_buffer_copy(commands.get(), from, to));
}

void Update(const Commands& commands, nb::handle source, nb::handle target) {
  const HostView view(source, false);
  hal_buffer_ref_t ref = Take(*commands.core(), target);
  if (ref.length == HAL_WHOLE_SIZE) ref.length = view.length();
  if (ref.length != view.length()) {
    throw nb::value_error(
        ("the array has " + std::to_string(view.length()) + " bytes, and the place has " + std::to_string(ref.length))
            .c_str());
  }
  Check(hal_command_buffer_update(commands.get(), view.data(), ref));
}

}  // namespace

CommandsCore::CommandsCore(std::shared_ptr<DeviceCore> owner, uint32_t slot_count, uint32_t number_count, bool ordered,
                           bool one_shot)
    : device(std::move(owner)), slots(slot_count), numbers(number_count) {
  hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
  params.binding_capacity = slots;
  // How much of the block they take is known once they are recorded.
  if (numbers > 0) params.numbers_size = hal_device_info(device->ref.get())->limits->max_numbers_size;
  params.flags = (ordered ? HAL_COMMAND_BUFFER_TRACK_HAZARDS : 0) | (one_shot ? HAL_COMMAND_BUFFER_ONE_SHOT : 0);
  hal_command_buffer_t* commands = nullptr;
  Check(hal_command_buffer_create(device->ref.get(), &params, &commands));
  ref = CommandsRef(commands);
}

void CommandsCore::Keep(const std::shared_ptr<Memory>& memory) {
  if (std::find(memories.begin(), memories.end(), memory) == memories.end()) memories.push_back(memory);
}

uint32_t CommandsCore::OffsetOf(const Number& number, hal_element_type_t type, uint32_t size) {
  if (number.index >= numbers) {
    throw Failure(HAL_STATUS_OUT_OF_RANGE, "the commands have " + std::to_string(numbers) +
                                               " numbers, numbered from 0; there is no number " +
                                               std::to_string(number.index));
  }
  const auto found = std::find_if(cells.begin(), cells.end(), [&](const NumberCell& cell) {
    return cell.index == number.index && cell.type == type && cell.size == size;
  });
  if (found != cells.end()) return found->offset;
  cells.push_back({number.index, type, size, block_size});
  block_size += size;
  return cells.back().offset;
}

namespace {

/// The block of an execution: each number once for each kind of parameter that takes it.
std::vector<unsigned char> MakeBlock(const CommandsCore& commands, nb::handle numbers) {
  std::vector<nb::object> values;
  if (!numbers.is_none()) {
    for (nb::handle value : nb::iter(numbers)) values.push_back(nb::borrow(value));
  }
  if (values.size() != commands.numbers) {
    throw nb::value_error(("the commands take " + std::to_string(commands.numbers) + " numbers, and " +
                           std::to_string(values.size()) + " were given")
                              .c_str());
  }
  std::vector<unsigned char> block(commands.block_size);
  for (const NumberCell& cell : commands.cells) {
    const std::string name = "number " + std::to_string(cell.index);
    PutNumber(values[cell.index], cell.type, cell.size, name.c_str(), block.data() + cell.offset);
  }
  return block;
}

}  // namespace

void Execute(const Stream& stream, const Commands& commands, const nb::args& table, nb::handle numbers) {
  std::vector<hal_buffer_ref_t> refs;
  for (nb::handle item : table) refs.push_back(TakeBuffer(item, "a slot").ref());
  const std::vector<unsigned char> block = MakeBlock(*commands.core(), numbers);
  hal_execute_params_t params = HAL_INIT(hal_execute_params_t);
  params.table = hal_buffer_ref_list(refs.data(), refs.size());
  params.numbers = block.data();
  params.numbers_size = block.size();
  const uint64_t value = stream.core()->Submit([&](hal_device_t* device, const hal_submit_params_t* submit) {
    return hal_device_queue_execute_with(device, submit, commands.get(), &params);
  });
  for (nb::handle item : table) Note(stream, Instance<Buffer>(item), value);
  for (const auto& memory : commands.core()->memories) memory->Note(stream.core()->timeline, value);
}

void BindCommands(nb::module_& module) {
  nb::class_<Slot>(module, "Slot", nb::is_final(), "A place of a recording that each execution fills with a buffer.")
      .def(nb::init<uint32_t, uint64_t, uint64_t>(), nb::arg("index"), nb::arg("offset") = 0,
           nb::arg("length") = HAL_WHOLE_SIZE, "`length` bytes of the buffer in slot `index`, from byte `offset` on.");

  nb::class_<Number>(module, "Number", nb::is_final(),
                     "A number of a recording that each execution gives: a constant of kernels, or a size of their "
                     "grids.")
      .def(nb::init<uint32_t>(), nb::arg("index"), "Number `index` of those that Stream.execute() is given.");

  nb::class_<Commands>(module, "Commands",
                       "Commands that are recorded in a `with` and executed by Stream.execute(), once or many times.")
      .def(
          "__init__",
          [](Commands* self, const Device& device, uint32_t slots, uint32_t numbers, bool ordered, bool one_shot) {
            new (self) Commands(std::make_shared<CommandsCore>(device.core(), slots, numbers, ordered, one_shot));
          },
          nb::arg("device"), nb::arg("slots") = 0, nb::kw_only(), nb::arg("numbers") = 0, nb::arg("ordered") = true,
          nb::arg("one_shot") = false,
          "`slots` buffers and `numbers` numbers are given at each execution. With `ordered` each command sees what "
          "the ones before it "
          "wrote; "
          "without it commands between two barriers run in any order.")
      .def(
          "__enter__",
          [](nb::handle_t<Commands> self) {
            Check(hal_command_buffer_begin(Instance<Commands>(self).get()));
            return nb::borrow(self);
          },
          nb::sig("def __enter__(self) -> Commands"))
      .def(
          "__exit__",
          [](const Commands& self, nb::handle type, nb::handle, nb::handle) {
            if (type.is_none()) Check(hal_command_buffer_end(self.get()));
          },
          nb::arg("type").none(), nb::arg("value").none(), nb::arg("traceback").none(),
          nb::sig("def __exit__(self, type: object, value: object, traceback: object) -> None"))
      .def("fill", Fill, nb::arg("target"), nb::arg("value"), nb::arg("dtype").none() = nb::none(),
           nb::sig("def fill(self, target: Buffer | Slot, value: int | float, dtype: object = None) -> None"),
           "Sets all elements to a number. Of a slot `dtype` says what they are; without it they are bytes.")
      .def("copy", Copy, nb::arg("source"), nb::arg("target"),
           nb::sig("def copy(self, source: Buffer | Slot, target: Buffer | Slot) -> None"),
           "Copies bytes. The lengths agree.")
      .def("update", Update, nb::arg("source"), nb::arg("target"),
           nb::sig("def update(self, source: object, target: Buffer | Slot) -> None"),
           "Writes an array of the host as it is now, at most 64 KiB.")
      .def(
          "barrier", [](const Commands& self) { Check(hal_command_buffer_barrier(self.get())); },
          "What comes after it sees what came before it.")
      .def_prop_ro("slots", [](const Commands& self) { return self.core()->slots; })
      .def_prop_ro("numbers", [](const Commands& self) { return self.core()->numbers; });
}

}  // namespace halyard::python
