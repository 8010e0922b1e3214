// map where
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { F0: f32, F1: f32, I0: i32, I1: i32, I2: i32, I3: i32, U0: u32, U1: u32 }
@group(0) @binding(2) var<uniform> S: Scalars;
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var t1 = w * 64 + l;
  if (t1 >= S.I0) { return; }
  var e2 = t1 * 4;
  var i3 = e2 + vec4<i32>(0, 1, 2, 3);
  var c4 = (i3 >> vec4<u32>(u32(S.I1))) - 1;
  var c5 = i3 & vec4<i32>(S.I2);
  var m8 = vec4<u32>(vec4<bool>(vec4<u32>(vec4<u32>(c4) < vec4<u32>(3u))) & vec4<bool>(vec4<u32>((vec4<u32>(c5) < vec4<u32>(u32(S.I3))) & (vec4<u32>(c5) % 3u == vec4<u32>(0u)))));
  var v10 = select(vec4<u32>(S.U0), vec4<u32>(S.U1), vec4<bool>(m8));
  var v11 = select(vec4<f32>(S.F0), vec4<f32>(S.F1), vec4<bool>(m8));
  var v12 = x0[t1];
  var v13 = select(v12, v11, vec4<bool>(v10));
  y0[t1] = v13;
}
