/** The exit codes of all commands: see docs/reference.md. 0 = done. */
export const FAILED = 1;
/** The command line or the environment is wrong; nothing was tried. */
export const USAGE = 2;
/** Refused for the sake of the data, wholly or in part: it names what does not exist, is held by another command, or was not confirmed. */
export const REFUSED = 3;
/** Ended by Ctrl-C or another signal. */
export const INTERRUPTED = 130;
