// contract dot
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> x1: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { I0: i32, I1: i32, I2: i32, I3: i32, I4: i32, I5: i32, I6: i32, I7: i32, I8: i32, I9: i32 }
@group(0) @binding(3) var<uniform> S: Scalars;
var<workgroup> shared0: array<vec4<f32>, 160>;
var<workgroup> shared1: array<vec4<f32>, 128>;
fn pt_left(g: i32, m: i32, k: i32) -> vec4<f32> {
  let p = m + k * S.I0;
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
  var start = 0;
  var p0 = pt_left(g, row + (l % 8) * 4, start + (l / 8));
  var p1 = pt_left(g, row + ((l + 64) % 8) * 4, start + ((l + 64) / 8));
  var p2 = pt_right(g, start + (l / 8), column + (l % 8) * 4);
  var p3 = pt_right(g, start + ((l + 64) / 8), column + ((l + 64) % 8) * 4);
  loop {
    shared0[l] = p0;
    shared0[(l + 64)] = p1;
    shared1[l] = p2;
    shared1[(l + 64)] = p3;
    workgroupBarrier();
    start += 16;
    if (start < S.I3) {
      p0 = pt_left(g, row + (l % 8) * 4, start + (l / 8));
      p1 = pt_left(g, row + ((l + 64) % 8) * 4, start + ((l + 64) / 8));
      p2 = pt_right(g, start + (l / 8), column + (l % 8) * 4);
      p3 = pt_right(g, start + ((l + 64) / 8), column + ((l + 64) % 8) * 4);
    }
    for (var k = 0; k < 4; k++) {
      let a0 = vec4<f32>(shared0[(k * 4 + 0) * 8 + ((0 + down) >> 2u)][(0 + down) & 3], shared0[(k * 4 + 1) * 8 + ((0 + down) >> 2u)][(0 + down) & 3], shared0[(k * 4 + 2) * 8 + ((0 + down) >> 2u)][(0 + down) & 3], shared0[(k * 4 + 3) * 8 + ((0 + down) >> 2u)][(0 + down) & 3]);
      let a1 = vec4<f32>(shared0[(k * 4 + 0) * 8 + ((8 + down) >> 2u)][(8 + down) & 3], shared0[(k * 4 + 1) * 8 + ((8 + down) >> 2u)][(8 + down) & 3], shared0[(k * 4 + 2) * 8 + ((8 + down) >> 2u)][(8 + down) & 3], shared0[(k * 4 + 3) * 8 + ((8 + down) >> 2u)][(8 + down) & 3]);
      let a2 = vec4<f32>(shared0[(k * 4 + 0) * 8 + ((16 + down) >> 2u)][(16 + down) & 3], shared0[(k * 4 + 1) * 8 + ((16 + down) >> 2u)][(16 + down) & 3], shared0[(k * 4 + 2) * 8 + ((16 + down) >> 2u)][(16 + down) & 3], shared0[(k * 4 + 3) * 8 + ((16 + down) >> 2u)][(16 + down) & 3]);
      let a3 = vec4<f32>(shared0[(k * 4 + 0) * 8 + ((24 + down) >> 2u)][(24 + down) & 3], shared0[(k * 4 + 1) * 8 + ((24 + down) >> 2u)][(24 + down) & 3], shared0[(k * 4 + 2) * 8 + ((24 + down) >> 2u)][(24 + down) & 3], shared0[(k * 4 + 3) * 8 + ((24 + down) >> 2u)][(24 + down) & 3]);
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
    } }
}
