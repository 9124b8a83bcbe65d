/** A run that kept results but did not load every row. The message says what happened and what to do. */
export class IncompleteRun extends Error {
  constructor(
    message: string,
    /**
     * `skipped`: bad rows were skipped, all others are loaded. `levels`: a person has to choose what becomes of levels.
     * `interrupted`: the run was stopped.
     */
    readonly reason: 'skipped' | 'levels' | 'interrupted',
  ) {
    super(message);
  }
}
