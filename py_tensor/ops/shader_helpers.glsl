// GLSL functions that the expressions of the op table call. A shader includes the functions that it uses.
// Each works on four lanes. GPU quirks are handled here only, each with its reason. A block ends at an empty
// line; the first name in a block is the one that it defines.

// Some drivers assume that there is no NaN and fold isnan() and x != x away. They cannot fold a test of bits.
bvec4 pt_is_nan(vec4 x) {
  return greaterThan(floatBitsToUint(x) & 0x7fffffffu, uvec4(0x7f800000u));
}

bvec4 pt_is_inf(vec4 x) {
  return equal(floatBitsToUint(x) & 0x7fffffffu, uvec4(0x7f800000u));
}

bvec4 pt_is_finite(vec4 x) {
  return lessThan(floatBitsToUint(x) & 0x7fffffffu, uvec4(0x7f800000u));
}

// Return the argument in a way that compilers cannot see through: the sign bit of a fragment's position is
// never set. compiler/glsl/cancellation.py gives the reason.
ivec4 pt_opaque(ivec4 x) { return x ^ (int(gl_FragCoord.x) >> 31); }
uvec4 pt_opaque(uvec4 x) { return x ^ uint(int(gl_FragCoord.x) >> 31); }
vec4 pt_opaque(vec4 x) { return intBitsToFloat(floatBitsToInt(x) ^ (int(gl_FragCoord.x) >> 31)); }

#define PT_NAN uintBitsToFloat(0x7fc00000u)

#define PT_INF uintBitsToFloat(0x7f800000u)

// In GLSL ES 3.00 mix() with a bvec4 exists for floats only.
vec4 pt_pick(bvec4 c, vec4 a, vec4 b) { return mix(b, a, c); }
ivec4 pt_pick(bvec4 c, ivec4 a, ivec4 b) {
  return ivec4(c.x ? a.x : b.x, c.y ? a.y : b.y, c.z ? a.z : b.z, c.w ? a.w : b.w);
}
uvec4 pt_pick(bvec4 c, uvec4 a, uvec4 b) {
  return uvec4(c.x ? a.x : b.x, c.y ? a.y : b.y, c.z ? a.z : b.z, c.w ? a.w : b.w);
}

// In GLSL the result of min() and max() is undefined for NaN; the array API standard propagates NaN.
vec4 pt_min(vec4 a, vec4 b) {
  bvec4 odd = greaterThan(max(floatBitsToUint(a) & 0x7fffffffu, floatBitsToUint(b) & 0x7fffffffu), uvec4(0x7f800000u));
  return mix(min(a, b), vec4(PT_NAN), odd);
}

vec4 pt_max(vec4 a, vec4 b) {
  bvec4 odd = greaterThan(max(floatBitsToUint(a) & 0x7fffffffu, floatBitsToUint(b) & 0x7fffffffu), uvec4(0x7f800000u));
  return mix(max(a, b), vec4(PT_NAN), odd);
}

bvec4 pt_signbit(vec4 x) { return notEqual(floatBitsToUint(x) >> 31, uvec4(0u)); }

vec4 pt_copysign(vec4 x, vec4 s) {
  return uintBitsToFloat((floatBitsToUint(x) & 0x7fffffffu) | (floatBitsToUint(s) & 0x80000000u));
}

vec4 pt_sign(vec4 x) { return mix(sign(x), x, pt_is_nan(x)); }

// Integer division and remainder. GLSL truncates, and leaves a zero divisor and the most negative value
// divided by -1 undefined. Python rounds down. NumPy returns 0 for a zero divisor.
vec4 pt_floor_divide_f(vec4 a, vec4 b) {
  vec4 q = floor(a / b);
  vec4 r = pt_remainder_f(a, b);
  vec4 exact = floor((a - r) / b + 0.5);
  q = mix(q, exact, lessThan(abs(q), vec4(8388608.0)));
  q = mix(q, mix(vec4(-1.0), vec4(0.0), equal(pt_signbit(a), pt_signbit(b))), bvec4(uvec4(pt_is_inf(b)) & uvec4(pt_is_finite(a)) & uvec4(notEqual(a, vec4(0.0)))));
  q = mix(q, pt_copysign(vec4(0.0), a / b), equal(q, vec4(0.0)));
  q = mix(q, vec4(PT_NAN), pt_is_inf(a));
  return mix(q, a / b, equal(b, vec4(0.0)));
}

ivec4 pt_floor_divide_i(ivec4 a, ivec4 b) {
  bvec4 zero = equal(b, ivec4(0));
  bvec4 flip = equal(b, ivec4(-1));
  ivec4 d = pt_pick(zero, ivec4(1), pt_pick(flip, ivec4(1), b));
  ivec4 q = a / d;
  ivec4 r = a - q * d;
  bvec4 less = bvec4(uvec4(notEqual(r, ivec4(0))) & uvec4(notEqual(lessThan(r, ivec4(0)), lessThan(d, ivec4(0)))));
  q -= ivec4(less);
  return pt_pick(zero, ivec4(0), pt_pick(flip, -a, q));
}

uvec4 pt_floor_divide_u(uvec4 a, uvec4 b) {
  bvec4 zero = equal(b, uvec4(0u));
  return pt_pick(zero, uvec4(0u), a / pt_pick(zero, uvec4(1u), b));
}

