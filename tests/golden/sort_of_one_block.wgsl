// sort argsort
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y0: array<vec4<i32>>;
struct Scalars { I0: i32, I1: i32, I2: i32, I3: i32, I4: i32, I5: i32, I6: i32, I7: i32 }
@group(0) @binding(2) var<uniform> S: Scalars;
var<workgroup> pairs: array<vec2<u32>, 576>;
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
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var n1 = w + (l >> 6u);
  var f2 = (l & 63) * 8;
  var o3 = min(n1, 4);
  var p4 = o3 * S.I0 + f2;
  var v5 = x0[(p4 >> 2u)];
  let place0 = vec4<u32>(f2 + vec4<i32>(0, 1, 2, 3));
  let key0 = select(vec4<u32>(0xffffffffu), pt_key(v5), place0 < vec4<u32>(u32(S.I1)));
  var item0 = vec2<u32>(key0.x, place0.x);
  var item1 = vec2<u32>(key0.y, place0.y);
  var item2 = vec2<u32>(key0.z, place0.z);
  var item3 = vec2<u32>(key0.w, place0.w);
  var c6 = f2 + 4;
  var p7 = o3 * S.I2 + c6;
  var v8 = x0[(p7 >> 2u)];
  let place4 = vec4<u32>(c6 + vec4<i32>(0, 1, 2, 3));
  let key4 = select(vec4<u32>(0xffffffffu), pt_key(v8), place4 < vec4<u32>(u32(S.I3)));
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
  for (var run = 8; run < 512; run <<= 1u) {
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
  if (block < S.I4) {
    let start = (line) * S.I5 + column;
    if (column + 0 < S.I6) { y0[(start + 0) >> 2u] = vec4<i32>(vec4<u32>(item0.y, item1.y, item2.y, item3.y)); }
    if (column + 4 < S.I7) { y0[(start + 4) >> 2u] = vec4<i32>(vec4<u32>(item4.y, item5.y, item6.y, item7.y)); }
  }
}
