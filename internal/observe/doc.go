// Package observe tells what live objects mean: their health, what the engine
// has to remember of them, how an application fares as a whole, and what
// stands below an object for a person who looks at it.
//
// It works on values. It holds no cache, watches nothing and talks to a
// cluster only through the Lister that a caller of Tree hands in.
package observe