// Splitting q and b into halves makes q * b exact (Dekker 1971), so each pass removes the leading 24 bits of
// the quotient without rounding. Two passes are enough for quotients up to 2**46.
vec4 pt_remainder_f(vec4 a, vec4 b) {
  vec4 size = abs(b);
  vec4 bh = uintBitsToFloat(floatBitsToUint(b) & 0xfffff000u);
  vec4 bl = b - bh;
  vec4 r = a;
  for (int pass = 0; pass < 2; pass++) {
    vec4 q = trunc(r / b);
    vec4 qh = uintBitsToFloat(floatBitsToUint(q) & 0xfffff000u);
    vec4 ql = q - qh;
    r = (((r - qh * bh) - qh * bl) - ql * bh) - ql * bl;
  }
  r += mix(vec4(0.0), pt_copysign(size, a), bvec4(uvec4(notEqual(sign(r), sign(a))) & uvec4(notEqual(r, vec4(0.0)))));
  r -= mix(vec4(0.0), pt_copysign(size, a), greaterThanEqual(abs(r), size));
  r += mix(vec4(0.0), b, bvec4(uvec4(notEqual(r, vec4(0.0))) & uvec4(notEqual(lessThan(r, vec4(0.0)), lessThan(b, vec4(0.0))))));
  r = mix(r, pt_copysign(vec4(0.0), b), equal(r, vec4(0.0)));
  bvec4 far = bvec4(uvec4(pt_is_inf(b)) & uvec4(pt_is_finite(a)));
  bvec4 same = bvec4(uvec4(equal(a, vec4(0.0))) | uvec4(equal(pt_signbit(a), pt_signbit(b))));
  r = mix(r, mix(b, mix(a, pt_copysign(a, b), equal(a, vec4(0.0))), same), far);
  return mix(r, vec4(PT_NAN), bvec4(uvec4(pt_is_inf(a)) | uvec4(equal(b, vec4(0.0))) | uvec4(pt_is_nan(a)) | uvec4(pt_is_nan(b))));
}

ivec4 pt_remainder_i(ivec4 a, ivec4 b) {
  bvec4 trivial = bvec4(uvec4(equal(b, ivec4(0))) | uvec4(equal(b, ivec4(-1))));
  ivec4 d = pt_pick(trivial, ivec4(1), b);
  ivec4 r = a - (a / d) * d;
  bvec4 other = bvec4(uvec4(notEqual(r, ivec4(0))) & uvec4(notEqual(lessThan(r, ivec4(0)), lessThan(d, ivec4(0)))));
  return r + pt_pick(other, d, ivec4(0));
}

uvec4 pt_remainder_u(uvec4 a, uvec4 b) {
  bvec4 zero = equal(b, uvec4(0u));
  return pt_pick(zero, uvec4(0u), a % pt_pick(zero, uvec4(1u), b));
}

// Shifts by the width of the type or more are undefined in GLSL; NumPy shifts all bits out.
ivec4 pt_shift_left(ivec4 a, ivec4 n) { return pt_pick(lessThan(uvec4(n), uvec4(32u)), a << (n & 31), ivec4(0)); }
uvec4 pt_shift_left(uvec4 a, uvec4 n) { return pt_pick(lessThan(n, uvec4(32u)), a << (n & 31u), uvec4(0u)); }

ivec4 pt_shift_right(ivec4 a, ivec4 n) { return a >> ivec4(min(uvec4(n), uvec4(31u))); }
uvec4 pt_shift_right(uvec4 a, uvec4 n) { return pt_pick(lessThan(n, uvec4(32u)), a >> (n & 31u), uvec4(0u)); }

// In GLSL pow(x, y) is undefined for x < 0, and exp2(y * log2(x)) loses bits as y * log2(x) grows. Integer
// exponents up to 64 use repeated squaring, which is exact if the result is; others use log2.
vec4 pt_pow_f(vec4 x, vec4 y) {
  vec4 ax = abs(x);
  vec4 whole = trunc(y);
  bvec4 integral = bvec4(uvec4(equal(whole, y)) & uvec4(lessThanEqual(abs(y), vec4(64.0))));
  vec4 r = exp2(y * log2(ax));
  if (any(integral)) {
    uvec4 n = uvec4(mix(vec4(0.0), abs(whole), integral));
    vec4 p = vec4(1.0), s = ax;
    for (int i = 0; i < 7; i++) {
      p *= mix(vec4(1.0), s, notEqual(n & 1u, uvec4(0u)));
      n >>= 1;
      s *= s;
    }
    p = mix(p, 1.0 / p, lessThan(y, vec4(0.0)));
    r = mix(r, p, integral);
  }
  bvec4 odd = bvec4(uvec4(equal(whole, y)) & uvec4(lessThan(abs(y), vec4(16777216.0))) & uvec4(equal(abs(fract(y * 0.5)), vec4(0.5))));
  bvec4 even = bvec4(uvec4(equal(whole, y)) & uvec4(not(odd)));
  bvec4 negative = pt_signbit(x);
  vec4 zero_or_inf = mix(vec4(0.0), vec4(PT_INF), lessThan(y, vec4(0.0)));
  r = mix(r, zero_or_inf, equal(ax, vec4(0.0)));
  r = mix(r, mix(vec4(PT_INF), vec4(0.0), lessThan(y, vec4(0.0))), pt_is_inf(x));
  r = mix(r, mix(vec4(0.0), vec4(PT_INF), equal(greaterThan(ax, vec4(1.0)), greaterThan(y, vec4(0.0)))), pt_is_inf(y));
  r = mix(r, vec4(1.0), bvec4(uvec4(pt_is_inf(y)) & uvec4(equal(ax, vec4(1.0)))));
  r = mix(r, -r, bvec4(uvec4(negative) & uvec4(odd)));
  bvec4 outside = bvec4(uvec4(lessThan(x, vec4(0.0))) & uvec4(not(odd)) & uvec4(not(even)) & uvec4(pt_is_finite(x)) & uvec4(not(pt_is_inf(y))));
  r = mix(r, vec4(PT_NAN), bvec4(uvec4(outside) | uvec4(pt_is_nan(x)) | uvec4(pt_is_nan(y))));
  return mix(r, vec4(1.0), bvec4(uvec4(equal(y, vec4(0.0))) | uvec4(equal(x, vec4(1.0)))));
}

