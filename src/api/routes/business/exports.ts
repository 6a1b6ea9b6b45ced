import type { FastifyReply, FastifyRequest } from "fastify";
import type { ListLedger } from "../../../domain/business/list-reader.ts";
import { mostOfBusiness } from "../../../domain/business/rate-limit.ts";
import { csvLine } from "../../../domain/csv.ts";
import { inSlices, mapSliced } from "../../../domain/in-slices.ts";
import {
  decodeCursor,
  maxPageSize,
  type Page,
  type PagePlace,
  type PageRequest,
} from "../../../domain/page.ts";
import { invalidField } from "../../../domain/text.ts";
import { takesChunks } from "../../answers/send-texts.ts";
import { type ListDeps, sayServed } from "../../answers/served.ts";
import { businessOf } from "../../auth/authenticate.ts";
import { createInProgressLimit } from "../../auth/limit-in-progress.ts";
import { acceptedType } from "../../http/accepted-type.ts";
import { type SendDeps, sendHeld } from "./send-held.ts";

/** The types of a whole list as an export. Its pages are JSON. */
const exportTypes = ["text/csv", "application/x-ndjson"] as const;

type ExportType = (typeof exportTypes)[number];

/** The type of export that a request asks for. Null: it asks for a page. */
export function exportTypeOf(request: FastifyRequest): ExportType | null {
  const type = acceptedType(request.headers.accept, ["application/json", ...exportTypes]);
  return type === "application/json" ? null : type;
}

/**
 * A part of the description of each such list. Only in words: if an answer had three types,
 * generated clients would no longer know that a page is JSON.
 */
export const aboutExports =
  "With `Accept: text/csv` or `application/x-ndjson` the whole list is streamed, from `cursor` on, and `limit` does not matter. A broken connection means that it is not whole. The trailer `chainbell-counts` has the number of rows.";

const countsTrailer = "chainbell-counts";

/** The columns of a table, each with its name. Cells of null and undefined are empty. */
export type Columns<Shown> = readonly (readonly [name: string, cellOf: (shown: Shown) => Cell])[];

type Cell = string | number | boolean | null | undefined;

/** A list to export: how to read its pages, and how to show each row. */
export type ExportedList<Row, Shown> = {
  type: ExportType;
  read: (ledger: ListLedger, page: PageRequest) => Promise<Page<Row>>;
  /** Where to begin. */
  after: PagePlace;
  /** In a list whose rows may move while it is read: their ids. A row is sent only once. */
  idOf?: ((row: Row) => string) | undefined;
  present: (row: Row) => Shown;
  columns: Columns<Shown>;
  /** Counts of certain rows, in addition to the count of all, by their names in the trailer. */
  counted?: Readonly<Record<string, (shown: Shown) => boolean>>;
};

type Exports = {
  /**
   * Answers with a whole list, one row a line. Reads the first page before the answer begins, so
   * that its faults are ordinary error answers. Reads each further page when the client has taken
   * the one before. No lock and no transaction is open in between. Breaks off if a page cannot be
   * read, the credential is no longer valid, or the server stops. After the last chunk, the trailer
   * `chainbell-counts` says how many rows there were.
   * @throws Fault `rate_limited`, and those of `read`
   */
  send: <Row, Shown>(
    request: FastifyRequest,
    reply: FastifyReply,
    list: ExportedList<Row, Shown>,
  ) => Promise<FastifyReply>;
};

export type ExportDeps = { exports: Exports };

/** The time for which a client may read nothing before its answer ends, in ms. */
const longestUnreadMs = 60_000;

/** Makes exports. Limits how many of them each business has under way in this process. */
export function createExports(deps: ListDeps & SendDeps): Exports {
  const inTurn = createInProgressLimit(mostOfBusiness.exports);
  return {
    async send(request, reply, list) {
      await inTurn(businessOf(request), () => sendList(request, reply, { list, deps }));
      return reply;
    },
  };
}

type Sending<Row, Shown> = {
  list: ExportedList<Row, Shown>;
  deps: ListDeps & SendDeps;
};

