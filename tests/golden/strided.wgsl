// map add
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> x1: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { I0: i32, I1: i32, I2: i32, I3: i32, I4: i32, I5: i32, I6: i32, I7: i32, I8: i32, I9: i32, I10: i32, I11: i32, I12: i32, I13: i32, I14: i32, I15: i32, I16: i32, I17: i32, I18: i32, I19: i32 }
@group(0) @binding(3) var<uniform> S: Scalars;
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var t1 = w * 64 + l;
  if (t1 >= S.I0) { return; }
  var i3 = ((t1 * 4) >> u32(S.I1)) + ((t1 * 4) & S.I2) * S.I3;
  var v4 = vec4<f32>(x0[i3 >> 2u][i3 & 3], x0[(i3 + S.I4) >> 2u][(i3 + S.I5) & 3], x0[(i3 + S.I6) >> 2u][(i3 + S.I7) & 3], x0[(i3 + S.I8) >> 2u][(i3 + S.I9) & 3]);
  var i5 = (((t1 * 4) >> u32(S.I10)) & 3) * S.I11 + ((t1 * 4) & S.I12) * S.I13;
  var v6 = vec4<f32>(x1[i5 >> 2u][i5 & 3], x1[(i5 + S.I14) >> 2u][(i5 + S.I15) & 3], x1[(i5 + S.I16) >> 2u][(i5 + S.I17) & 3], x1[(i5 + S.I18) >> 2u][(i5 + S.I19) & 3]);
  var v7 = v4 + v6;
  y0[t1] = v7;
}
