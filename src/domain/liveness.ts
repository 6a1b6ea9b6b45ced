/** Who works, by what they have said in the database within seconds. */
export type Liveness = {
  /** The names of the chains that a process watches. */
  watched: readonly string[];
  /** How many processes send. */
  dispatchers: number;
};