async function sendList<Row, Shown>(
  request: FastifyRequest,
  reply: FastifyReply,
  { list, deps }: Sending<Row, Shown>,
): Promise<void> {
  const { type, read, after } = list;
  const readAfter = (place: PagePlace, maxStalenessMs?: number) =>
    deps.readLists((ledger) => read(ledger, { ...place, limit: maxPageSize }), maxStalenessMs);
  const begunMs = performance.now();
  const { answer: first, served } = await readAfter(after);
  sayServed(reply, served);
  // From then on, no page may be of older data. An older replica would lack rows in the middle.
  const asOfMs = begunMs - (served.by === "primary" ? 0 : served.stalenessMs);
  reply.type(`${type}; charset=utf-8`).header("vary", "accept");
  const pages = pagesFrom(first, async (place) => {
    return (await readAfter(place, performance.now() - asOfMs)).answer;
  });
  const texts = () => textsOf(eachOnce(pages, list), list, countIn(request, reply, list));
  await sendHeld({ request, reply }, texts, { ...deps, longestUnreadMs });
}

async function* pagesFrom<Row>(
  first: Page<Row>,
  readAfter: (place: PagePlace) => Promise<Page<Row>>,
): AsyncGenerator<readonly Row[]> {
  for (let page = first; ; ) {
    yield page.rows;
    const place = page.nextCursor === null ? null : decodeCursor(page.nextCursor);
    if (place === null) return;
    page = await readAfter(place);
  }
}

/** Leaves out rows that came before. Remembers 16 bytes of each row, and the place in the set. */
async function* eachOnce<Row>(
  pages: AsyncIterable<readonly Row[]>,
  { idOf }: Pick<ExportedList<Row, unknown>, "idOf">,
): AsyncGenerator<readonly Row[]> {
  const sent = new Set<string>();
  for await (const rows of pages)
    yield idOf === undefined
      ? rows
      : rows.filter((row) => {
          const id = Buffer.from(idOf(row).replaceAll("-", ""), "hex").toString("latin1");
          return sent.size < sent.add(id).size;
        });
}

/**
 * Counts rows, and sends the counts after the last chunk (RFC 9110 section 6.5), as a dictionary of
 * RFC 9651. HTTP/1.0 has no trailers.
 */
function countIn<Shown>(
  request: FastifyRequest,
  reply: FastifyReply,
  { counted = {} }: Pick<ExportedList<unknown, Shown>, "counted">,
): (shown: Shown) => void {
  const counts = Object.entries({ rows: (_: Shown) => true, ...counted }).map(
    ([name, isCounted]) => ({ name, isCounted, count: 0 }),
  );
  if (takesChunks(request))
    reply.trailer(countsTrailer, async () =>
      counts.map(({ name, count }) => `${name}=${count}`).join(", "),
    );
  return (shown) => {
    for (const one of counts) if (one.isCounted(shown)) one.count += 1;
  };
}

/** The rows of each page as one text. */
async function* textsOf<Row, Shown>(
  pages: AsyncIterable<readonly Row[]>,
  { type, present, columns }: ExportedList<Row, Shown>,
  count: (shown: Shown) => void,
): AsyncGenerator<string> {
  if (type === "text/csv") yield csvLine(columns.map(([name]) => name));
  for await (const rows of pages) {
    const lines = await inSlices(
      mapSliced(rows, (row) => {
        const shown = present(row);
        count(shown);
        return type === "text/csv"
          ? csvLine(columns.map(([, cellOf]) => textOf(cellOf(shown))))
          : `${JSON.stringify(shown)}\n`;
      }),
    );
    yield lines.join("");
  }
}

function textOf(cell: Cell): string | null {
  return cell === null || cell === undefined ? null : String(cell);
}

/** @throws Fault `invalid_request` with the field that only pages have */
export function refuseForExport(fields: Readonly<Record<string, boolean>>): void {
  for (const [name, isGiven] of Object.entries(fields))
    if (isGiven) throw invalidField(name, "must come with Accept: application/json");
}
