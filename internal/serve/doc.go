// Package serve puts the server together: it gives the APIs and the pages of
// internal/server what the engine keeps, says who somebody is and what they may,
// and writes what they ask for.
//
// It knows no controller. What it needs of the engine it is given as Options.
package serve
