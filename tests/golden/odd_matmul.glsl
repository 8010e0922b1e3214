// map pad
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
uniform float F[1];
uniform int I[6];
layout(location = 0) out vec4 y0;
ivec4 pt_quotient4(ivec4 x, float r) { return ivec4((vec4(x) + 0.5) * r); }
ivec4 pt_modulo4(ivec4 x, int n, float r) { return x - pt_quotient4(x, r) * n; }
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & I[0], t >> I[1]), 0); }
float pt_at0(int i) { return pt_texel0(i >> 2)[i & 3]; }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * I[2] + P.x;
  int e2 = t1 * 4;
  ivec4 i3 = e2 + ivec4(0, 1, 2, 3);
  ivec4 c4 = pt_quotient4(i3, F[0]);
  ivec4 c5 = pt_modulo4(i3, I[3], F[0]);
  ivec4 j6 = c4 * I[4] + c5;
  uvec4 m7 = uvec4(lessThan(uvec4(c5), uvec4(uint(I[5]))));
  ivec4 j8 = j6 * ivec4(m7);
  vec4 v9 = vec4(pt_at0(j8.x), pt_at0(j8.y), pt_at0(j8.z), pt_at0(j8.w));
  vec4 v10 = mix(vec4(0.0), v9, bvec4(m7));
  y0 = v10;
}

// map pad
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
uniform float F[1];
uniform int I[7];
layout(location = 0) out vec4 y0;
ivec4 pt_quotient4(ivec4 x, float r) { return ivec4((vec4(x) + 0.5) * r); }
ivec4 pt_modulo4(ivec4 x, int n, float r) { return x - pt_quotient4(x, r) * n; }
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & I[0], t >> I[1]), 0); }
float pt_at0(int i) { return pt_texel0(i >> 2)[i & 3]; }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * I[2] + P.x;
  int e2 = t1 * 4;
  ivec4 i3 = e2 + ivec4(0, 1, 2, 3);
  ivec4 c4 = pt_quotient4(i3, F[0]);
  ivec4 c5 = pt_modulo4(i3, I[3], F[0]);
  ivec4 j6 = c4 * I[4] + c5;
  uvec4 m7 = uvec4(lessThan(uvec4(c4), uvec4(uint(I[5])))) & uvec4(lessThan(uvec4(c5), uvec4(uint(I[6]))));
  ivec4 j8 = j6 * ivec4(m7);
  vec4 v9 = vec4(pt_at0(j8.x), pt_at0(j8.y), pt_at0(j8.z), pt_at0(j8.w));
  vec4 v10 = mix(vec4(0.0), v9, bvec4(m7));
  y0 = v10;
}

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
uniform int I[6];
layout(location = 0) out vec4 y0;
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2(t & I[0], t >> I[1]), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int n1 = (P.x >> 1) * 2 + (P.x & 1);
  int b2 = P.y >> 1;
  int m3 = b2 * 2 + (P.y & 1);
  vec4 s4 = vec4(0);
  for (int k5 = 0; k5 < 6; k5++) {
    vec4 t6 = texelFetch(x0, ivec2(k5, m3), 0);
    int i7 = n1 + k5 * I[2];
    vec4 t8 = pt_texel1(i7);
    vec4 t9 = pt_texel1(i7 + I[3]);
    vec4 t10 = pt_texel1(i7 + I[4]);
    vec4 t11 = pt_texel1(i7 + I[5]);
    s4 += t6.x * t8 + t6.y * t9 + t6.z * t10 + t6.w * t11;
  }
  y0 = s4;
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
uniform int I[9];
layout(location = 0) out vec4 y0;
int pt_quotient(int x, float r) { return int((float(x) + 0.5) * r); }
int pt_modulo(int x, int n, float r) { return x - pt_quotient(x, r) * n; }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * I[0] + P.x;
  int e2 = t1 * 4;
  ivec4 i3 = e2 + ivec4(0, 1, 2, 3);
  int i4 = pt_quotient(i3.x, F[0]);
  int i5 = pt_modulo(i3.x, I[1], F[0]) >> 2;
  int i6 = pt_quotient(i3.y, F[0]);
  int i7 = pt_modulo(i3.y, I[2], F[0]) >> 2;
  int i8 = pt_quotient(i3.z, F[0]);
  int i9 = pt_modulo(i3.z, I[3], F[0]) >> 2;
  int i10 = pt_quotient(i3.w, F[0]);
  int i11 = pt_modulo(i3.w, I[4], F[0]) >> 2;
  vec4 v12 = vec4(texelFetch(x0, ivec3((i5 >> 1) * 2 + (i5 & 1), (i4 >> 1) * 2 + (i4 & 1), 0), 0)[pt_modulo(i3.x, I[5], F[0]) & 3], texelFetch(x0, ivec3((i7 >> 1) * 2 + (i7 & 1), (i6 >> 1) * 2 + (i6 & 1), 0), 0)[pt_modulo(i3.y, I[6], F[0]) & 3], texelFetch(x0, ivec3((i9 >> 1) * 2 + (i9 & 1), (i8 >> 1) * 2 + (i8 & 1), 0), 0)[pt_modulo(i3.z, I[7], F[0]) & 3], texelFetch(x0, ivec3((i11 >> 1) * 2 + (i11 & 1), (i10 >> 1) * 2 + (i10 & 1), 0), 0)[pt_modulo(i3.w, I[8], F[0]) & 3]);
  y0 = v12;
}
