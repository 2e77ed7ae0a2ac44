/** A machine that is slow waits longer: CAUSEWAY_PATIENCE multiplies, as it does in Go. What is no number counts as nothing said. */
const factor = Math.max(1, Number(process.env.CAUSEWAY_PATIENCE) || 1);

/** patience is how long tests wait for what has to come, in milliseconds: only what is broken uses it up. See test/await. */
export const patience = 240_000 * factor;

/** whole is how long a test may take: what is missing in it is told first. */
export const whole = 3 * patience;