ivec4 pt_pow_i(ivec4 x, ivec4 y) {
  ivec4 p = ivec4(1);
  uvec4 n = uvec4(max(y, ivec4(0)));
  for (int i = 0; i < 32; i++) {
    p *= pt_pick(notEqual(n & 1u, uvec4(0u)), x, ivec4(1));
    n >>= 1;
    x *= x;
  }
  return p;
}

uvec4 pt_pow_u(uvec4 x, uvec4 n) {
  uvec4 p = uvec4(1u);
  for (int i = 0; i < 32; i++) {
    p *= pt_pick(notEqual(n & 1u, uvec4(0u)), x, uvec4(1u));
    n >>= 1;
    x *= x;
  }
  return p;
}

// exp(x) - 1 cancels near 0. Kahan's (u - 1) * x / log(u) needs a correctly rounded log, which GPUs lack,
// so |x| < 0.5 uses a polynomial (Taylor to x**8; the error is below 2e-9).
vec4 pt_expm1(vec4 x) {
  vec4 p = x * (1.0 + x * (0.5 + x * (1.0 / 6.0 + x * (1.0 / 24.0 + x * (1.0 / 120.0 + x * (1.0 / 720.0 + x * (1.0 / 5040.0 + x / 40320.0)))))));
  // Some compilers choose by arithmetic, in which -0.0 loses its sign.
  vec4 r = pt_copysign(mix(exp(x) - 1.0, p, lessThan(abs(x), vec4(0.5))), x);
  return mix(r, x, pt_is_nan(x));
}

// log(1 + d) = 2 atanh(d / (2 + d)) for |d| < 0.5, where the series in s converges fast.
vec4 pt_log_near(vec4 d) {
  vec4 s = d / (2.0 + d);
  vec4 t = s * s;
  return 2.0 * s * (1.0 + t * (1.0 / 3.0 + t * (1.0 / 5.0 + t * (1.0 / 7.0 + t * (1.0 / 9.0 + t / 11.0)))));
}

vec4 pt_log1p(vec4 x) {
  vec4 r = mix(pt_log(1.0 + x), pt_log_near(x), lessThan(abs(x), vec4(0.5)));
  return mix(pt_copysign(r, x), x, pt_is_nan(x));
}

// log() may be undefined outside its domain. Near x = 1, where its result is near 0, it may have an absolute
// error of 2**-21; x - 1 is exact there.
vec4 pt_log(vec4 x) {
  vec4 r = mix(log(x), pt_log_near(x - 1.0), lessThan(abs(x - 1.0), vec4(0.4)));
  r = mix(r, vec4(-PT_INF), equal(x, vec4(0.0)));
  r = mix(r, x, pt_is_inf(x));
  return mix(r, vec4(PT_NAN), bvec4(uvec4(lessThan(x, vec4(0.0))) | uvec4(pt_is_nan(x))));
}

vec4 pt_log2(vec4 x) {
  vec4 r = mix(log2(x), pt_log_near(x - 1.0) * 1.4426950408889634, lessThan(abs(x - 1.0), vec4(0.4)));
  r = mix(r, vec4(-PT_INF), equal(x, vec4(0.0)));
  r = mix(r, x, pt_is_inf(x));
  return mix(r, vec4(PT_NAN), bvec4(uvec4(lessThan(x, vec4(0.0))) | uvec4(pt_is_nan(x))));
}

vec4 pt_sqrt(vec4 x) {
  vec4 r = mix(sqrt(x), x, equal(x, vec4(0.0)));
  return mix(r, vec4(PT_NAN), bvec4(uvec4(lessThan(x, vec4(0.0))) | uvec4(pt_is_nan(x))));
}

vec4 pt_exp(vec4 x) { return mix(exp(x), x, pt_is_nan(x)); }

vec4 pt_sinh(vec4 x) {
  vec4 a = abs(x), t = x * x;
  vec4 near = x * (1.0 + t * (1.0 / 6.0 + t * (1.0 / 120.0 + t * (1.0 / 5040.0 + t / 362880.0))));
  vec4 h = exp(0.5 * a);
  vec4 far = pt_copysign(0.5 * h * h - 0.5 / (h * h), x);
  return mix(mix(far, near, lessThan(a, vec4(1.0))), x, pt_is_nan(x));
}

// exp overflows above 88.7, cosh above 89.4 only, so the square root of exp is squared instead.
vec4 pt_cosh(vec4 x) {
  vec4 h = exp(0.5 * abs(x));
  return mix(0.5 * h * h + 0.5 / (h * h), x, pt_is_nan(x));
}

// tanh() returns NaN for large arguments on GPUs that compute it from exp(2x).
vec4 pt_tanh(vec4 x) {
  vec4 a = min(abs(x), vec4(20.0));
  vec4 e = pt_expm1(2.0 * a);
  return mix(pt_copysign(e / (e + 2.0), x), x, pt_is_nan(x));
}

vec4 pt_asinh(vec4 x) {
  vec4 a = abs(x);
  vec4 big = pt_log(a) + 0.69314718055994531;
  vec4 t = a * a;
  vec4 r = mix(pt_log1p(a + t / (1.0 + sqrt(t + 1.0))), big, greaterThan(a, vec4(1e8)));
  return mix(pt_copysign(r, x), x, pt_is_nan(x));
}

