// attend attention
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> x1: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> x2: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { F0: f32, I0: i32, I1: i32, I2: i32, I3: i32, I4: i32, I5: i32, I6: i32, I7: i32, I8: i32, I9: i32, I10: i32, I11: i32, I12: i32, I13: i32, I14: i32, I15: i32, I16: i32, I17: i32, I18: i32, I19: i32, I20: i32, I21: i32, I22: i32, I23: i32, I24: i32, I25: i32, I26: i32, I27: i32, I28: i32, I29: i32, I30: i32, I31: i32 }
@group(0) @binding(4) var<uniform> S: Scalars;
var<private> PT_INF_BITS: u32 = 0x7f800000u;
fn PT_INF() -> f32 { return bitcast<f32>(PT_INF_BITS); }
fn pt_is_nan(x: vec4<f32>) -> vec4<bool> { return (bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u); }
fn pt_exp(x: vec4<f32>) -> vec4<f32> { return select(exp(x), x, pt_is_nan(x)); }
var<workgroup> shared0: array<vec4<f32>, 64>;
var<workgroup> shared1: array<vec4<f32>, 512>;
fn pt_query(g: i32, m: i32, k: i32) -> vec4<f32> {
var k4 = g + m;
var k5 = k4 * S.I0 + k;
var v6 = x0[(k5 >> 2u)];
  return v6;
}
fn pt_key(g: i32, m: i32, k: i32) -> vec4<f32> {
var k10 = g * S.I1 + m;
var k11 = k10 * S.I2 + k;
var v12 = x1[(k11 >> 2u)];
  return v12;
}
fn pt_value(g: i32, m: i32, k: i32) -> vec4<f32> {
var k16 = g * S.I3 + m;
var k17 = k16 * S.I4 + k;
var v18 = x2[(k17 >> 2u)];
  return v18;
}
fn pt_score(g: i32, m: i32, k: i32, v: vec4<f32>) -> vec4<f32> {
var v27 = v * vec4<f32>(S.F0);
  return v27;
}
fn pt_keep(g: i32, m: i32, k: i32, v: vec4<f32>) {
  var k28 = g + m;
  var e29 = k28 * S.I5 + k;
  var t30 = e29 >> 2u;
  y0[t30] = v;
}
@compute @workgroup_size(32) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let across = l % 16;
  let down = l / 16;
  let row = i32(W.x) * 8;
  let g = i32(W.y);
  var best = vec4<f32>(-PT_INF());
  var total = vec4<f32>(0.0);
  var o0_0 = vec4<f32>(0.0);
  var o1_0 = vec4<f32>(0.0);
  var o2_0 = vec4<f32>(0.0);
  var o3_0 = vec4<f32>(0.0);
  let begin = i32(W.z) * S.I6;
  let result = i32(W.z) * 2 + g;
  var end = min(begin + S.I7, S.I8);
  for (var first = begin; first < end; first += 32) {
    var s0 = vec4<f32>(0.0);
    var s1 = vec4<f32>(0.0);
    for (var start = 0; start < S.I9; start += 32) {
      { let i = (l + 0) / 8; let k = (l + 0) % 8;
        shared0[i * 8 + k] = pt_query(g, row + i, start + k * 4); }
      { let i = (l + 32) / 8; let k = (l + 32) % 8;
        shared0[i * 8 + k] = pt_query(g, row + i, start + k * 4); }
      { let i = (l + 0) / 8; let k = (l + 0) % 8;
        shared1[i * 9 + k] = pt_key(g, first + i, start + k * 4); }
      { let i = (l + 32) / 8; let k = (l + 32) % 8;
        shared1[i * 9 + k] = pt_key(g, first + i, start + k * 4); }
      { let i = (l + 64) / 8; let k = (l + 64) % 8;
        shared1[i * 9 + k] = pt_key(g, first + i, start + k * 4); }
      { let i = (l + 96) / 8; let k = (l + 96) % 8;
        shared1[i * 9 + k] = pt_key(g, first + i, start + k * 4); }
      { let i = (l + 128) / 8; let k = (l + 128) % 8;
        shared1[i * 9 + k] = pt_key(g, first + i, start + k * 4); }
      { let i = (l + 160) / 8; let k = (l + 160) % 8;
        shared1[i * 9 + k] = pt_key(g, first + i, start + k * 4); }
      { let i = (l + 192) / 8; let k = (l + 192) % 8;
        shared1[i * 9 + k] = pt_key(g, first + i, start + k * 4); }
      { let i = (l + 224) / 8; let k = (l + 224) % 8;
        shared1[i * 9 + k] = pt_key(g, first + i, start + k * 4); }
      workgroupBarrier();
      for (var k = 0; k < 8; k++) {
        let a0 = shared0[(0 + down) * 8 + k];
        let a1 = shared0[(2 + down) * 8 + k];
        let a2 = shared0[(4 + down) * 8 + k];
        let a3 = shared0[(6 + down) * 8 + k];
        let b0 = shared1[(0 + across) * 9 + k];
        s0 += vec4<f32>(dot(a0, b0), dot(a1, b0), dot(a2, b0), dot(a3, b0));
        let b1 = shared1[(16 + across) * 9 + k];
        s1 += vec4<f32>(dot(a0, b1), dot(a1, b1), dot(a2, b1), dot(a3, b1));
      }
      workgroupBarrier();
    }
    s0 = select(vec4<f32>(-PT_INF()), pt_score(g, row + down, first + 0 + across, s0), first + 0 + across < S.I10);
    s1 = select(vec4<f32>(-PT_INF()), pt_score(g, row + down, first + 16 + across, s1), first + 16 + across < S.I11);
    var top = max(s0, s1);
    shared1[l] = top;
    workgroupBarrier();
    top = shared1[down * 16];
    for (var i = 1; i < 16; i++) { top = max(top, shared1[down * 16 + i]); }
    top = max(top, best);
    let shift = select(top, vec4<f32>(0.0), top == vec4<f32>(-PT_INF()));
    let scale = pt_exp(best - shift);
    best = top;
    total *= scale;
    s0 = pt_exp(s0 - shift);
    total += s0;
    { let i = 0 + across;
      shared0[i * 2 + ((down + i) & 1)] = s0; }
    s1 = pt_exp(s1 - shift);
    total += s1;
    { let i = 16 + across;
      shared0[i * 2 + ((down + i) & 1)] = s1; }
    o0_0 *= scale.x;
    o1_0 *= scale.y;
    o2_0 *= scale.z;
    o3_0 *= scale.w;
    workgroupBarrier();
    { let i = (l + 0) / 16; let k = (l + 0) % 16;
      shared1[i * 16 + k] = select(vec4<f32>(0.0), pt_value(g, first + i, 0 + k * 4), first + i < S.I12); }
    { let i = (l + 32) / 16; let k = (l + 32) % 16;
      shared1[i * 16 + k] = select(vec4<f32>(0.0), pt_value(g, first + i, 0 + k * 4), first + i < S.I13); }
    { let i = (l + 64) / 16; let k = (l + 64) % 16;
      shared1[i * 16 + k] = select(vec4<f32>(0.0), pt_value(g, first + i, 0 + k * 4), first + i < S.I14); }
    { let i = (l + 96) / 16; let k = (l + 96) % 16;
      shared1[i * 16 + k] = select(vec4<f32>(0.0), pt_value(g, first + i, 0 + k * 4), first + i < S.I15); }
    { let i = (l + 128) / 16; let k = (l + 128) % 16;
      shared1[i * 16 + k] = select(vec4<f32>(0.0), pt_value(g, first + i, 0 + k * 4), first + i < S.I16); }
    { let i = (l + 160) / 16; let k = (l + 160) % 16;
      shared1[i * 16 + k] = select(vec4<f32>(0.0), pt_value(g, first + i, 0 + k * 4), first + i < S.I17); }
    { let i = (l + 192) / 16; let k = (l + 192) % 16;
      shared1[i * 16 + k] = select(vec4<f32>(0.0), pt_value(g, first + i, 0 + k * 4), first + i < S.I18); }
    { let i = (l + 224) / 16; let k = (l + 224) % 16;
      shared1[i * 16 + k] = select(vec4<f32>(0.0), pt_value(g, first + i, 0 + k * 4), first + i < S.I19); }
    { let i = (l + 256) / 16; let k = (l + 256) % 16;
      shared1[i * 16 + k] = select(vec4<f32>(0.0), pt_value(g, first + i, 0 + k * 4), first + i < S.I20); }
    { let i = (l + 288) / 16; let k = (l + 288) % 16;
      shared1[i * 16 + k] = select(vec4<f32>(0.0), pt_value(g, first + i, 0 + k * 4), first + i < S.I21); }
    { let i = (l + 320) / 16; let k = (l + 320) % 16;
      shared1[i * 16 + k] = select(vec4<f32>(0.0), pt_value(g, first + i, 0 + k * 4), first + i < S.I22); }
    { let i = (l + 352) / 16; let k = (l + 352) % 16;
      shared1[i * 16 + k] = select(vec4<f32>(0.0), pt_value(g, first + i, 0 + k * 4), first + i < S.I23); }
    { let i = (l + 384) / 16; let k = (l + 384) % 16;
      shared1[i * 16 + k] = select(vec4<f32>(0.0), pt_value(g, first + i, 0 + k * 4), first + i < S.I24); }
    { let i = (l + 416) / 16; let k = (l + 416) % 16;
      shared1[i * 16 + k] = select(vec4<f32>(0.0), pt_value(g, first + i, 0 + k * 4), first + i < S.I25); }
    { let i = (l + 448) / 16; let k = (l + 448) % 16;
      shared1[i * 16 + k] = select(vec4<f32>(0.0), pt_value(g, first + i, 0 + k * 4), first + i < S.I26); }
    { let i = (l + 480) / 16; let k = (l + 480) % 16;
      shared1[i * 16 + k] = select(vec4<f32>(0.0), pt_value(g, first + i, 0 + k * 4), first + i < S.I27); }
    workgroupBarrier();
    for (var i = 0; i < 32; i++) {
      let p = shared0[i * 2 + ((down + i) & 1)];
      let v = shared1[i * 16 + across];
      o0_0 += p.x * v;
      o1_0 += p.y * v;
      o2_0 += p.z * v;
      o3_0 += p.w * v;
    }
    workgroupBarrier();
  }
  shared1[l] = total;
  workgroupBarrier();
  total = shared1[down * 16];
  for (var i = 1; i < 16; i++) { total = total + shared1[down * 16 + i]; }
  if (row + 0 + down < 1) {
    pt_keep(result, row + 0 + down, 0 + across * 4, o0_0);
    if (across == 0) { pt_keep(result, row + 0 + down, S.I28, vec4<f32>(best.x, total.x, 0.0, 0.0)); }
  }
  if (row + 2 + down < 1) {
    pt_keep(result, row + 2 + down, 0 + across * 4, o1_0);
    if (across == 0) { pt_keep(result, row + 2 + down, S.I29, vec4<f32>(best.y, total.y, 0.0, 0.0)); }
  }
  if (row + 4 + down < 1) {
    pt_keep(result, row + 4 + down, 0 + across * 4, o2_0);
    if (across == 0) { pt_keep(result, row + 4 + down, S.I30, vec4<f32>(best.z, total.z, 0.0, 0.0)); }
  }
  if (row + 6 + down < 1) {
    pt_keep(result, row + 6 + down, 0 + across * 4, o3_0);
    if (across == 0) { pt_keep(result, row + 6 + down, S.I31, vec4<f32>(best.w, total.w, 0.0, 0.0)); }
  }
}

