import { answered, api } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";

/** The most that a list to choose from shows. More are sought by a part of the name. */
export const mostListed = 100;

/** The newest businesses: one more than a list shows, where there are more. */
export function useBusinesses() {
  return useAnswer("businesses", ["businesses"], (as) =>
    answered(api.GET("/admin/businesses", { params: { query: { limit: mostListed + 1 } }, ...as })),
  );
}
