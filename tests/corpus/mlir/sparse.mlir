// not 16
// A sparse matrix inside a function. MLIR 16 writes encodings otherwise, and has not the pass that lowers them.
#csr = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func @sparse_product(%d: tensor<4x5xf32>, %x: tensor<5xf32>, %o: tensor<4xf32>) -> tensor<4xf32> attributes {llvm.emit_c_interface} {
  %a = sparse_tensor.convert %d : tensor<4x5xf32> to tensor<4x5xf32, #csr>
  %r = linalg.matvec ins(%a, %x : tensor<4x5xf32, #csr>, tensor<5xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
