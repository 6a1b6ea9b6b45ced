/** Where OpenTelemetry spans are sent, and for which share of transactions. */
export type SpanExport = {
  /** The URL that accepts OTLP over HTTP. */
  url: string;
  /** Sent with each request. Secret. */
  headers: Readonly<Record<string, string>>;
  serviceName: string;
  /** The share of transactions, above 0 and at most 1. */
  ratio: number;
};

type Reading<T> = { value: T } | { fault: string };

/** Reads a variable. Answers `otherwise` if the variable is not set or invalid. */
type Read = <T, Otherwise>(
  name: string,
  reading: (text: string) => Reading<T>,
  otherwise: Otherwise,
) => T | Otherwise;

/**
 * Reads the variables of OpenTelemetry
 * (https://opentelemetry.io/docs/specs/otel/protocol/exporter/). Null: no spans are sent.
 */
export function readSpanExport(read: Read): SpanExport | null {
  const url = read("OTEL_EXPORTER_OTLP_ENDPOINT", parseEndpoint, null);
  const headers = read("OTEL_EXPORTER_OTLP_HEADERS", parseHeaders, {});
  const serviceName = read("OTEL_SERVICE_NAME", (value) => ({ value }), "chainbell");
  const share = read("OTEL_TRACES_SAMPLER_ARG", parseShare, 1);
  const ratio = read("OTEL_TRACES_SAMPLER", (name) => parseSampler(name, share), 1);
  return url === null || ratio === 0 ? null : { url, headers, serviceName, ratio };
}

/** The URL for traces: the endpoint's path with `/v1/traces` after it. */
function parseEndpoint(text: string): Reading<string> {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    return { fault: "expected an http or https URL, such as http://collector:4318" };
  url.pathname = `${url.pathname.replace(/\/$/, "")}/v1/traces`;
  return { value: url.href };
}

/** Parses `name=value,name=value`, with percent-encoded values. */
function parseHeaders(text: string): Reading<Record<string, string>> {
  const fault = "expected name=value,name=value, with values percent-encoded";
  const entries = text.split(",").map((entry) => {
    const [, name = "", value = ""] = /^([^=]*)=(.*)$/.exec(entry) ?? [];
    return [name.trim(), decoded(value.trim())] as const;
  });
  const isWhole = entries.every(
    ([name, value]) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && /^[ -~]+$/.test(value),
  );
  return isWhole ? { value: Object.fromEntries(entries) } : { fault };
}

/**
 * The decoded text, or the empty text if it cannot be decoded. No header may have an empty value.
 */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

function parseShare(text: string): Reading<number> {
  const value = /^(\d+(\.\d*)?|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
  return value <= 1 ? { value } : { fault: "expected a number from 0 to 1" };
}

/**
 * The share of a sampler. `parentbased_` makes no difference, because no trace of Chainbell has a
 * parent elsewhere.
 */
function parseSampler(name: string, share: number): Reading<number> {
  switch (name.replace(/^parentbased_/, "")) {
    case "always_on":
      return { value: 1 };
    case "always_off":
      return { value: 0 };
    case "traceidratio":
      return { value: share };
    default:
      return {
        fault:
          "expected always_on, always_off or traceidratio, each with or without parentbased_ before it",
      };
  }
}
