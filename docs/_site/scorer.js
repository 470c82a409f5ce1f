// How results of the search are ordered: as Sphinx does, but why something was decided comes after how it is used.

var Scorer = {
  score: ([docname, title, anchor, description, score]) => (docname.startsWith("decisions/") || docname.startsWith("project/") ? score - 100 : score),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
