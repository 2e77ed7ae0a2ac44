// Package client asks the API of a server, as a person or a program that has a
// token. It prints nothing, keeps nothing, and trusts no server more than it
// was told to.
package client
