import { text } from "../../text/text.ts";
import { answered, api } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { DayChart } from "./day-chart.tsx";
import { lastDays } from "./last-days.ts";

/** The transactions of each day. They are read again each minute, and not after each event. */
export function TransactionsChart() {
  const asked = useAnswer("transactions a day", [], async (as) => {
    const params = { query: lastDays() };
    return (await answered(api.GET("/transactions/counts", { params, ...as }))).data;
  });
  const { transactionsADay: title, deposits, withdrawals, reversals } = text.overview;
  return (
    <DayChart
      {...{ title, ...asked }}
      lines={[
        [deposits, "accent", (day) => day.deposits + day.payments],
        [withdrawals, "plain", (day) => day.withdrawals],
        [reversals, "bad", (day) => day.reversed],
      ]}
    />
  );
}
