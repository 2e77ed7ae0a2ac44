// Package audit has the entries of the audit and the chain that they make:
// each holds the hash of the one before it, so that none can be changed, taken
// out or put in between without the rest of the chain telling. It works on
// values; where entries are kept is not its matter.
package audit
