# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json

import pytest

import halyard


def test_a_trace_for_perfetto(device, kernels, tmp_path):
    x = device.zeros(64, "uint32")
    with device.profile(tmp_path / "trace.json") as profile:
        for _ in range(3):
            kernels.add_one[1](x)
        device.stream.fill(x, 0)
    dispatches = [record for record in profile.records if record.kind == "dispatch"]
    assert [record.name for record in dispatches] == ["add_one"] * 3
    assert all(record.grid == (1, 1, 1) and record.seconds >= 0 and record.status == "OK" for record in dispatches)
    assert all(record.submitted <= record.started <= record.ended for record in profile.records)
    events = json.loads((tmp_path / "trace.json").read_text())
    events = events["traceEvents"] if isinstance(events, dict) else events
    assert sum(event.get("name") == "add_one" and event.get("ph") == "X" for event in events) >= 3


def test_one_session_at_a_time(device):
    with device.profile():
        with pytest.raises(halyard.FailedPrecondition):
            with device.profile():
                pass
    with device.profile() as profile:
        pass
    assert profile.records == []


def test_a_path_that_cannot_be_written(device, tmp_path):
    with pytest.raises(halyard.Error):
        with device.profile(tmp_path / "missing" / "trace.json"):
            pass
    with device.profile():
        pass
