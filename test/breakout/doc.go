// Package breakout plays attempts to break out of a project: by who writes files, Applications, ApplicationSets, objects
// of a destination or source Secrets, each of the team red, against the team blue on the same control plane and engine;
// and by a checkout that somebody else looks at. The engine acts as the account of the project; some are played again where
// it writes by its own rights, so that the rules of the project are all that holds.
//
// Each attempt is judged by what was asked of the API server (its audit log) and of blue's repository (a server that
// counts), by what blue has: its objects are as they were, and it syncs; and by a program that nobody may run, which
// attempts name wherever a program might be, and which leaves a file.
//
//	go test ./test/breakout                                   all of them
//	go test ./test/breakout -run TestAttempts/Others/ForgedHistory
//
// What counts as an attempt, and what is not promised, is in docs/explanation/threat-model.md.
package breakout
