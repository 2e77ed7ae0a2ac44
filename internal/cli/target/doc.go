// Package target finds what a command talks to, a hub or a server, and reads there what several commands want: one
// Application, the clusters, live objects, the history.
package target
