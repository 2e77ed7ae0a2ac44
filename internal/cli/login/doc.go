// Package login has the commands by which people and programs are known at a server.
package login
