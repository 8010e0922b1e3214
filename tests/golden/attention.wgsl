// attend attention
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> x1: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> x2: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { F0: f32, F1: f32, I0: i32, I1: i32, I2: i32, I3: i32, I4: i32, I5: i32, I6: i32, I7: i32, I8: i32, I9: i32, I10: i32, I11: i32, I12: i32, I13: i32, I14: i32, I15: i32, I16: i32, I17: i32, I18: i32, I19: i32, I20: i32, I21: i32, I22: i32, I23: i32, I24: i32, I25: i32, I26: i32, I27: i32, I28: i32, I29: i32, I30: i32, I31: i32, I32: i32, I33: i32, I34: i32, I35: i32, I36: i32 }
@group(0) @binding(4) var<uniform> S: Scalars;
var<private> PT_INF_BITS: u32 = 0x7f800000u;
fn PT_INF() -> f32 { return bitcast<f32>(PT_INF_BITS); }
fn pt_is_nan(x: vec4<f32>) -> vec4<bool> { return (bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u); }
fn pt_exp(x: vec4<f32>) -> vec4<f32> { return select(exp(x), x, pt_is_nan(x)); }
var<workgroup> shared0: array<vec4<f32>, 256>;
var<workgroup> shared1: array<vec4<f32>, 288>;
var<workgroup> more: u32;
fn pt_query(g: i32, m: i32, k: i32) -> vec4<f32> {
var k4 = g * S.I0 + m;
var k5 = k4 * S.I1 + k;
var v6 = x0[(k5 >> 2u)];
  return v6;
}
fn pt_key(g: i32, m: i32, k: i32) -> vec4<f32> {
var k10 = g * S.I2 + m;
var k11 = k10 * S.I3 + k;
var v12 = x1[(k11 >> 2u)];
  return v12;
}
fn pt_value(g: i32, m: i32, k: i32) -> vec4<f32> {
var k16 = g * S.I4 + m;
var k17 = k16 * S.I5 + k;
var v18 = x2[(k17 >> 2u)];
  return v18;
}
fn pt_score(g: i32, m: i32, k: i32, v: vec4<f32>) -> vec4<f32> {
var m22 = m + vec4<i32>(0, 8, 16, 24);
var n23 = vec4<i32>(k);
var i27 = vec4<i32>(m22);
var i28 = vec4<i32>(n23);
var v29 = vec4<u32>(i27 >= i28);
var v30 = v * vec4<f32>(S.F0);
var v31 = select(vec4<f32>(S.F1), v30, vec4<bool>(v29));
  return v31;
}
fn pt_fill() -> vec4<f32> {
  return vec4<f32>(S.F1);
}
fn pt_keep(g: i32, m: i32, k: i32, v: vec4<f32>) {
  var k32 = g * S.I6 + m;
  var e33 = k32 * S.I7 + k;
  var t34 = e33 >> 2u;
  y0[t34] = v;
}
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let across = l % 8;
  let down = l / 8;
  let row = i32(W.x) * 32;
  let g = i32(W.y);
  var best = vec4<f32>(-PT_INF());
  var total = vec4<f32>(0.0);
  var o0_0 = vec4<f32>(0.0);
  var o1_0 = vec4<f32>(0.0);
  var o2_0 = vec4<f32>(0.0);
  var o3_0 = vec4<f32>(0.0);
  let result = g;
  var end = S.I8;
  end = min(end, row + 32);
  for (var first = 0; first < end; first += 32) {
    var s0 = vec4<f32>(0.0);
    var s1 = vec4<f32>(0.0);
    var s2 = vec4<f32>(0.0);
    var s3 = vec4<f32>(0.0);
    for (var start = 0; start < S.I9; start += 32) {
      { let i = (l + 0) / 8; let k = (l + 0) % 8;
        shared0[i * 8 + k] = select(vec4<f32>(0.0), pt_query(g, row + i, start + k * 4), start + k * 4 < S.I10); }
      { let i = (l + 64) / 8; let k = (l + 64) % 8;
        shared0[i * 8 + k] = select(vec4<f32>(0.0), pt_query(g, row + i, start + k * 4), start + k * 4 < S.I11); }
      { let i = (l + 128) / 8; let k = (l + 128) % 8;
        shared0[i * 8 + k] = select(vec4<f32>(0.0), pt_query(g, row + i, start + k * 4), start + k * 4 < S.I12); }
      { let i = (l + 192) / 8; let k = (l + 192) % 8;
        shared0[i * 8 + k] = select(vec4<f32>(0.0), pt_query(g, row + i, start + k * 4), start + k * 4 < S.I13); }
      { let i = (l + 0) / 8; let k = (l + 0) % 8;
        shared1[i * 9 + k] = select(vec4<f32>(0.0), pt_key(g, first + i, start + k * 4), start + k * 4 < S.I14); }
      { let i = (l + 64) / 8; let k = (l + 64) % 8;
        shared1[i * 9 + k] = select(vec4<f32>(0.0), pt_key(g, first + i, start + k * 4), start + k * 4 < S.I15); }
      { let i = (l + 128) / 8; let k = (l + 128) % 8;
        shared1[i * 9 + k] = select(vec4<f32>(0.0), pt_key(g, first + i, start + k * 4), start + k * 4 < S.I16); }
      { let i = (l + 192) / 8; let k = (l + 192) % 8;
        shared1[i * 9 + k] = select(vec4<f32>(0.0), pt_key(g, first + i, start + k * 4), start + k * 4 < S.I17); }
      workgroupBarrier();
      for (var k = 0; k < 8; k++) {
        let a0 = shared0[(0 + down) * 8 + k];
        let a1 = shared0[(8 + down) * 8 + k];
        let a2 = shared0[(16 + down) * 8 + k];
        let a3 = shared0[(24 + down) * 8 + k];
        let b0 = shared1[(0 + across) * 9 + k];
        s0 += vec4<f32>(dot(a0, b0), dot(a1, b0), dot(a2, b0), dot(a3, b0));
        let b1 = shared1[(8 + across) * 9 + k];
        s1 += vec4<f32>(dot(a0, b1), dot(a1, b1), dot(a2, b1), dot(a3, b1));
        let b2 = shared1[(16 + across) * 9 + k];
        s2 += vec4<f32>(dot(a0, b2), dot(a1, b2), dot(a2, b2), dot(a3, b2));
        let b3 = shared1[(24 + across) * 9 + k];
        s3 += vec4<f32>(dot(a0, b3), dot(a1, b3), dot(a2, b3), dot(a3, b3));
      }
      workgroupBarrier();
    }
    s0 = select(vec4<f32>(-PT_INF()), pt_score(g, row + down, first + 0 + across, s0), first + 0 + across < S.I18);
    s1 = select(vec4<f32>(-PT_INF()), pt_score(g, row + down, first + 8 + across, s1), first + 8 + across < S.I19);
    s2 = select(vec4<f32>(-PT_INF()), pt_score(g, row + down, first + 16 + across, s2), first + 16 + across < S.I20);
    s3 = select(vec4<f32>(-PT_INF()), pt_score(g, row + down, first + 24 + across, s3), first + 24 + across < S.I21);
    var top = max(max(max(s0, s1), s2), s3);
    shared1[l] = top;
    workgroupBarrier();
    top = shared1[down * 8];
    for (var i = 1; i < 8; i++) { top = max(top, shared1[down * 8 + i]); }
    top = max(top, best);
    let shift = select(top, vec4<f32>(0.0), top == vec4<f32>(-PT_INF()));
    let scale = pt_exp(best - shift);
    best = top;
    total *= scale;
    s0 = pt_exp(s0 - shift);
    total += s0;
    { let i = 0 + across;
      shared0[i * 8 + ((down + i) & 7)] = s0; }
    s1 = pt_exp(s1 - shift);
    total += s1;
    { let i = 8 + across;
      shared0[i * 8 + ((down + i) & 7)] = s1; }
    s2 = pt_exp(s2 - shift);
    total += s2;
    { let i = 16 + across;
      shared0[i * 8 + ((down + i) & 7)] = s2; }
    s3 = pt_exp(s3 - shift);
    total += s3;
    { let i = 24 + across;
      shared0[i * 8 + ((down + i) & 7)] = s3; }
    o0_0 *= scale.x;
    o1_0 *= scale.y;
    o2_0 *= scale.z;
    o3_0 *= scale.w;
    workgroupBarrier();
    { let i = (l + 0) / 8; let k = (l + 0) % 8;
      shared1[i * 8 + k] = select(vec4<f32>(0.0), pt_value(g, first + i, 0 + k * 4), first + i < S.I22); }
    { let i = (l + 64) / 8; let k = (l + 64) % 8;
      shared1[i * 8 + k] = select(vec4<f32>(0.0), pt_value(g, first + i, 0 + k * 4), first + i < S.I23); }
    { let i = (l + 128) / 8; let k = (l + 128) % 8;
      shared1[i * 8 + k] = select(vec4<f32>(0.0), pt_value(g, first + i, 0 + k * 4), first + i < S.I24); }
    { let i = (l + 192) / 8; let k = (l + 192) % 8;
      shared1[i * 8 + k] = select(vec4<f32>(0.0), pt_value(g, first + i, 0 + k * 4), first + i < S.I25); }
    workgroupBarrier();
    for (var i = 0; i < 32; i++) {
      let p = shared0[i * 8 + ((down + i) & 7)];
      let v = shared1[i * 8 + across];
      o0_0 += p.x * v;
      o1_0 += p.y * v;
      o2_0 += p.z * v;
      o3_0 += p.w * v;
    }
    workgroupBarrier();
    if (first + 32 >= end && end < S.I26) {
      let places = vec4<i32>(row + down) + 8 * vec4<i32>(0, 1, 2, 3);
      let queries = vec4<i32>(S.I27);
      let open = !(pt_fill() - best < vec4<f32>(-110.0)) & (places < queries);
      if (across == 0) { shared1[down] = select(vec4<f32>(0.0), vec4<f32>(1.0), open); }
      workgroupBarrier();
      if (l == 0) {
        var count = shared1[0];
        for (var i = 1; i < 8; i++) { count += shared1[i]; }
        more = u32(any(count > vec4<f32>(0.0)));
      }
      if (workgroupUniformLoad(&more) != 0u) { end = S.I28; }
    }
  }
  shared1[l] = total;
  workgroupBarrier();
  total = shared1[down * 8];
  for (var i = 1; i < 8; i++) { total = total + shared1[down * 8 + i]; }
  if (row + 0 + down < S.I29) {
    if (0 + across * 4 < S.I30) { pt_keep(result, row + 0 + down, 0 + across * 4, o0_0 / total.x); }
  }
  if (row + 8 + down < S.I31) {
    if (0 + across * 4 < S.I32) { pt_keep(result, row + 8 + down, 0 + across * 4, o1_0 / total.y); }
  }
  if (row + 16 + down < S.I33) {
    if (0 + across * 4 < S.I34) { pt_keep(result, row + 16 + down, 0 + across * 4, o2_0 / total.z); }
  }
  if (row + 24 + down < S.I35) {
    if (0 + across * 4 < S.I36) { pt_keep(result, row + 24 + down, 0 + across * 4, o3_0 / total.w); }
  }
}
