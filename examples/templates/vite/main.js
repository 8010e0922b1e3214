import { loadPicture } from "./python.js";

const [canvas, waves, text] = ["canvas", "waves", "text"].map((id) => document.getElementById(id));

try {
  const picture = await loadPicture((progress) => {
    text.textContent = progress;
  });
  waves.oninput = async () => {
    text.textContent = await picture.show(waves.valueAsNumber, canvas);
  };
  await waves.oninput();
  waves.disabled = false;
} catch (error) {
  text.textContent = error;
  throw error;
}
