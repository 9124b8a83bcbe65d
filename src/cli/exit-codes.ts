/** The exit codes of all commands: see docs/reference.md. 0 = done. */
export const FAILED = 1;
/** The command line or the environment is wrong; nothing was tried. */
export const USAGE = 2;
/**
 * The command refused all or a part of its work to protect the data: it names something that does not exist, another command works on the
 * guild, or nobody confirmed the question.
 */
export const REFUSED = 3;
/** Ended by Ctrl-C or another signal. */
export const INTERRUPTED = 130;
