// Package schema checks the values of charts against their values.schema.json.
//
// A schema is what strangers wrote: it opens no connection and no file, and
// what it may use of time and memory is bounded. The library that judges has no
// such bound, and a schema of a few hundred bytes can keep it busy for hours.
// So this process judges alone what a rehearsal shows to end soon, which is
// nearly all that is in use. Everything else is judged by a process of its own:
// this executable once more, ended at its limit of time or memory.
package schema
