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
uniform int I[5];
layout(location = 0) out vec4 y0;
#define PT_INF uintBitsToFloat(0x7f800000u)
#define PT_NAN uintBitsToFloat(0x7fc00000u)
vec4 pt_maximum(vec4 a, vec4 b) {
  bvec4 odd = greaterThan(max(floatBitsToUint(a) & 0x7fffffffu, floatBitsToUint(b) & 0x7fffffffu), uvec4(0x7f800000u));
  return mix(max(a, b), vec4(PT_NAN), odd);
}
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & I[0], t >> I[1]), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * 4 + P.x;
  int e2 = t1 * 4;
  vec4 r3 = vec4(0);
  for (int k4 = 0; k4 < 4; k4++) {
    int o5 = e2 + k4;
    if (o5 >= I[2]) { break; }
    vec4 s6 = vec4(-PT_INF);
    for (int k7 = 0; k7 < I[3]; k7 += 4) {
      int q8 = o5 * I[4] + k7;
      vec4 v9 = pt_texel0(q8 >> 2);
      s6 = pt_maximum(s6, v9);
    }
    s6 = pt_maximum(s6, s6.zwxy);
    s6 = pt_maximum(s6, s6.yxwz);
    r3[k4] = s6.x;
  }
  y0 = r3;
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
uniform int I[5];
layout(location = 0) out vec4 y0;
bvec4 pt_is_nan(vec4 x) { return greaterThan(floatBitsToUint(x) & 0x7fffffffu, uvec4(0x7f800000u)); }
vec4 pt_exp(vec4 x) { return mix(exp(x), x, pt_is_nan(x)); }
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & I[0], t >> I[1]), 0); }
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2(t & 3, t >> 2), 0); }
float pt_at1(int i) { return pt_texel1(i >> 2)[i & 3]; }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * 4 + P.x;
  int e2 = t1 * 4;
  vec4 r3 = vec4(0);
  for (int k4 = 0; k4 < 4; k4++) {
    int o5 = e2 + k4;
    if (o5 >= I[2]) { break; }
    vec4 s6 = vec4(0.0);
    vec4 v10 = vec4(pt_at1(o5));
    for (int k7 = 0; k7 < I[3]; k7 += 4) {
      int q8 = o5 * I[4] + k7;
      vec4 v9 = pt_texel0(q8 >> 2);
      vec4 v11 = v9 - v10;
      vec4 v12 = pt_exp(v11);
      s6 = s6 + v12;
    }
    s6 = s6 + s6.zwxy;
    s6 = s6 + s6.yxwz;
    r3[k4] = s6.x;
  }
  y0 = r3;
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
uniform float F[1];
uniform int I[1];
layout(location = 0) out vec4 y0;
bvec4 pt_is_nan(vec4 x) { return greaterThan(floatBitsToUint(x) & 0x7fffffffu, uvec4(0x7f800000u)); }
vec4 pt_exp(vec4 x) { return mix(exp(x), x, pt_is_nan(x)); }
int pt_quotient(int x, float r) { return int((float(x) + 0.5) * r); }
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2(t & 3, t >> 2), 0); }
float pt_at1(int i) { return pt_texel1(i >> 2)[i & 3]; }
vec4 pt_texel2(int t) { return texelFetch(x2, ivec2(t & 3, t >> 2), 0); }
float pt_at2(int i) { return pt_texel2(i >> 2)[i & 3]; }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * I[0] + P.x;
  int e2 = t1 * 4;
  vec4 v3 = texelFetch(x0, P, 0);
  int i4 = pt_quotient(e2, F[0]);
  vec4 v5 = vec4(pt_at1(i4));
  vec4 v6 = v3 - v5;
  vec4 v7 = pt_exp(v6);
  vec4 v8 = vec4(pt_at2(i4));
  vec4 v9 = v7 / v8;
  y0 = v9;
}
