/** A field at fault. `code` and `values` word it; `message` is the sentence of the API. */
export type FieldFault = {
  field: string;
  message: string;
  code: string;
  values: Readonly<Record<string, string | number>>;
};

/** A request that was refused or that failed. `status` is 0 where nothing was answered. */
export class WireFault extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: readonly FieldFault[];
  readonly requestId: string | null;
  /** The wait in s that the answer asks for; null: it asks for none. */
  readonly retryAfterS: number | null;

  constructor(answer: {
    status: number;
    code: string;
    message: string;
    details?: readonly FieldFault[];
    requestId?: string | null;
    retryAfterS?: number | null;
  }) {
    super(answer.message);
    this.status = answer.status;
    this.code = answer.code;
    this.details = answer.details ?? [];
    this.requestId = answer.requestId ?? null;
    this.retryAfterS = answer.retryAfterS ?? null;
  }
}

/**
 * The fault of a refused request, in the form that all routes have. A body of another form gives a
 * fault with only the status.
 */
export function faultOf(
  status: number,
  body: unknown,
  retryAfter: string | null = null,
): WireFault {
  const error = partOf(body, "error");
  const code = partOf(error, "code");
  const message = partOf(error, "message");
  const requestId = partOf(body, "request_id");
  return new WireFault({
    status,
    code: typeof code === "string" ? code : `http_${status}`,
    message: typeof message === "string" ? message : `HTTP ${status}`,
    details: detailsOf(partOf(error, "details")),
    requestId: typeof requestId === "string" ? requestId : null,
    retryAfterS:
      retryAfter === null || Number.isNaN(Number(retryAfter)) ? null : Number(retryAfter),
  });
}

/**
 * Any failure as a fault. A request that fails without an answer throws a TypeError (the Fetch
 * standard): it is `unreachable`. Any other error is one of the console.
 */
export function asFault(thrown: unknown): WireFault {
  if (thrown instanceof WireFault) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const code = thrown instanceof TypeError ? "unreachable" : "console_failed";
  return new WireFault({ status: 0, code, message });
}

function detailsOf(details: unknown): FieldFault[] {
  if (!Array.isArray(details)) return [];
  return details.flatMap((detail: unknown) => {
    const field = partOf(detail, "field");
    const message = partOf(detail, "message");
    if (typeof field !== "string" || typeof message !== "string") return [];
    const code = partOf(detail, "code");
    return [
      {
        field,
        message,
        code: typeof code === "string" ? code : "invalid",
        values: valuesOf(partOf(detail, "values")),
      },
    ];
  });
}

function valuesOf(values: unknown): FieldFault["values"] {
  if (typeof values !== "object" || values === null) return {};
  const isValue = ([, value]: [string, unknown]) =>
    typeof value === "string" || typeof value === "number";
  return Object.fromEntries(Object.entries(values).filter(isValue));
}

function partOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}
