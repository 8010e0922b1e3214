import py_tensor as pt

# The same seed gives the same picture on every device.
pt.random.seed(11)
noise = pt.random.uniform((1, 240, 320, 1))
pt.show(noise[0], "noise")

# Clouds: noise smoothed by convolutions of several sizes.
clouds = pt.zeros((1, 240, 320, 1))
for size, weight in ((3, 0.15), (9, 0.3), (25, 0.55)):
    column = pt.full((size, 1, 1, 1), 1 / size)
    row = pt.full((1, size, 1, 1), 1 / size)
    smooth = pt.conv2d(noise, column, padding="same")
    smooth = pt.conv2d(smooth, row, padding="same")
    smooth = (smooth - pt.mean(smooth)) / pt.std(smooth)
    clouds = clouds + smooth * weight

sky = pt.asarray([0.23, 0.48, 0.82])
cover = pt.sigmoid(clouds[0] * 3)
pt.show(sky * (1 - cover) + cover, "clouds")
