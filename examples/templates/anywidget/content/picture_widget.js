function render({ model, el }) {
  const canvas = document.createElement("canvas");
  const slider = Object.assign(document.createElement("input"), {
    type: "range",
    min: 5,
    max: 100,
  });
  const text = document.createElement("p");
  slider.ariaLabel = "Waves";
  slider.value = model.get("value");
  slider.oninput = () => {
    model.set("value", slider.valueAsNumber);
    model.save_changes();
  };

  function show() {
    const { width, height, pixels, text: line } = model.get("frame");
    if (!pixels) return; // The first picture is not computed yet.
    const image = new ImageData(width, height);
    const rgba = new Uint32Array(image.data.buffer);
    for (let i = 0; i < rgba.length; i++) rgba[i] = 0xff000000 | (pixels.getUint8(i) * 0x010101);
    Object.assign(canvas, { width, height });
    canvas.getContext("2d").putImageData(image, 0, 0);
    text.textContent = line;
  }

  model.on("change:frame", show);
  show();
  el.append(canvas, document.createElement("br"), slider, text);
}

export default { render };
