// Package claims decides which of the things that an operation says of itself the engine believes, such as who asked for it, and seals what the
// engine itself says. It starts no operation and ends none: the controller of Applications does.
package claims
