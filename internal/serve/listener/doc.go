// Package listener is where clients reach the server: it accepts their connections, so many of each network, speaks TLS
// with them where it has a certificate, and ends the answers when the engine ends.
//
// It knows nothing of what is answered.
package listener
