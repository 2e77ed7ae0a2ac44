// Package install has the commands that make a hub of a cluster, or take over one from Argo CD, and take one along.
package install