vec4 pt_acosh(vec4 x) {
  vec4 t = x - 1.0;
  vec4 r = mix(pt_log1p(t + sqrt(t * (t + 2.0))), pt_log(x) + 0.69314718055994531, greaterThan(x, vec4(1e8)));
  return mix(r, vec4(PT_NAN), bvec4(uvec4(lessThan(x, vec4(1.0))) | uvec4(pt_is_nan(x))));
}

vec4 pt_atanh(vec4 x) {
  vec4 a = abs(x);
  vec4 r = pt_copysign(0.5 * pt_log1p(2.0 * a / (1.0 - a)), x);
  r = mix(r, pt_copysign(vec4(PT_INF), x), equal(a, vec4(1.0)));
  return mix(r, vec4(PT_NAN), bvec4(uvec4(greaterThan(a, vec4(1.0))) | uvec4(pt_is_nan(x))));
}

// The built-in atan may have an error of 4096 ULP. This is Cephes' atanf: reduce to |x| <= tan(pi/8), then
// use a polynomial of degree 9.
vec4 pt_atan(vec4 x) {
  vec4 a = abs(x);
  bvec4 high = greaterThan(a, vec4(2.414213562373095));
  bvec4 middle = greaterThan(a, vec4(0.4142135623730950));
  vec4 base = mix(mix(vec4(0.0), vec4(0.785398163397448), middle), vec4(1.570796326794897), high);
  vec4 t = mix(mix(a, (a - 1.0) / (a + 1.0), middle), -1.0 / a, high);
  vec4 z = t * t;
  vec4 r = base + ((((8.05374449538e-2 * z - 1.38776856032e-1) * z + 1.99777106478e-1) * z - 3.33329491539e-1) * z * t + t);
  return mix(pt_copysign(r, x), x, pt_is_nan(x));
}

// n / d for 0 <= n <= d. GPUs multiply by 1 / d, which is subnormal and therefore flushed to 0 if d is above
// 2**126.
vec4 pt_ratio(vec4 n, vec4 d) {
  vec4 scale = mix(vec4(1.0), vec4(0.0625), greaterThan(d, vec4(4e37)));
  return (n * scale) / (d * scale);
}

vec4 pt_atan2(vec4 y, vec4 x) {
  const float PI = 3.14159265358979;
  vec4 ay = abs(y), ax = abs(x);
  bvec4 steep = greaterThan(ay, ax);
  vec4 n = mix(ay, ax, steep), d = mix(ax, ay, steep);
  vec4 q = mix(mix(pt_ratio(n, d), vec4(0.0), equal(n, vec4(0.0))), vec4(1.0), equal(n, d));
  q = mix(q, vec4(0.0), bvec4(uvec4(equal(n, vec4(0.0))) & uvec4(equal(d, vec4(0.0)))));
  vec4 r = pt_atan(q);
  r = mix(r, 0.5 * PI - r, steep);
  r = mix(r, PI - r, pt_signbit(x));
  r = pt_copysign(r, y);
  return mix(r, vec4(PT_NAN), bvec4(uvec4(pt_is_nan(x)) | uvec4(pt_is_nan(y))));
}

// asin(x) = atan2(x, sqrt((1 - x)(1 + x))), without cancellation near 1.
vec4 pt_asin(vec4 x) {
  vec4 r = pt_atan2(x, sqrt(max((1.0 - x) * (1.0 + x), vec4(0.0))));
  return mix(r, vec4(PT_NAN), bvec4(uvec4(greaterThan(abs(x), vec4(1.0))) | uvec4(pt_is_nan(x))));
}

vec4 pt_acos(vec4 x) {
  vec4 r = pt_atan2(sqrt(max((1.0 - x) * (1.0 + x), vec4(0.0))), x);
  return mix(r, vec4(PT_NAN), bvec4(uvec4(greaterThan(abs(x), vec4(1.0))) | uvec4(pt_is_nan(x))));
}

// On GPUs sin and cos lose all accuracy for large arguments. Reduce by pi/2 in three parts (Cody and Waite
// 1980), whose products are exact up to 2**13, then use Cephes' polynomials.
vec4 pt_trig_reduce(vec4 x, out ivec4 quadrant) {
  vec4 n = roundEven(x * 0.636619772367581);
  quadrant = ivec4(n);
  vec4 r = ((x - n * 1.5703125) - n * 4.837512969970703125e-4) - n * 7.549789948768648e-8;
  if (all(lessThan(abs(x), vec4(8192.0)))) return r;
  for (int lane = 0; lane < 4; lane++) {
    int q;
    if (abs(x[lane]) < 8192.0) continue;
    r[lane] = pt_far_angle(x[lane], q);
    quadrant[lane] = q;
  }
  return r;
}

// Reduced angle and quadrant of a number of at least 2**13 (Payne and Hanek 1983). Of the product of its 24
// bits and 2 / pi, only the bits that are neither whole turns nor too small are needed. They depend on 12
// bytes of 2 / pi, from a position that the exponent gives. A product of 24 and 8 bits, plus the carry, fits
// into 32 bits.
float pt_far_angle(float x, out int quadrant) {
  const uint two_over_pi[8] = uint[8](
    0u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu);
  uint bits = floatBitsToUint(abs(x));
  uint carried = 0u;
  uvec3 product = uvec3(0u);
  for (int i = 11; i >= 0; i--) {
    int at = int(bits >> 23) - 120 + 8 * i;
    uint word = two_over_pi[at >> 5] << (at & 31) | two_over_pi[(at >> 5) + 1] >> 1 >> (31 - (at & 31));
    carried += (bits & 0x7fffffu | 0x800000u) * (word >> 24);
    product[i >> 2] |= (carried & 255u) << (24 - 8 * (i & 3));
    carried >>= 8;
  }
  quadrant = int(product.x >> 30);
  uvec2 rest = product.xy << 2 | product.yz >> 30;
  // More than half a quarter is the next one, less what is missing.
  bool beyond = rest.x >> 31 == 1u;
  if (beyond) {
    quadrant++;
    rest = ~rest;
  }
  float angle = (float(rest.x) + float(rest.y) * 2.3283064365387e-10) * 3.657295198168e-10;
  if (x < 0.0) quadrant = -quadrant;
  return beyond == x < 0.0 ? angle : -angle;
}

