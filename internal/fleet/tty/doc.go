// Package tty opens a terminal in a container by a WebSocket, over the same
// transport as any other request to the cluster: the credential, CA, server
// name, proxy and impersonation are those of its rest.Config, wherever they
// come from. What the cluster sends is read in small pieces and within bounds.
package tty
