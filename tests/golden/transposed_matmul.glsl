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
uniform int I[10];
layout(location = 0) out vec4 y0;
layout(location = 1) out vec4 y1;
layout(location = 2) out vec4 y2;
layout(location = 3) out vec4 y3;
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2(t & I[0], t >> I[1]), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int n1 = (P.x >> 1) * 2 + (P.x & 1);
  int b2 = (P.y >> 1) * 2 + (P.y & 1);
  int m3 = b2 * 4;
  vec4 s4 = vec4(0);
  vec4 s5 = vec4(0);
  vec4 s6 = vec4(0);
  vec4 s7 = vec4(0);
  int x9 = m3 >> 2;
  for (int k8 = 0; k8 < I[2]; k8++) {
    vec4 t10 = texelFetch(x0, ivec2(x9, k8), 0);
    vec4 t11 = texelFetch(x0, ivec2(x9 + I[3], k8), 0);
    vec4 t12 = texelFetch(x0, ivec2(x9 + I[4], k8), 0);
    vec4 t13 = texelFetch(x0, ivec2(x9 + I[5], k8), 0);
    vec4 v14 = vec4(t10.x, t11.x, t12.x, t13.x);
    vec4 v15 = vec4(t10.y, t11.y, t12.y, t13.y);
    vec4 v16 = vec4(t10.z, t11.z, t12.z, t13.z);
    vec4 v17 = vec4(t10.w, t11.w, t12.w, t13.w);
    int i18 = n1 + k8 * I[6];
    vec4 t19 = pt_texel1(i18);
    vec4 t20 = pt_texel1(i18 + I[7]);
    vec4 t21 = pt_texel1(i18 + I[8]);
    vec4 t22 = pt_texel1(i18 + I[9]);
    s4 += v14.x * t19 + v14.y * t20 + v14.z * t21 + v14.w * t22;
    s5 += v15.x * t19 + v15.y * t20 + v15.z * t21 + v15.w * t22;
    s6 += v16.x * t19 + v16.y * t20 + v16.z * t21 + v16.w * t22;
    s7 += v17.x * t19 + v17.y * t20 + v17.z * t21 + v17.w * t22;
  }
  y0 = s4;
  y1 = s5;
  y2 = s6;
  y3 = s7;
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
  int i5 = i3 >> 2;
  vec4 v6 = texelFetch(x0, ivec3(i4, i5, i3 & 3), 0);
  y0 = v6;
}
