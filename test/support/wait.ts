/** Options of `vi.waitFor` for a condition that a busy machine may meet late. */
export const PATIENT = { timeout: 30_000, interval: 10 };

/** Settings for a test in which Redis answers: a busy machine can hold Redis up for seconds, which the service would answer with 503. */
export const PATIENT_REDIS = { REDIS_TIMEOUT_MS: '30000', REDIS_PROBE_MS: '1000' };

/** Options of `vi.waitFor` for an announced change: half of the time for which the service believes its cache. */
export const BEFORE_CACHE_EXPIRES = { timeout: 2500, interval: 10 };

/** Milliseconds for a hook that installs packages: on a busy machine two installs can take minutes. */
export const INSTALLING_MS = 900_000;
