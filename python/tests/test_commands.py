# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy
import pytest

import halyard


def test_recorded_once_and_executed_with_other_buffers(device, kernels, words):
    commands = device.commands(slots=2)
    with commands:
        kernels.add_constant[1, commands](10, halyard.slot(0), halyard.slot(1))
        kernels.add_one[1, commands](halyard.slot(1))
    for offset in (0, 5):
        x, y = device.array(words + offset), device.zeros(64, "uint32")
        device.stream.execute(commands, x, y)
        assert y.numpy().tolist() == (words + offset + 11).tolist()


def test_numbers_that_each_execution_gives(device, kernels, words):
    x, y = device.array(words), device.zeros(64, "uint32")
    with device.commands(numbers=2) as commands:
        kernels.add_constant[halyard.number(1), commands](halyard.number(0), x, y)
        kernels.add_constant[1, commands](arg1=y, value=halyard.number(0), arg2=y)
    for number in (7, 1000, 0):
        device.stream.execute(commands, numbers=[number, 1])
        assert y.numpy().tolist() == (words + 2 * number).tolist()
    device.stream.execute(commands, numbers=(5, 0))  # no workgroup: only the second dispatch runs, on what is there
    assert y.numpy().tolist() == (words + 5).tolist()


def test_wrong_numbers(device, kernels):
    x, number = device.zeros(64, "uint32"), halyard.number(0)
    with device.commands(numbers=1) as commands:
        kernels.add_constant[1, commands](number, x, x)
        with pytest.raises(halyard.OutOfRange, match="no number 1"):
            kernels.add_constant[1, commands](halyard.number(1), x, x)
        with pytest.raises(TypeError, match="takes a buffer"):
            kernels.add_constant[1, commands](number, number, x)
        with pytest.raises(TypeError, match="size of workgroups"):
            kernels.add_constant.launch(1, block=number, on=commands)
    with pytest.raises(ValueError, match="take 1 numbers, and 0"):
        device.stream.execute(commands)
    with pytest.raises(ValueError, match="take 1 numbers, and 2"):
        device.stream.execute(commands, numbers=[1, 2])
    with pytest.raises(OverflowError, match="number 0"):
        device.stream.execute(commands, numbers=[1 << 40])
    with pytest.raises(TypeError):
        device.stream.execute(commands, numbers=["one"])
    with pytest.raises(TypeError, match="recording"):
        kernels.add_constant[1](number, x, x)
    with pytest.raises(TypeError, match="recording"):
        kernels.add_constant[number](1, x, x)


def test_commands_of_every_kind(device):
    x, y = device.empty(8, "uint32"), device.zeros(8, "uint32")
    with device.commands(slots=1) as commands:
        commands.fill(x, 3)
        commands.update(numpy.array([7, 8], "uint32"), x[2:4])
        commands.copy(x, y)
        commands.copy(y[2:4], halyard.slot(0, 0, 8))
        commands.fill(halyard.slot(0, 8, 8), 9, "uint32")
        commands.update(b"\1\0\0\0", halyard.slot(0, 16, 4))
        commands.barrier()
    z = device.zeros(5, "uint32")
    device.stream.execute(commands, z)
    assert y.numpy().tolist() == [3, 3, 7, 8, 3, 3, 3, 3]
    assert z.numpy().tolist() == [7, 8, 9, 9, 1]
    assert x.numpy()[3] == 8  # named by the recording alone, and waited for all the same


def test_an_exception_leaves_it_without_an_end(device, kernels):
    x = device.zeros(64, "uint32")
    commands = device.commands()
    with pytest.raises(KeyError):
        with commands:
            kernels.add_one[1, commands](x)
            raise KeyError
    with pytest.raises(halyard.FailedPrecondition):
        device.stream.execute(commands)


def test_a_refused_command_is_told_again_at_the_end(device):
    commands = device.commands()
    with pytest.raises(halyard.OutOfRange):
        with commands:
            with pytest.raises(halyard.OutOfRange):
                commands.fill(halyard.slot(3, 0, 8), 0)


def test_wrong_tables(device, kernels):
    commands = device.commands(slots=1)
    with commands:
        kernels.add_one[1, commands](halyard.slot(0))
    with pytest.raises(halyard.OutOfRange):
        device.stream.execute(commands)
    with pytest.raises(TypeError):
        device.stream.execute(commands, 3)
    with pytest.raises(TypeError, match="recording takes buffers"):
        other = device.commands()
        with other:
            kernels.add_one[1, other](numpy.zeros(64, "uint32"))


def test_recording_twice(device):
    commands = device.commands()
    with commands:
        pass
    with pytest.raises(halyard.FailedPrecondition):
        with commands:
            pass


def test_one_shot(device):
    x = device.zeros(4, "int32")
    with device.commands(one_shot=True, ordered=False) as commands:
        commands.fill(x, 1)
    device.stream.execute(commands)
    assert x.numpy()[0] == 1
    with pytest.raises(halyard.FailedPrecondition):
        device.stream.execute(commands)
