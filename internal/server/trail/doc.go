// Package trail puts what is asked of the server into the audit: who asked,
// from where, what, and what became of it. A write is in the audit before it is
// done. It decides nothing and reads no bodies: what is written, and why
// somebody may not, others tell it.
package trail
