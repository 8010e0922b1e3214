// map concat
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> x1: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { F0: f32, I0: i32, I1: i32 }
@group(0) @binding(3) var<uniform> S: Scalars;
fn pt_quotient4(x: vec4<i32>, r: f32) -> vec4<i32> { return vec4<i32>((vec4<f32>(x) + 0.5) * r); }
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var t1 = w * 64 + l;
  if (t1 >= S.I0) { return; }
  var e2 = t1 * 4;
  var i3 = e2 + vec4<i32>(0, 1, 2, 3);
  var u4 = pt_quotient4(i3, S.F0);
  var c5 = i3 - u4 * S.I1;
  var r6 = vec4<f32>(0);
  if (any(vec4<u32>(c5) < vec4<u32>(3u))) {
    var m7 = vec4<u32>(vec4<u32>(c5) < vec4<u32>(3u));
    var j8 = (u4 * 3 + c5) * vec4<i32>(m7);
    var v9 = vec4<f32>(x0[j8.x >> 2u][j8.x & 3], x0[j8.y >> 2u][j8.y & 3], x0[j8.z >> 2u][j8.z & 3], x0[j8.w >> 2u][j8.w & 3]);
    r6 = select(r6, v9, vec4<bool>(m7));
  }
  if (any(vec4<u32>((c5 - 3)) < vec4<u32>(4u))) {
    var m10 = vec4<u32>(vec4<u32>((c5 - 3)) < vec4<u32>(4u));
    var j11 = (u4 * 4 + (c5 - 3)) * vec4<i32>(m10);
    var v12 = vec4<f32>(x1[j11.x >> 2u][j11.x & 3], x1[j11.y >> 2u][j11.y & 3], x1[j11.z >> 2u][j11.z & 3], x1[j11.w >> 2u][j11.w & 3]);
    r6 = select(r6, v12, vec4<bool>(m10));
  }
  y0[t1] = r6;
}
