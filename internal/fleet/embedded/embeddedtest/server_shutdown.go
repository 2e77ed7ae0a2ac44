package embeddedtest

import "net/http/httptest"

// Shut closes a server whose clients may still watch through it. The listener
// goes first: a client that connects again after its connection was closed
// would keep Close waiting until its watch ends, which takes minutes.
func Shut(server *httptest.Server) {
	_ = server.Listener.Close() // Close does it again
	server.CloseClientConnections()
	server.Close()
}
