import { z } from "zod";
import { deliveryStatuses } from "../domain/delivery/delivery.ts";
import { notificationEvents } from "../domain/delivery/notification.ts";
import { fieldProblems } from "../domain/field-problem.ts";
import { keysOf, meaningsIn } from "../domain/keys-of.ts";
import type { Page } from "../domain/page.ts";

// The parts of the schemas of answers. /openapi.json shows them, routes take their types from them,
// and tests check every answer against them.

/** ISO 8601 UTC with milliseconds and Z. */
export const timeText = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .meta({ format: "date-time", examples: ["2026-01-31T12:00:00.000Z"] });

export const idText = z.string().meta({ format: "uuid" });

/** An exact decimal: no exponent, no trailing zeros. */
export const decimalText = z
  .string()
  .regex(/^-?\d+(\.\d*[1-9])?$/)
  .meta({ examples: ["1.5"] });

/** An EIP-55 address. */
export const addressText = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .meta({ examples: ["0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc"] });

export const hashText = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/)
  .meta({ examples: [`0x${"825d3f0b7c9b4c7f".repeat(4)}`] });

/** The values in a text of an answer, by their names. */
export const namedValues = z.record(z.string(), z.union([z.string(), z.number()]));

/** A field at fault, and the problem in words and by its code. */
export const fieldDetail = z.object({
  field: z.string(),
  message: z.string(),
  code: z.enum(keysOf(fieldProblems)).meta({ description: meaningsIn(fieldProblems) }),
  values: namedValues.meta({
    description: "The values in `message`, for a text of your own.",
    examples: [{}],
  }),
});

/** Never negative. */
export const count = z.int().min(0);

/** The assets of a chain. */
export const assetCodes = z.array(z.string()).meta({
  description: "The codes of all assets of the chain that are recorded, or once were.",
  examples: [["ETH", "USDC"]],
});

/** The height of a block. Null: there is none. */
export const height = count.nullable();

/** The number for `height`. It is exact: every chain's heights are far below 2^53. */
export function heightOf(number: bigint | null): number | null {
  return number === null ? null : Number(number);
}

/**
 * A text rather than an enum. A newer version that runs beside this one may have written an event
 * that this one does not know.
 */
export const eventText = z.string().meta({ description: meaningsIn(notificationEvents) });

export const deliveryStatusText = z
  .enum(keysOf(deliveryStatuses))
  .meta({ description: meaningsIn(deliveryStatuses) });

/** The body of a success: `success`, and the fields of `shape`. */
export function answer<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object({ success: z.literal(true), ...shape });
}

export function dataAnswer<Data extends z.ZodType>(data: Data) {
  return answer({ data });
}

/** The body that `dataAnswer` describes. */
export function dataBody<Data>(data: Data) {
  return { success: true as const, data };
}

/** One page of a list. */
export function listAnswer<Row extends z.ZodType>(row: Row) {
  return answer({
    data: z.array(row),
    next_cursor: z.string().nullable().meta({
      description: "The place of the next page. Send it as `cursor`. Null: this is the last page.",
    }),
  });
}

/** The body that `listAnswer` describes. */
export function listBody<Row, Shown>(page: Page<Row>, present: (row: Row) => Shown) {
  return {
    success: true as const,
    data: page.rows.map(present),
    next_cursor: page.nextCursor,
  };
}
