// Package value turns what providers give into the bytes of a Secret: fields of
// JSON objects, and values that are encoded.
//
// It knows no provider and no kind.
package value
