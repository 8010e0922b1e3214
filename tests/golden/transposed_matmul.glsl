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
uniform int I[13];
layout(location = 0) out vec4 y0;
layout(location = 1) out vec4 y1;
layout(location = 2) out vec4 y2;
layout(location = 3) out vec4 y3;
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2(t & I[0], t >> I[1]), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int n1 = (P.x >> 1) * 2 + (P.x & 1);
  int b2 = (P.y >> 1) * 2 + (P.y & 1);
  int l3 = b2 >> I[2];
  int m4 = (b2 & I[3]) * 4;
  vec4 s5 = vec4(0);
  vec4 s6 = vec4(0);
  vec4 s7 = vec4(0);
  vec4 s8 = vec4(0);
  int y10 = l3 * I[4];
  int x11 = m4 >> 2;
  int t20 = l3 * I[5] + n1;
  for (int k9 = 0; k9 < 8; k9++) {
    vec4 t12 = texelFetch(x0, ivec2(x11, y10 + k9), 0);
    vec4 t13 = texelFetch(x0, ivec2(x11 + I[6], y10 + k9), 0);
    vec4 t14 = texelFetch(x0, ivec2(x11 + I[7], y10 + k9), 0);
    vec4 t15 = texelFetch(x0, ivec2(x11 + I[8], y10 + k9), 0);
    vec4 v16 = vec4(t12.x, t13.x, t14.x, t15.x);
    vec4 v17 = vec4(t12.y, t13.y, t14.y, t15.y);
    vec4 v18 = vec4(t12.z, t13.z, t14.z, t15.z);
    vec4 v19 = vec4(t12.w, t13.w, t14.w, t15.w);
    int i21 = t20 + k9 * I[9];
    vec4 t22 = pt_texel1(i21);
    vec4 t23 = pt_texel1(i21 + I[10]);
    vec4 t24 = pt_texel1(i21 + I[11]);
    vec4 t25 = pt_texel1(i21 + I[12]);
    s5 += v16.x * t22 + v16.y * t23 + v16.z * t24 + v16.w * t25;
    s6 += v17.x * t22 + v17.y * t23 + v17.z * t24 + v17.w * t25;
    s7 += v18.x * t22 + v18.y * t23 + v18.z * t24 + v18.w * t25;
    s8 += v19.x * t22 + v19.y * t23 + v19.z * t24 + v19.w * t25;
  }
  y0 = s5;
  y1 = s6;
  y2 = s7;
  y3 = s8;
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
uniform sampler2DArray x0;
uniform float F[1];
uniform int I[3];
layout(location = 0) out vec4 y0;
int pt_quotient(int x, float r) { return int((float(x) + 0.5) * r); }
int pt_modulo(int x, int n, float r) { return x - pt_quotient(x, r) * n; }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * I[0] + P.x;
  int e2 = t1 * 4;
  vec4 s5 = vec4(0.0);
  for (int k6 = 0; k6 < 2; k6++) {
    int q7 = k6 * I[1] + e2;
    int i8 = pt_quotient(q7 >> 2, F[0]);
    int i9 = pt_modulo(q7 >> 2, I[2], F[0]);
    int i10 = i8 >> 2;
    vec4 v11 = texelFetch(x0, ivec3(i9, i10, i8 & 3), 0);
    s5 = s5 + v11;
  }
  y0 = s5;
}
