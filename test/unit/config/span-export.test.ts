import { expect, test } from "vitest";
import { inspectConfig } from "../../../src/config/load-config.ts";
import { secretsOf } from "../../../src/config/secrets.ts";

const endpoint = "http://collector:4318";

async function read(more: Record<string, string>) {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...more };
  const { faults, config } = await inspectConfig(env, "/nowhere");
  return { faults, config, spanExport: config?.spanExport };
}

test("spans are sent where an endpoint is named, and of every transaction", async () => {
  expect((await read({})).spanExport).toEqual({
    url: `${endpoint}/v1/traces`,
    headers: {},
    serviceName: "chainbell",
    ratio: 1,
  });
  expect((await read({ OTEL_EXPORTER_OTLP_ENDPOINT: "" })).spanExport).toBeNull();
});

test.each([
  ["always_on", 1],
  ["parentbased_always_on", 1],
  ["traceidratio", 0.25],
  ["parentbased_traceidratio", 0.25],
])("%s keeps this share of them: %d", async (name, ratio) => {
  const sampler = { OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: "0.25" };
  expect((await read(sampler)).spanExport).toMatchObject({ ratio });
});

test.each([
  ["always_off", "1"],
  ["parentbased_always_off", "1"],
  ["traceidratio", "0"],
])("%s with %s turns them off", async (name, share) => {
  const sampler = { OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: share };
  expect((await read(sampler)).spanExport).toBeNull();
});

test("headers are decoded, and every part of them is a secret", async () => {
  const headers = "authorization=Bearer%20s3cret-token,x-scope = tenant-17";
  const { config } = await read({ OTEL_EXPORTER_OTLP_HEADERS: headers });
  expect(config?.spanExport?.headers).toEqual({
    authorization: "Bearer s3cret-token",
    "x-scope": "tenant-17",
  });
  if (config === null) throw new Error("it was refused");
  expect(secretsOf(config)).toEqual(
    expect.arrayContaining(["Bearer s3cret-token", "s3cret-token", "tenant-17"]),
  );
});

test.each([
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "s3cret"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "a=s3cret%0d%0ab"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "a=%s3cret"],
  ["OTEL_TRACES_SAMPLER", "jaeger_remote"],
  ["OTEL_TRACES_SAMPLER_ARG", "2"],
  ["OTEL_TRACES_SAMPLER_ARG", "half"],
])("%s is refused where it says %s, without repeating it", async (name, value) => {
  const { faults } = await read({ [name]: value });
  expect(faults.map(({ path }) => path)).toEqual([name]);
  expect(JSON.stringify(faults)).not.toContain("s3cret");
});
