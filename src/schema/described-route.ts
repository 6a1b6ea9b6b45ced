import type { z } from "zod";
import type { FaultCode } from "../domain/fault.ts";
import type { Tag } from "./tags.ts";

/**
 * A route as its request and its answer describe it: what the server registers, and what
 * /openapi.json says.
 */
export type DescribedRoute = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With its parameters as `:name`. */
  path: string;
  tag: Tag;
  summary: string;
  description: string | null;
  /** Null: the path has none. */
  params: z.ZodType | null;
  querystring: z.ZodType;
  /** Null: whatever is sent is not looked at. */
  body: z.ZodType | null;
  /** Null: the server's own limit. */
  bodyLimitBytes: number | null;
  /** Of a success. */
  status: 200 | 201 | 202;
  /** The whole body of a success. */
  answer: z.ZodType;
  /** The faults beside those that follow from its path, its method and its credentials. */
  refuses: readonly FaultCode[];
  /** A replica of the database may answer it. Left out: it may not. */
  mayBeStale?: true;
};

/** A request as the schemas of its route have parsed it. */
export type ParsedRequest = { params: unknown; query: unknown; body: unknown };
