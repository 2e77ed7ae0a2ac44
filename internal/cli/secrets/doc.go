// Package secrets reads what ExternalSecrets of a fleet make, of which stores, and who uses it. Of Secrets it reads the
// metadata alone: no value ever comes to a command.
package secrets