// Sine of q quarter turns plus an angle r of at most pi / 4.
vec4 pt_turned(vec4 r, ivec4 q) {
  vec4 z = r * r;
  vec4 s = ((-1.9515295891e-4 * z + 8.3321608736e-3) * z - 1.6666654611e-1) * z * r + r;
  vec4 c = ((2.443315711809948e-5 * z - 1.388731625493765e-3) * z + 4.166664568298827e-2) * z * z - 0.5 * z + 1.0;
  vec4 v = mix(s, c, notEqual(q & 1, ivec4(0)));
  return mix(v, -v, notEqual(q & 2, ivec4(0)));
}

vec4 pt_trig(vec4 x, int shift) {
  ivec4 q;
  vec4 r = pt_trig_reduce(x, q);
  return mix(pt_turned(r, q + shift), vec4(PT_NAN), not(pt_is_finite(x)));
}

// cos(2 pi p / n). The remainder of p / n after whole quarter turns is an exact integer, so large p and n
// lose no accuracy.
vec4 pt_cos_of_turn(ivec4 p, ivec4 n) {
  ivec4 q = ivec4(floor(4.0 * vec4(p) / vec4(n) + 0.5));
  return pt_turned(vec4(4 * p - q * n) / vec4(n) * 1.5707963267949, q + 1);
}

vec4 pt_sin(vec4 x) { return mix(pt_trig(x, 0), x, equal(x, vec4(0.0))); }

vec4 pt_cos(vec4 x) { return pt_trig(x, 1); }

vec4 pt_tan(vec4 x) { return pt_sin(x) / pt_cos(x); }

vec4 pt_hypot(vec4 a, vec4 b) {
  vec4 m = max(abs(a), abs(b)), n = min(abs(a), abs(b));
  vec4 q = mix(pt_ratio(n, m), vec4(0.0), equal(m, vec4(0.0)));
  vec4 r = mix(m * sqrt(1.0 + q * q), m, equal(n, vec4(0.0)));
  r = mix(r, vec4(PT_NAN), bvec4(uvec4(pt_is_nan(a)) | uvec4(pt_is_nan(b))));
  return mix(r, vec4(PT_INF), bvec4(uvec4(pt_is_inf(a)) | uvec4(pt_is_inf(b))));
}

vec4 pt_logaddexp(vec4 a, vec4 b) {
  vec4 m = pt_max(a, b);
  vec4 d = -abs(a - b);
  vec4 r = m + pt_log1p(exp(d));
  return mix(r, m, bvec4(uvec4(equal(a, b)) & uvec4(pt_is_inf(a)) | uvec4(equal(m, vec4(PT_INF))) | uvec4(pt_is_nan(m))));
}

// Taylor series to x**13 for |x| < 0.65, else 1 - erfc by the Chebyshev fit of Numerical Recipes
// (3rd ed., 6.2.2), whose relative error is below 1.2e-7.
vec4 pt_erf(vec4 x) {
  vec4 a = abs(x), z = x * x;
  vec4 near = x * (1.1283791671 + z * (-0.3761263890 + z * (0.1128379167 + z * (-0.0268661706 + z * (0.0052239776 + z * (-0.0008548325 + z * 0.0001205533))))));
  vec4 t = 1.0 / (1.0 + 0.5 * a);
  vec4 far = 1.0 - t * exp(-z - 1.26551223 + t * (1.00002368 + t * (0.37409196 + t * (0.09678418 + t * (-0.18628806 + t * (0.27886807 + t * (-1.13520398 + t * (1.48851587 + t * (-0.82215223 + t * 0.17087277)))))))));
  vec4 r = mix(pt_copysign(far, x), near, lessThan(a, vec4(0.65)));
  r = mix(r, pt_copysign(vec4(1.0), x), greaterThan(a, vec4(6.0)));
  return mix(r, x, pt_is_nan(x));
}

// Giles, "Approximating the erfinv function" (2012), single precision.
vec4 pt_erfinv(vec4 x) {
  vec4 w = -pt_log1p(-x * x);
  vec4 a = w - 2.5;
  vec4 p = 2.81022636e-08 * a + 3.43273939e-07;
  p = p * a - 3.5233877e-06; p = p * a - 4.39150654e-06; p = p * a + 0.00021858087;
  p = p * a - 0.00125372503; p = p * a - 0.00417768164; p = p * a + 0.246640727; p = p * a + 1.50140941;
  vec4 b = sqrt(w) - 3.0;
  vec4 q = -0.000200214257 * b + 0.000100950558;
  q = q * b + 0.00134934322; q = q * b - 0.00367342844; q = q * b + 0.00573950773;
  q = q * b - 0.0076224613; q = q * b + 0.00943887047; q = q * b + 1.00167406; q = q * b + 2.83297682;
  vec4 r = mix(q, p, lessThan(w, vec4(5.0))) * x;
  r = mix(r, x * PT_INF, equal(abs(x), vec4(1.0)));
  return mix(r, vec4(PT_NAN), bvec4(uvec4(greaterThan(abs(x), vec4(1.0))) | uvec4(pt_is_nan(x))));
}

