/** @file Reports scripts of the page that do not load. The build puts it before them. */

// Errors of elements do not bubble.
addEventListener(
  "error",
  ({ target }) => {
    if (!(target instanceof HTMLScriptElement)) return;
    const loading = document.getElementById("loading");
    const notice = document.getElementById("notice");
    const detail = document.getElementById("notice-detail");
    const [label, title, text] = ["loading-text", "notice-title", "notice-text"].map((id) =>
      document.getElementById(id),
    );
    if (!loading || !notice || !detail || !label || !title || !text) return;
    if (loading.dataset.state !== "loading") return;
    loading.dataset.state = "failed";
    label.textContent = "Not running";
    title.textContent = "The page did not load";
    text.textContent =
      "A script of the page, or one that it needs, is missing. Check the connection and reload the page.";
    detail.textContent = `${target.src.split("/").at(-1)}: the script did not load`;
    detail.hidden = notice.hidden = false;
  },
  true,
);
