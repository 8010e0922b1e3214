// reduce sum
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { F0: f32, I0: i32, I1: i32, I2: i32, I3: i32, I4: i32, I5: i32, I6: i32, I7: i32 }
@group(0) @binding(2) var<uniform> S: Scalars;
fn pt_quotient4(x: vec4<i32>, r: f32) -> vec4<i32> { return vec4<i32>((vec4<f32>(x) + 0.5) * r); }
fn pt_modulo4(x: vec4<i32>, n: i32, r: f32) -> vec4<i32> { return x - pt_quotient4(x, r) * n; }
var<workgroup> shared0: array<vec4<f32>, 256>;
@compute @workgroup_size(256) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var n1 = l & 15;
  var m2 = l >> 4u;
  var t3 = w * 16 + n1;
  var e4 = t3 * 4;
  var i5 = e4 + vec4<i32>(0, 1, 2, 3);
  var o6 = pt_modulo4(i5, S.I0, S.F0);
  var p7 = pt_quotient4(i5, S.F0);
  var s8 = vec4<f32>(0.0);
  var p9 = p7 * S.I1 + m2;
  for (var k10 = 0; k10 < S.I2; k10 += S.I3) {
    var k11 = k10 + p9;
    var q12 = k11 * S.I4 + o6;
    var v13 = vec4<f32>(x0[q12.x >> 2u][q12.x & 3], x0[q12.y >> 2u][q12.y & 3], x0[q12.z >> 2u][q12.z & 3], x0[q12.w >> 2u][q12.w & 3]);
    s8 = s8 + select(vec4<f32>(0.0), v13, (k11 < vec4<i32>(S.I5)));
  }
  shared0[l] = s8;
  workgroupBarrier();
  if (m2 < S.I6) {
    var r14 = shared0[l + 128];
    s8 = s8 + r14;
    shared0[l] = s8;
  }
  workgroupBarrier();
  if (m2 < 4) {
    var r15 = shared0[l + 64];
    s8 = s8 + r15;
    shared0[l] = s8;
  }
  workgroupBarrier();
  if (m2 < 2) {
    var r16 = shared0[l + 32];
    s8 = s8 + r16;
    shared0[l] = s8;
  }
  workgroupBarrier();
  if (m2 < 1) {
    var r17 = shared0[l + 16];
    s8 = s8 + r17;
    shared0[l] = s8;
  }
  workgroupBarrier();
  var t18 = w * 16 + l;
  if (l >= 16 || t18 >= S.I7) { return; }
  y0[t18] = s8;
}

// reduce sum
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { I0: i32, I1: i32, I2: i32, I3: i32, I4: i32 }
@group(0) @binding(2) var<uniform> S: Scalars;
var<workgroup> shared0: array<vec4<f32>, 64>;
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var n1 = l & 1;
  var m2 = l >> 1u;
  var t3 = w * 2 + n1;
  var e4 = t3 * 4;
  var i5 = e4 + vec4<i32>(0, 1, 2, 3);
  var s6 = vec4<f32>(0.0);
  for (var k7 = m2; k7 < S.I0; k7 += S.I1) {
    var q8 = k7 * S.I2 + i5;
    var v9 = vec4<f32>(x0[q8.x >> 2u][q8.x & 3], x0[q8.y >> 2u][q8.y & 3], x0[q8.z >> 2u][q8.z & 3], x0[q8.w >> 2u][q8.w & 3]);
    s6 = s6 + v9;
  }
  shared0[l] = s6;
  workgroupBarrier();
  if (m2 < S.I3) {
    var r10 = shared0[l + 32];
    s6 = s6 + r10;
    shared0[l] = s6;
  }
  workgroupBarrier();
  if (m2 < S.I4) {
    var r11 = shared0[l + 16];
    s6 = s6 + r11;
    shared0[l] = s6;
  }
  workgroupBarrier();
  if (m2 < 4) {
    var r12 = shared0[l + 8];
    s6 = s6 + r12;
    shared0[l] = s6;
  }
  workgroupBarrier();
  if (m2 < 2) {
    var r13 = shared0[l + 4];
    s6 = s6 + r13;
    shared0[l] = s6;
  }
  workgroupBarrier();
  if (m2 < 1) {
    var r14 = shared0[l + 2];
    s6 = s6 + r14;
    shared0[l] = s6;
  }
  workgroupBarrier();
  var t15 = w * 2 + l;
  if (l >= 2 || t15 >= 2) { return; }
  y0[t15] = s6;
}
