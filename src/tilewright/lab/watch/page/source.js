// The kernel's source; the lines where threads are, and the one that executes.

class Source {
  constructor(node) {
    this.node = node;
    this.lines = [];
    let isComment = false;
    TRACE.kernel.source.replace(/\n$/, "").split("\n").forEach((text, index) => {
      const isRemark = isComment || text.trim().startsWith("//") || text.trim().startsWith("/*");
      isComment = isRemark && (isComment || text.includes("/*")) && !text.includes("*/");
      const code = make("code", { class: isRemark ? "remark" : null }, text || " ");
      const badge = make("span", { class: "badge" });
      const line = make("li", { value: String(index + 1) }, make("span", { class: "number", "aria-hidden": "true" }, String(index + 1)), code, badge);
      this.lines.push(line);
      node.append(line);
    });
    for (const finding of TRACE.findings) {
      for (const line of [finding.line, finding.other_line]) {
        this.lines[line - 1]?.classList.add(finding.severity === "error" ? "faulty" : "noted");
      }
    }
    this.lit = [];
  }

  show(replay) {
    for (const line of this.lit) {
      line.classList.remove("executing", "occupied");
      line.removeAttribute("aria-current");
      line.lastChild.textContent = "";
    }
    const counts = new Map();
    for (const thread of replay.threads) {
      if (thread.line !== null && thread.status !== "done") counts.set(thread.line, (counts.get(thread.line) ?? 0) + 1);
    }
    this.lit = [];
    for (const [number, count] of counts) {
      const line = this.lines[number - 1];
      if (!line) continue;
      line.classList.add("occupied");
      line.lastChild.textContent = plural(count, "thread");
      this.lit.push(line);
    }
    const current = this.lines[(replay.step?.line ?? 0) - 1];
    if (!current) return;
    current.classList.add("executing");
    current.setAttribute("aria-current", "step");
    if (!this.lit.includes(current)) this.lit.push(current);
    const box = this.node.parentElement;
    const top = current.offsetTop;
    if (top < box.scrollTop + 20 || top > box.scrollTop + box.clientHeight - 60) box.scrollTop = top - box.clientHeight / 2;
  }
}
