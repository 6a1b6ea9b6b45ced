/** The causes of a part's trouble. Beside them, the code of a fault is a cause. */
export const partTroubles = {
  no_step: { description: "none of its steps has ended in time" },
  failed: { description: "its steps fail with the error `error`" },
  not_listening: { description: "it does not listen" },
  not_watched: { description: "no process watches the chain `chain`" },
  not_taken: { description: "jobs wait in the queue, and no process takes them" },
  not_sent: { description: "no process sends notifications" },
  not_passed_on: { description: "no process passes on what is due" },
} as const;
