import { expect, onTestFinished, test } from "vitest";
import { derivedId } from "../../../src/domain/derived-id.ts";
import { idAt } from "../../../src/domain/id.ts";
import { type Span, spanId } from "../../../src/domain/spans.ts";
import { openPipeline } from "../../../src/telemetry/open-pipeline.ts";
import { startCollector } from "../../support/telemetry/collector.ts";

/** A collector, and a pipeline to it with what it says of dropped spans. */
async function pipelineWith(ratio: number) {
  const collector = await startCollector();
  onTestFinished(() => collector.stop());
  const dropped: { spans: number; why: string }[] = [];
  const pipeline = openPipeline({
    url: `${collector.endpoint}/v1/traces`,
    headers: { "x-scope": "a b" },
    ratio,

    serviceName: "test",
    version: "0.0.0",
    onDropped: (spans, error) => dropped.push({ spans, why: String(error) }),
    onWarning: () => {},
  });
  return { collector, pipeline, dropped };
}

const startMs = Date.UTC(2026, 0, 1);

const spanOf = (subjectId: string): Span => ({
  subjectId,
  name: "webhook.attempt",
  id: spanId("webhook.attempt", subjectId),

  parentId: "00000000000000aa",
  startMs,
  endMs: startMs + 25,

  attributes: { "chainbell.attempt": 2 },
  failure: "status 500",
});

test("a span arrives with the trace of its transaction, its own id, its parent, its times and its failure", async () => {
  const { collector, pipeline, dropped } = await pipelineWith(1);
  const subjectId = idAt(startMs);
  pipeline.report(spanOf(subjectId));
  // The clock was set back meanwhile.
  pipeline.report({ ...spanOf(subjectId), parentId: null, endMs: startMs - 1, failure: null });
  await pipeline.close();
  const [request] = collector.requests;
  expect([request?.path, request?.headers["x-scope"]]).toEqual(["/v1/traces", "a b"]);
  const both = {
    service: "test",
    name: "webhook.attempt",
    attributes: { "chainbell.attempt": 2 },

    traceId: subjectId.replaceAll("-", ""),
    id: spanId("webhook.attempt", subjectId),
    startMs,
  };
  expect(collector.spans()).toMatchObject([
    { ...both, endMs: startMs + 25, status: { code: 2 }, parentId: "00000000000000aa" },
    { ...both, endMs: startMs, status: { code: 0 }, parentId: null },
  ]);
  expect(dropped).toEqual([]);
});

test("the share of transactions is that of their ids, and the same in every process", async () => {
  const [one, other] = [await pipelineWith(0.25), await pipelineWith(0.25)];
  // As in a ledger: those of a few blocks begin alike.
  const ids = Array.from({ length: 4_000 }, (_, index) =>
    derivedId({ timeMs: startMs + (index % 7), ordinal: index % 50 }, "key", [index]),
  );
  const kept = ids.filter(one.pipeline.areKept);
  expect(kept.length / ids.length).toBeGreaterThan(0.2);
  expect(kept.length / ids.length).toBeLessThan(0.3);
  expect(ids.filter(other.pipeline.areKept)).toEqual(kept);
  for (const { pipeline } of [one, other]) await pipeline.close();
});

test("what a collector refuses, and what there is no room for, is dropped and counted", async () => {
  const { collector, pipeline, dropped } = await pipelineWith(1);
  collector.answerAlways({ kind: "status", status: 400, body: "no" });
  const count = 3_000;
  for (let index = 0; index < count; index += 1) pipeline.report(spanOf(idAt(startMs, index)));
  await pipeline.close();
  const sum = dropped.reduce((total, { spans }) => total + spans, 0);
  expect(sum).toBe(count);
  // 2,048 wait at most; none of the others was sent anywhere.
  expect(dropped.filter(({ why }) => why.includes("2048"))).toHaveLength(count - 2_048);
  expect(collector.spans()).toHaveLength(2_048);
});
