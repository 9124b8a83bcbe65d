/** Options of `vi.waitFor` for a condition that a busy machine may meet late. */
export const PATIENT = { timeout: 30_000, interval: 10 };
