// reduce max
#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp isampler2D;
precision highp usampler2D;
precision highp sampler2DArray;
precision highp isampler2DArray;
precision highp usampler2DArray;
uniform sampler2D x0;
layout(location = 0) out vec4 y0;
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2((t & 2047), (t >> 11)), 0); }
#define PT_INF uintBitsToFloat(0x7f800000u)
#define PT_NAN uintBitsToFloat(0x7fc00000u)
vec4 pt_maximum(vec4 a, vec4 b) {
  bvec4 odd = greaterThan(max(floatBitsToUint(a) & 0x7fffffffu, floatBitsToUint(b) & 0x7fffffffu), uvec4(0x7f800000u));
  return mix(max(a, b), vec4(PT_NAN), odd);
}

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t = P.y * 2048 + P.x;
  int e = t * 4;
  int o = (e >> 5);
  vec4 acc = vec4(-PT_INF);
  for (int k = (e & 31); k < 1024; k += 32) {
    int q = o * 1024 + k;
    vec4 v1 = pt_texel0(q >> 2);
    acc = pt_maximum(acc, v1);
  }
  vec4 total = acc;
  y0 = total;
}

// reduce min
#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp isampler2D;
precision highp usampler2D;
precision highp sampler2DArray;
precision highp isampler2DArray;
precision highp usampler2DArray;
uniform sampler2D x0;
uniform sampler2D x1;
layout(location = 0) out ivec4 y0;
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2((t & 2047), (t >> 11)), 0); }
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2((t & 2047), (t >> 11)), 0); }
#define PT_INF uintBitsToFloat(0x7f800000u)
#define PT_NAN uintBitsToFloat(0x7fc00000u)
vec4 pt_maximum(vec4 a, vec4 b) {
  bvec4 odd = greaterThan(max(floatBitsToUint(a) & 0x7fffffffu, floatBitsToUint(b) & 0x7fffffffu), uvec4(0x7f800000u));
  return mix(max(a, b), vec4(PT_NAN), odd);
}
bvec4 pt_is_nan(vec4 x) { return greaterThan(floatBitsToUint(x) & 0x7fffffffu, uvec4(0x7f800000u)); }
vec4 pt_pick(bvec4 c, vec4 a, vec4 b) { return mix(b, a, c); }
ivec4 pt_pick(bvec4 c, ivec4 a, ivec4 b) {
  return ivec4(c.x ? a.x : b.x, c.y ? a.y : b.y, c.z ? a.z : b.z, c.w ? a.w : b.w);
}
uvec4 pt_pick(bvec4 c, uvec4 a, uvec4 b) {
  return uvec4(c.x ? a.x : b.x, c.y ? a.y : b.y, c.z ? a.z : b.z, c.w ? a.w : b.w);
}

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t = P.y * 2048 + P.x;
  int e = t * 4;
  int o = (e >> 5);
  ivec4 acc = ivec4(2147483647);
  int i2 = o;
  vec4 r3 = vec4(-PT_INF);
  for (int n4 = 0; n4 < 32; n4 += 4) {
    int q5 = i2 * 32 + n4;
    vec4 v6 = pt_texel1(q5 >> 2);
    r3 = pt_maximum(r3, v6);
  }
  r3 = pt_maximum(r3, r3.zwxy);
  r3 = pt_maximum(r3, r3.yxwz);
  for (int k = (e & 31); k < 1024; k += 32) {
    int q = o * 1024 + k;
    vec4 v1 = pt_texel0(q >> 2);
    uvec4 v7 = uvec4(equal(v1, r3));
    uvec4 v8 = uvec4(pt_is_nan(v1));
    uvec4 v9 = v7 | v8;
    ivec4 i10 = k + ivec4(0, 1, 2, 3);
    ivec4 v11 = pt_pick(bvec4(v9), i10, ivec4(1024));
    acc = min(acc, v11);
  }
  ivec4 total = acc;
  y0 = total;
}

// reduce min
#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp isampler2D;
precision highp usampler2D;
precision highp sampler2DArray;
precision highp isampler2DArray;
precision highp usampler2DArray;
uniform isampler2D x0;
layout(location = 0) out ivec4 y0;

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t = P.y * 8 + P.x;
  int e = t * 4;
  ivec4 total = ivec4(0);
  for (int lane = 0; lane < 4; lane++) {
    int o = e + lane;
    if (o >= 256) break;
    ivec4 acc = ivec4(2147483647);
    for (int k = 0; k < 32; k += 4) {
      int i1 = ((o * 32 + k) >> 2);
      ivec4 v2 = texelFetch(x0, ivec2(i1, 0), 0);
      acc = min(acc, v2);
    }
    acc = min(acc, acc.zwxy);
    acc = min(acc, acc.yxwz);
    total[lane] = acc.x;
  }
  y0 = total;
}
