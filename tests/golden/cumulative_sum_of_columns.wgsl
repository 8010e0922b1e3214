// scan cumulative_sum
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { F0: f32, I0: i32, I1: i32, I2: i32, I3: i32, I4: i32, I5: i32, I6: i32, I7: i32, I8: i32, I9: i32, I10: i32 }
@group(0) @binding(2) var<uniform> S: Scalars;
fn pt_quotient(x: i32, r: f32) -> i32 { return i32((f32(x) + 0.5) * r); }
fn pt_modulo(x: i32, n: i32, r: f32) -> i32 { return x - pt_quotient(x, r) * n; }
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var t1 = w * 64 + l;
  if (t1 >= S.I0) { return; }
  var c2 = t1 & S.I1;
  var r3 = t1 >> u32(S.I2);
  var o4 = pt_quotient(r3, S.F0);
  var f5 = pt_modulo(r3, S.I3, S.F0) * S.I4;
  var s6 = vec4<f32>(0.0);
  for (var k7 = 0; k7 < S.I5; k7++) {
    var r8 = f5 + k7;
    if (r8 >= S.I6) { break; }
    var p9 = (o4 * S.I7 + r8) * S.I8 + c2;
    var q10 = (o4 * S.I9 + r8) * S.I10 + c2 * 4;
    var v11 = x0[(q10 >> 2u)];
    s6 = s6 + v11;
    y0[p9] = s6;
  }
}

// scan cumulative_sum
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { I0: i32, I1: i32, I2: i32, I3: i32, I4: i32, I5: i32, I6: i32, I7: i32, I8: i32, I9: i32 }
@group(0) @binding(2) var<uniform> S: Scalars;
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var t1 = w * 64 + l;
  if (t1 >= S.I0) { return; }
  var c2 = t1 & S.I1;
  var r3 = t1 >> u32(S.I2);
  var f4 = 0;
  var s5 = vec4<f32>(0.0);
  for (var k6 = 0; k6 < 5; k6++) {
    var r7 = f4 + k6;
    var p8 = (r3 * S.I3 + r7) * S.I4 + c2;
    y0[p8] = s5;
    var q9 = (r3 * 4 + r7) * S.I5 + c2 * 4;
    var i10 = (q9 >> u32(S.I6)) * S.I7 + (q9 & S.I8) + S.I9;
    var v11 = x0[(i10 >> 2u)];
    s5 = s5 + v11;
  }
}

// map add
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> x1: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { I0: i32, I1: i32, I2: i32, I3: i32 }
@group(0) @binding(3) var<uniform> S: Scalars;
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var t1 = w * 64 + l;
  if (t1 >= S.I0) { return; }
  var e2 = t1 * 4;
  var i3 = (e2 >> u32(S.I1)) * S.I2 + (e2 & S.I3);
  var v4 = x0[(i3 >> 2u)];
  var v5 = x1[t1];
  var v6 = v4 + v5;
  y0[t1] = v6;
}
