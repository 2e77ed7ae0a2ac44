// Package docs writes the part of the documentation that follows from the
// code, and its tests hold the rest to the code: links lead somewhere, and the
// commands of the README and the tutorial work in the order in which they
// stand there. Everything else in this folder is written by hand.
package docs

//go:generate go run ./generate
//go:generate sh -c "go run ./picture 'causeway up brings a fleet to Synced and Healthy' < images/up.ansi > images/up.svg"
//go:generate sh -c "go run ./picture 'causeway preview shows what three edits do to eight applications' < images/preview.ansi > images/preview.svg"
