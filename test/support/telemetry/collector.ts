import { type ReceivedRequest, startReceiver } from "../delivery/receiver.ts";

type Value = { stringValue?: string; intValue?: number | string };
type OtlpAttribute = { key: string; value: Value };
type OtlpSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: OtlpAttribute[];
  status: { code: number; message?: string };
};
type OtlpRequest = {
  resourceSpans: {
    resource: { attributes: OtlpAttribute[] };
    scopeSpans: { spans: OtlpSpan[] }[];
  }[];
};

/**
 * A receiver (see startReceiver) that reads what it is sent as OpenTelemetry spans, by OTLP over
 * HTTP with JSON.
 */
export async function startCollector() {
  const receiver = await startReceiver();
  return {
    ...receiver,
    endpoint: `http://127.0.0.1:${receiver.port}`,
    /** All that have arrived, the earliest first. */
    spans: () =>
      receiver.requests.flatMap(spansIn).sort((one, other) => one.startMs - other.startMs),
  };
}

function spansIn({ rawBody }: ReceivedRequest) {
  const { resourceSpans }: OtlpRequest = JSON.parse(rawBody.toString());
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        service: valuesOf(resource.attributes)["service.name"],

        traceId: span.traceId,
        id: span.spanId,
        parentId: span.parentSpanId ?? null,
        name: span.name,
        startMs: Number(BigInt(span.startTimeUnixNano) / 1_000_000n),
        endMs: Number(BigInt(span.endTimeUnixNano) / 1_000_000n),
        attributes: valuesOf(span.attributes),
        /** By the words of OTLP: 0 is unset, 2 is an error. */
        status: span.status,
      })),
    ),
  );
}

function valuesOf(attributes: OtlpAttribute[]): Record<string, string | number | undefined> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.intValue === undefined ? value.stringValue : Number(value.intValue),
    ]),
  );
}
