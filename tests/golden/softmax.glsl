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
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2((t & 15), (t >> 4)), 0); }
#define PT_INF uintBitsToFloat(0x7f800000u)
#define PT_NAN uintBitsToFloat(0x7fc00000u)
vec4 pt_maximum(vec4 a, vec4 b) {
  bvec4 odd = greaterThan(max(floatBitsToUint(a) & 0x7fffffffu, floatBitsToUint(b) & 0x7fffffffu), uvec4(0x7f800000u));
  return mix(max(a, b), vec4(PT_NAN), odd);
}

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t = P.y * 4 + P.x;
  int e = t * 4;
  vec4 total = vec4(0);
  for (int lane = 0; lane < 4; lane++) {
    int o = e + lane;
    if (o >= 50) break;
    vec4 acc = vec4(-PT_INF);
    for (int k = 0; k < 12; k += 4) {
      int q = o * 12 + k;
      vec4 v1 = pt_texel0(q >> 2);
      acc = pt_maximum(acc, v1);
    }
    acc = pt_maximum(acc, acc.zwxy);
    acc = pt_maximum(acc, acc.yxwz);
    total[lane] = acc.x;
  }
  y0 = total;
}

// reduce sum
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
layout(location = 0) out vec4 y0;
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2((t & 15), (t >> 4)), 0); }
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2((t & 3), (t >> 2)), 0); }
float pt_at1(int i) { return pt_texel1(i >> 2)[i & 3]; }
bvec4 pt_is_nan(vec4 x) { return greaterThan(floatBitsToUint(x) & 0x7fffffffu, uvec4(0x7f800000u)); }
vec4 pt_exp(vec4 x) { return mix(exp(x), x, pt_is_nan(x)); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t = P.y * 4 + P.x;
  int e = t * 4;
  vec4 total = vec4(0);
  for (int lane = 0; lane < 4; lane++) {
    int o = e + lane;
    if (o >= 50) break;
    vec4 acc = vec4(0.0);
    int i2 = o;
    vec4 v3 = vec4(pt_at1(i2));
    for (int k = 0; k < 12; k += 4) {
      int q = o * 12 + k;
      vec4 v1 = pt_texel0(q >> 2);
      vec4 v4 = v1 - v3;
      vec4 v5 = pt_exp(v4);
      acc = acc + v5;
    }
    acc = acc + acc.zwxy;
    acc = acc + acc.yxwz;
    total[lane] = acc.x;
  }
  y0 = total;
}

// map divide
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
uniform sampler2D x2;
layout(location = 0) out vec4 y0;
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2((t & 3), (t >> 2)), 0); }
float pt_at1(int i) { return pt_texel1(i >> 2)[i & 3]; }
vec4 pt_texel2(int t) { return texelFetch(x2, ivec2((t & 3), (t >> 2)), 0); }
float pt_at2(int i) { return pt_texel2(i >> 2)[i & 3]; }
bvec4 pt_is_nan(vec4 x) { return greaterThan(floatBitsToUint(x) & 0x7fffffffu, uvec4(0x7f800000u)); }
vec4 pt_exp(vec4 x) { return mix(exp(x), x, pt_is_nan(x)); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t = P.y * 16 + P.x;
  int e = t * 4;
  vec4 v1 = texelFetch(x0, P, 0);
  int i2 = (e / 12);
  vec4 v3 = vec4(pt_at1(i2));
  vec4 v4 = v1 - v3;
  vec4 v5 = pt_exp(v4);
  vec4 v6 = vec4(pt_at2(i2));
  vec4 v7 = v5 / v6;
  y0 = v7;
}
