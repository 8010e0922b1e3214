// reduce sum
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { F0: f32, I0: i32, I1: i32, I2: i32, I3: i32, I4: i32, I5: i32, I6: i32, I7: i32, I8: i32, I9: i32 }
@group(0) @binding(2) var<uniform> S: Scalars;
fn pt_quotient(x: i32, r: f32) -> i32 { return i32((f32(x) + 0.5) * r); }
fn pt_modulo(x: i32, n: i32, r: f32) -> i32 { return x - pt_quotient(x, r) * n; }
var<workgroup> shared0: array<vec4<f32>, 256>;
@compute @workgroup_size(256) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var m1 = l & 63;
  var n2 = l >> 6u;
  var o3 = w * 4 + n2;
  var o4 = min(o3, S.I0);
  var o5 = pt_quotient(o4, S.F0);
  var p6 = pt_modulo(o4, S.I1, S.F0) * S.I2 + m1 * 4;
  var s7 = vec4<f32>(0.0);
  for (var k8 = p6; k8 < S.I3; k8 += S.I4) {
    var q11 = o5 * S.I5 + k8;
    var v12 = x0[(q11 >> 2u)];
    s7 = s7 + v12;
  }
  var r13 = s7.zwxy;
  s7 = s7 + r13;
  var r14 = s7.yxwz;
  s7 = s7 + r14;
  shared0[l] = s7;
  workgroupBarrier();
  if (m1 < S.I6) {
    var r15 = shared0[l + 32];
    s7 = s7 + r15;
    shared0[l] = s7;
  }
  workgroupBarrier();
  if (m1 < S.I7) {
    var r16 = shared0[l + 16];
    s7 = s7 + r16;
    shared0[l] = s7;
  }
  workgroupBarrier();
  if (m1 < S.I8) {
    var r17 = shared0[l + 8];
    s7 = s7 + r17;
    shared0[l] = s7;
  }
  workgroupBarrier();
  if (m1 < 4) {
    var r18 = shared0[l + 4];
    s7 = s7 + r18;
    shared0[l] = s7;
  }
  workgroupBarrier();
  if (m1 < 2) {
    var r19 = shared0[l + 2];
    s7 = s7 + r19;
    shared0[l] = s7;
  }
  workgroupBarrier();
  if (m1 < 1) {
    var r20 = shared0[l + 1];
    s7 = s7 + r20;
    shared0[l] = s7;
  }
  workgroupBarrier();
  var t21 = w + l;
  if (l >= 1 || t21 >= S.I9) { return; }
  var a22 = l * 256;
  var a23 = l * 256 + 64;
  var a24 = l * 256 + 128;
  var a25 = l * 256 + 192;
  s7 = vec4<f32>(shared0[a22].x, shared0[a23].x, shared0[a24].x, shared0[a25].x);
  y0[t21] = s7;
}

// reduce sum
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y0: array<f32>;
struct Scalars { I0: i32 }
@group(0) @binding(2) var<uniform> S: Scalars;
var<workgroup> shared0: array<f32, 64>;
var<workgroup> shared1: array<f32, 64>;
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var s1 = vec4<f32>(0.0);
  var t2 = w * S.I0 + l;
  var b6 = l < 61;
  var v7 = x0[t2];
  var v8 = select(vec4<f32>(0.0), v7, vec4<bool>(b6));
  s1 = s1 + v8;
  var r9 = s1.x;
  r9 = r9 + s1.y;
  r9 = r9 + s1.z;
  r9 = r9 + s1.w;
  shared0[l] = r9;
  workgroupBarrier();
  if (l < 8) {
    for (var k10 = 8; k10 < 64; k10 += 8) {
      var r11 = shared0[l + k10];
      r9 = r9 + r11;
    }
    shared1[l] = r9;
  }
  workgroupBarrier();
  var r12 = shared1[0];
  for (var k13 = 1; k13 < 8; k13++) {
    var r14 = shared1[k13];
    r12 = r12 + r14;
  }
  var v15 = vec4<f32>(r12);
  if (l == 0) {
    y0[w] = v15.x;
  }
}
