import { fill, text, worded, wordOf } from "../../text/text.ts";
import { Chart } from "../../ui/data/chart.tsx";
import { Facts } from "../../ui/data/facts.tsx";
import { Answered } from "../../ui/frame/answered.tsx";
import { Banner } from "../../ui/frame/banner.tsx";
import { Section } from "../../ui/frame/section.tsx";
import { English } from "../../ui/show/english.tsx";
import { Moment } from "../../ui/show/moment.tsx";
import { When } from "../../ui/show/when.tsx";
import { answered, api } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { alertText } from "../parts/alert-text.ts";
import { EndpointCharts } from "./endpoint-charts.tsx";
import { Endpoints } from "./endpoints.tsx";
import { type ChainStatus, heightText } from "./status.ts";

/** Everything about one chain. */
export function ChainDetail({ of }: { of: ChainStatus }) {
  return (
    <div class="stack">
      <ChainBanners of={of} />
      <Lag of={of} />
      <Section title={text.chains.reading}>
        <ChainFacts of={of} />
      </Section>
      <Section title={text.chains.endpoints}>
        <Endpoints of={of} />
      </Section>
      <EndpointCharts of={of} />
    </div>
  );
}

/** Alerts of which a banner here says more than their summary. */
const hasBannerOfItsOwn: ReadonlySet<ChainStatus["alerts"][number]["kind"]> = new Set([
  "ChainbellChainStopped",
  "ChainbellChainHeld",
  "ChainbellUpgradeAhead",
]);

function ChainBanners({ of }: { of: ChainStatus }) {
  const { alerts, stopped, held, upgrade } = of;
  return (
    <>
      {stopped !== null && (
        <Banner tone="bad">
          <span class="stack-tight">
            <strong>
              {stopped.code} {stopped.since !== null && <When at={stopped.since} />}
            </strong>
            <span>{stoppedText(stopped)}</span>
          </span>
        </Banner>
      )}
      {alerts
        .filter(({ kind }) => !hasBannerOfItsOwn.has(kind))
        .map((alert) => (
          <Banner
            key={`${alert.kind} ${alert.summary}`}
            tone={alert.severity === "critical" ? "bad" : "warn"}
          >
            {alertText(alert)}
          </Banner>
        ))}
      {held !== null && (
        <Banner tone="warn">
          {fill(text.chains.heldMore, {
            what: wordOf(text.heldWhat, held.what),
            why: wordOf(text.heldWhy, held.why),
            number: held.number,
          })}{" "}
          <When at={held.since} />
        </Banner>
      )}
      {upgrade !== null && (
        <Banner tone="warn">
          {fill(text.chains.upgrade, { name: upgrade.name })} <Moment at={upgrade.at} />
        </Banner>
      )}
    </>
  );
}

function Lag({ of }: { of: ChainStatus }) {
  const { answer, again } = useAnswer(of.name, ["health"], async (as) => {
    const params = { path: { name: of.name } };
    return (await answered(api.GET("/admin/chains/{name}/lag", { params, ...as }))).data;
  });
  const name = text.chains.lagSeconds;
  return (
    <Section title={text.chains.lagTitle}>
      <Answered answer={answer} again={again} lines={4}>
        {(seen) =>
          seen.length < 2 ? (
            <p class="muted">{text.chains.lagBegins}</p>
          ) : (
            <Chart
              label={fill(text.chains.lagOf, { name: of.name })}
              shape="line"
              times={seen.map(({ at }) => Date.parse(at) / 1000)}
              series={[{ name, ink: "accent", values: seen.map(({ seconds }) => seconds) }]}
            />
          )
        }
      </Answered>
    </Section>
  );
}

function ChainFacts({ of }: { of: ChainStatus }) {
  const words = text.chains;
  const heights = [of.head, of.position, of.confirmed].map(heightText);
  const [head = "", position = "", confirmed = ""] = heights;
  return (
    <Facts
      of={[
        [words.head, head],
        [words.position, position],
        [words.confirmed, confirmed],
        [words.proof, proofText(of)],
        of.evidence === null
          ? null
          : [
              words.evidence,
              <span key="evidence">
                {wordOf(text.evidenceLevel, of.evidence.level)} ({of.evidence.checked}):{" "}
                <English text={of.evidence.source} />
              </span>,
            ],
        of.reading === null ? null : [words.mode, wordOf(text.readingMode, of.reading)],
        givenUpText(of) === "" ? null : [words.givesUp, givenUpText(of)],
        of.tracing === null ? null : [words.tracing, wordOf(text.tracing, of.tracing)],
        of.balances === null ? null : [words.balances, wordOf(text.proof, of.balances)],
        of.agreed_blocks === null
          ? null
          : [words.agreedBlocks, `${of.agreed_blocks.count}: ${unreadText(of.agreed_blocks)}`],
        [words.discrepancies, String(of.discrepancies)],
        [words.unproven, String(of.unproven)],
        [words.openingsAnswered, String(of.openings_answered)],
        [words.histories, String(of.histories)],
        of.left_assets.length === 0 ? null : [words.leftAssets, of.left_assets.join(", ")],
        of.reconciled_at === null
          ? null
          : [words.reconciled, <Moment key="reconciled" at={of.reconciled_at} />],
        of.read_at === null ? null : [words.reported, <Moment key="read" at={of.read_at} />],
      ]}
    />
  );
}

function proofText({ verification }: ChainStatus): string {
  if (verification === null) return "–";
  const parts = [
    verification.header ? text.chains.header : null,
    verification.transactions ? text.chains.transactions : null,
    fill(text.chains.receipts, { proof: wordOf(text.receiptsProof, verification.receipts) }),
  ];
  return parts.filter((part) => part !== null).join(", ");
}

function givenUpText({ gives_up: sentences, gives_up_codes: codes }: ChainStatus): string {
  return (sentences ?? [])
    .map((what, place) => {
      const code = codes?.[place];
      return code === undefined ? what : worded(text.drawback, code, { sentence: what });
    })
    .join(" ");
}

/** The reason why the last of the agreed blocks could not be read. */
function unreadText({ why: what, unread, unknown }: NonNullable<ChainStatus["agreed_blocks"]>) {
  if (unread === null) return what;
  return worded(text.unread, unread, { sentence: what, names: unknown.join(", ") });
}

/** The cause of a stopped chain and its remedy, in the page's language. */
function stoppedText({ code, reason, remedy }: NonNullable<ChainStatus["stopped"]>): string {
  const words: Readonly<Record<string, string>> = text.fault;
  return words[code] ?? `${reason} ${remedy}`;
}
