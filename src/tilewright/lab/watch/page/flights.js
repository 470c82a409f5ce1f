// Numbers on their way: from global memory to the thread, from the thread to shared memory, and back to its registers.

const CALM = matchMedia("(prefers-reduced-motion: reduce)");
const MOST_FLIGHTS = 64;
const FASTEST = 8;

function fly(replay, grids, threads, stepsPerSecond) {
  const step = replay.step;
  if (CALM.matches || stepsPerSecond > FASTEST || !step || step.array < 0 || !(step.kind === "load" || step.kind === "store")) return;
  const grid = grids[step.array];
  const layer = byId("flights");
  step.threads.slice(0, MOST_FLIGHTS).forEach((number, place) => {
    const cell = grid.cells[step.elements[place]];
    const button = threads.buttons[number];
    if (!cell || !button) return;
    const [from, to] = step.kind === "load" ? [cell, button] : [button, cell];
    const [start, end] = [from.getBoundingClientRect(), to.getBoundingClientRect()];
    if (!isInSight(start) || !isInSight(end)) return;
    const token = make("span", { class: `token of-${grid.hue()}` }, short(step.values[place]?.[0]));
    layer.append(token);
    const at = (box) => `translate(${box.left + box.width / 2}px, ${box.top + box.height / 2}px) translate(-50%, -50%)`;
    const flight = token.animate([{ transform: at(start) }, { transform: at(end) }], {
      duration: Math.min(600, 800 / stepsPerSecond), easing: "ease-in-out" });
    flight.onfinish = () => token.remove();
    flight.oncancel = () => token.remove();
  });
}

const isInSight = (box) => box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
