// Package clitest has what tests of commands share: applications, texts that would steer a terminal, and files with
// what commands print.
package clitest
