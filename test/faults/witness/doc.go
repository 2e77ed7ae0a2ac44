// Package witness watches the API server itself, past the proxy and without
// any code of the engine, and judges what it saw: whether the cluster holds
// what Git holds, what was deleted, which hooks ran, and in which order.
package witness
