// contract dot
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
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2((t & 15), (t >> 4)), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int quad = (P.y >> 1) * 3 + (P.x >> 1);
  int n0 = (quad % 3) * 2 + (P.x & 1);
  int block = (quad / 3) * 2 + (P.y & 1);
  int m0 = (block & 15) * 1;
  int line = (block >> 4);
  vec4 s00 = vec4(0);
  int at = m0 * 5;
  int bt = n0;
  for (int k = 0; k < 5; k++) {
    int bk = bt + k * 24;
    vec4 a0 = pt_texel0(at + k);
    vec4 b00 = pt_texel1(bk);
    vec4 b10 = pt_texel1(bk + 6);
    vec4 b20 = pt_texel1(bk + 12);
    vec4 b30 = pt_texel1(bk + 18);
    s00 += a0.x * b00 + a0.y * b10 + a0.z * b20 + a0.w * b30;
  }
  y0 = s00;
}

// map relu
#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp isampler2D;
precision highp usampler2D;
precision highp sampler2DArray;
precision highp isampler2DArray;
precision highp usampler2DArray;
uniform sampler2DArray x0;
uniform sampler2D x1;
layout(location = 0) out vec4 y0;
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2((t & 3), (t >> 2)), 0); }
#define PT_NAN uintBitsToFloat(0x7fc00000u)
vec4 pt_maximum(vec4 a, vec4 b) {
  bvec4 odd = greaterThan(max(floatBitsToUint(a) & 0x7fffffffu, floatBitsToUint(b) & 0x7fffffffu), uvec4(0x7f800000u));
  return mix(max(a, b), vec4(PT_NAN), odd);
}

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t = P.y * 16 + P.x;
  int e = t * 4;
  int i1 = (t / 6);
  int i2 = (t % 6);
  vec4 v3 = texelFetch(x0, ivec3(i2, i1, 0), 0);
  int i4 = (e % 24);
  vec4 v5 = pt_texel1(i4 >> 2);
  vec4 v6 = v3 + v5;
  vec4 v7 = pt_maximum(v6, vec4(0.0));
  y0 = v7;
}
