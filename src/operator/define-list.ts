import { z } from "zod";
import type { FaultCode } from "../domain/fault.ts";
import { type Page, type PageRequest, parsePageRequest } from "../domain/page.ts";
import { listAnswer, listBody } from "../schema/answers.ts";
import { noQuery, pageFields, pageOf } from "../schema/fields.ts";
import { type ParamsOf, paramsOf } from "./define-verb.ts";
import { type Noun, nouns } from "./nouns.ts";
import { count, optional, optionOr, readInput, type TakesOf } from "./parameter.ts";
import type { VerbBindings } from "./verb-bindings.ts";

/** The number of rows that the command line asks for at once: the largest page. */
const pageSize = 500;

const limitHelp = "the most rows";

type HttpSpec<Filter, Path extends string, Query extends z.ZodRawShape> = {
  path: Path;
  summary: string;
  /** In addition to `limit` and `cursor`. */
  query?: Query;
  filter: (request: { params: ParamsOf<Path>; query: z.output<z.ZodObject<Query>> }) => Filter;
  /** The faults in addition to those of every list. */
  refuses?: readonly FaultCode[];
  /** A replica may answer. Only for long lists that nobody edits by hand. */
  mayBeStale?: true;
};

type CliSpec<Filter> = {
  name: string;
  help: string;
  examples: readonly string[];
  takes: TakesOf<Filter>;
  /** The number of rows without --limit. Left out: all. */
  standardLimit?: number;
};

/**
 * Defines a verb that lists. By HTTP it answers one page. The command line prints all rows, or as
 * many as are asked for.
 */
export function defineList<
  Filter,
  Command,
  Row,
  Shown extends z.ZodType,
  Ports,
  Path extends string,
  Query extends z.ZodRawShape,
>(spec: {
  noun: Noun;
  /** The schema of a row as it is shown. */
  row: Shown;
  /** Makes the question for the ledger. @throws Fault that says what is wrong with the filter */
  check: (filter: Filter) => Command;
  /** Newest first. */
  call: (ports: Ports, command: Command, page: PageRequest) => Promise<Page<Row>>;
  present: (row: Row) => z.output<Shown>;
  http: HttpSpec<NoInfer<Filter>, Path, Query>;
  cli: CliSpec<NoInfer<Filter>>;
}): VerbBindings<Ports, Ports> {
  const { noun, row, check, call, present, http, cli } = spec;
  const limit = limitTake(cli.standardLimit);
  const fields = z.object({ ...(http.query ?? noQuery.shape), ...pageFields });
  return {
    http: {
      method: "GET",
      path: http.path,
      tag: nouns[noun].tag,
      scope: "read",
      summary: http.summary,
      description: null,
      params: paramsOf(http.path),
      querystring: fields.strict(),
      body: null,
      bodyLimitBytes: null,
      status: 200,
      answer: listAnswer(row),
      refuses: http.refuses ?? [],
      ...(http.mayBeStale === undefined ? {} : { mayBeStale: http.mayBeStale }),
      async handle(ports, request) {
        // The schemas above have parsed the request, so it has these types.
        const { params, query } = request as {
          params: ParamsOf<Path>;
          query: z.output<z.ZodObject<Query>> & Parameters<typeof pageOf>[0];
        };
        const command = check(http.filter({ params, query }));
        return listBody(await call(ports, command, pageOf(query)), present);
      },
    },
    cli: {
      noun,
      name: cli.name,
      help: cli.help,
      examples: cli.examples,
      takes: { ...cli.takes, limit },
      async run(ports, given) {
        const command = check(readInput<Filter>(cli.takes, given));
        const read = (page: PageRequest) => call(ports, command, page);
        const rows = await readAll(read, limit.read(given["limit"]));
        return { answer: rows.map(present), hasFindings: false, isUnfinished: false };
      },
    },
  };
}

function limitTake(standard: number | undefined) {
  return standard === undefined
    ? optional("--limit <n>", count, limitHelp)
    : optionOr("--limit <n>", count, { help: limitHelp, standard });
}

/** Reads every row, page after page, or the first `limit` rows. */
async function readAll<Row>(
  read: (page: PageRequest) => Promise<Page<Row>>,
  limit: number = Number.POSITIVE_INFINITY,
): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | null = null;
  do {
    const wanted = Math.min(pageSize, limit - rows.length);
    const page: Page<Row> = await read(
      parsePageRequest(cursor === null ? { limit: wanted } : { limit: wanted, cursor }),
    );
    rows.push(...page.rows);
    cursor = page.nextCursor;
  } while (cursor !== null && rows.length < limit);
  return rows;
}
