"""How a report looks: light or dark as the reader's machine is, and black on white in print.

Lesson 24 uses it.
"""

from __future__ import annotations

STYLE = """\
:root{color-scheme:light dark;--paper:#ffffff;--ink:#1a1a1a;--soft:#5c5c5c;--edge:#c9c9c9;--wash:#f3f5f7;
--c0:#0072b2;--c1:#d55e00;--c2:#007a59;--c3:#a8467f;--c4:#1a1a1a;--c5:#332288;--c6:#7a6a00}
@media (prefers-color-scheme:dark){:root{--paper:#16181b;--ink:#ececec;--soft:#a9adb3;--edge:#4a4f55;--wash:#22262b;
--c0:#56b4e9;--c1:#ff9d4d;--c2:#3ccfa4;--c3:#e79cc4;--c4:#ececec;--c5:#b3a6ff;--c6:#e2d04a}}
@media print{:root{--paper:#ffffff;--ink:#000000;--soft:#333333;--edge:#999999;--wash:#ffffff;
--c0:#0072b2;--c1:#b84a00;--c2:#007a59;--c3:#a8467f;--c4:#000000;--c5:#332288;--c6:#6b5c00}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:900px;padding:24px 20px 60px;background:var(--paper);color:var(--ink);
font:16px/1.55 system-ui,-apple-system,"Segoe UI","Noto Sans","Noto Sans CJK SC",sans-serif}
h1{font-size:1.5rem;margin:0 0 .3rem}h2{font-size:1.15rem;margin:2.2rem 0 .5rem;border-bottom:1px solid var(--edge)}
h3{font-size:1rem;margin:1.2rem 0 .3rem}
p{margin:.4rem 0 .7rem}.soft,figcaption,caption{color:var(--soft);font-size:.88rem}
.advice{background:var(--wash);border:1px solid var(--edge);border-left:6px solid var(--c0);border-radius:6px;
padding:.8rem 1rem;font-size:1.08rem}.open{border-left-color:var(--c1)}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.8rem;width:100%}
caption{text-align:left;padding:.2rem 0}th,td{padding:.22rem .34rem;border-bottom:1px solid var(--edge);
text-align:right;vertical-align:top}th{color:var(--soft);font-weight:600}th:first-child,td:first-child,.words{text-align:left}
td:first-child{white-space:nowrap}
tr.chosen td{background:var(--wash);font-weight:600}
pre.code{white-space:pre-wrap;overflow-wrap:anywhere}
pre.code{background:var(--wash);border:1px solid var(--edge);border-radius:6px;padding:.7rem .9rem;
font:.84rem/1.5 ui-monospace,"Cascadia Mono",Menlo,Consolas,monospace}
figure{margin:.6rem 0}svg{display:block;width:100%;height:auto}
svg text{fill:var(--ink);font-size:12px}.grid{stroke:var(--edge);stroke-width:.6}.axis{stroke:var(--soft)}
.line{fill:none;stroke-width:2}.thin{stroke-width:1;opacity:.55}.bar{fill:var(--c0)}
.line.c0{stroke:var(--c0)}.line.c1{stroke:var(--c1)}.line.c2{stroke:var(--c2)}.line.c3{stroke:var(--c3)}
.line.c4{stroke:var(--c4)}.line.c5{stroke:var(--c5)}.line.c6{stroke:var(--c6)}.line.quiet{stroke:var(--soft)}
.dot.c0{fill:var(--c0)}.dot.c1{fill:var(--c1)}.dot.c2{fill:var(--c2)}.dot.c3{fill:var(--c3)}.dot.c4{fill:var(--c4)}
.dot.c5{fill:var(--c5)}.dot.c6{fill:var(--c6)}.dot.quiet{fill:var(--soft)}
details{margin:.5rem 0}summary{cursor:pointer}
.card{border:1px solid var(--edge);border-radius:6px;padding:.5rem .8rem;margin:.6rem 0}
@media print{body{max-width:none;padding:0;font-size:11pt}.card,figure,tr{break-inside:avoid}}
"""
"""The style sheet. It names no file and no address."""
