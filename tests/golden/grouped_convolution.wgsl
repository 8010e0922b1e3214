// contract convolve
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> x1: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { I0: i32, I1: i32, I2: i32, I3: i32, I4: i32, I5: i32, I6: i32, I7: i32, I8: i32, I9: i32, I10: i32, I11: i32, I12: i32, I13: i32, I14: i32, I15: i32, I16: i32, I17: i32, I18: i32, I19: i32, I20: i32, I21: i32, I22: i32, I23: i32, I24: i32, I25: i32, I26: i32, I27: i32, I28: i32 }
@group(0) @binding(3) var<uniform> S: Scalars;
var<workgroup> shared0: array<vec4<f32>, 160>;
var<workgroup> shared1: array<vec4<f32>, 128>;
fn pt_pixel(g: i32, m: i32) -> vec3<i32> {
let v = ((m >> u32(S.I0)) & S.I1) - 1;
let u = (m & S.I2) - 1;
return vec3<i32>(((m >> u32(S.I3)) >> u32(S.I4)) * S.I5 + v * S.I6 + u * S.I7 + g * S.I8, v, u);
}
fn pt_left(q: vec3<i32>, y: i32, x: i32, r: i32) -> vec4<f32> {
  let p = q.x + y * S.I9 + r + x * S.I10;
  let v = x0[(p >> 2u)];
  return select(vec4<f32>(f32(0)), v, u32(q.y + y) < u32(S.I11) && u32(q.z + x) < u32(S.I12));
}
fn pt_right(g: i32, k: i32, n: i32) -> vec4<f32> {
  let p = k * S.I13 + n + g * S.I14;
  return x1[(p >> 2u)];
}
fn pt_keep(m: i32, n: i32, v: vec4<f32>) {
  var e1 = m * S.I15 + n;
  var t2 = e1 >> 2u;
  y0[t2] = v;
}
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let across = l % 8;
  let down = l / 8;
  let row = i32(W.y) * 32;
  let column = i32(W.x) * 32;
  let g = i32(W.z);
  var s0_0 = vec4<f32>(f32(0));
  var s1_0 = vec4<f32>(f32(0));
  var s2_0 = vec4<f32>(f32(0));
  var s3_0 = vec4<f32>(f32(0));
  let q0 = pt_pixel(g, row + l / 4);
  let q1 = pt_pixel(g, row + (l + 64) / 4);
  let first = 0 + l % 4 * 4;
  let run = first >> u32(S.I16);
  var r = first - run * S.I17;
  var y = run / 3;
  var x = run % 3;
  var start = 0;
  var p0 = pt_left(q0, y, x, r);
  var p1 = pt_left(q1, y, x, r);
  var p2 = pt_right(g, start + (l / 8), column + (l % 8) * 4);
  var p3 = pt_right(g, start + ((l + 64) / 8), column + ((l + 64) % 8) * 4);
  r += 16;
  if (r >= S.I18) {
    r -= S.I19;
    x++;
    if (x == 3) { x = 0; y++; }
  }
  loop {
    shared0[(l / 4) * 5 + (l % 4)] = p0;
    shared0[((l + 64) / 4) * 5 + ((l + 64) % 4)] = p1;
    shared1[l] = p2;
    shared1[(l + 64)] = p3;
    workgroupBarrier();
    start += 16;
    if (start < S.I20) {
      p0 = pt_left(q0, y, x, r);
      p1 = pt_left(q1, y, x, r);
      p2 = pt_right(g, start + (l / 8), column + (l % 8) * 4);
      p3 = pt_right(g, start + ((l + 64) / 8), column + ((l + 64) % 8) * 4);
  r += 16;
  if (r >= S.I21) {
    r -= S.I22;
    x++;
    if (x == 3) { x = 0; y++; }
  }
    }
    for (var k = 0; k < 4; k++) {
      let a0 = shared0[(0 + down) * 5 + k];
      let a1 = shared0[(8 + down) * 5 + k];
      let a2 = shared0[(16 + down) * 5 + k];
      let a3 = shared0[(24 + down) * 5 + k];
      let b0_0 = shared1[(k * 4 + 0) * 8 + 0 + across];
      let b1_0 = shared1[(k * 4 + 1) * 8 + 0 + across];
      let b2_0 = shared1[(k * 4 + 2) * 8 + 0 + across];
      let b3_0 = shared1[(k * 4 + 3) * 8 + 0 + across];
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
    if (!(start < S.I23)) { break; }
    workgroupBarrier();
  }
  { let n = column + (0 + across) * 4;
    if (n < S.I24) {
      { let m = row + 0 + down;
        if (m < S.I25) {
          pt_keep(m * 2 + g, n, s0_0); } }
      { let m = row + 8 + down;
        if (m < S.I26) {
          pt_keep(m * 2 + g, n, s1_0); } }
      { let m = row + 16 + down;
        if (m < S.I27) {
          pt_keep(m * 2 + g, n, s2_0); } }
      { let m = row + 24 + down;
        if (m < S.I28) {
          pt_keep(m * 2 + g, n, s3_0); } }
    } }
}
