import type { z } from "zod";
import type { FaultCode } from "../domain/fault.ts";
import type { Tag } from "./tags.ts";

/**
 * A route with the schemas of its request and answer. The server registers it, and /openapi.json
 * describes it.
 */
export type DescribedRoute = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path, with its parameters as `:name`. */
  path: string;
  tag: Tag;
  summary: string;
  description: string | null;
  /** Null: the path has no parameters. */
  params: z.ZodType | null;
  querystring: z.ZodType;
  /** Null: the body of a request is ignored. */
  body: z.ZodType | null;
  /** Null: the server's own limit. */
  bodyLimitBytes: number | null;
  /** The status of a success. */
  status: 200 | 201 | 202;
  /** The whole body of a success. */
  answer: z.ZodType;
  /** Faults in addition to those of the path, the method and the credentials. */
  refuses: readonly FaultCode[];
  /** True if a replica of the database may answer. Left out: only the primary may. */
  mayBeStale?: true;
};

/** A request as the schemas of its route have parsed it. */
export type ParsedRequest = { params: unknown; query: unknown; body: unknown };
