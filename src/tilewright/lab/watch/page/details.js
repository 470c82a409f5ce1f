// The details below the stage: while nobody sees them they wait until a step is over, since a frame has 16 ms.

const QUIET_MS = 120;

class Details {
  constructor(node, show) {
    Object.assign(this, { node, show, isInSight: true, timer: null });
  }

  // Without a stage above them they are what the page shows first, and always in sight.
  watch() {
    this.isInSight = false;
    const seen = ([entry]) => {
      this.isInSight = entry.isIntersecting;
      if (this.isInSight && this.timer !== null) this.showNow();
    };
    // The stage ends within a pixel of the window: what peeps in by less than a line is not in sight.
    new IntersectionObserver(seen, { rootMargin: "0px 0px -20px 0px" }).observe(this.node);
  }

  showLater() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.showNow(), QUIET_MS);
    document.documentElement.dataset.details = "behind";
  }

  showNow() {
    clearTimeout(this.timer);
    this.timer = null;
    this.show();
    delete document.documentElement.dataset.details;
  }
}
