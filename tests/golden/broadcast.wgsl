// map add
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> x1: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> x2: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { I0: i32, I1: i32, I2: i32 }
@group(0) @binding(4) var<uniform> S: Scalars;
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var t1 = w * 64 + l;
  if (t1 >= S.I0) { return; }
  var e2 = t1 * 4;
  var v3 = x0[t1];
  var i4 = (e2 & S.I1);
  var v5 = x1[(i4 >> 2u)];
  var v6 = v3 * v5;
  var i7 = (e2 >> u32(S.I2));
  var v8 = vec4<f32>(x2[i7 >> 2u][i7 & 3]);
  var v9 = v6 + v8;
  y0[t1] = v9;
}
