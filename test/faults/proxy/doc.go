// Package proxy stands between an engine and an API server and spoils some of
// the requests: it cuts, delays, truncates, answers errors of its own, and
// drops watches. Which request meets which fault follows from a seed and the
// request itself, never from the time, so that a schedule can be played again.
//
// It knows nothing of applications and judges nothing.
package proxy
