import math

import py_tensor as pt
from playground import frames, play

RATE, BLOCK, SIZE = 44_100, 2048, 512
NOTES = (0, 3, 7, 10, 12, 10, 7, 3)  # half-tones above the first note


@pt.kernel(shape=(BLOCK,))
def tone(i, phase, step, age, brightness):
    """Return samples of a note: its frequency is modulated, and it fades with its age."""
    angle, seconds = 2.0 * math.pi * (phase + i * step), age + i / RATE
    loudness = math.exp(-5.0 * seconds) * min(200.0 * seconds, 1.0)
    return 0.4 * loudness * math.sin(angle + brightness * loudness * math.sin(2.0 * angle))


@pt.kernel(shape=(SIZE // 2, SIZE))
def scope(i, j, samples):
    """Draw samples as a line."""
    here, after = samples[2 * j], samples[2 * j + 2]
    level = SIZE / 4 - SIZE / 2 * here
    return math.exp(-abs(i - level) / (1.5 + SIZE / 4 * abs(after - here)))


# The mouse moves the pitch up to the right, and makes the sound brighter at the top.
number, phase, age = 0, 0.0, 0.0
async for frame in frames():
    semitones = NOTES[number % len(NOTES)] + math.floor(24 * frame.x)
    step = 55.0 * 2.0 ** (semitones / 12) / RATE
    samples = tone(phase, step, age, 6.0 * (1.0 - frame.y))
    pt.show(scope(samples)[:, :, None] ** pt.asarray([1.5, 0.5, 0.8]), "Synthesizer")
    # Waits until the sound that was given before has almost ended.
    await play(samples, RATE)
    phase, age = (phase + BLOCK * step) % 1.0, age + BLOCK / RATE
    if age > 0.2:
        number, age = number + 1, 0.0
