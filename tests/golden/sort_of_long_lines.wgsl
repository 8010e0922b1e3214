// sort argsort
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y0: array<vec4<u32>>;
struct Scalars { I0: i32, I1: i32, I2: i32, I3: i32, I4: i32, I5: i32 }
@group(0) @binding(2) var<uniform> S: Scalars;
var<workgroup> pairs: array<vec2<u32>, 1152>;
fn pt_key(v: vec4<f32>) -> vec4<u32> {
  let bits = bitcast<vec4<u32>>(v);
  let size = bits & vec4<u32>(0x7fffffffu);
  let order = select(bits | vec4<u32>(0x80000000u), ~bits, bits > size);
  let number = select(order, vec4<u32>(0x80000000u), size == vec4<u32>(0u));
  let k = select(number, vec4<u32>(0xffffffffu), size > vec4<u32>(0x7f800000u));
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
  var o2 = n1 / 3;
  var f3 = n1 % 3 * S.I0 + (l & 127) * 8;
  var o4 = min(o2, 0);
  var p5 = o4 * S.I1 + f3;
  var v6 = x0[(p5 >> 2u)];
  let place0 = vec4<u32>(f3 + vec4<i32>(0, 1, 2, 3));
  let key0 = select(vec4<u32>(0xffffffffu), pt_key(v6), place0 < vec4<u32>(u32(S.I2)));
  var item0 = vec2<u32>(key0.x, place0.x);
  var item1 = vec2<u32>(key0.y, place0.y);
  var item2 = vec2<u32>(key0.z, place0.z);
  var item3 = vec2<u32>(key0.w, place0.w);
  var c7 = f3 + 4;
  var p8 = o4 * S.I3 + c7;
  var v9 = x0[(p8 >> 2u)];
  let place4 = vec4<u32>(c7 + vec4<i32>(0, 1, 2, 3));
  let key4 = select(vec4<u32>(0xffffffffu), pt_key(v9), place4 < vec4<u32>(u32(S.I4)));
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
  let line = o2;
  let column = f3;
  if (block < 3) {
    let start = (line) * S.I5 + column;
    y0[(start + 0) >> 1u] = vec4<u32>(item0, item1);
    y0[(start + 2) >> 1u] = vec4<u32>(item2, item3);
    y0[(start + 4) >> 1u] = vec4<u32>(item4, item5);
    y0[(start + 6) >> 1u] = vec4<u32>(item6, item7);
  }
}

// sort argsort
@group(0) @binding(0) var<storage, read> x0: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> y0: array<vec4<u32>>;
struct Scalars { I0: i32, I1: i32, I2: i32, I3: i32, I4: i32 }
@group(0) @binding(2) var<uniform> S: Scalars;
var<workgroup> pairs: array<vec2<u32>, 1152>;
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
fn pt_pair(i: i32) -> vec2<u32> { let q = x0[i >> 1u]; return select(q.xy, q.zw, (i & 1) == 1); }
fn pt_key(i: i32) -> u32 { return pt_pair(i).x; }
fn pt_split_of_blocks(a: i32, b: i32, c: i32, d: i32) -> i32 {
  var low = max(0, d - (c - b));
  var high = min(d, b - a);
  while (low < high) {
    let part = (high - low) >> 2u;
    var count = 0;
    for (var n = 1; n < 4; n++) {
      let at = low + n * part;
      count += select(0, 1, pt_key(a + at) <= pt_key(b + d - 1 - at));
    }
    high = select(low + (count + 1) * part, high, count == 3);
    low = select(low, low + count * part + 1, count > 0);
  }
  return low;
}
var<workgroup> splits: array<i32, 2>;
@compute @workgroup_size(128) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  let run = vec4<i32>(S.I0).x;
  let line = w / 3;
  let column = w % 3 * 1024;
  let origin = line * S.I1;
  let begin = column & ~(2 * run - 1);
  let middle = min(begin + run, S.I2);
  let end = min(begin + 2 * run, S.I3);
  if (l < 2) {
    let d = column - begin + l * 1024;
    splits[l] = pt_split_of_blocks(origin + begin, origin + middle, origin + end, d);
  }
  workgroupBarrier();
  let count = splits[1] - splits[0];
  let left = origin + begin + splits[0];
  let right = origin + middle + column - begin - splits[0] - count;
  { let n = l + 0;
    pairs[pt_bank(n)] = pt_pair(n + select(right, left, n < count)); }
  { let n = l + 128;
    pairs[pt_bank(n)] = pt_pair(n + select(right, left, n < count)); }
  { let n = l + 256;
    pairs[pt_bank(n)] = pt_pair(n + select(right, left, n < count)); }
  { let n = l + 384;
    pairs[pt_bank(n)] = pt_pair(n + select(right, left, n < count)); }
  { let n = l + 512;
    pairs[pt_bank(n)] = pt_pair(n + select(right, left, n < count)); }
  { let n = l + 640;
    pairs[pt_bank(n)] = pt_pair(n + select(right, left, n < count)); }
  { let n = l + 768;
    pairs[pt_bank(n)] = pt_pair(n + select(right, left, n < count)); }
  { let n = l + 896;
    pairs[pt_bank(n)] = pt_pair(n + select(right, left, n < count)); }
  var item0 = vec2<u32>(0u);
  var item1 = vec2<u32>(0u);
  var item2 = vec2<u32>(0u);
  var item3 = vec2<u32>(0u);
  var item4 = vec2<u32>(0u);
  var item5 = vec2<u32>(0u);
  var item6 = vec2<u32>(0u);
  var item7 = vec2<u32>(0u);
  workgroupBarrier();
  let own = l * 8;
  {
    let a = 0;
    let b = count;
    let c = 1024;
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
  if (w < 3) {
    let start = (line) * S.I4 + (column + own);
    y0[(start + 0) >> 1u] = vec4<u32>(item0, item1);
    y0[(start + 2) >> 1u] = vec4<u32>(item2, item3);
    y0[(start + 4) >> 1u] = vec4<u32>(item4, item5);
    y0[(start + 6) >> 1u] = vec4<u32>(item6, item7);
  }
}

