// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Halyard from Rust, by what bindgen made of the installed headers: a dispatch, a callback, a failure. The tests of
//! layouts are bindgen's own. Constants of all ones come as -1: `as u64` is what C has. HALYARD_BINDINGS is the
//! binding, HALYARD_KERNELS the kernels of tests/install/kernels.
#![allow(dead_code, deref_nullptr, non_camel_case_types, non_snake_case, non_upper_case_globals)]

mod hal {
    include!(env!("HALYARD_BINDINGS"));
}

use hal::*;
use std::ffi::CStr;
use std::mem::{size_of, MaybeUninit};
use std::os::raw::{c_char, c_void};
use std::ptr::{null, null_mut};

fn view(text: &str) -> hal_string_view_t {
    hal_string_view_t { data: text.as_ptr() as *const c_char, size: text.len() }
}

fn last_error() -> String {
    unsafe { CStr::from_ptr(hal_last_error_message()).to_string_lossy().into_owned() }
}

fn check(status: hal_status_t) {
    assert_eq!(status, HAL_STATUS_OK, "{}", last_error());
}

/// A struct of the API with its defaults, from the function of its name.
fn initialized<T>(initialize: unsafe extern "C" fn(*mut T, usize)) -> T {
    let mut value = MaybeUninit::<T>::zeroed();
    unsafe {
        initialize(value.as_mut_ptr(), size_of::<T>());
        value.assume_init()
    }
}

/// All zero, which is the default of most structs.
fn zeroed<T>() -> T {
    unsafe { MaybeUninit::<T>::zeroed().assume_init() }
}

/// A handle, released at the end of its scope.
struct Owned<T>(*mut T, unsafe extern "C" fn(*mut T));

impl<T> Owned<T> {
    fn make(release: unsafe extern "C" fn(*mut T), create: impl FnOnce(*mut *mut T) -> hal_status_t) -> Self {
        let mut handle = null_mut();
        check(create(&mut handle));
        Owned(handle, release)
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        unsafe { (self.1)(self.0) }
    }
}

fn open_device() -> Owned<hal_device_t> {
    Owned::make(hal_device_release, |out| unsafe { hal_device_create(view("local://sync"), out) })
}

fn make_semaphore(device: &Owned<hal_device_t>) -> Owned<hal_semaphore_t> {
    Owned::make(hal_semaphore_release, |out| unsafe { hal_semaphore_create(device.0, null(), out) })
}

fn make_buffer(device: &Owned<hal_device_t>, length: usize) -> Owned<hal_buffer_t> {
    let mut params = initialized(hal_buffer_params_initialize);
    params.memory_type = HAL_MEMORY_TYPE_HOST_VISIBLE as _;
    params.usage |= HAL_BUFFER_USAGE_MAPPING as hal_buffer_usage_t;
    Owned::make(hal_buffer_release, |out| unsafe {
        hal_allocator_allocate(hal_device_allocator(device.0), &params, length as u64, out)
    })
}

/// y = a * x for a workgroup of four, each in the other's place.
#[test]
fn a_kernel_is_dispatched() {
    let device = open_device();
    let mut params: hal_executable_params_t = zeroed();
    params.struct_size = size_of::<hal_executable_params_t>();
    params.path = view(env!("HALYARD_KERNELS"));
    let executable =
        Owned::make(hal_executable_release, |out| unsafe { hal_executable_create(device.0, &params, out) });
    let mut ordinal = u32::MAX;
    check(unsafe { hal_executable_find_export(executable.0, view("scale"), &mut ordinal) });

    let x: [f32; 4] = [1.0, 2.0, 3.0, 4.0];
    let bytes = size_of::<[f32; 4]>();
    let buffers = [make_buffer(&device, bytes), make_buffer(&device, bytes)];
    check(unsafe { hal_buffer_write(buffers[0].0, 0, x.as_ptr() as *const c_void, bytes as _) });

    let mut refs: [hal_buffer_ref_t; 2] = unsafe { std::mem::zeroed() };
    for (reference, buffer) in refs.iter_mut().zip(&buffers) {
        reference.buffer = buffer.0;
        reference.length = HAL_WHOLE_SIZE as u64;
    }
    let a: f32 = 10.0;
    let mut dispatch = initialized(hal_dispatch_params_initialize);
    dispatch.constants = &a as *const f32 as *const c_void;
    dispatch.constants_size = size_of::<f32>() as u32;
    dispatch.bindings.refs = refs.as_ptr();
    dispatch.bindings.count = refs.len();
    let semaphore = make_semaphore(&device);
    let point = hal_timeline_point_t { semaphore: semaphore.0, value: 1 };
    let mut submit: hal_submit_params_t = zeroed();
    submit.struct_size = size_of::<hal_submit_params_t>();
    submit.signal_list = hal_semaphore_list_t { points: &point, count: 1 };
    check(unsafe { hal_device_queue_dispatch(device.0, &submit, executable.0, ordinal, &dispatch) });
    check(unsafe { hal_semaphore_wait(semaphore.0, 1, HAL_TIMEOUT_INFINITE as u64) });

    let mut y = [0f32; 4];
    check(unsafe { hal_buffer_read(buffers[1].0, 0, y.as_mut_ptr() as *mut c_void, bytes as _) });
    assert_eq!(y, [40.0, 30.0, 20.0, 10.0]);
}

unsafe extern "C" fn count(user_data: *mut c_void, status: hal_status_t, _message: hal_string_view_t) {
    assert_eq!(status, HAL_STATUS_OK);
    *(user_data as *mut u32) += 1;
}

#[test]
fn a_semaphore_calls_back() {
    let device = open_device();
    let semaphore = make_semaphore(&device);
    let mut calls = 0u32;
    let user_data = &mut calls as *mut u32 as *mut c_void;
    check(unsafe { hal_semaphore_notify(semaphore.0, 3, Some(count), user_data, null_mut()) });
    assert_eq!(calls, 0);
    check(unsafe { hal_semaphore_signal(semaphore.0, 5) });
    assert_eq!(calls, 1);
}

#[test]
fn a_failure_has_words() {
    let mut device = null_mut();
    let status = unsafe { hal_device_create(view("locl"), &mut device) };
    assert_eq!(status, HAL_STATUS_NOT_FOUND);
    assert!(device.is_null());
    assert!(last_error().contains("locl"), "{}", last_error());
}

#[test]
fn library_and_headers_are_of_one_version() {
    assert_eq!(unsafe { hal_version() }, HAL_VERSION as u32);
}
