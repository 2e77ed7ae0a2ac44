// Package egress connects to public hosts alone, for addresses that somebody
// wrote who may not have the engine ask the hosts of its own network: HTTP
// clients of Go do so by a transport, other programs through a proxy.
//
// The address is judged when the connection is made, after the name was
// resolved, so a name cannot change its mind in between and a redirect leads
// nowhere else. A proxy that the environment names connects in the engine's
// place, and decides by itself.
//
// DialRemote is for addresses that may lead into the network, and not to the
// machine itself.
//
// It does not know who may ask what: whoever reads an address decides whether
// it goes this way. It sees no services that have addresses of the internet.
package egress
