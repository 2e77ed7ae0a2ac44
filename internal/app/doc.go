// Package app puts the engine together: it is the only place that knows every
// part, registers each renderer and controller by name, and passes the news of
// one part to those that it concerns.
//
// It has no logic of its own beyond that.
package app
