// Package doctor is the command that checks a machine, a hub, its clusters and its applications.
package doctor
