// Functions of tensors, which become functions of memrefs.
func.func @tensor_polynomial(%a: tensor<?xf32>, %b: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) attributes {llvm.emit_c_interface} {
  %s = arith.addf %a, %b : tensor<?xf32>
  %p = arith.mulf %s, %b : tensor<?xf32>
  return %s, %p : tensor<?xf32>, tensor<?xf32>
}
func.func @tensor_product(%a: tensor<3x4xf32>, %b: tensor<4x2xf32>) -> tensor<3x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x2xf32>
  %o = linalg.fill ins(%zero : f32) outs(%e : tensor<3x2xf32>) -> tensor<3x2xf32>
  %c = linalg.matmul ins(%a, %b : tensor<3x4xf32>, tensor<4x2xf32>) outs(%o : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %c : tensor<3x2xf32>
}
// A memref beside tensors: nothing is returned, and what lies between is freed.
func.func @tensor_to_memref(%x: tensor<?xf32>, %y: memref<?xf32>) attributes {llvm.emit_c_interface} {
  %s = arith.addf %x, %x : tensor<?xf32>
  %u = arith.mulf %s, %x : tensor<?xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %u, %c0 : tensor<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = tensor.extract %u[%i] : tensor<?xf32>
    memref.store %v, %y[%i] : memref<?xf32>
  }
  return
}
