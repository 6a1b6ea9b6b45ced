import { table } from "./markdown.ts";
import { sampleMetrics } from "./sample-metrics.ts";

const head = `# Metrics

Every metric of Chainbell's own at \`GET /metrics\`, with its labels. This page is made from what that route answers. Do
not edit it here: run \`npm test -- unit/docs -u\`. [Scraping](how-to/scrape-metrics.md) says how Prometheus asks for
them, and [the runbooks](runbooks.md) what to do at each alert.
`;

/** docs/metrics.md, without the metrics that prom-client itself collects of the process. */
export async function metricsPage(): Promise<string> {
  const text = await sampleMetrics();
  const types = new Map(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => [name, type]),
  );
  const rows = [...text.matchAll(/^# HELP (\S+) (.+)$/gm)]
    .filter(([, name = ""]) => !/^chainbell_(?:process|nodejs)_/.test(name))
    .map(([, name = "", help = ""]) => [
      `\`${name}\``,
      types.get(name) ?? "",
      labelsOf(text, name).join(", "),
      help.replaceAll("|", "\\|"),
    ])
    .sort(([one = ""], [other = ""]) => (one < other ? -1 : 1));
  return `${head}\n${table(["metric", "type", "labels", "meaning"], rows)}`;
}

/** The labels of a metric's series, without the bound of a histogram's bucket. */
function labelsOf(text: string, name: string): string[] {
  const series = new RegExp(`^${name}(?:_bucket|_sum|_count)?\\{(.*)\\} \\S+$`, "gm");
  const labels = [...text.matchAll(series)].flatMap(([, list = ""]) =>
    [...list.matchAll(/([a-z_]+)="/g)].map(([, label = ""]) => label),
  );
  return [...new Set(labels)].filter((label) => label !== "le");
}
