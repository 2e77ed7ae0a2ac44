// Package breakout plays attempts to break out of a project: by who writes files, Applications, objects of a destination
// or source Secrets, each of the team red, against the team blue on the same control plane and engine; and by a checkout
// that somebody else looks at.
//
// Each attempt is judged twice: by what was asked of the API server (its audit log) and of blue's repository (a server
// that counts), and by what blue has: its objects are as they were, and it syncs.
//
//	go test ./test/breakout                                   all of them
//	go test ./test/breakout -run TestAttempts/Others/Finalizers
//
// What counts as an attempt, and what is not promised, is in docs/explanation/threat-model.md.
package breakout
