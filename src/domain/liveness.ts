/** Who works, by what they have said in the database within seconds. */
export type Liveness = {
  /** The names of the chains that a process watches. */
  watched: readonly string[];
  /** How many processes send. */
  dispatchers: number;
  /** How many processes pass on what is due; null: none has ever said so here, as those of 0.1 do not. */
  relays: number | null;
  /** How many of those cannot reach the queue. */
  withoutQueue: number;
};
