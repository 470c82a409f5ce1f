"""What the number of a block's threads is called in comments, and which numbers a comment allows."""

from __future__ import annotations

import re
from collections.abc import Iterator

SIZE_OF_BLOCK = (
    r"\bblockDim(?:\s*\.\s*x)?\b|\b(?:thread[- _]?)?block[- _]?(?:size|dim)\w*|\bsize\s+of\s+(?:the\s+|a\s+)?block\b"
    r"|\bthreads?\s+(?:per|in\s+(?:a|each|the))\s+block\b|\bnumber\s+of\s+threads\b"
    r"|\bblock(?:gr[öo](?:ß|ss)e|breite)|\b(?:threads|f[äa]e?den)\s+(?:pro|je|im)\s+block\b|\b(?:anzahl|zahl)\s+der\s+threads\b"
    r"|\btaille\s+(?:du|des?|d'un)\s+blocs?\b|\b(?:threads|fils)\s+(?:par|dans\s+un|d'un)\s+bloc\b|\bnombre\s+de\s+(?:threads|fils)\b"
    r"|\btama[ñn]o\s+del?\s+bloque\b|\b(?:hilos|threads)\s+por\s+blo(?:que|co)\b|\bn[úu]mero\s+de\s+(?:hilos|threads)\b"
    r"|\btamanho\s+d[oe]\s+bloco\b|\bdimensione\s+del\s+blocco\b|\bthread\s+per\s+blocco\b"
    r"|\brozmiar\w*\s+bloku\b|\bwątk\w+\s+(?:w|na)\s+blok\w*|\bliczba\s+wątków\b"
    r"|\bvelikost\s+bloku\b|\bvláken\s+(?:v|na)\s+blo\w+|\bpočet\s+vláken\b"
    r"|\bblokgrootte\b|\bblo(?:kstørrelse|ckstorlek\w*)\b|\b(?:threads|draden|tr[åa]de?r)\s+pe?r\.?\s+blo(?:k|ck)\b"
    r"|\bblo[ck]k\w*\s+mérete\b|\bszálak\s+száma\b|\blohkon\s+koko\b|\bsäikeiden\s+määrä\b|\bukuran\s+blok\b"
    r"|\bblok\s+boyutu\b|\bk[íi]ch\s+thước\s+khối\b|μέγεθος\s+(?:του\s+)?μπλοκ"
    r"|(?:размер\w*|розмір\w*)\s+блок\w*|(?:числ\w*|количеств\w*|кількіст\w*)\s+(?:нит|поток|поточ)\w*"
    r"|(?:нит|поток|поточ)\w*\s+(?:в|на)\s+блок\w*"
    r"|ブロック(?:サイズ|の大きさ|あたりのスレッド)|スレッド数|线程块?大小|块大小|线程数|블록\s*(?:크기|당)|스레드\s*수"
)
"""In the languages of those who wrote in."""
GAP = r"(?:\s|//+|\*)+"
"""Between two words of a comment, which may be in two of its lines."""
MULTIPLES = (
    r"multiples?\s+of|divisible\s+by|divide[sd]?\s+by|evenly\s+by|m[uú]ltiplos?\s+d[eo]|multipl[eiou]s?\s+d[eiu]"
    r"|m[uú]ltiples?\s+d[e']|multip(?:el|lum)\s+a[vf]|vielfaches?\s+von|teilbar\s+durch|veelvoud(?:en)?\s+van|deelbaar\s+door"
    r"|delelig\w*\s+med|delbar\w*\s+med|divisib(?:le|ile|les|ili)\s+p(?:ar|or|er)|divis[ií]ve(?:l|is)\s+por"
    r"|divizibil\w*\s+(?:cu|prin)|wielokrotno\w+|podzieln\w+\s+przez|násobk\w+|dělitel\w+|deliteľn\w+"
    r"|d(?:j|ij)?eljiv\w*\s+(?:sa?|z)|vi[šs]ekratni\w+|ve[čc]kratni\w+|kelipatan(?:\s+dari)?|habis\s+dibagi"
    r"|monikerta|jaollinen|bội\s+số\s+của|chia\s+hết\s+cho|πολλαπλάσι\w+\s+του|διαιρ\w+\s+(?:με|από)\s+το|jagu\w+|kartotin\w+"
    r"|\u0645\u0636\u0631\u0628\w*|\u05db\u05e4\u05d5\u05dc\w+\s+\u05e9\u05dc|dal[aā]s\s+ar|dalijasi\s+iš|gandaan"
    r"|\u043a\u0440\u0430\u0442\u043d\w+|дел[ия]т\w+\s+на|діл[ия]т\w+\s+на|делим\w*\s+на"
).replace(r"\s+", GAP)
"""A multiple of the number behind it, in as many."""
_SAID = re.compile(
    rf"(?P<block>{SIZE_OF_BLOCK})(?P<between>[^.;]{{0,60}}?)"
    rf"(?:(?:{MULTIPLES})\s*[(`]?(?P<before>32|64|warp\s?size)\b|\b(?P<behind>32|64)\s*-?\s*(?:の倍数|의\s*배수|的倍数"
    r"|\w*\s*kat[i\u0131]\b|\w*\s*többszörös))(?P<rest>[^.;]{0,60})",
    re.IGNORECASE,
)
_ANY = re.compile(
    rf"(?:\bany|\barbitrary|\bbeliebig\w*|\bcualquier|\bqualquer|\bquelconque|\bn'importe\s+quel\w*|\bqualsiasi|\bdowoln\w+"
    rf"|\blibovoln\w+|\bwillekeurige|\btetszőleges|\bsembarang|\bherhangi\s+bir|любо\w+|довільн\w+|任意の?)\s+(?:{SIZE_OF_BLOCK})"
    rf"|(?:{SIZE_OF_BLOCK})\s*(?:[-:=\u2013\u2014]|is|can\s+be|may\s+be|darf|est|ist|es|é|è|jest|je)?\s*"
    r"(?:arbitrary|any\b(?!\s+(?:power|multiple))|beliebig|quelconque|cualquiera|qualquer|qualsiasi|dowoln\w+|libovoln\w+|willekeurig|tetszőleges"
    r"|любо\w+|довільн\w+|任意)(?!\s+(?:степен|ступен))",
    re.IGNORECASE,
)
_NAMED = re.compile(r"<<<[^<>]*?,\s*([A-Za-z_]\w*)\s*(?:,[^<>]*)?>>>")
"""What a launch in a comment calls a block's threads."""
POWER = re.compile(
    r"power|potenci|potênci|zweierpotenz|potenz|puissance|potęg|macht|kuvvet|степен|ступен|potens|mocnin|2\s*的|の累乗|거듭제곱|2\^"
    r"|kakkosen\s+potenss|hatvány|pangkat|lũy\s+thừa|δύναμη",
    re.IGNORECASE,
)
"""Words of a comment that may hold a block to powers of two, in as many languages."""
WARP, MOST_THREADS, ODD = 32, 1024, 3
"""A block of three warps is no power of two, and smaller than most that are tried."""


def odd_blocks_said(comments: str) -> Iterator[int]:
    """Yield numbers of threads that comments allow, in words, and that are no powers of two.

    `blockDim.x is a multiple of 32` allows 96, `from 32 to 64` does not, nor does a file that speaks of powers.
    """
    said = " ".join(comments.split())
    for name in set(_NAMED.findall(said)):
        said = re.sub(rf"(?<!<<<)(?<![\w.]){name}(?![\w.])(?=\s+[^\W\d])", "blockDim", said)
    if POWER.search(said):
        return
    for match in _SAID.finditer(said):
        given = match["before"] or match["behind"]
        step = int(given) if given.isdigit() else WARP
        most = max((int(each) for each in re.findall(r"(?<![\w.])\d+\b", match["between"] + match["rest"])), default=0)
        if most <= step or step * ODD <= most:
            yield step * ODD
    if _ANY.search(said):
        yield WARP * ODD
