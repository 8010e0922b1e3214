// map interleave
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> x1: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { I0: i32 }
@group(0) @binding(3) var<uniform> S: Scalars;
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var t1 = w * 64 + l;
  if (t1 >= S.I0) { return; }
  var v4 = x0[t1];
  var v5 = v4.xxzz;
  var v6 = x1[t1];
  var v7 = v6.xxzz;
  var v8 = v5 * v7;
  var v9 = v4.yyww;
  var v10 = v6.yyww;
  var v11 = v9 * v10;
  var v12 = v8 - v11;
  var v13 = v5 * v10;
  var v14 = v9 * v7;
  var v15 = v13 + v14;
  var v16 = vec4<f32>(v12.x, v15.x, v12.z, v15.z);
  y0[t1] = v16;
}
