import { text } from "../../text/text.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { readNotificationCounts } from "../parts/notification-counts.ts";
import { DayChart } from "./day-chart.tsx";
import { lastDays } from "./last-days.ts";

/** The notifications of each day: delivered, open and failed. */
export function DeliveriesChart() {
  const asked = useAnswer("deliveries a day", [], async (as) => {
    return (await readNotificationCounts(lastDays(), as)).buckets;
  });
  const { deliveriesADay: title, heard, open, failed } = text.overview;
  return (
    <DayChart
      {...{ title, ...asked }}
      lines={[
        [heard, "good", ({ delivered }) => delivered],
        [open, "warn", ({ waiting, held }) => waiting + held],
        [failed, "bad", ({ exhausted, cancelled }) => exhausted + cancelled],
      ]}
    />
  );
}
