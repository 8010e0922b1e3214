// map take
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> x1: array<vec4<i32>>;
@group(0) @binding(2) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { I0: i32, I1: i32, I2: i32, I3: i32, I4: i32, I5: i32, I6: i32 }
@group(0) @binding(3) var<uniform> S: Scalars;
fn pt_place_i(i: vec4<i32>, n: vec4<i32>) -> vec4<i32> { return min(max(i + n * vec4<i32>(i < vec4<i32>(0)), vec4<i32>(0)), n - 1); }
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var t1 = w * 64 + l;
  if (t1 >= S.I4) { return; }
  var e2 = t1 * 4;
  var i3 = vec4<i32>(0);
  var v4 = i3 * vec4<i32>(9);
  var v5 = x1[t1];
  var v6 = vec4<u32>(v5 < vec4<i32>(S.I0));
  var v7 = v5 + vec4<i32>(S.I1);
  var v8 = select(v5, v7, vec4<bool>(v6));
  var v9 = min(max(v8, vec4<i32>(S.I2)), vec4<i32>(S.I3));
  var v10 = v4 + v9;
  var v11 = v10 * vec4<i32>(8);
  var i12 = e2 + vec4<i32>(0, 1, 2, 3);
  var i13 = (i12 & vec4<i32>(S.I5));
  var v14 = v11 + i13;
  var j15 = pt_place_i(v14, vec4<i32>(S.I6));
  var v16 = vec4<f32>(x0[j15.x >> 2u][j15.x & 3], x0[j15.y >> 2u][j15.y & 3], x0[j15.z >> 2u][j15.z & 3], x0[j15.w >> 2u][j15.w & 3]);
  y0[t1] = v16;
}
