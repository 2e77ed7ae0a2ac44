// Package generator makes values that no store keeps: passwords, identifiers and
// credentials for a while.
package generator
