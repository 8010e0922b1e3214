// contract dot
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> x1: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { I0: i32, I1: i32, I2: i32, I3: i32, I4: i32, I5: i32, I6: i32, I7: i32, I8: i32, I9: i32, I10: i32, I11: i32, I12: i32, I13: i32, I14: i32, I15: i32 }
@group(0) @binding(3) var<uniform> S: Scalars;
var<workgroup> shared0: array<vec4<f32>, 320>;
var<workgroup> shared1: array<vec4<f32>, 256>;
fn pt_left(g: i32, m: i32, k: i32) -> vec4<f32> {
  let p = g * S.I0 + m * S.I1 + k;
  return x0[(p >> 2u)];
}
fn pt_right(g: i32, k: i32, n: i32) -> vec4<f32> {
  let p = g * S.I2 + k * S.I3 + n;
  return x1[(p >> 2u)];
}
fn pt_keep(m: i32, n: i32, v: vec4<f32>) {
  var e1 = m * S.I4 + n;
  var t2 = e1 >> 2u;
  y0[t2] = v;
}
@compute @workgroup_size(256) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let across = l % 16;
  let down = l / 16;
  let row = i32(W.y) * 64;
  let column = i32(W.x) * 64;
  let g = i32(W.z);
  var s0_0 = vec4<f32>(f32(0));
  var s1_0 = vec4<f32>(f32(0));
  var s2_0 = vec4<f32>(f32(0));
  var s3_0 = vec4<f32>(f32(0));
  var start = 0;
  var p0 = pt_left(g, row + (l / 4), start + (l % 4) * 4);
  var p1 = pt_right(g, start + (l / 16), column + (l % 16) * 4);
  loop {
    shared0[(l / 4) * 5 + (l % 4)] = p0;
    shared1[l] = p1;
    workgroupBarrier();
    start += 16;
    if (start < S.I5) {
      p0 = pt_left(g, row + (l / 4), start + (l % 4) * 4);
      p1 = pt_right(g, start + (l / 16), column + (l % 16) * 4);
    }
    for (var k = 0; k < 4; k++) {
      let a0 = shared0[(0 + down) * 5 + k];
      let a1 = shared0[(16 + down) * 5 + k];
      let a2 = shared0[(32 + down) * 5 + k];
      let a3 = shared0[(48 + down) * 5 + k];
      let b0_0 = shared1[(k * 4 + 0) * 16 + 0 + across];
      let b1_0 = shared1[(k * 4 + 1) * 16 + 0 + across];
      let b2_0 = shared1[(k * 4 + 2) * 16 + 0 + across];
      let b3_0 = shared1[(k * 4 + 3) * 16 + 0 + across];
      s0_0 += a0.x * b0_0;
      s0_0 += a0.y * b1_0;
      s0_0 += a0.z * b2_0;
      s0_0 += a0.w * b3_0;
      s1_0 += a1.x * b0_0;
      s1_0 += a1.y * b1_0;
      s1_0 += a1.z * b2_0;
      s1_0 += a1.w * b3_0;
      s2_0 += a2.x * b0_0;
      s2_0 += a2.y * b1_0;
      s2_0 += a2.z * b2_0;
      s2_0 += a2.w * b3_0;
      s3_0 += a3.x * b0_0;
      s3_0 += a3.y * b1_0;
      s3_0 += a3.z * b2_0;
      s3_0 += a3.w * b3_0;
    }
    if (!(start < S.I6)) { break; }
    workgroupBarrier();
  }
  { let n = column + (0 + across) * 4;
    if (n < S.I7) {
      { let m = row + 0 + down;
        if (m < S.I8) {
          pt_keep(g * S.I9 + m, n, s0_0); } }
      { let m = row + 16 + down;
        if (m < S.I10) {
          pt_keep(g * S.I11 + m, n, s1_0); } }
      { let m = row + 32 + down;
        if (m < S.I12) {
          pt_keep(g * S.I13 + m, n, s2_0); } }
      { let m = row + 48 + down;
        if (m < S.I14) {
          pt_keep(g * S.I15 + m, n, s3_0); } }
    } }
}

// reduce sum
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { I0: i32, I1: i32 }
@group(0) @binding(2) var<uniform> S: Scalars;
var<workgroup> shared0: array<vec4<f32>, 64>;
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var n1 = l & 15;
  var m2 = l >> 4u;
  var t3 = w * 16 + n1;
  var e4 = t3 * 4;
  var s7 = vec4<f32>(0.0);
  for (var k8 = m2; k8 < 8; k8 += 4) {
    var q9 = k8 * S.I0 + e4;
    var v10 = x0[(q9 >> 2u)];
    s7 = s7 + v10;
  }
  shared0[l] = s7;
  workgroupBarrier();
  if (m2 < 2) {
    var r11 = shared0[l + 32];
    s7 = s7 + r11;
    shared0[l] = s7;
  }
  workgroupBarrier();
  if (m2 < 1) {
    var r12 = shared0[l + 16];
    s7 = s7 + r12;
    shared0[l] = s7;
  }
  workgroupBarrier();
  var t13 = w * 16 + l;
  if (l >= 16 || t13 >= S.I1) { return; }
  y0[t13] = s7;
}
