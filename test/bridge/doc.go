// Package bridge plays docs/tutorial/bridge.md with the real terraform: from
// nothing to a hub and three spokes, a switch that is turned on and off again,
// and back to nothing. Between the commands of the page it looks at the
// clusters with a client of its own. What the page shows of their output has
// to be what they print.
//
//	make build terraform && go test ./test/bridge
package bridge
