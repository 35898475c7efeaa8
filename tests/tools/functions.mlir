// The functions of kernels/tool_test_functions.c, in the generic form.
"builtin.module"() ({
  "func.func"() <{sym_name = "matmul", function_type = (memref<2x3xf32>, memref<3x2xf32>, memref<2x2xf32>) -> ()}> ({
  ^bb0(%a: memref<2x3xf32>, %b: memref<3x2xf32>, %c: memref<2x2xf32>):
    "func.return"() : () -> ()
  }) {llvm.emit_c_interface} : () -> ()
  "func.func"() <{sym_name = "scale", function_type = (f32, memref<?xf32>, index) -> f32}> ({
  ^bb0(%f: f32, %x: memref<?xf32>, %n: index):
    "func.return"(%f) : (f32) -> ()
  }) {llvm.emit_c_interface} : () -> ()
  "func.func"() <{sym_name = "count", function_type = (index) -> memref<?xindex>}> ({
  ^bb0(%n: index):
    "func.return"(%n) : (index) -> ()
  }) {llvm.emit_c_interface} : () -> ()
  "func.func"() <{sym_name = "transpose", arg_attrs = [{halyard.access = "read"}],
                  function_type = (memref<?x?xf32>) -> memref<?x?xf32, strided<[?, ?], offset: ?>>}> ({
  ^bb0(%x: memref<?x?xf32>):
    "func.return"(%x) : (memref<?x?xf32>) -> ()
  }) {llvm.emit_c_interface} : () -> ()
  "func.func"() <{sym_name = "same", arg_attrs = [{halyard.access = "read"}],
                  function_type = (memref<*xf32>) -> memref<*xf32>}> ({
  ^bb0(%x: memref<*xf32>):
    "func.return"(%x) : (memref<*xf32>) -> ()
  }) {llvm.emit_c_interface} : () -> ()
  "func.func"() <{sym_name = "stand_ins", function_type = (memref<?xbf16>, memref<?xindex>) -> ()}> ({
  ^bb0(%x: memref<?xbf16>, %n: memref<?xindex>):
    "func.return"() : () -> ()
  }) {llvm.emit_c_interface} : () -> ()
  "func.func"() <{sym_name = "number", function_type = (memref<4xi32>, index, index) -> (),
                  arg_attrs = [{halyard.access = "write"}, {halyard.workgroup = "id.x"}, {halyard.workgroup = "count.x"}]}> ({
  ^bb0(%x: memref<4xi32>, %id: index, %count: index):
    "func.return"() : () -> ()
  }) {llvm.emit_c_interface} : () -> ()
}) : () -> ()
