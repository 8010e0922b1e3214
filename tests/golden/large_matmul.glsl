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
uniform int I[16];
layout(location = 0) out vec4 y0;
layout(location = 1) out vec4 y1;
layout(location = 2) out vec4 y2;
layout(location = 3) out vec4 y3;
layout(location = 4) out vec4 y4;
layout(location = 5) out vec4 y5;
layout(location = 6) out vec4 y6;
layout(location = 7) out vec4 y7;

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int n1 = (P.x >> 1) * 4 + (P.x & 1);
  int b2 = P.y >> 1;
  int m3 = (b2 >> 2) * I[0] + ((b2 & 3) * 4 + (P.y & 1) * I[1]);
  vec4 s4 = vec4(0);
  vec4 s5 = vec4(0);
  vec4 s6 = vec4(0);
  vec4 s7 = vec4(0);
  vec4 s8 = vec4(0);
  vec4 s9 = vec4(0);
  vec4 s10 = vec4(0);
  vec4 s11 = vec4(0);
  int y13 = (m3 >> I[2]);
  int x14 = (m3 & I[3]) * I[4];
  for (int k12 = 0; k12 < I[5]; k12++) {
    vec4 t15 = texelFetch(x0, ivec2(x14 + k12, y13), 0);
    vec4 t16 = texelFetch(x0, ivec2(x14 + k12 + I[6], y13), 0);
    vec4 t17 = texelFetch(x0, ivec2(x14 + k12 + I[7], y13), 0);
    vec4 t18 = texelFetch(x0, ivec2(x14 + k12 + I[8], y13), 0);
    int x19 = n1 + (k12 & 3) * I[9];
    int y20 = k12 >> 2;
    vec4 t21 = texelFetch(x1, ivec2(x19, y20), 0);
    vec4 t22 = texelFetch(x1, ivec2(x19 + 2, y20), 0);
    vec4 t23 = texelFetch(x1, ivec2(x19 + I[10], y20), 0);
    vec4 t24 = texelFetch(x1, ivec2(x19 + I[11], y20), 0);
    vec4 t25 = texelFetch(x1, ivec2(x19 + I[12], y20), 0);
    vec4 t26 = texelFetch(x1, ivec2(x19 + I[13], y20), 0);
    vec4 t27 = texelFetch(x1, ivec2(x19 + I[14], y20), 0);
    vec4 t28 = texelFetch(x1, ivec2(x19 + I[15], y20), 0);
    s4 += t15.x * t21 + t15.y * t23 + t15.z * t25 + t15.w * t27;
    s5 += t15.x * t22 + t15.y * t24 + t15.z * t26 + t15.w * t28;
    s6 += t16.x * t21 + t16.y * t23 + t16.z * t25 + t16.w * t27;
    s7 += t16.x * t22 + t16.y * t24 + t16.z * t26 + t16.w * t28;
    s8 += t17.x * t21 + t17.y * t23 + t17.z * t25 + t17.w * t27;
    s9 += t17.x * t22 + t17.y * t24 + t17.z * t26 + t17.w * t28;
    s10 += t18.x * t21 + t18.y * t23 + t18.z * t25 + t18.w * t27;
    s11 += t18.x * t22 + t18.y * t24 + t18.z * t26 + t18.w * t28;
  }
  y0 = s4;
  y1 = s5;
  y2 = s6;
  y3 = s7;
  y4 = s8;
  y5 = s9;
  y6 = s10;
  y7 = s11;
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
uniform int I[7];
layout(location = 0) out vec4 y0;

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * I[0] + P.x;
  int i3 = t1 >> I[1];
  int i4 = t1 & I[2];
  vec4 v5 = texelFetch(x0, ivec3((i4 >> 2) * 2 + (i4 & 1), ((i3 >> I[3]) * 4 + ((i3 & I[4]) >> 2)) * 2 + ((i3 >> I[5]) & 1), ((i3 & I[6]) & 3) * 2 + ((i4 & 3) >> 1)), 0);
  y0 = v5;
}
