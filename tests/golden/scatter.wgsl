// sort argsort
@group(0) @binding(0) var<storage, read> x0: array<vec4<i32>>;
@group(0) @binding(1) var<storage, read_write> y0: array<vec4<u32>>;
struct Scalars { I0: i32, I1: i32, I2: i32, I3: i32, I4: i32 }
@group(0) @binding(2) var<uniform> S: Scalars;
var<workgroup> pairs: array<vec2<u32>, 1152>;
fn pt_key(v: vec4<u32>) -> vec4<u32> {
  let k = v;
  return k;
}
fn pt_order(a: ptr<function, vec2<u32>>, b: ptr<function, vec2<u32>>) {
  let x = *a;
  let y = *b;
  let swaps = y.x < x.x || (y.x == x.x && y.y < x.y);
  *a = select(x, y, swaps);
  *b = select(y, x, swaps);
}
fn pt_bank(i: i32) -> i32 {
  return i + (i >> 3u);
}
fn pt_own_key(i: i32) -> u32 { return pairs[pt_bank(i)].x; }
fn pt_split(a: i32, b: i32, c: i32, d: i32) -> i32 {
  var low = max(0, d - (c - b));
  var high = min(d, b - a);
  while (low < high) {
    let middle = (low + high) >> 1u;
    if (pt_own_key(a + middle) <= pt_own_key(b + d - 1 - middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
@compute @workgroup_size(128) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var n1 = w + (l >> 7u);
  var f2 = (l & 127) * 8;
  var o3 = min(n1, 0);
  var p4 = o3 * S.I0 + f2;
  var v5 = x0[(p4 >> 2u)];
  var v6 = vec4<u32>(v5);
  let place0 = vec4<u32>(f2 + vec4<i32>(0, 1, 2, 3));
  let key0 = select(vec4<u32>(0xffffffffu), pt_key(v6), place0 < vec4<u32>(u32(S.I1)));
  var item0 = vec2<u32>(key0.x, place0.x);
  var item1 = vec2<u32>(key0.y, place0.y);
  var item2 = vec2<u32>(key0.z, place0.z);
  var item3 = vec2<u32>(key0.w, place0.w);
  var c7 = f2 + 4;
  var p8 = o3 * S.I2 + c7;
  var v9 = x0[(p8 >> 2u)];
  var v10 = vec4<u32>(v9);
  let place4 = vec4<u32>(c7 + vec4<i32>(0, 1, 2, 3));
  let key4 = select(vec4<u32>(0xffffffffu), pt_key(v10), place4 < vec4<u32>(u32(S.I3)));
  var item4 = vec2<u32>(key4.x, place4.x);
  var item5 = vec2<u32>(key4.y, place4.y);
  var item6 = vec2<u32>(key4.z, place4.z);
  var item7 = vec2<u32>(key4.w, place4.w);
  pt_order(&item0, &item1);
  pt_order(&item2, &item3);
  pt_order(&item4, &item5);
  pt_order(&item6, &item7);
  pt_order(&item0, &item2);
  pt_order(&item1, &item3);
  pt_order(&item4, &item6);
  pt_order(&item5, &item7);
  pt_order(&item1, &item2);
  pt_order(&item5, &item6);
  pt_order(&item0, &item4);
  pt_order(&item1, &item5);
  pt_order(&item2, &item6);
  pt_order(&item3, &item7);
  pt_order(&item2, &item4);
  pt_order(&item3, &item5);
  pt_order(&item1, &item2);
  pt_order(&item3, &item4);
  pt_order(&item5, &item6);
  let own = l * 8;
  for (var run = 8; run < 1024; run <<= 1u) {
    pairs[pt_bank(own + 0)] = item0;
    pairs[pt_bank(own + 1)] = item1;
    pairs[pt_bank(own + 2)] = item2;
    pairs[pt_bank(own + 3)] = item3;
    pairs[pt_bank(own + 4)] = item4;
    pairs[pt_bank(own + 5)] = item5;
    pairs[pt_bank(own + 6)] = item6;
    pairs[pt_bank(own + 7)] = item7;
    workgroupBarrier();
    let start = own & ~(2 * run - 1);
  {
    let a = start;
    let b = start + run;
    let c = start + 2 * run;
    var i = a + pt_split(a, b, c, own - a);
    var j = b + own - i;
    var x = pairs[pt_bank(i)];
    var y = pairs[pt_bank(j)];
    var first = true;
    first = j >= c || (i < b && x.x <= y.x);
    item0 = select(y, x, first);
    i += select(0, 1, first);
    j += select(1, 0, first);
    let next0 = pairs[pt_bank(select(j, i, first))];
    x = select(x, next0, first);
    y = select(next0, y, first);
    first = j >= c || (i < b && x.x <= y.x);
    item1 = select(y, x, first);
    i += select(0, 1, first);
    j += select(1, 0, first);
    let next1 = pairs[pt_bank(select(j, i, first))];
    x = select(x, next1, first);
    y = select(next1, y, first);
    first = j >= c || (i < b && x.x <= y.x);
    item2 = select(y, x, first);
    i += select(0, 1, first);
    j += select(1, 0, first);
    let next2 = pairs[pt_bank(select(j, i, first))];
    x = select(x, next2, first);
    y = select(next2, y, first);
    first = j >= c || (i < b && x.x <= y.x);
    item3 = select(y, x, first);
    i += select(0, 1, first);
    j += select(1, 0, first);
    let next3 = pairs[pt_bank(select(j, i, first))];
    x = select(x, next3, first);
    y = select(next3, y, first);
    first = j >= c || (i < b && x.x <= y.x);
    item4 = select(y, x, first);
    i += select(0, 1, first);
    j += select(1, 0, first);
    let next4 = pairs[pt_bank(select(j, i, first))];
    x = select(x, next4, first);
    y = select(next4, y, first);
    first = j >= c || (i < b && x.x <= y.x);
    item5 = select(y, x, first);
    i += select(0, 1, first);
    j += select(1, 0, first);
    let next5 = pairs[pt_bank(select(j, i, first))];
    x = select(x, next5, first);
    y = select(next5, y, first);
    first = j >= c || (i < b && x.x <= y.x);
    item6 = select(y, x, first);
    i += select(0, 1, first);
    j += select(1, 0, first);
    let next6 = pairs[pt_bank(select(j, i, first))];
    x = select(x, next6, first);
    y = select(next6, y, first);
    first = j >= c || (i < b && x.x <= y.x);
    item7 = select(y, x, first);
  }
    workgroupBarrier();
  }
  let block = n1;
  let line = n1;
  let column = f2;
  if (block < 1) {
    let start = (line) * S.I4 + column;
    y0[(start + 0) >> 1u] = vec4<u32>(item0, item1);
    y0[(start + 2) >> 1u] = vec4<u32>(item2, item3);
    y0[(start + 4) >> 1u] = vec4<u32>(item4, item5);
    y0[(start + 6) >> 1u] = vec4<u32>(item6, item7);
  }
}

// scatter scatter_add
@group(0) @binding(0) var<storage, read> x0: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> y0: array<vec4<i32>>;
struct Scalars { I0: i32, I1: i32, I2: i32, I3: i32 }
@group(0) @binding(2) var<uniform> S: Scalars;
fn pt_key(i: i32) -> u32 { return x0[i >> 1u][(i & 1) * 2]; }
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var t1 = w * 64 + l;
  if (t1 >= S.I0) { return; }
  var e2 = t1 * 4;
  let targets = vec4<u32>(u32(e2)) + vec4<u32>(0u, 1u, 2u, 3u);
  var start = vec4<i32>(0);
  for (var step = S.I1; step > 0; step >>= 1u) {
    let next = start + step;
    let last = min(next, vec4<i32>(S.I2)) - 1;
    let is_before = vec4<u32>(pt_key(last.x), pt_key(last.y), pt_key(last.z), pt_key(last.w)) < targets;
    start = select(start, next, is_before & (next <= vec4<i32>(S.I3)));
  }
  y0[t1] = start;
}

// scatter scatter_add
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> x1: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> x2: array<vec4<i32>>;
@group(0) @binding(3) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { F0: f32, I0: i32, I1: i32, I2: i32, I3: i32, I4: i32 }
@group(0) @binding(4) var<uniform> S: Scalars;
fn pt_quotient(x: i32, r: f32) -> i32 { return i32((f32(x) + 0.5) * r); }
fn pt_modulo(x: i32, n: i32, r: f32) -> i32 { return x - pt_quotient(x, r) * n; }
var<workgroup> shared0: array<vec4<f32>, 64>;
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var m1 = l >> 3u;
  var t2 = w * 8 + (l & 7);
  var o3 = min(t2, S.I0);
  var s4 = vec4<f32>(0.0);
  var c5 = o3 & 1;
  var c6 = c5 * 4;
  var r7 = o3 >> 1u;
  var j8 = pt_modulo(r7, S.I1, S.F0);
  var v10 = x2[j8 >> 2u][j8 & 3];
  var j11 = j8 + 1;
  var v12 = x2[j11 >> 2u][j11 & 3];
  var p13 = v10 + m1;
  for (var k14 = p13; k14 < v12; k14 += S.I2) {
    var p15 = k14 * 2 + 1;
    var n16 = i32(x1[p15 >> 2u][p15 & 3]);
    var q17 = n16 * S.I3 + c6;
    var v18 = x0[(q17 >> 2u)];
    s4 += v18;
  }
  shared0[l] = s4;
  workgroupBarrier();
  if (m1 < 4) {
    var r19 = shared0[l + 32];
    s4 += r19;
    shared0[l] = s4;
  }
  workgroupBarrier();
  if (m1 < 2) {
    var r20 = shared0[l + 16];
    s4 += r20;
    shared0[l] = s4;
  }
  workgroupBarrier();
  if (m1 < 1) {
    var r21 = shared0[l + 8];
    s4 += r21;
    shared0[l] = s4;
  }
  workgroupBarrier();
  if (m1 >= 1 || t2 >= S.I4) { return; }
  y0[t2] = s4;
}
