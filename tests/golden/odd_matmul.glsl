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
layout(location = 0) out vec4 y0;
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & 15, t >> 4), 0); }
float pt_at0(int i) { return pt_texel0(i >> 2)[i & 3]; }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * 6 + P.x;
  int e2 = t1 * 4;
  ivec4 i3 = e2 + ivec4(0, 1, 2, 3);
  ivec4 c4 = i3 / 408;
  ivec4 c5 = i3 / 24 % 17;
  ivec4 c6 = i3 % 24;
  ivec4 j7 = c4 * 357 + c5 * 21 + c6;
  uvec4 m8 = uvec4(lessThan(uvec4(c6), uvec4(21u)));
  ivec4 j9 = j7 * ivec4(m8);
  vec4 v10 = vec4(pt_at0(j9.x), pt_at0(j9.y), pt_at0(j9.z), pt_at0(j9.w));
  vec4 v11 = mix(vec4(0.0), v10, bvec4(m8));
  y0 = v11;
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
layout(location = 0) out vec4 y0;
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & 15, t >> 4), 0); }
float pt_at0(int i) { return pt_texel0(i >> 2)[i & 3]; }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * 16 + P.x;
  int e2 = t1 * 4;
  ivec4 i3 = e2 + ivec4(0, 1, 2, 3);
  ivec4 c4 = i3 / 576;
  ivec4 c5 = i3 / 24 % 24;
  ivec4 c6 = i3 % 24;
  ivec4 j7 = c4 * 483 + c5 * 23 + c6;
  uvec4 m8 = uvec4(lessThan(uvec4(c5), uvec4(21u))) & uvec4(lessThan(uvec4(c6), uvec4(23u)));
  ivec4 j9 = j7 * ivec4(m8);
  vec4 v10 = vec4(pt_at0(j9.x), pt_at0(j9.y), pt_at0(j9.z), pt_at0(j9.w));
  vec4 v11 = mix(vec4(0.0), v10, bvec4(m8));
  y0 = v11;
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
layout(location = 0) out vec4 y0;
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2(t & 15, t >> 4), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int q1 = (P.y >> 1) * 3 + (P.x >> 1);
  int n2 = q1 % 3 * 2 + (P.x & 1);
  int b3 = q1 / 3 % 9;
  int m5 = b3 * 2 + (P.y & 1);
  vec4 s6 = vec4(0);
  for (int k7 = 0; k7 < 6; k7++) {
    vec4 t8 = texelFetch(x0, ivec2(k7, m5), 0);
    int i9 = n2 + k7 * 24;
    vec4 t10 = pt_texel1(i9);
    vec4 t11 = pt_texel1(i9 + 6);
    vec4 t12 = pt_texel1(i9 + 12);
    vec4 t13 = pt_texel1(i9 + 18);
    s6 += t8.x * t10 + t8.y * t11 + t8.z * t12 + t8.w * t13;
  }
  y0 = s6;
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
layout(location = 0) out vec4 y0;

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * 16 + P.x;
  int e2 = t1 * 4;
  ivec4 i3 = e2 + ivec4(0, 1, 2, 3);
  int i4 = i3.x / 23;
  int i5 = (i3.x % 23) >> 2;
  int i6 = i3.y / 23;
  int i7 = (i3.y % 23) >> 2;
  int i8 = i3.z / 23;
  int i9 = (i3.z % 23) >> 2;
  int i10 = i3.w / 23;
  int i11 = (i3.w % 23) >> 2;
  vec4 v12 = vec4(texelFetch(x0, ivec3((i5 >> 1) * 2 + (i5 & 1), (i4 >> 1) * 2 + (i4 & 1), 0), 0)[(i3.x % 23) & 3], texelFetch(x0, ivec3((i7 >> 1) * 2 + (i7 & 1), (i6 >> 1) * 2 + (i6 & 1), 0), 0)[(i3.y % 23) & 3], texelFetch(x0, ivec3((i9 >> 1) * 2 + (i9 & 1), (i8 >> 1) * 2 + (i8 & 1), 0), 0)[(i3.z % 23) & 3], texelFetch(x0, ivec3((i11 >> 1) * 2 + (i11 & 1), (i10 >> 1) * 2 + (i10 & 1), 0), 0)[(i3.w % 23) & 3]);
  y0 = v12;
}
