// Package up has the commands that run an engine: fleets on this machine, and the engine of a hub.
package up
