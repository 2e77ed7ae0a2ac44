// Package rewrite changes the keys of values that came from a store together,
// or makes one object of them.
//
// Keys are gone through in their order, so that the same values always become
// the same: where two keys become one, the later key's value stays.
package rewrite
