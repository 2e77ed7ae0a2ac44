// Package tabletest tries the tables of commands with values that are too long for them.
package tabletest
