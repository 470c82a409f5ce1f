// What axe-core asks for and the theme leaves out: levels of the contents' headings, names of both drawers, keys for code
// that scrolls, and a heading of the page of search.
for (const caption of document.querySelectorAll(".caption[role=heading]")) caption.setAttribute("aria-level", "2");
document.querySelector(".sidebar-drawer")?.setAttribute("aria-label", "Pages");
document.querySelector(".toc-drawer")?.setAttribute("aria-label", "On this page");
for (const code of document.querySelectorAll(".highlight pre")) if (code.scrollWidth > code.clientWidth) code.tabIndex = 0;
if (!document.querySelector("h1")) {
  const title = Object.assign(document.createElement("h1"), { textContent: document.title.split(" - ")[0] });
  document.querySelector("article")?.prepend(title);
}
