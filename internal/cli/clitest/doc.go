// Package clitest has what tests of commands share: applications, a checkout of somebody else, and texts that would steer
// a terminal.
package clitest