// sort argsort
@group(0) @binding(0) var<storage, read> x0: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> y0: array<vec4<i32>>;
struct Scalars { I0: i32, I1: i32, I2: i32, I3: i32, I4: i32, I5: i32, I6: i32 }
@group(0) @binding(2) var<uniform> S: Scalars;
var<workgroup> pairs: array<vec2<u32>, 1152>;
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
fn pt_pair(i: i32) -> vec2<u32> { let q = x0[i >> 1u]; return select(q.xy, q.zw, (i & 1) == 1); }
fn pt_key(i: i32) -> u32 { return pt_pair(i).x; }
fn pt_split_of_blocks(a: i32, b: i32, c: i32, d: i32) -> i32 {
  var low = max(0, d - (c - b));
  var high = min(d, b - a);
  while (low < high) {
    let part = (high - low) >> 2u;
    var count = 0;
    for (var n = 1; n < 4; n++) {
      let at = low + n * part;
      count += select(0, 1, pt_key(a + at) <= pt_key(b + d - 1 - at));
    }
    high = select(low + (count + 1) * part, high, count == 3);
    low = select(low, low + count * part + 1, count > 0);
  }
  return low;
}
var<workgroup> splits: array<i32, 2>;
@compute @workgroup_size(128) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  let run = vec4<i32>(S.I0).x;
  let line = w / 3;
  let column = w % 3 * 1024;
  let origin = line * S.I1;
  let begin = column & ~(2 * run - 1);
  let middle = min(begin + run, S.I2);
  let end = min(begin + 2 * run, S.I3);
  if (l < 2) {
    let d = column - begin + l * 1024;
    splits[l] = pt_split_of_blocks(origin + begin, origin + middle, origin + end, d);
  }
  workgroupBarrier();
  let count = splits[1] - splits[0];
  let left = origin + begin + splits[0];
  let right = origin + middle + column - begin - splits[0] - count;
  { let n = l + 0;
    pairs[pt_bank(n)] = pt_pair(n + select(right, left, n < count)); }
  { let n = l + 128;
    pairs[pt_bank(n)] = pt_pair(n + select(right, left, n < count)); }
  { let n = l + 256;
    pairs[pt_bank(n)] = pt_pair(n + select(right, left, n < count)); }
  { let n = l + 384;
    pairs[pt_bank(n)] = pt_pair(n + select(right, left, n < count)); }
  { let n = l + 512;
    pairs[pt_bank(n)] = pt_pair(n + select(right, left, n < count)); }
  { let n = l + 640;
    pairs[pt_bank(n)] = pt_pair(n + select(right, left, n < count)); }
  { let n = l + 768;
    pairs[pt_bank(n)] = pt_pair(n + select(right, left, n < count)); }
  { let n = l + 896;
    pairs[pt_bank(n)] = pt_pair(n + select(right, left, n < count)); }
  var item0 = vec2<u32>(0u);
  var item1 = vec2<u32>(0u);
  var item2 = vec2<u32>(0u);
  var item3 = vec2<u32>(0u);
  var item4 = vec2<u32>(0u);
  var item5 = vec2<u32>(0u);
  var item6 = vec2<u32>(0u);
  var item7 = vec2<u32>(0u);
  workgroupBarrier();
  let own = l * 8;
  {
    let a = 0;
    let b = count;
    let c = 1024;
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
  if (w < 3) {
    let start = (line) * S.I4 + (column + own);
    if ((column + own) + 0 < S.I5) { y0[(start + 0) >> 2u] = vec4<i32>(vec4<u32>(item0.y, item1.y, item2.y, item3.y)); }
    if ((column + own) + 4 < S.I6) { y0[(start + 4) >> 2u] = vec4<i32>(vec4<u32>(item4.y, item5.y, item6.y, item7.y)); }
  }
}