vec4 pt_nextafter(vec4 a, vec4 b) {
  uvec4 bits = floatBitsToUint(a);
  bvec4 outward = equal(greaterThan(b, a), greaterThan(a, vec4(0.0)));
  uvec4 moved = pt_pick(outward, bits + 1u, bits - 1u);
  moved = pt_pick(equal(a, vec4(0.0)), (floatBitsToUint(b) & 0x80000000u) | 1u, moved);
  moved = pt_pick(equal(a, b), floatBitsToUint(b), moved);
  vec4 r = uintBitsToFloat(moved);
  return mix(r, vec4(PT_NAN), bvec4(uvec4(pt_is_nan(a)) | uvec4(pt_is_nan(b))));
}

vec4 pt_nextafter_half(vec4 a, vec4 b) {
  uvec2 p = uvec2(packHalf2x16(a.xy), packHalf2x16(a.zw));
  uvec4 bits = uvec4(p.x & 0xffffu, p.x >> 16, p.y & 0xffffu, p.y >> 16);
  bvec4 outward = equal(greaterThan(b, a), greaterThan(a, vec4(0.0)));
  uvec4 moved = pt_pick(outward, bits + 1u, bits - 1u);
  moved = pt_pick(equal(a, vec4(0.0)), (floatBitsToUint(b) >> 31 << 15) | 1u, moved);
  vec4 r = vec4(unpackHalf2x16(moved.x | moved.y << 16), unpackHalf2x16(moved.z | moved.w << 16));
  r = mix(r, b, equal(a, b));
  return mix(r, vec4(PT_NAN), bvec4(uvec4(pt_is_nan(a)) | uvec4(pt_is_nan(b))));
}

// packHalf2x16 is not used, since SwiftShader's corrupts the other half if one is NaN.
vec4 pt_round_half(vec4 x) {
  uvec4 bits = floatBitsToUint(x), size = bits & 0x7FFFFFFFu;
  uvec4 near = (size + 0xFFFu + ((size >> 13) & 1u)) & 0xFFFFE000u;
  // Below the smallest normal half, multiples of 2**-24.
  uvec4 small = floatBitsToUint(roundEven(uintBitsToFloat(size) * 16777216.0) / 16777216.0);
  near = near + (small - near) * uvec4(lessThan(size, uvec4(0x38800000u)));
  near = near + (0x7F800000u - near) * uvec4(greaterThan(near, uvec4(0x477FE000u)));
  near = near + (size - near) * uvec4(greaterThan(size, uvec4(0x7F800000u)));
  return uintBitsToFloat(near | (bits & 0x80000000u));
}

// The bits of the number that a driver stores as an infinite half. runtime/backends/webgl.py adapts it.
#define PT_STORED_INF 0x7f800000u

// Round to float16 for storing, since drivers may truncate instead.
vec4 pt_stored_half(vec4 x) {
  uvec4 bits = floatBitsToUint(pt_round_half(x)), size = bits & 0x7fffffffu;
  return uintBitsToFloat(bits - (0x7f800000u - PT_STORED_INF) * uvec4(equal(size, uvec4(0x7f800000u))));
}

// Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (2011): Threefry-2x32, 20
// rounds, on the counter pair (0, i). Both output words are joined by xor, as JAX's partitionable
// threefry does for 32-bit draws.
uvec4 pt_threefry(uvec4 k0, uvec4 k1, uvec4 i) {
  uvec4 k2 = k0 ^ k1 ^ 0x1BD11BDAu;
  uvec4 a = k0, b = i + k1;
#define PT_R(n) a += b; b = (b << n) | (b >> (32 - n)); b ^= a;
  PT_R(13) PT_R(15) PT_R(26) PT_R(6) a += k1; b += k2 + 1u;
  PT_R(17) PT_R(29) PT_R(16) PT_R(24) a += k2; b += k0 + 2u;
  PT_R(13) PT_R(15) PT_R(26) PT_R(6) a += k0; b += k1 + 3u;
  PT_R(17) PT_R(29) PT_R(16) PT_R(24) a += k1; b += k2 + 4u;
  PT_R(13) PT_R(15) PT_R(26) PT_R(6) a += k2; b += k0 + 5u;
#undef PT_R
  return a ^ b;
}

vec4 pt_reduce_max(vec4 a, vec4 b) { return pt_max(a, b); }
ivec4 pt_reduce_max(ivec4 a, ivec4 b) { return max(a, b); }
uvec4 pt_reduce_max(uvec4 a, uvec4 b) { return max(a, b); }

vec4 pt_reduce_min(vec4 a, vec4 b) { return pt_min(a, b); }
ivec4 pt_reduce_min(ivec4 a, ivec4 b) { return min(a, b); }
uvec4 pt_reduce_min(uvec4 a, uvec4 b) { return min(a, b); }

uvec4 pt_to_uint(vec4 x) { return pt_pick(lessThan(x, vec4(2147483648.0)), uvec4(ivec4(x)), uvec4(x)); }

// True if candidate (v, i) of an arg-reduction replaces (best, where). NaN wins over numbers, the larger (or
// smaller) number over the other, and the first position among equals.
bvec4 pt_beats_greater(vec4 v, ivec4 i, vec4 best, ivec4 where) {
  uvec4 vn = uvec4(pt_is_nan(v)), bn = uvec4(pt_is_nan(best));
  uvec4 better = (uvec4(greaterThan(v, best)) & (bn ^ 1u)) | (vn & (bn ^ 1u));
  uvec4 tie = uvec4(equal(v, best)) | (vn & bn);
  return bvec4(better | (tie & uvec4(lessThan(i, where))));
}
bvec4 pt_beats_greater(ivec4 v, ivec4 i, ivec4 best, ivec4 where) {
  return bvec4(uvec4(greaterThan(v, best)) | (uvec4(equal(v, best)) & uvec4(lessThan(i, where))));
}
bvec4 pt_beats_greater(uvec4 v, ivec4 i, uvec4 best, ivec4 where) {
  return bvec4(uvec4(greaterThan(v, best)) | (uvec4(equal(v, best)) & uvec4(lessThan(i, where))));
}

