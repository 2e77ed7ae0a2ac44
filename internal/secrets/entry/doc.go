// Package entry has what a store keeps at one place, and finds properties in it.
//
// Properties are expressions that strangers write, over values of any size: they
// are looked up where templates are rendered, and not where entries are read.
package entry
