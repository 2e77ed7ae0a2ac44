// Package terminal joins a browser's WebSocket to a shell in a container: it
// bounds how many there are, how long each lasts, and how much waits for a slow
// end, and tells why one ended. Who may open one, and how a shell is reached, it
// does not know; of what is typed it keeps nothing.
//
// Both ends speak the same frames. A binary frame has bytes of the terminal. A
// text frame has one JSON object: the browser sends {"resize":{"cols":80,"rows":24}},
// the server {"opened":{"shell":"bash"}} and, last, {"ended":{"reason":"exit","code":0,"message":"…"}}.
package terminal
