// What the page of a pipeline says, in both languages. Sentences about its events come with the recording, in English.

Object.assign(TEXTS.en.page, {
  warp: "Lane", hierarchy: "Warps, block, grid",
  arriving: "on its way", held: "in stage 1", multiplied: "being multiplied", summed: "being summed in registers", stored: "stored",
  ofStages: "of the block: stages, each with its barriers",
  who: "Who does what", order: "a column is an event, in the order of the emulator: how long it takes on a GPU is not to be seen here",
  waitsAtBarrier: "waits at a barrier", copy: "a copy under way", copyOfOther: "a copy that another block asked for", multiplies: "wgmma under way", stores: "stores",
  asks: "asks for a copy", announces: "announces bytes", passes: "need not wait", arrives: "arrives at a barrier",
  keys: "Keys: Space plays, ← → step by event, ↑ ↓ by source line, Shift with ← → to where a stage is full, Home and End. Recorded from the kernel as it ran on the emulator: the order of events is one that a GPU could take, too, and no time is measured.",
});

TEXTS.en.pipeline = {
  position: (at, steps, filled) => `event ${at} of ${steps}, ${plural(filled, "stage", "stages")} filled`,
  begin: (block) => `${capital(block)} has not begun. Every barrier will be in its phase 0.`,
  none: "No access outside of an array, and no read of what nobody wrote. Races are not looked for where mbarriers order the accesses.",
  lanes: {},
  stage: (number) => `Stage ${number} `,
  states: { empty: "empty", arriving: "arriving", full: "full", read: "being multiplied" },
  ofBytes: (arrived, asked) => `${arrived} of ${asked} bytes`, bytes: (count) => `${count} bytes`, anyBytes: "bytes",
  wait: (names) => `❚❚ ${names.join(" and ")} ${names.length > 1 ? "wait" : "waits"}`,
  barrierName: (name) => name, uninitialised: "not initialised yet",
  barrier: (phase, arrived, expected) => `phase ${phase}, parity ${phase % 2}: ${arrived} of ${expected} arrivals`,
  toCome: (bytes) => `, ${bytes} bytes to come`, early: (bytes) => `, ${bytes} bytes came before they were announced`,
  region: ([top, bottom, left, right]) => `rows ${top} to ${bottom - 1}, columns ${left} to ${right - 1}`,
  looks: { arriving: "on their way", storing: "being stored", stored: "stored", summed: "being summed", multiplied: "being multiplied" },
  held: (tile, stage) => `${tile} in stage ${stage}`, still: (name) => `${name}: nothing of it is on its way`,
  cluster: "cluster", alone: "none", clusterIs: (size) => `${size} blocks, which reach each other's shared memory`,
  gridIs: (blocks, size) => `${blocks} (${size})`, blockIs: (threads, size, bytes) => `${threads} (${size}), ${bytes} bytes of shared memory`,
  tensor: "tensor cores", tensorIs: (instructions, operations) => `${instructions} instructions of warps, ${operations} operations`, unused: "not used",
};

Object.assign(TEXTS.de.page, {
  warp: "Spur", hierarchy: "Warps, Block, Grid",
  arriving: "unterwegs", held: "in Stufe 1", multiplied: "wird multipliziert", summed: "wird in Registern summiert", stored: "geschrieben",
  ofStages: "des Blocks: Stufen, jede mit ihren Barrieren",
  who: "Wer tut was", order: "eine Spalte ist ein Ereignis, in der Reihenfolge des Emulators: wie lange es auf einer GPU dauert, ist hier nicht zu sehen",
  waitsAtBarrier: "wartet an einer Barriere", copy: "eine laufende Kopie", copyOfOther: "eine Kopie, die ein anderer Block angefordert hat", multiplies: "laufendes wgmma", stores: "schreibt",
  asks: "fordert eine Kopie an", announces: "kündigt Bytes an", passes: "muss nicht warten", arrives: "meldet sich an einer Barriere",
  keys: "Tasten: Leertaste spielt ab, ← → gehen ein Ereignis, ↑ ↓ eine Quelltextzeile, Umschalt mit ← → dorthin, wo eine Stufe voll ist, Pos1 und Ende an den Anfang und ans Ende. Aufgezeichnet beim Lauf des Kernels auf dem Emulator: auch eine GPU könnte die Ereignisse so ordnen; Zeit wird nicht gemessen.",
});

TEXTS.de.pipeline = {
  position: (at, steps, filled) => `Ereignis ${at} von ${steps}, ${plural(filled, "Stufe", "Stufen")} gefüllt`,
  begin: (block) => `${block} hat noch nicht begonnen. Jede Barriere wird in ihrer Phase 0 sein.`,
  none: "Kein Zugriff außerhalb eines Arrays, kein Lesen von nie Geschriebenem. Nach Races wird nicht gesucht, wo mbarriers die Zugriffe ordnen.",
  lanes: { producer: "Produzent", "copy engine": "Kopiereinheit", consumer: "Konsument", warp: "Warp", "other blocks": "andere Blöcke" },
  stage: (number) => `Stufe ${number} `,
  states: { empty: "leer", arriving: "wird geladen", full: "voll", read: "wird multipliziert" },
  ofBytes: (arrived, asked) => `${arrived} von ${asked} Bytes`, bytes: (count) => `${count} Bytes`, anyBytes: "Bytes",
  wait: (names) => `❚❚ ${names.join(" und ")} ${names.length > 1 ? "warten" : "wartet"}`,
  barrierName: (name) => name.replace("the barrier at byte", "Barriere bei Byte"), uninitialised: "noch nicht initialisiert",
  barrier: (phase, arrived, expected) => `Phase ${phase}, Parität ${phase % 2}: ${arrived} von ${expected} Ankünften`,
  toCome: (bytes) => `, ${bytes} Bytes stehen aus`, early: (bytes) => `, ${bytes} Bytes kamen, ehe sie angekündigt waren`,
  region: ([top, bottom, left, right]) => `Zeilen ${top} bis ${bottom - 1}, Spalten ${left} bis ${right - 1}`,
  looks: { arriving: "unterwegs", storing: "werden geschrieben", stored: "geschrieben", summed: "werden summiert", multiplied: "werden multipliziert" },
  held: (tile, stage) => `${tile} in Stufe ${stage}`, still: (name) => `${name}: nichts davon ist unterwegs`,
  cluster: "Cluster", alone: "keiner", clusterIs: (size) => `${size} Blöcke, die auf das Shared Memory der anderen zugreifen`,
  gridIs: (blocks, size) => `${blocks} (${size})`, blockIs: (threads, size, bytes) => `${threads} (${size}), ${bytes} Bytes Shared Memory`,
  tensor: "Tensor-Kerne", tensorIs: (instructions, operations) => `${instructions} Warp-Befehle, ${operations} Rechenoperationen`, unused: "nicht benutzt",
};
