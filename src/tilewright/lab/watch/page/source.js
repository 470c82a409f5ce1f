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
      // A line that is too long goes on below, further in.
      const inset = text.length - text.trimStart().length + 4;
      code.style.cssText = `--inset: ${inset - 4}`;
      const badge = make("span", { class: "badge" });
      const line = make("li", { value: String(index + 1) }, make("span", { class: "number", "aria-hidden": "true" }, String(ownLine(index + 1)[0])), code, badge);
      if (ownLine(index + 2)[0] === 1 && ownLine(index + 2)[1]) line.classList.add("header");
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
    const occupied = replay.occupied();
    this.lit = [];
    for (const [number, text] of occupied) {
      const line = this.lines[number - 1];
      if (!line) continue;
      line.classList.add("occupied");
      line.lastChild.textContent = text;
      this.lit.push(line);
    }
    const current = this.lines[(replay.step?.line ?? 0) - 1];
    if (!current) {
      const next = occupied.size ? Math.min(...occupied.keys()) : replay.steps[0]?.line;
      if (next) this.reveal(next - 1);
      return;
    }
    current.classList.add("executing");
    current.setAttribute("aria-current", "step");
    if (!this.lit.includes(current)) this.lit.push(current);
    this.reveal(replay.step.line - 1);
  }

  // Where lines are has changed.
  measureAgain() {
    this.tops = undefined;
  }

  // Asking the browser where it has scrolled to would make it lay out the whole page at once: it is remembered instead.
  reveal(index) {
    const box = this.node.parentElement;
    if (this.tops === undefined) {
      // Long lines are broken: each has a height of its own.
      this.tops = this.lines.map((line) => line.offsetTop - this.node.offsetTop);
      this.height = this.node.offsetHeight / this.lines.length;
      this.view = box.clientHeight;
      this.top = box.scrollTop;
      if (!this.isWired) {
        box.addEventListener("scroll", () => { this.top = box.scrollTop; }, { passive: true });
        addEventListener("resize", () => this.measureAgain());
        this.isWired = true;
      }
    }
    const top = this.tops[index];
    if (top >= this.top + this.height && top <= this.top + this.view - 3 * this.height) return;
    this.top = Math.max(0, top - this.view / 2);
    requestAnimationFrame(() => { box.scrollTop = this.top; });
  }
}
