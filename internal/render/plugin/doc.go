// Package plugin renders sources by commands, described by Argo CD's
// ConfigManagementPlugin files.
//
// A plugin gets a copy of the repository in a private folder, and the
// variables that Argo CD's plugins get; of this process's environment, its
// credentials and its other files by name it gets nothing. It is no sandbox:
// commands run as this process's user, so who installs a plugin trusts it.
//
// Plugins often fetch secrets. What they print is kept in memory only.
package plugin