bvec4 pt_beats_less(vec4 v, ivec4 i, vec4 best, ivec4 where) {
  uvec4 vn = uvec4(pt_is_nan(v)), bn = uvec4(pt_is_nan(best));
  uvec4 better = (uvec4(lessThan(v, best)) & (bn ^ 1u)) | (vn & (bn ^ 1u));
  uvec4 tie = uvec4(equal(v, best)) | (vn & bn);
  return bvec4(better | (tie & uvec4(lessThan(i, where))));
}
bvec4 pt_beats_less(ivec4 v, ivec4 i, ivec4 best, ivec4 where) {
  return bvec4(uvec4(lessThan(v, best)) | (uvec4(equal(v, best)) & uvec4(lessThan(i, where))));
}
bvec4 pt_beats_less(uvec4 v, ivec4 i, uvec4 best, ivec4 where) {
  return bvec4(uvec4(lessThan(v, best)) | (uvec4(equal(v, best)) & uvec4(lessThan(i, where))));
}

// Indices on an axis of length n: negative ones count from the end, those out of range are clamped.
ivec4 pt_place(ivec4 i, int n) { return clamp(i + n * ivec4(lessThan(i, ivec4(0))), 0, n - 1); }
ivec4 pt_place(uvec4 i, int n) { return ivec4(min(i, uvec4(n - 1))); }

// Polynomials for gamma near 1 and 2, where the result is near 0, and Stirling's series from 8 on.
vec4 pt_lgamma_positive(vec4 x) {
  bvec4 up = lessThan(x, vec4(0.75));
  vec4 y = mix(x, x + 1.0, up), p = mix(vec4(1.0), x, up);
  bvec4 next = bvec4(uvec4(greaterThanEqual(y, vec4(1.25))) & uvec4(lessThan(y, vec4(1.5))));
  p = mix(p, p * y, next);
  y = mix(y, y + 1.0, next);
  vec4 s = mix(vec4(1.0), vec4(-1.0), bvec4(uvec4(up) | uvec4(next)));
  for (int k = 0; k < 6; k++) {
    bvec4 down = greaterThan(y, vec4(2.5));
    p = mix(p, p * (y - 1.0), down);
    y = mix(y, y - 1.0, down);
  }
  vec4 t = y - 1.0, u = y - 2.0;
  vec4 a = t * (-0.5772156651 + t * (0.8224669723 + t * (-0.400685478 + t * (0.2705937532 + t * (-0.2074053891 + t * (0.1688215006 + t * (-0.1431741198 + t * (0.1407887689 - t * 0.1268848597))))))));
  vec4 b = u * (0.422784335 + u * (0.3224670179 + u * (-0.0673522813 + u * (0.02058163064 + u * (-0.007386177635 + u * (0.00287882691 + u * (-0.001185837708 + u * (0.0005703469215 - u * 0.0002538618288))))))));
  vec4 near = mix(b, a, lessThan(y, vec4(1.25))) + s * pt_log(p);
  vec4 l = pt_log(x), q = 1.0 / x, z = q * q;
  vec4 far = x * (l - 1.0) - 0.5 * l + (0.9189385332 + q * (0.0833333333 - z * (0.0027777778 - z * 0.0007936508)));
  return mix(near, mix(far, x, pt_is_inf(x)), greaterThan(x, vec4(8.0)));
}

// log(pi / abs(sin(pi x))) - lgamma(1 - x) for x < 0.
vec4 pt_lgamma(vec4 x) {
  bvec4 negative = lessThan(x, vec4(0.0));
  vec4 f = x - roundEven(x);
  vec4 r = pt_lgamma_positive(mix(x, 1.0 - x, negative));
  r = mix(r, pt_log(3.1415926536 / abs(pt_sin(3.1415926536 * f))) - r, negative);
  r = mix(r, vec4(PT_INF), bvec4(uvec4(lessThanEqual(x, vec4(0.0))) & uvec4(equal(f, vec4(0.0)))));
  r = mix(r, vec4(PT_INF), pt_is_inf(x));
  return mix(r, x, pt_is_nan(x));
}

// A polynomial around the root for 1 <= x <= 2, and the asymptotic series from 8 on.
vec4 pt_digamma(vec4 x) {
  bvec4 negative = lessThan(x, vec4(0.0));
  vec4 f = x - roundEven(x);
  vec4 w = mix(x, 1.0 - x, negative);
  bvec4 up = lessThan(w, vec4(1.0));
  vec4 y = mix(w, w + 1.0, up), sum = mix(vec4(0.0), -1.0 / w, up);
  for (int k = 0; k < 6; k++) {
    bvec4 down = greaterThan(y, vec4(2.0));
    y = mix(y, y - 1.0, down);
    sum = mix(sum, sum + 1.0 / y, down);
  }
  vec4 t = (y - 1.4616321325) - 1.2438150e-8;
  vec4 p = 0.0144333094 - t * 0.0075970871;
  p = -0.0329520390 + t * (0.0215799621 + t * (-0.0160807454 + t * p));
  p = 0.1078175447 + t * (-0.0722224314 + t * (0.0489248704 + t * p));
  p = 0.9676722450 + t * (-0.4427631794 + t * (0.2584998917 + t * (-0.1639417619 + t * p)));
  vec4 q = 1.0 / w, z = q * q;
  vec4 far = pt_log(w) - 0.5 * q - z * (0.0833333333 - z * (0.0083333333 - z * 0.0039682540));
  vec4 r = mix(t * p + sum, far, greaterThan(w, vec4(8.0)));
  r = mix(r, r - 3.1415926536 / pt_tan(3.1415926536 * f), negative);
  bvec4 pole = bvec4(uvec4(lessThanEqual(x, vec4(0.0))) & uvec4(equal(f, vec4(0.0))));
  pole = bvec4(uvec4(pole) | (uvec4(pt_is_inf(x)) & uvec4(negative)) | uvec4(pt_is_nan(x)));
  return mix(r, vec4(PT_NAN), pole);
}

