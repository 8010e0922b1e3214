// contract convolve
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> x1: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { F0: f32, I0: i32, I1: i32, I2: i32, I3: i32, I4: i32, I5: i32, I6: i32, I7: i32, I8: i32, I9: i32, I10: i32, I11: i32, I12: i32, I13: i32, I14: i32, I15: i32 }
@group(0) @binding(3) var<uniform> S: Scalars;
fn pt_quotient(x: i32, r: f32) -> i32 { return i32((f32(x) + 0.5) * r); }
fn pt_pixel(g: i32, m: i32) -> vec3<i32> {
let v = m / 3 % 3 * 2;
let u = m % 3 * 2;
return vec3<i32>(m / 3 / 3 * S.I0 + v * S.I1 + u * S.I2, v, u * S.I3);
}
fn pt_left(q: vec3<i32>, y: i32, x: i32, r: i32) -> vec4<f32> {
  let p = q.x + y * S.I4 + r;
  let v = x0[(p >> 2u)];
  return v;
}
fn pt_right(g: i32, k: i32, n: i32) -> vec4<f32> {
  let p = k * S.I5 + n;
  return x1[(p >> 2u)];
}
fn pt_keep(m: i32, n: i32, v: vec4<f32>) {
  var e1 = m * S.I6 + n;
  var t2 = e1 >> 2u;
  y0[t2] = v;
}
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let across = l % 4;
  let down = l / 4;
  let row = i32(W.y) * 64;
  let column = i32(W.x) * 16;
  let g = i32(W.z);
  var s0_0 = vec4<f32>(f32(0));
  var s1_0 = vec4<f32>(f32(0));
  var s2_0 = vec4<f32>(f32(0));
  var s3_0 = vec4<f32>(f32(0));
  let q0 = pt_pixel(g, row + down * 4 + 0);
  let q1 = pt_pixel(g, row + down * 4 + 1);
  let q2 = pt_pixel(g, row + down * 4 + 2);
  let q3 = pt_pixel(g, row + down * 4 + 3);
  let first = 0;
  let run = pt_quotient(first, S.F0);
  var r = first - run * S.I7;
  var y = run;
  var x = 0;
  for (var k = 0; k < S.I8; k += 4) {
    let a0 = pt_left(q0, y, x, r);
    let a1 = pt_left(q1, y, x, r);
    let a2 = pt_left(q2, y, x, r);
    let a3 = pt_left(q3, y, x, r);
    let b0_0 = pt_right(g, k + 0, column + (0 + across) * 4);
    let b1_0 = pt_right(g, k + 1, column + (0 + across) * 4);
    let b2_0 = pt_right(g, k + 2, column + (0 + across) * 4);
    let b3_0 = pt_right(g, k + 3, column + (0 + across) * 4);
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
  r += 4;
  if (r >= S.I9) {
    r -= S.I10;
    y++;
  }
  }
  { let n = column + (0 + across) * 4;
    if (n < S.I11) {
      { let m = row + down * 4 + 0;
        if (m < S.I12) {
          pt_keep(m, n, s0_0); } }
      { let m = row + down * 4 + 1;
        if (m < S.I13) {
          pt_keep(m, n, s1_0); } }
      { let m = row + down * 4 + 2;
        if (m < S.I14) {
          pt_keep(m, n, s2_0); } }
      { let m = row + down * 4 + 3;
        if (m < S.I15) {
          pt_keep(m, n, s3_0); } }
    } }
}
