// map take
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> x1: array<vec4<i32>>;
@group(0) @binding(2) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { I0: i32, I1: i32, I2: i32, I3: i32, I4: i32 }
@group(0) @binding(3) var<uniform> S: Scalars;
fn pt_place_i(i: vec4<i32>, n: vec4<i32>) -> vec4<i32> { return min(max(i + n * vec4<i32>(i < vec4<i32>(0)), vec4<i32>(0)), n - 1); }
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var t1 = w * 64 + l;
  if (t1 >= S.I0) { return; }
  var e2 = t1 * 4;
  var i3 = (e2 >> u32(S.I1));
  var v4 = vec4<i32>(x1[i3 >> 2u][i3 & 3]);
  var j5 = pt_place_i(v4, vec4<i32>(S.I2)).x * S.I3 + (e2 & S.I4);
  var v6 = x0[(j5 >> 2u)];
  y0[t1] = v6;
}
