// The choice of colours, for this page and the animation in it; and which section is read.
const root = document.documentElement;
const frame = document.getElementById("watch");
const frameText = frame.srcdoc;
document.getElementById("theme").addEventListener("change", (event) => {
  root.dataset.theme = event.target.value;
  frame.srcdoc = frameText.replace('data-theme="auto"', `data-theme="${event.target.value}"`);
});

const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    for (const [name, link] of links) {
      if (name === entry.target.id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }
}, { rootMargin: "-20% 0px -70% 0px" });
for (const section of document.querySelectorAll("main > section")) seen.observe(section);
root.dataset.ready = "yes";