// The Chebyshev fit of pt_erf. x * x is split into parts whose exponentials are accurate.
vec4 pt_erfc(vec4 x) {
  vec4 a = min(abs(x), vec4(30.0)), t = 1.0 / (1.0 + 0.5 * a);
  vec4 h = uintBitsToFloat(floatBitsToUint(a) & 0xFFFFF000u);
  vec4 far = t * exp(-h * h) * exp((h - a) * (h + a) - 1.26551223 + t * (1.00002368 + t * (0.37409196 + t * (0.09678418 + t * (-0.18628806 + t * (0.27886807 + t * (-1.13520398 + t * (1.48851587 + t * (-0.82215223 + t * 0.17087277)))))))));
  vec4 r = mix(mix(far, 2.0 - far, lessThan(x, vec4(0.0))), 1.0 - pt_erf(x), lessThan(a, vec4(0.5)));
  return mix(r, x, pt_is_nan(x));
}

// Abramowitz & Stegun 9.8.1 and 9.8.2. exp(abs(x)) may overflow where the result does not.
vec4 pt_i0(vec4 x) {
  vec4 a = abs(x), y = a * a / 14.0625, z = 3.75 / max(a, vec4(3.75));
  vec4 near = 1.0 + y * (3.5156229 + y * (3.0899424 + y * (1.2067492 + y * (0.2659732 + y * (0.0360768 + y * 0.0045813)))));
  vec4 far = 0.39894228 + z * (0.01328592 + z * (0.00225319 + z * (-0.00157565 + z * (0.00916281 + z * (-0.02057706 + z * (0.02635537 + z * (-0.01647633 + z * 0.00392377)))))));
  vec4 e = exp(0.5 * a);
  far = mix(e * (far / sqrt(a)) * e, vec4(PT_INF), greaterThan(a, vec4(100.0)));
  return mix(mix(far, near, lessThan(a, vec4(3.75))), x, pt_is_nan(x));
}

// lgamma(x) - ((x - 0.5) * log(x) - x + log(2 * pi) / 2) (https://dlmf.nist.gov/5.11#E1).
vec4 pt_stirling_rest(vec4 x) {
  vec4 q = 1.0 / x, z = q * q;
  vec4 near = pt_lgamma_positive(x) - ((x - 0.5) * pt_log(x) - x + 0.9189385332);
  return mix(near, q * (0.0833333333 - z * (0.0027777778 - z * 0.0007936508)), greaterThan(x, vec4(4.0)));
}

// log(x * (a + b) / a), where x * (a + b) / a is 1 + d / a.
vec4 pt_log_share(vec4 x, vec4 a, vec4 b, vec4 d) {
  return mix(pt_log(x * ((a + b) / a)), pt_log1p(d / a), lessThan(abs(d), 0.5 * a));
}

// The continued fraction of Numerical Recipes (3rd ed., 6.4), on the side where it converges fast.
// Its factor x^a * (1 - x)^b / B(a, b) has logarithms of the size of a, which cancel near its
// largest value, so they are taken relative to that place, x = a / (a + b).
vec4 pt_betainc(vec4 a, vec4 b, vec4 x) {
  vec4 u = 1.0 - x, off = x * b - u * a;
  vec4 l = a * pt_log_share(x, a, b, off) + b * pt_log_share(u, b, a, -off);
  vec4 scale = exp(l + pt_stirling_rest(a + b) - pt_stirling_rest(a) - pt_stirling_rest(b));
  scale *= 0.3989422804 * sqrt(a * (b / (a + b)));
  bvec4 other = greaterThan(x * (a + b + 2.0), a + 1.0);
  vec4 p = mix(a, b, other), q = mix(b, a, other), y = mix(x, 1.0 - x, other);
  vec4 c = vec4(1.0), d = 1.0 / (1.0 - (p + q) * y / (p + 1.0)), h = d;
  for (int k = 1; k <= 64; k++) {
    float n = float(k);
    vec4 e = p + 2.0 * n, s = n * (q - n) * y / ((e - 1.0) * e);
    d = 1.0 / (1.0 + s * d);
    c = 1.0 + s / c;
    h *= d * c;
    s = -(p + n) * (p + q + n) * y / (e * (e + 1.0));
    d = 1.0 / (1.0 + s * d);
    c = 1.0 + s / c;
    h *= d * c;
  }
  vec4 r = scale * h / p;
  r = mix(r, 1.0 - r, other);
  r = mix(r, x, bvec4(uvec4(equal(x, vec4(0.0))) | uvec4(equal(x, vec4(1.0)))));
  bvec4 inside = bvec4(uvec4(greaterThan(a, vec4(0.0))) & uvec4(greaterThan(b, vec4(0.0))) & uvec4(greaterThanEqual(x, vec4(0.0))) & uvec4(lessThanEqual(x, vec4(1.0))));
  return mix(vec4(PT_NAN), r, inside);
}
