// Package causeway is the root of the module. It has no code: its tests hold
// the rules that all other packages keep, which import which and that each
// says what it is for.
package causeway