// map joined_parts
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { I0: i32, I1: i32, I2: i32, I3: i32, I4: i32, I5: i32, I6: i32, I7: i32, I8: i32, I9: i32, I10: i32, I11: i32 }
@group(0) @binding(2) var<uniform> S: Scalars;
var<private> PT_INF_BITS: u32 = 0x7f800000u;
fn PT_INF() -> f32 { return bitcast<f32>(PT_INF_BITS); }
var<private> PT_NAN_BITS: u32 = 0x7fc00000u;
fn PT_NAN() -> f32 { return bitcast<f32>(PT_NAN_BITS); }
fn pt_maximum(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
  var odd = max(bitcast<vec4<u32>>(a) & vec4<u32>(0x7fffffffu), bitcast<vec4<u32>>(b) & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u);
  return select(max(a, b), vec4<f32>(PT_NAN()), odd);
}
fn pt_is_nan(x: vec4<f32>) -> vec4<bool> { return (bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u); }
fn pt_exp(x: vec4<f32>) -> vec4<f32> { return select(exp(x), x, pt_is_nan(x)); }
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var t1 = w * 64 + l;
  if (t1 >= S.I0) { return; }
  var e2 = t1 * 4;
  var v3 = e2 >> u32(S.I1);
  var v4 = e2 & S.I2;
  var r5 = vec4<f32>(-PT_INF());
  var r6 = vec4<f32>(0.0);
  var r7 = vec4<f32>(0.0);
  for (var k8 = 0; k8 < S.I3; k8++) {
    var q9 = (k8 * 2 + v3) * S.I4 + S.I5;
    var v10 = vec4<f32>(x0[vec4<i32>(q9).x >> 2u][vec4<i32>(q9).x & 3], x0[vec4<i32>(q9).y >> 2u][vec4<i32>(q9).y & 3], x0[vec4<i32>(q9).z >> 2u][vec4<i32>(q9).z & 3], x0[vec4<i32>(q9).w >> 2u][vec4<i32>(q9).w & 3]);
    r5 = pt_maximum(r5, v10);
  }
  for (var k11 = 0; k11 < S.I6; k11++) {
    var q12 = (k11 * 2 + v3) * S.I7 + S.I8;
    var v13 = vec4<f32>(x0[vec4<i32>(q12).x >> 2u][vec4<i32>(q12).x & 3], x0[vec4<i32>(q12).y >> 2u][vec4<i32>(q12).y & 3], x0[vec4<i32>(q12).z >> 2u][vec4<i32>(q12).z & 3], x0[vec4<i32>(q12).w >> 2u][vec4<i32>(q12).w & 3]);
    var v14 = pt_exp(v13 - r5);
    var q15 = (k11 * 2 + v3) * S.I9 + S.I10;
    var v16 = vec4<f32>(x0[vec4<i32>(q15).x >> 2u][vec4<i32>(q15).x & 3], x0[vec4<i32>(q15).y >> 2u][vec4<i32>(q15).y & 3], x0[vec4<i32>(q15).z >> 2u][vec4<i32>(q15).z & 3], x0[vec4<i32>(q15).w >> 2u][vec4<i32>(q15).w & 3]);
    r6 = r6 + v14 * v16;
    var q17 = (k11 * 2 + v3) * S.I11 + v4;
    var v18 = x0[(q17 >> 2u)];
    r7 = r7 + v14 * v18;
  }
  var v19 = r7 / r6;
  y0[t1] = v19;
}
