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
uniform float F[1];
uniform int I[12];
layout(location = 0) out vec4 y0;
int pt_quotient(int x, float r) { return int((float(x) + 0.5) * r); }
int pt_modulo(int x, int n, float r) { return x - pt_quotient(x, r) * n; }
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & I[0], t >> I[1]), 0); }
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2(t & I[2], t >> I[3]), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int n1 = (P.x >> 1) * 2 + (P.x & 1);
  int b2 = (P.y >> 1) * 2 + (P.y & 1);
  int l3 = pt_quotient(b2, F[0]);
  int m4 = pt_modulo(b2, I[4], F[0]);
  vec4 s5 = vec4(0);
  int t7 = l3 * I[5] + m4 * I[6];
  int t9 = l3 * I[7] + n1;
  for (int k6 = 0; k6 < 5; k6++) {
    vec4 t8 = pt_texel0(t7 + k6);
    int i10 = t9 + k6 * I[8];
    vec4 t11 = pt_texel1(i10);
    vec4 t12 = pt_texel1(i10 + I[9]);
    vec4 t13 = pt_texel1(i10 + I[10]);
    vec4 t14 = pt_texel1(i10 + I[11]);
    s5 += t8.x * t11 + t8.y * t12 + t8.z * t13 + t8.w * t14;
  }
  y0 = s5;
}

// map dot
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
uniform float F[1];
uniform int I[2];
layout(location = 0) out vec4 y0;
int pt_quotient(int x, float r) { return int((float(x) + 0.5) * r); }
int pt_modulo(int x, int n, float r) { return x - pt_quotient(x, r) * n; }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * I[0] + P.x;
  int i3 = pt_quotient(t1, F[0]);
  int i4 = pt_modulo(t1, I[1], F[0]);
  vec4 v5 = texelFetch(x0, ivec3(i4, i3, 0), 0);
  y0 = v5;
}
