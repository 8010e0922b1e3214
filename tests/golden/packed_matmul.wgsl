// contract dot
@group(0) @binding(0) var<storage, read> x0: array<u32>;
@group(0) @binding(1) var<storage, read> x1: array<u32>;
@group(0) @binding(2) var<storage, read_write> y0: array<vec4<i32>>;
struct Scalars { I0: i32, I1: i32, I2: i32, I3: i32, I4: i32, I5: i32, I6: i32, I7: i32, I8: i32, I9: i32, I10: i32, I11: i32, I12: i32, I13: i32 }
@group(0) @binding(3) var<uniform> S: Scalars;
var<workgroup> panel0: array<vec4<u32>, 160>;
var<workgroup> panel1: array<vec4<u32>, 128>;
fn pt_left(g: i32, m: i32, k: i32) -> u32 {
  let p = m * S.I0 + k;
  let v = x0[p >> 2u];
  return select(0u, v, k < S.I1);
}
fn pt_words(a: u32, b: u32, c: u32, d: u32) -> vec4<u32> {
  let shifts = vec4<u32>(0u, 8u, 16u, 24u);
  let low = vec4<u32>(255u);
  return ((vec4<u32>(a) >> shifts) & low)
    | (((vec4<u32>(b) >> shifts) & low) << vec4<u32>(8u))
    | (((vec4<u32>(c) >> shifts) & low) << vec4<u32>(16u))
    | ((vec4<u32>(d) >> shifts) << vec4<u32>(24u));
}
fn pt_right(g: i32, k: i32, n: i32) -> vec4<u32> {
  let p = k * S.I2 + n;
  let v = pt_words(x1[p >> 2u], x1[(p + S.I3) >> 2u], x1[(p + S.I4) >> 2u], x1[(p + S.I5) >> 2u]);
  return select(vec4<u32>(0u), v, k < S.I6);
}
fn pt_keep(m: i32, n: i32, v: vec4<i32>) {
  var e1 = m * S.I7 + n;
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
  var s0 = vec4<i32>();
  var s1 = vec4<i32>();
  var s2 = vec4<i32>();
  var s3 = vec4<i32>();
  for (var start = 0; start < S.I8; start += 64) {
    for (var t = l; t < 128; t += 64) {
      let i = t / 4;
      let k = t % 4;
      let p = start + k * 16;
      panel0[i * 5 + k] = vec4<u32>(pt_left(g, row + i, p + 0), pt_left(g, row + i, p + 4), pt_left(g, row + i, p + 8), pt_left(g, row + i, p + 12));
    }
    for (var t = l; t < 128; t += 64) {
      panel1[t] = pt_right(g, start + t / 8 * 4, column + t % 8 * 4);
    }
    workgroupBarrier();
    for (var k = 0; k < 4; k++) {
      let a0 = panel0[(0 + down) * 5 + k];
      let a1 = panel0[(8 + down) * 5 + k];
      let a2 = panel0[(16 + down) * 5 + k];
      let a3 = panel0[(24 + down) * 5 + k];
      let b0 = panel1[(k * 4 + 0) * 8 + across];
      s0 += vec4<i32>(dot4I8Packed(a0.x, b0.x), dot4I8Packed(a0.x, b0.y), dot4I8Packed(a0.x, b0.z), dot4I8Packed(a0.x, b0.w));
      s1 += vec4<i32>(dot4I8Packed(a1.x, b0.x), dot4I8Packed(a1.x, b0.y), dot4I8Packed(a1.x, b0.z), dot4I8Packed(a1.x, b0.w));
      s2 += vec4<i32>(dot4I8Packed(a2.x, b0.x), dot4I8Packed(a2.x, b0.y), dot4I8Packed(a2.x, b0.z), dot4I8Packed(a2.x, b0.w));
      s3 += vec4<i32>(dot4I8Packed(a3.x, b0.x), dot4I8Packed(a3.x, b0.y), dot4I8Packed(a3.x, b0.z), dot4I8Packed(a3.x, b0.w));
      let b1 = panel1[(k * 4 + 1) * 8 + across];
      s0 += vec4<i32>(dot4I8Packed(a0.y, b1.x), dot4I8Packed(a0.y, b1.y), dot4I8Packed(a0.y, b1.z), dot4I8Packed(a0.y, b1.w));
      s1 += vec4<i32>(dot4I8Packed(a1.y, b1.x), dot4I8Packed(a1.y, b1.y), dot4I8Packed(a1.y, b1.z), dot4I8Packed(a1.y, b1.w));
      s2 += vec4<i32>(dot4I8Packed(a2.y, b1.x), dot4I8Packed(a2.y, b1.y), dot4I8Packed(a2.y, b1.z), dot4I8Packed(a2.y, b1.w));
      s3 += vec4<i32>(dot4I8Packed(a3.y, b1.x), dot4I8Packed(a3.y, b1.y), dot4I8Packed(a3.y, b1.z), dot4I8Packed(a3.y, b1.w));
      let b2 = panel1[(k * 4 + 2) * 8 + across];
      s0 += vec4<i32>(dot4I8Packed(a0.z, b2.x), dot4I8Packed(a0.z, b2.y), dot4I8Packed(a0.z, b2.z), dot4I8Packed(a0.z, b2.w));
      s1 += vec4<i32>(dot4I8Packed(a1.z, b2.x), dot4I8Packed(a1.z, b2.y), dot4I8Packed(a1.z, b2.z), dot4I8Packed(a1.z, b2.w));
      s2 += vec4<i32>(dot4I8Packed(a2.z, b2.x), dot4I8Packed(a2.z, b2.y), dot4I8Packed(a2.z, b2.z), dot4I8Packed(a2.z, b2.w));
      s3 += vec4<i32>(dot4I8Packed(a3.z, b2.x), dot4I8Packed(a3.z, b2.y), dot4I8Packed(a3.z, b2.z), dot4I8Packed(a3.z, b2.w));
      let b3 = panel1[(k * 4 + 3) * 8 + across];
      s0 += vec4<i32>(dot4I8Packed(a0.w, b3.x), dot4I8Packed(a0.w, b3.y), dot4I8Packed(a0.w, b3.z), dot4I8Packed(a0.w, b3.w));
      s1 += vec4<i32>(dot4I8Packed(a1.w, b3.x), dot4I8Packed(a1.w, b3.y), dot4I8Packed(a1.w, b3.z), dot4I8Packed(a1.w, b3.w));
      s2 += vec4<i32>(dot4I8Packed(a2.w, b3.x), dot4I8Packed(a2.w, b3.y), dot4I8Packed(a2.w, b3.z), dot4I8Packed(a2.w, b3.w));
      s3 += vec4<i32>(dot4I8Packed(a3.w, b3.x), dot4I8Packed(a3.w, b3.y), dot4I8Packed(a3.w, b3.z), dot4I8Packed(a3.w, b3.w));
    }
    workgroupBarrier();
  }
  let n = column + across * 4;
  if (n < S.I9) {
    { let m = row + 0 + down;
      if (m < S.I10) { pt_keep(m, n, s0); } }
    { let m = row + 8 + down;
      if (m < S.I11) { pt_keep(m, n, s1); } }
    { let m = row + 16 + down;
      if (m < S.I12) { pt_keep(m, n, s2); } }
    { let m = row + 24 + down;
      if (m < S.I13) { pt_keep(m, n, s3); } }
  }
}
