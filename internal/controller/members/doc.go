// Package members shows the clusters of a fleet as the application controller, and
// generators, see them: with the one that a destination means, as whoever they are
// written to as, and without those that applications are to leave.
//
// It keeps nothing of a cluster and decides nothing: connections are those of
// internal/fleet, and whom a project permits is for internal/policy to say.
package members
