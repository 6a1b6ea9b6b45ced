/** A row of bars: what it is, and a bar for each value. */
export type Row = { label: string; bars: readonly { value: number; text: string }[] };

const labelWidth = 285;
const barWidth = 380;
const textWidth = 110;
const barHeight = 14;
const rowGap = 12;
const topHeight = 58;

/**
 * Horizontal bars as an SVG image, in the colours of the reader's theme. The nth bar of each row has
 * the nth name of the legend.
 */
export function barsOf(title: string, legend: readonly string[], rows: readonly Row[]): string {
  const most = Math.max(1, ...rows.flatMap(({ bars }) => bars.map(({ value }) => value)));
  const rowHeight = legend.length * (barHeight + 2) + rowGap;
  const width = labelWidth + barWidth + textWidth;
  const height = topHeight + rows.length * rowHeight;
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    style,
    `<text class="title" x="0" y="16">${escaped(title)}</text>`,
    ...legend.map((name, nth) => legendOf(name, nth)),
  ];
  rows.forEach(({ label, bars }, row) => {
    const top = topHeight + row * rowHeight;
    const middle = top + (rowHeight - rowGap) / 2 + 4;
    lines.push(`<text x="${labelWidth - 10}" y="${middle}" class="end">${escaped(label)}</text>`);
    bars.forEach(({ value, text }, nth) => {
      const y = top + nth * (barHeight + 2);
      const long = Math.max(value > 0 ? 2 : 0, Math.round((value / most) * barWidth));
      const after = labelWidth + long + 6;
      lines.push(
        `<rect class="of${nth}" x="${labelWidth}" y="${y}" width="${long}" height="${barHeight}"/>`,
        `<text class="value" x="${after}" y="${y + 11}">${escaped(text)}</text>`,
      );
    });
  });
  return `${lines.join("\n")}\n</svg>\n`;
}

function legendOf(name: string, nth: number): string {
  const x = labelWidth + nth * 130;
  return (
    `<rect class="of${nth}" x="${x}" y="30" width="12" height="12"/>` +
    `<text x="${x + 18}" y="40">${escaped(name)}</text>`
  );
}

const style = `<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328; }
.title { font-weight: 600; font-size: 15px; }
.end { text-anchor: end; }
.value { fill: #59636e; font-size: 12px; }
.of0 { fill: #5b4fd8; } .of1 { fill: #a39bf0; } .of2 { fill: #c9772c; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; } .value { fill: #9198a1; }
  .of0 { fill: #8b80f9; } .of1 { fill: #5a51b8; } .of2 { fill: #e0a05c; }
}
</style>`;

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
