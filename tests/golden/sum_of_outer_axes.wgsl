// reduce sum
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { F0: f32, I0: i32, I1: i32, I2: i32, I3: i32, I4: i32, I5: i32, I6: i32 }
@group(0) @binding(2) var<uniform> S: Scalars;
fn pt_quotient(x: i32, r: f32) -> i32 { return i32((f32(x) + 0.5) * r); }
fn pt_modulo(x: i32, n: i32, r: f32) -> i32 { return x - pt_quotient(x, r) * n; }
var<workgroup> shared0: array<vec4<f32>, 64>;
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var m1 = l & 15;
  var n2 = l >> 4u;
  var o3 = w * 4 + n2;
  var o4 = min(o3, S.I0);
  var s5 = vec4<f32>(0.0);
  var p6 = m1 * 4;
  for (var k7 = p6; k7 < S.I1; k7 += S.I2) {
    var k8 = pt_quotient(k7, S.F0);
    var k9 = pt_modulo(k7, S.I3, S.F0);
    var i11 = o4 * S.I4 + k8 * S.I5 + k9;
    var v12 = x0[(i11 >> 2u)];
    s5 = s5 + v12;
  }
  var r13 = s5.zwxy;
  s5 = s5 + r13;
  var r14 = s5.yxwz;
  s5 = s5 + r14;
  shared0[l] = s5;
  workgroupBarrier();
  if (m1 < S.I6) {
    var r15 = shared0[l + 8];
    s5 = s5 + r15;
    shared0[l] = s5;
  }
  workgroupBarrier();
  if (m1 < 4) {
    var r16 = shared0[l + 4];
    s5 = s5 + r16;
    shared0[l] = s5;
  }
  workgroupBarrier();
  if (m1 < 2) {
    var r17 = shared0[l + 2];
    s5 = s5 + r17;
    shared0[l] = s5;
  }
  workgroupBarrier();
  if (m1 < 1) {
    var r18 = shared0[l + 1];
    s5 = s5 + r18;
    shared0[l] = s5;
  }
  workgroupBarrier();
  var t19 = w + l;
  if (l >= 1 || t19 >= 2) { return; }
  var a20 = l * 64;
  var a21 = l * 64 + 16;
  var a22 = l * 64 + 32;
  var a23 = l * 64 + 48;
  s5 = vec4<f32>(shared0[a20].x, shared0[a21].x, shared0[a22].x, shared0[a23].x);
  y0[t19] = s5;
}
