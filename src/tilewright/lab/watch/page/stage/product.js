// The story of a matrix product, and of a reduced one: what of it the stage needs to know.

const PRODUCT = {
  rolesOf, beatsOf, stopsOf, toldOf, usesOf,
  Scene, Score,
  tell: tellBeat,
  ends: (texts) => [texts.before, texts.after],
  last: "done",
};
const STORIES = [PRODUCT];
