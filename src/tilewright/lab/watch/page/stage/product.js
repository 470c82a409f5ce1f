// The story of a matrix product, and of a reduced one: what of it the stage needs to know.

STORIES.push({
  rolesOf, beatsOf, stopsOf, toldOf, usesOf,
  Scene, Score,
  tell: tellBeat,
  begin: (texts, block, { places: { placed } }) => (placed < THREADS ? texts.beginLine(counted(THREADS), block, counted(placed)) : texts.begin(THREADS, block, PAIR > 1)),
  tellPage: tellProductPage,
  draw: drawProductPage,
  flights: (page, scene) => (page.kind === "blocks" ? flightsToBlocks(scene) : []),
  covers: (page) => (page.kind === "tiles" ? "tiles" : page.kind in MORE ? "more" : null),
  says: (texts) => texts,
  // A number of a tile is due in the phase in which it was put there.
  made: ({ phase }) => phase,
  due: ({ kind, phase }) => (kind === "add" ? phase : null),
  sumsOf: elementsOfThreads,
  ends: (texts) => [texts.before, texts.after],
  last: "done",
});

function tellProductPage(page, { texts, roles, planned }, replay, picked, answer) {
  const { rows, columns } = roles.places;
  switch (page.kind) {
    case "reads": return tellReads(page.which, texts, roles);
    case "blocks": return texts.blocks(GRID[0] * GRID[1], rows, columns);
    case "done": return texts.done(planned[picked].loads, planned[picked].other, columns, rows);
    case "tiles": return texts.tiles(LESSON.tiles.side);
    case "loads": case "barrier": return tellQuestion(page, picked, texts, planned[picked], replay.phases, answer);
  }
  return tellMore(page, replay, picked, texts, roles);
}

// Draws what a page shows in place of the run; false if the run stays.
function drawProductPage(page, stage, replay, picked) {
  if (page.kind in MORE) MORE[page.kind](byId("more"), replay, picked, stage.texts, stage.roles);
  if (page.kind === "tiles") (stage.tileChoice ??= new TileChoice(byId("tiles"))).show(stage.texts);
  if (page.kind === "reads") showReads(stage.scene, replay, page.which, stage.texts);
  else if (page.kind === "blocks") showAllBlocks(stage.scene, replay);
  else return false;
  return true;
}
