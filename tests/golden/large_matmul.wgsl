// contract dot
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> x1: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { I0: i32, I1: i32, I2: i32, I3: i32, I4: i32, I5: i32, I6: i32, I7: i32, I8: i32, I9: i32, I10: i32, I11: i32, I12: i32, I13: i32 }
@group(0) @binding(3) var<uniform> S: Scalars;
var<workgroup> shared0: array<vec4<f32>, 320>;
var<workgroup> shared1: array<vec4<f32>, 256>;
fn pt_left(g: i32, m: i32, k: i32) -> vec4<f32> {
  let p = m * S.I0 + k;
  return x0[(p >> 2u)];
}
fn pt_right(g: i32, k: i32, n: i32) -> vec4<f32> {
  let p = k * S.I1 + n;
  return x1[(p >> 2u)];
}
fn pt_keep(m: i32, n: i32, v: vec4<f32>) {
  var e1 = m * S.I2 + n;
  var t2 = e1 >> 2u;
  y0[t2] = v;
}
@compute @workgroup_size(128) fn main(
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
  var s4_0 = vec4<f32>(f32(0));
  var s5_0 = vec4<f32>(f32(0));
  var s6_0 = vec4<f32>(f32(0));
  var s7_0 = vec4<f32>(f32(0));
  var start = 0;
  var p0 = pt_left(g, row + (l / 4), start + (l % 4) * 4);
  var p1 = pt_left(g, row + ((l + 128) / 4), start + ((l + 128) % 4) * 4);
  var p2 = pt_right(g, start + (l / 16), column + (l % 16) * 4);
  var p3 = pt_right(g, start + ((l + 128) / 16), column + ((l + 128) % 16) * 4);
  loop {
    shared0[(l / 4) * 5 + (l % 4)] = p0;
    shared0[((l + 128) / 4) * 5 + ((l + 128) % 4)] = p1;
    shared1[l] = p2;
    shared1[(l + 128)] = p3;
    workgroupBarrier();
    start += 16;
    if (start < S.I3) {
      p0 = pt_left(g, row + (l / 4), start + (l % 4) * 4);
      p1 = pt_left(g, row + ((l + 128) / 4), start + ((l + 128) % 4) * 4);
      p2 = pt_right(g, start + (l / 16), column + (l % 16) * 4);
      p3 = pt_right(g, start + ((l + 128) / 16), column + ((l + 128) % 16) * 4);
    }
    for (var k = 0; k < 4; k++) {
      let a0 = shared0[(0 + down) * 5 + k];
      let a1 = shared0[(8 + down) * 5 + k];
      let a2 = shared0[(16 + down) * 5 + k];
      let a3 = shared0[(24 + down) * 5 + k];
      let a4 = shared0[(32 + down) * 5 + k];
      let a5 = shared0[(40 + down) * 5 + k];
      let a6 = shared0[(48 + down) * 5 + k];
      let a7 = shared0[(56 + down) * 5 + k];
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
      s4_0 += a4.x * b0_0;
      s4_0 += a4.y * b1_0;
      s4_0 += a4.z * b2_0;
      s4_0 += a4.w * b3_0;
      s5_0 += a5.x * b0_0;
      s5_0 += a5.y * b1_0;
      s5_0 += a5.z * b2_0;
      s5_0 += a5.w * b3_0;
      s6_0 += a6.x * b0_0;
      s6_0 += a6.y * b1_0;
      s6_0 += a6.z * b2_0;
      s6_0 += a6.w * b3_0;
      s7_0 += a7.x * b0_0;
      s7_0 += a7.y * b1_0;
      s7_0 += a7.z * b2_0;
      s7_0 += a7.w * b3_0;
    }
    if (!(start < S.I4)) { break; }
    workgroupBarrier();
  }
  { let n = column + (0 + across) * 4;
    if (n < S.I5) {
      { let m = row + 0 + down;
        if (m < S.I6) {
          pt_keep(m, n, s0_0); } }
      { let m = row + 8 + down;
        if (m < S.I7) {
          pt_keep(m, n, s1_0); } }
      { let m = row + 16 + down;
        if (m < S.I8) {
          pt_keep(m, n, s2_0); } }
      { let m = row + 24 + down;
        if (m < S.I9) {
          pt_keep(m, n, s3_0); } }
      { let m = row + 32 + down;
        if (m < S.I10) {
          pt_keep(m, n, s4_0); } }
      { let m = row + 40 + down;
        if (m < S.I11) {
          pt_keep(m, n, s5_0); } }
      { let m = row + 48 + down;
        if (m < S.I12) {
          pt_keep(m, n, s6_0); } }
      { let m = row + 56 + down;
        if (m < S.I13) {
          pt_keep(m, n, s7_0); } }
    } }
}
