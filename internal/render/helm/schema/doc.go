// Package schema checks the values of charts against their values.schema.json.
//
// A schema is what strangers wrote: it opens no connection and no file. The library
// that judges has no bound of its own, and a schema of a few hundred bytes can keep it
// busy for hours: the process of the render is what is bounded.
package schema
