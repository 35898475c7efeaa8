// A dense layer of a network, y = max(x * w + b, 0): once for one size, and once for any.

#row = affine_map<(i, j) -> (j)>
#all = affine_map<(i, j) -> (i, j)>

// Everything is known when it is compiled; the caller brings the memory of the result.
func.func @dense(%x: memref<12x32xf32> {halyard.access = "read"}, %w: memref<32x20xf32> {halyard.access = "read"},
                 %b: memref<20xf32> {halyard.access = "read"}, %y: memref<12x20xf32> {halyard.access = "write"})
    attributes {llvm.emit_c_interface} {
  linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%b : memref<20xf32>) outs(%y : memref<12x20xf32>) {
  ^bb0(%bias: f32, %out: f32):
    linalg.yield %bias : f32
  }
  linalg.matmul ins(%x, %w : memref<12x32xf32>, memref<32x20xf32>) outs(%y : memref<12x20xf32>)
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%y : memref<12x20xf32>) {
  ^bb0(%sum: f32):
    %is_positive = arith.cmpf ogt, %sum, %zero : f32
    %kept = arith.select %is_positive, %sum, %zero : f32
    linalg.yield %kept : f32
  }
  return
}

// Only the call shows the sizes; the function makes the memory of the result and hands it over.
func.func @dense_any(%x: memref<?x?xf32> {halyard.access = "read"}, %w: memref<?x?xf32> {halyard.access = "read"},
                     %b: memref<?xf32> {halyard.access = "read"}) -> memref<?x?xf32>
    attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %rows = memref.dim %x, %c0 : memref<?x?xf32>
  %columns = memref.dim %b, %c0 : memref<?xf32>
  %y = memref.alloc(%rows, %columns) : memref<?x?xf32>
  linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%b : memref<?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%bias: f32, %out: f32):
    linalg.yield %bias : f32
  }
  linalg.matmul ins(%x, %w : memref<?x?xf32>, memref<?x?xf32>) outs(%y : memref<?x?xf32>)
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%y : memref<?x?xf32>) {
  ^bb0(%sum: f32):
    %is_positive = arith.cmpf ogt, %sum, %zero : f32
    %kept = arith.select %is_positive, %sum, %zero : f32
    linalg.yield %kept : f32
  }
  return %y : memref<?x?xf32>
}
