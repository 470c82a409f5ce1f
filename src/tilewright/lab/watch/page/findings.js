// What the lab found, each with a way to where it happens.

function placeOfTwo({ line, other_line: other }) {
  const [first, second] = [ownLine(other), ownLine(line)];
  return first[1] === second[1] ? `lines ${first[0]} and ${second[0]}${first[1] ? ` of ${first[1]}` : ""}` : `${lineName(other)} and ${lineName(line)}`;
}

class Findings {
  constructor(node, jump, none = "No race, no access outside of an array, no read of what nobody wrote, no bank conflict.") {
    this.items = [];
    if (TRACE.launch.fault) node.append(make("p", { class: "fault" }, `✕ The launch was stopped: ${TRACE.launch.fault}`));
    if (TRACE.recorded.cut) node.append(make("p", { class: "fault" }, TRACE.recorded.cut));
    if (!TRACE.findings.length) {
      node.append(make("p", {}, none));
    }
    TRACE.findings.forEach((finding) => {
      const isError = finding.severity === "error";
      const item = make("article", { class: `finding ${finding.severity}` });
      const place = finding.other_line && finding.other_line !== finding.line ? placeOfTwo(finding) : finding.line ? lineName(finding.line) : "elsewhere";
      item.append(make("h3", {}, `${isError ? "✕" : "△"} ${finding.kind}, ${place}`));
      item.append(make("p", {}, finding.message), make("p", { class: "advice" }, finding.advice));
      const places = finding.at.filter(([block]) => block < BLOCKS.length);
      // Of a race, first where something is overwritten: that is the harm.
      const isRead = ([block, step]) => finding.kind === "race" && BLOCKS[block].steps[step].kind === "load";
      places.sort((one, other) => isRead(one) - isRead(other));
      if (places.length) {
        const button = make("button", { type: "button" }, `Show where (${plural(places.length, "step")})`);
        let next = 0;
        button.addEventListener("click", () => {
          const [block, step, lanes] = places[next++ % places.length];
          jump(block, step + 1, 32 * BLOCKS[block].steps[step].warp + lanes[0]);
        });
        item.append(button);
      }
      this.items.push(item);
      node.append(item);
    });
  }

  show(replay) {
    const marks = MARKS[replay.number].get(replay.at - 1) ?? [];
    const now = new Set(marks.map((mark) => mark.number));
    this.items.forEach((item, number) => item.classList.toggle("now", now.has(number)));
    const errors = marks.filter((mark) => mark.finding.severity === "error");
    const alarm = byId("alarm");
    alarm.hidden = errors.length === 0;
    setText(alarm, errors.length ? `✕ ${errors[0].finding.kind}: ${errors[0].finding.message}` : "");
  }
}
