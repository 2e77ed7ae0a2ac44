// Package agefile has keys in a file of age's identities, as age-keygen makes them: for development, and for clusters on
// one machine, since whoever reads the file decrypts all. The control plane's module compiles these files as well, so
// they import nothing of this one.
package agefile
