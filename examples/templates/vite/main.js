import { loadPicture } from "./python.js";

const [canvas, waves, text] = ["canvas", "waves", "text"].map((id) => document.getElementById(id));

try {
  const picture = await loadPicture();
  waves.oninput = () => {
    text.textContent = picture.show(waves.valueAsNumber, canvas);
  };
  waves.oninput();
  waves.disabled = false;
} catch (error) {
  text.textContent = error;
  throw error;
}
